"""The claims of a joint certificate, each checked against the data in rigorous arithmetic.

As in :mod:`novikoff.certificate.claims`: what is claimed and the examples go in, what the data
proves comes out, and a claim that is false raises a CertificateError.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.claims import NO_ROWS, Findings, check_finite
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.enclosure import sparse_rows
from novikoff.certificate.exact.flow import check_balance, flow_of, flow_point
from novikoff.certificate.exact.hull import HullPoint, margin_above
from novikoff.certificate.exact.leads import Leads
from novikoff.certificate.exact.relation import carriers, is_zero_combination
from novikoff.certificate.exact.slack import dual_below
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.examples.scaling import in_scaled_columns
from novikoff.certificate.feature_space import kernel_claims, kernel_leads
from novikoff.certificate.feature_space.enclosed import table_of
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.feature_space.kernel_leads import KernelLeads
from novikoff.certificate.joint_model import JointBound, JointModel, JointRefutation, JointSoft
from novikoff.certificate.wording import counted


def leads_of(coef: Floats, intercept: Floats, examples: Examples) -> Leads:
    """The leads of all examples, for coefficients of the scaled columns."""
    return Leads.of(examples.X, examples.codes, coef, intercept, examples.taking_part)


def scaled_coefs(coef: Floats, examples: Examples) -> Floats:
    """Return the coefficients of all classes for the columns of ``X``, given those for the data."""
    if examples.exponents is None:
        return coef
    return np.array([in_scaled_columns(w, examples.exponents) for w in coef])


def check_joint_model(
    model: JointModel | JointKernelModel | None, examples: Examples, *, affine: bool
) -> Findings:
    """Check the margin, the errors and the soft-margin bounds of a model, if there is one."""
    if model is None:
        check_finite(examples)
        return Findings()
    leads: Leads | KernelLeads
    if isinstance(model, JointKernelModel):
        check_finite(examples)
        leads = KernelLeads.of_classes(examples, model.support, model.coef, model.intercept)
        lower, exact = kernel_claims.check_margin(model, leads, examples)
    else:
        leads = leads_of(scaled_coefs(model.coef, examples), model.intercept, examples)
        check_finite(examples, leads.ends)
        lower, exact = check_margin(model, leads)
    rows = [exact, leads.errors.exact_rows]
    if leads.errors.count != model.errors:
        raise CertificateError(
            f"the model makes {counted(leads.errors.count, 'error')} on the examples, "
            f"not {model.errors:,}"
        )
    primal = dual = upper = None
    if model.soft is not None:
        if isinstance(leads, KernelLeads):
            primal, exact = kernel_claims.check_primal(model.soft, leads, examples)
        else:
            primal, exact = check_primal(model.soft, leads, examples)
        rows.append(exact)
        dual, upper, exact = check_dual(model.soft, examples, affine=affine)
        rows.append(exact)
    return Findings(
        lower=lower,
        upper=upper,
        primal=primal,
        dual=dual,
        errors=leads.errors.count,
        exact_rows=np.unique(np.concatenate(rows)),
    )


def check_margin(model: JointModel, leads: Leads) -> tuple[float, Indices]:
    """Check the margin; return the bound and the exact rows."""
    if model.margin is None:
        return -math.inf, NO_ROWS
    bound = leads.margin()
    if model.margin > bound.value and not bound.exact:
        bound = leads.margin(thorough=True)
    if model.margin > bound.value:
        raise CertificateError(
            f"the model does not have the margin {model.margin!r}: "
            f"it is at most {math.nextafter(bound.value, math.inf)!r}"
        )
    return bound.value, bound.exact_rows


def check_primal(soft: JointSoft, leads: Leads, examples: Examples) -> tuple[float, Indices]:
    """Check that the model attains ``primal``; return the bound and the exact rows."""
    if soft.scale != 1.0:
        leads = leads_of(*times(leads.coef, leads.intercept, soft.scale), examples)
    primal = leads.objective(soft.C, examples.costs, loss=soft.loss)
    if primal.low <= soft.primal < primal.high and not primal.exact:
        primal = leads.objective(soft.C, examples.costs, loss=soft.loss, thorough=True)
    if soft.primal < primal.high:
        raise CertificateError(
            f"the model does not attain {soft.primal!r}: its objective is at least {primal.low!r}"
        )
    return primal.high, primal.exact_rows


def times(coef: Floats, intercept: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return the model with its numbers multiplied in float64."""
    with np.errstate(all="ignore"):
        products = scale * coef, scale * intercept
    if not all(np.isfinite(part).all() for part in products):
        raise CertificateError(f"the model times its scale {scale!r} overflows")
    return products


def weighted_point(
    support: Indices,
    weights: npt.NDArray[np.int64],
    examples: Examples,
    *,
    affine: bool,
    costs: Floats | None = None,
    thorough: bool = False,
    room: float = 1.0,
) -> HullPoint | None:
    """The point that weights of pairs make; ``None`` where there are none.

    ``room`` widens the rounding errors of a kernel, see
    :mod:`novikoff.certificate.feature_space.enclosed`.

    Raises
    ------
    CertificateError
        If an example takes no part, or has weight on its own class, or if with intercepts the
        weights do not balance.
    """
    if not support.size:
        return None
    examples.check_takes_part(support, None)
    flow = flow_of(examples.codes[support], weights)
    if affine:
        check_balance(flow)
    if examples.kernel is not None:
        table = table_of(examples)
        return kernel_leads.flow_point(
            table, support, flow, costs=costs, room=room, thorough=thorough
        )
    return flow_point(examples.X, support, flow, costs=costs, thorough=thorough)


def check_dual(
    soft: JointSoft, examples: Examples, *, affine: bool
) -> tuple[float, float, Indices]:
    """Check the bounds that the weights prove: on the objective, and on every margin."""

    def point_of(thorough: bool) -> HullPoint | None:
        return weighted_point(
            soft.support,
            soft.weights,
            examples,
            affine=affine,
            costs=examples.costs,
            thorough=thorough,
        )

    point = point_of(thorough=False)
    if (
        point is not None
        and not point.exact
        and (soft.dual > dual_below(point, soft.C, soft.loss) or soft.upper < point.margin)
    ):
        point = point_of(thorough=True)
    dual, upper = dual_below(point, soft.C, soft.loss), margin_above(point)
    if soft.dual > dual:
        raise CertificateError(f"the weights prove the lower bound {dual!r}, not {soft.dual!r}")
    if soft.upper < upper:
        raise CertificateError(f"the weights prove the upper bound {upper!r}, not {soft.upper!r}")
    return dual, upper, NO_ROWS if point is None else point.exact_rows


def check_bound(bound: JointBound, examples: Examples, *, affine: bool) -> tuple[float, Indices]:
    """Check that the weights prove the upper bound on every margin."""
    point = weighted_point(bound.support, bound.weights, examples, affine=affine)
    if point is not None and not point.exact and bound.upper < point.margin:
        point = weighted_point(bound.support, bound.weights, examples, affine=affine, thorough=True)
    proved = margin_above(point)
    if bound.upper < proved:
        raise CertificateError(f"the weights prove the upper bound {proved!r}, not {bound.upper!r}")
    return proved, NO_ROWS if point is None else point.exact_rows


def check_refutation(
    refutation: JointRefutation, examples: Examples, n_classes: int, *, affine: bool
) -> tuple[int, Indices]:
    """Check that the examples combine to zero; return how many do, and the exact rows."""
    support = refutation.support
    if examples.kernel is not None:
        return kernel_claims.check_pair(refutation, examples, affine=affine)
    if refutation.pair is None:
        carried = basis_carriers(support, refutation.wrong, examples, n_classes, affine=affine)
        return int(carried.sum()), np.unique(support)
    strangers = support[~np.isin(examples.codes[support], refutation.pair)]
    if strangers.size:
        raise CertificateError(f"example {strangers[0]} is of neither class of the pair")
    mine = examples.between(*refutation.pair)
    mine.check_takes_part(support, refutation.weights)
    if refutation.slacks is not None:
        rows = refutation.slacks.check(mine, support, affine=affine)
        return rows.size, rows if refutation.slacks.relations else NO_ROWS
    if refutation.weights is None:
        return int(carriers(mine.X, mine.signs, support, affine=affine).sum()), support
    if not is_zero_combination(mine.X, mine.signs, support, refutation.weights, affine=affine):
        raise CertificateError("the weighted sum of the signed examples is not exactly zero")
    return int((refutation.weights > 0).sum()), support


def basis_carriers(
    support: Indices, wrong: Indices, examples: Examples, n_classes: int, *, affine: bool
) -> npt.NDArray[np.bool_]:
    """Mark the pairs of a basis that combine to zero with positive weights.

    Raises
    ------
    CertificateError
        If they do not, or in more than one way.
    """
    examples.check_takes_part(support, None)
    own = examples.codes[support]
    if (own == wrong).any():
        raise CertificateError("a pair of the basis has the example's own class for a wrong one")
    vectors = pair_vectors(examples.X, support, own, wrong, n_classes, affine=affine)
    ones = np.ones(support.size, dtype=np.int8)
    return carriers(vectors, ones, np.arange(support.size), affine=False)


def pair_vectors(
    X: Any, support: Indices, own: Indices, wrong: Indices, n_classes: int, *, affine: bool
) -> Any:
    """The vectors ``(e_own - e_wrong) ⊗ (x, 1)`` of some pairs, without the 1 if not affine.

    The last class is left out: its part is minus the sum of the others', so that relations between
    the vectors stay the same.

    Examples
    --------
    >>> X, own, wrong = np.array([[5.0], [7.0]]), np.array([0, 2]), np.array([2, 1])
    >>> pair_vectors(X, np.array([0, 1]), own, wrong, 3, affine=True).toarray()
    array([[ 5.,  1.,  0.,  0.],
           [ 0.,  0., -7., -1.]])
    """
    rows = sparse_rows(X, support)
    if affine:
        rows = sparse.hstack([rows, np.ones((support.size, 1))], format="csr")
    n_columns = rows.shape[1]
    pairs = np.repeat(np.arange(support.size), np.diff(rows.indptr))
    columns = [codes[pairs] * n_columns + rows.indices for codes in (own, wrong)]
    entries = (
        np.concatenate([rows.data, -rows.data]),
        (np.concatenate([pairs, pairs]), np.concatenate(columns)),
    )
    whole = sparse.csr_array(entries, shape=(support.size, n_classes * n_columns))
    return check_matrix(whole[:, : (n_classes - 1) * n_columns])
