"""What a model says of the examples that make its hyperplanes, checked against the data.

The certificate proves the hyperplanes; ``support_`` and ``dual_coef_`` stand beside it. Their signs
must be those of the labels, and where the weights are the model's own, the weighted examples must
sum to the hyperplane, up to rounding. With a kernel they must be the coefficients that predict.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate import json
from novikoff.certificate.base import Certificate
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import combination, radius
from novikoff.certificate.exact.flow import class_sums, flow_of
from novikoff.certificate.examples.blocks import Floats, Indices, take
from novikoff.certificate.examples.labels import codes_of, signs_against
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.fields import as_codes, as_support
from novikoff.certificate.kinds.joint import Joint

ROUNDINGS = 256.0
"""How far the sum may be from the hyperplane, in units of the bound on its rounding error: a fit
adds in another order, and rounds a few times more."""


@dataclass(frozen=True)
class Stated:
    """Which examples make a hyperplane, with which signed weights, by a model's own account.

    ``centre`` is what the examples are read relative to. ``None``: only the signs are the model's,
    and the weights are those of the certificate. For several classes together, ``dual_coef`` has a
    row for each class: the weights of the examples in its score.

    With a kernel there is no ``centre``; where ``relative`` the examples are read relative to the
    first of the support. The weight of that one has no part in the normal, only in the intercept.
    """

    support: Indices
    dual_coef: npt.NDArray[Any]
    centre: Floats | None = None
    relative: bool = False


def stated_by(model: Any) -> list[Stated]:
    """Return what a fitted estimator says; nothing where it was trained online."""
    if not hasattr(model, "support_"):
        return []
    lists = [getattr(model, name) for name in ("support_", "dual_coef_")]
    several = len(model.certificate_.parts) > 1
    pairs = zip(*(lists if several else [[each] for each in lists]), strict=True)
    centre = getattr(model, "centre_", None)
    # Largest margins have weights whose sum is zero; a perceptron subtracts its centre.
    relative = hasattr(model, "rule")
    return [Stated(np.asarray(rows), np.asarray(dual), centre, relative) for rows, dual in pairs]


def stated_in(
    certificate: Certificate, fitted: dict[str, Any], *, relative: bool = False
) -> list[Stated]:
    """Return what the JSON values of a model say beside its certificate.

    ``relative`` where it is a perceptron.
    For several classes together ``own`` are the classes of the examples of the certificate's
    proof, or ``dual_coef`` has one table, with a row for each class.
    """
    if isinstance(certificate, Joint):
        return _stated_jointly(certificate, fitted, relative)
    if "signs" in fitted:
        signs = json.listed(json.read_floats)("signs", fitted["signs"])
        supports = [part.proof[0] for part in certificate.parts]
        return [Stated(*pair) for pair in _pairs(supports, signs)]
    supports = json.listed(json.read_rows)("support", fitted.get("support", []))
    duals = json.listed(json.read_floats)("dual_coef", fitted.get("dual_coef", []))
    # With a kernel the centre is an example in feature space.
    linear = certificate.problem.kernel is None
    centre = json.read_floats("centre", fitted.get("centre")) if supports and linear else None
    return [Stated(*pair, centre, relative) for pair in _pairs(supports, duals)]


def _stated_jointly(certificate: Joint, fitted: dict[str, Any], relative: bool) -> list[Stated]:
    n_classes = len(certificate.classes)
    if "own" in fitted:
        support, weights = certificate.proof
        own = as_codes("own", json.read_rows("own", fitted["own"]), n_classes)
        _pairs([support], [own])
        if weights is None:
            raise CertificateError("the model is damaged: its certificate has no weights")
        return [Stated(support, flow_of(own, weights).T)]
    supports = json.listed(json.read_rows)("support", fitted.get("support", []))
    duals = json.listed(json.read_table)("dual_coef", fitted.get("dual_coef", []))
    # A largest margin is the sum of its examples at the optimum alone: it states no centre.
    centre = json.read_floats("centre", fitted["centre"]) if "centre" in fitted else None
    if any(dual.shape[0] != n_classes for dual in duals):
        raise CertificateError("the model is damaged: dual_coef has not a row for each class")
    pairs = _pairs(supports, [d.T for d in duals])
    return [Stated(rows, dual.T, centre, relative) for rows, dual in pairs]


def _pairs(supports: Any, weights: Any) -> list[tuple[Any, Any]]:
    if [len(rows) for rows in supports] != [len(part) for part in weights]:
        raise CertificateError(
            "the model is damaged: not every example of its support has a weight"
        )
    return list(zip(supports, weights, strict=True))


def check_stated(certificate: Certificate, stated: list[Stated], X: Any, y: npt.ArrayLike) -> None:
    """Refuse what the data contradicts.

    Raises
    ------
    CertificateError
        In one line, what is wrong.
    """
    if not stated:
        return
    problem, parts = certificate.problem, certificate.parts
    if len(stated) != len(parts):
        raise CertificateError("the model is damaged: not every hyperplane has a support")
    for each in stated:
        if each.centre is not None and np.shape(each.centre) != (problem.n_features,):
            raise CertificateError(
                "the model is damaged: its centre and the features differ in number"
            )
    matrix, codes = check_matrix(X), codes_of(y, problem.classes)
    if isinstance(certificate, Joint):
        _check_jointly(certificate, stated[0], matrix, codes)
        return
    for part, mine in zip(parts, stated, strict=True):
        rows = as_support(mine.support, problem.n_examples)
        if mine.dual_coef.shape != rows.shape or not np.isfinite(mine.dual_coef).all():
            raise CertificateError("the model's dual_coef_ is not one number for each of support_")
        signs = signs_against(codes, part.problem.code)[rows]
        wrong = rows[mine.dual_coef * signs < 0]
        if wrong.size:
            raise CertificateError(
                f"the model's dual_coef_ of example {wrong[0]} has not the sign of its label; "
                "fit it again"
            )
        if problem.kernel is not None:
            _check_coefficients(part, mine, mine.dual_coef)
        elif mine.centre is not None:
            weights = np.asarray(mine.dual_coef, dtype=np.float64)
            sums = combination(take(matrix, rows), weights, matrix.shape[1])
            _check_sum(part, sums, weights, mine.centre)


def _check_jointly(certificate: Joint, stated: Stated, X: Any, codes: Indices) -> None:
    """Refuse what the data contradicts of the weights of several classes together."""
    rows, dual = as_support(stated.support, codes.size), np.asarray(stated.dual_coef)
    shape = (len(certificate.classes), rows.size)
    if dual.shape != shape or not np.isfinite(dual).all():
        raise CertificateError(f"the model's dual_coef_ is not a table of {shape} numbers")
    signs = np.full(shape, -1)
    signs[codes[rows], np.arange(rows.size)] = 1
    wrong = rows[(dual * signs < 0).any(axis=0)]
    if wrong.size:
        raise CertificateError(
            f"the model's dual_coef_ of example {wrong[0]} is positive for another class than its "
            "own, or negative for that; fit it again"
        )
    if certificate.problem.kernel is not None:
        _check_coefficients(certificate, stated, dual.T)
    elif stated.centre is not None:
        weights = np.asarray(dual.T, dtype=np.float64)
        totals, errors = class_sums(X, rows, weights)
        for code, sums in enumerate(zip(totals, errors, strict=True)):
            _check_sum(certificate, sums, weights[:, code], stated.centre, code)


def _check_coefficients(part: Any, stated: Stated, weights: npt.NDArray[Any]) -> None:
    """Refuse weights that are not the coefficients of the kernel classifier, or of its scores.

    Relative to a centre, the first of the support, they are so but for that one, from which their
    sum is subtracted.
    """
    model = part.hyperplane
    if model is None:
        return
    rows = np.union1d(stated.support, model.support)
    difference = np.zeros((rows.size, *weights.shape[1:]))
    difference[np.searchsorted(rows, model.support)] = model.coef
    difference[np.searchsorted(rows, stated.support)] -= weights
    size = np.abs(weights).sum(axis=0) + np.zeros(weights.shape[1:])
    allowed = ROUNDINGS * radius(size, weights.shape[0])
    # The weight of an example in its own class is a sum over the others, in some order.
    own = np.zeros(rows.size)
    sizes = np.abs(weights).reshape(weights.shape[0], -1).sum(axis=1)
    own[np.searchsorted(rows, stated.support)] = ROUNDINGS * radius(sizes, weights[:1].size)
    apart = np.abs(difference).reshape(rows.size, -1).max(axis=1, initial=0.0)
    changed = np.flatnonzero(apart > own)
    if not changed.size:
        return
    relative = stated.relative and part.problem.affine
    if relative and rows[changed].tolist() == stated.support[:1].tolist():
        left = difference[changed[0]] + weights.sum(axis=0)
        if (np.abs(left) <= allowed).all():
            return
    raise CertificateError(
        "the model's dual_coef_ and support_ do not make its predictions; fit it again"
    )


def _check_sum(
    part: Any, sums: tuple[Floats, Floats], weights: Floats, centre: Floats, code: int | None = None
) -> None:
    """Refuse weights whose sum of examples is not the hyperplane's normal, or that of a class."""
    (total, error), exponents = sums, np.array(part.problem.exponents or 0)
    coef = part.coef if code is None else part.coef[code]
    with np.errstate(all="ignore"):
        error = error + radius(np.abs(weights).sum() * np.abs(centre), weights.size)
        # The sum is one of scaled columns, where they are scaled, and so is the hyperplane.
        found = np.ldexp(total - weights.sum() * centre, -exponents)
        wanted = np.ldexp(coef, exponents)
        far = np.abs(found - wanted) > np.ldexp(ROUNDINGS * error, -exponents)
    if far.any():
        raise CertificateError(
            "the model's dual_coef_ and support_ do not make its coef_; fit it again"
        )
