"""The claims of certificates in a feature space, each checked against the data.

As :mod:`novikoff.certificate.claims`: what the data proves is returned, and a claim that is not
proved raises a CertificateError.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.claims import NO_ROWS, Findings, check_finite
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.hull import HullPoint, margin_above
from novikoff.certificate.exact.prediction import Errors
from novikoff.certificate.exact.slack import dual_below
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.enclosed import (
    Enclosed,
    count_errors,
    margin_below,
    primal_value,
    table_of,
)
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.feature_space.mean_distance import hull_point, is_zero_combination
from novikoff.certificate.feature_space.scores import decided_scores, joined
from novikoff.certificate.joint_model import JointRefutation
from novikoff.certificate.model import Soft
from novikoff.certificate.wording import counted


def check_model(model: KernelModel | None, examples: Examples, *, affine: bool) -> Findings:
    """Check the margin, the errors and the soft-margin bounds of a classifier, if there is one."""
    check_finite(examples)
    if model is None:
        return Findings()
    found = Enclosed.of(examples, model.support, model.coef, model.intercept)
    lower, exact = check_margin(model, found, examples)
    errors = count_errors(found, examples.taking_part)
    if errors.count != model.errors:
        raise CertificateError(
            f"the classifier makes {counted(errors.count, 'error')} on the examples, "
            f"not {model.errors:,}"
        )
    rows = [exact, errors.exact_rows]
    primal = dual = upper = None
    if model.soft is not None:
        primal, exact = check_primal(model.soft, found, examples)
        rows.append(exact)
        dual, upper, exact = _check_dual(model.soft, examples, affine=affine)
        rows.append(exact)
    return Findings(
        lower=lower,
        upper=upper,
        primal=primal,
        dual=dual,
        errors=model.errors,
        exact_rows=np.unique(np.concatenate(rows)),
    )


def check_upper(
    upper: float,
    support: Indices,
    weights: npt.NDArray[Any],
    examples: Examples,
    *,
    affine: bool,
) -> tuple[float, Indices]:
    """Check that the weights prove the upper bound on every margin."""
    point = _point(support, weights, examples, affine=affine)
    if point is not None and not point.exact and upper < point.margin:
        point = _point(support, weights, examples, affine=affine, thorough=True)
    proved = margin_above(point)
    if upper < proved:
        raise CertificateError(f"the weights prove the upper bound {proved!r}, not {upper!r}")
    return proved, NO_ROWS if point is None else point.exact_rows


def check_zero(
    support: Indices, weights: npt.NDArray[Any] | None, examples: Examples, *, affine: bool
) -> None:
    """Check that weighted examples cancel exactly in the feature space."""
    assert weights is not None
    if not is_zero_combination(table_of(examples), examples.signs, support, weights, affine=affine):
        raise CertificateError(
            "it is not proved that the weighted sum of the signed examples is zero"
        )


def check_pair(
    refutation: JointRefutation, examples: Examples, *, affine: bool
) -> tuple[int, Indices]:
    """Check that examples of two classes cancel; return how many do, and the exact rows."""
    if refutation.pair is None or refutation.weights is None:
        raise CertificateError("with a kernel a refutation needs two classes and weights")
    mine = examples.between(*refutation.pair)
    mine.check_takes_part(refutation.support, refutation.weights)
    check_zero(refutation.support, refutation.weights, mine, affine=affine)
    return int((refutation.weights > 0).sum()), refutation.support


def joint_errors(models: list[KernelModel], examples: Examples) -> Errors:
    """The number of examples that the first largest of several scores gets wrong."""
    values, rows = decided_scores(table_of(examples), *joined(models))
    wrong, part = values.argmax(axis=1) != examples.codes, examples.taking_part
    if part is not None:
        wrong &= part
        rows = rows[part[rows]]
    return Errors(int(np.count_nonzero(wrong)), rows)


def check_margin(
    model: KernelModel | JointKernelModel, found: Enclosed, examples: Examples
) -> tuple[float, Indices]:
    """Check a margin; return the bound and the exact rows."""
    if model.margin is None:
        return -math.inf, NO_ROWS
    bound = margin_below(found, examples.taking_part)
    if model.margin > bound.value and not bound.exact:
        bound = margin_below(found, examples.taking_part, thorough=True)
    if model.margin > bound.value:
        raise CertificateError(
            f"the classifier is not proved to have the margin {model.margin!r}: "
            f"{bound.value!r} is proved"
        )
    return bound.value, bound.exact_rows


def check_primal(soft: Soft, found: Enclosed, examples: Examples) -> tuple[float, Indices]:
    """Check that the objective of a classifier is at most what is claimed."""
    primal = primal_value(found, soft.C, examples.costs, scale=soft.scale)
    if primal.low <= soft.primal < primal.high and not primal.exact:
        primal = primal_value(found, soft.C, examples.costs, scale=soft.scale, thorough=True)
    if soft.primal < primal.high:
        raise CertificateError(
            f"the classifier is not proved to attain {soft.primal!r}: {primal.high!r} is proved"
        )
    return primal.high, primal.exact_rows


def _check_dual(soft: Soft, examples: Examples, *, affine: bool) -> tuple[float, float, Indices]:
    weighted = (soft.support, soft.weights, examples)
    point = _point(*weighted, affine=affine, soft=True)
    if (
        point is not None
        and not point.exact
        and (soft.dual > dual_below(point, soft.C) or soft.upper < point.margin)
    ):
        point = _point(*weighted, affine=affine, soft=True, thorough=True)
    dual, upper = dual_below(point, soft.C), margin_above(point)
    if soft.dual > dual:
        raise CertificateError(f"the weights prove the lower bound {dual!r}, not {soft.dual!r}")
    if soft.upper < upper:
        raise CertificateError(f"the weights prove the upper bound {upper!r}, not {soft.upper!r}")
    return dual, upper, NO_ROWS if point is None else point.exact_rows


def _point(
    support: Indices,
    weights: npt.NDArray[Any],
    examples: Examples,
    *,
    affine: bool,
    soft: bool = False,
    thorough: bool = False,
) -> HullPoint | None:
    examples.check_takes_part(support, weights)
    return hull_point(
        table_of(examples),
        examples.signs,
        support,
        weights,
        affine=affine,
        costs=examples.costs if soft else None,
        thorough=thorough,
    )
