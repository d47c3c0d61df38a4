"""The claims that certificates share, each checked against the data in rigorous arithmetic.

Every function takes what is claimed and the examples, and returns what the data proves; it raises
a CertificateError where the claim is false. Bounds are first computed by rigorous floating-point
arithmetic, and in exact arithmetic where that does not decide.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import signed_values
from novikoff.certificate.exact.hull import hull_point, margin_above
from novikoff.certificate.exact.margins import margin_below
from novikoff.certificate.exact.prediction import count_errors
from novikoff.certificate.exact.slack import SQUARED_HINGE, dual_below, primal_value
from novikoff.certificate.examples.blocks import Floats, Indices, take
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.model import Model, Soft
from novikoff.certificate.wording import counted

NO_ROWS: Indices = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What the data proves of a certificate; ``None`` where it makes no such claim.

    ``exact_rows`` are the examples that were decided in exact arithmetic.
    """

    lower: float | None = None
    upper: float | None = None
    primal: float | None = None
    dual: float | None = None
    errors: int | None = None
    exact_rows: Indices = field(default_factory=lambda: NO_ROWS)
    sentences: tuple[str, ...] = ()


def check_finite(examples: Examples, values: tuple[Floats, Floats] | None = None) -> None:
    """Refuse a NaN or an infinity, also in an example that no claim depends on.

    ``values`` are the :func:`signed_values` of some hyperplane, where there is one: they are not
    finite where an example is not.
    """
    if values is None:
        values = signed_values(examples.X, examples.signs, np.zeros(examples.X.shape[1]), 0.0)
    low, high = values
    for block in take(examples.X, np.flatnonzero(~(np.isfinite(low) & np.isfinite(high)))):
        block.exact_entries()


def check_model(model: Any, examples: Examples, *, affine: bool) -> Findings:
    """Check the margin, the errors and the soft-margin bounds of a hyperplane, if there is one."""
    if examples.kernel is not None:
        # It is built on the claims that are checked here.
        from novikoff.certificate.feature_space import kernel_claims

        return kernel_claims.check_model(model, examples, affine=affine)
    if model is None:
        check_finite(examples)
        return Findings()
    model = replace(model, coef=examples.scaled(model.coef))
    values = signed_values(examples.X, examples.signs, model.coef, model.intercept)
    check_finite(examples, values)
    lower, exact = check_margin(model, examples, values)
    rows = [exact, check_errors(model, examples, values)]
    primal = dual = upper = None
    if model.soft is not None:
        soft = model.soft
        primal, exact = check_primal(soft, model, examples, values)
        rows.append(exact)
        dual, upper, exact = check_dual(soft, examples, affine=affine)
        rows.append(exact)
    return Findings(
        lower=lower,
        upper=upper,
        primal=primal,
        dual=dual,
        errors=model.errors,
        exact_rows=np.unique(np.concatenate(rows)),
    )


def check_margin(
    model: Model, examples: Examples, values: tuple[Floats, Floats]
) -> tuple[float, Indices]:
    """Check ``margin <= min_i y_i (w·x_i + b)/‖w‖``; return the bound and the exact rows."""
    if model.margin is None:
        return -math.inf, NO_ROWS
    claim = (examples.X, examples.signs, model.coef, model.intercept, examples.taking_part)
    bound = margin_below(*claim, values=values)
    if model.margin > bound.value and not bound.exact:
        bound = margin_below(*claim, thorough=True)
    if model.margin > bound.value:
        raise CertificateError(
            f"the hyperplane does not have the margin {model.margin!r}: "
            f"it is at most {math.nextafter(bound.value, math.inf)!r}"
        )
    return bound.value, bound.exact_rows


def check_errors(model: Model, examples: Examples, values: tuple[Floats, Floats]) -> Indices:
    """Check the number of training errors, exactly; return the rows decided in exact arithmetic."""
    found = count_errors(
        examples.X,
        examples.signs,
        model.coef,
        model.intercept,
        values=values,
        taking_part=examples.taking_part,
    )
    if found.count != model.errors:
        raise CertificateError(
            f"the hyperplane makes {counted(found.count, 'error')} on the examples, "
            f"not {model.errors:,}"
        )
    return found.exact_rows


def check_primal(
    soft: Soft, model: Model, examples: Examples, values: tuple[Floats, Floats]
) -> tuple[float, Indices]:
    """Check that the hyperplane attains ``primal``; return the bound and the exact rows."""
    coef, intercept, seen = model.coef, model.intercept, values
    if soft.scale != 1.0:
        coef, intercept = times(coef, intercept, soft.scale)
        seen = signed_values(examples.X, examples.signs, coef, intercept)
    claim = (examples.X, examples.signs, coef, intercept, soft.C, examples.costs)
    primal = primal_value(*claim, loss=soft.loss, values=seen)
    if primal.low <= soft.primal < primal.high and not primal.exact:
        primal = primal_value(*claim, loss=soft.loss, thorough=True)
    if soft.primal < primal.high:
        raise CertificateError(
            f"the hyperplane does not attain {soft.primal!r}: "
            f"its objective is at least {primal.low!r}"
        )
    return primal.high, primal.exact_rows


def times(coef: Floats, intercept: float, scale: float) -> tuple[Floats, float]:
    """Return the hyperplane with its numbers multiplied in float64."""
    with np.errstate(all="ignore"):
        product, offset = scale * coef, float(np.float64(scale) * intercept)
    if not (np.isfinite(product).all() and math.isfinite(offset)):
        raise CertificateError(f"the hyperplane times its scale {scale!r} overflows")
    return product, offset


def check_dual(soft: Soft, examples: Examples, *, affine: bool) -> tuple[float, float, Indices]:
    """Check the bounds that the weights prove: on the objective, and on every margin."""
    examples.check_takes_part(soft.support, soft.weights)
    weighted = (examples.X, examples.signs, soft.support, soft.weights)
    C = soft.C if soft.loss == SQUARED_HINGE else None
    point = hull_point(*weighted, affine=affine, costs=examples.costs, C=C)
    if (
        point is not None
        and not point.exact
        and (soft.dual > dual_below(point, soft.C, soft.loss) or soft.upper < point.margin)
    ):
        point = hull_point(*weighted, affine=affine, costs=examples.costs, thorough=True)
    dual, upper = dual_below(point, soft.C, soft.loss), margin_above(point)
    if soft.dual > dual:
        raise CertificateError(f"the weights prove the lower bound {dual!r}, not {soft.dual!r}")
    if soft.upper < upper:
        raise CertificateError(f"the weights prove the upper bound {upper!r}, not {soft.upper!r}")
    return dual, upper, NO_ROWS if point is None else point.exact_rows


def check_upper(
    upper: float,
    support: Indices,
    weights: npt.NDArray[Any],
    examples: Examples,
    *,
    affine: bool,
) -> tuple[float, Indices]:
    """Check that the weights prove the upper bound on every margin."""
    if examples.kernel is not None:
        from novikoff.certificate.feature_space import kernel_claims

        return kernel_claims.check_upper(upper, support, weights, examples, affine=affine)
    examples.check_takes_part(support, weights)
    weighted = (examples.X, examples.signs, support, weights)
    point = hull_point(*weighted, affine=affine, slack=False)
    if point is not None and not point.exact and upper < point.margin:
        point = hull_point(*weighted, affine=affine, thorough=True, slack=False)
    proved = margin_above(point)
    if upper < proved:
        raise CertificateError(f"the weights prove the upper bound {proved!r}, not {upper!r}")
    return proved, NO_ROWS if point is None else point.exact_rows
