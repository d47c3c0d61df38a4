"""From what a run found to what can be claimed: bounds computed rigorously, rounded outward."""

import math
from typing import Any, Unpack

import numpy.typing as npt

from novikoff.certificate.claim import Claim, examples_of, stated_of, weighted
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import signed_values
from novikoff.certificate.exact.hull import HullPoint, hull_point, margin_above, spread_below
from novikoff.certificate.exact.margins import margin_below
from novikoff.certificate.exact.relation import carriers, is_zero_combination
from novikoff.certificate.exact.slack import dual_below, primal_value, rescaled
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.examples.labels import Signs
from novikoff.certificate.fields import as_coef, as_costs, as_intercept, as_support, as_weights
from novikoff.certificate.kinds.nonseparation import NonSeparation
from novikoff.certificate.kinds.separation import Inconclusive, Separation, is_numerical
from novikoff.certificate.kinds.soft import SoftOptimum
from novikoff.certificate.status import Status


def certify_margin(
    X: Any,
    signs: npt.ArrayLike,
    *,
    coef: npt.ArrayLike | None,
    intercept: float = 0.0,
    support: npt.ArrayLike = (),
    weights: npt.ArrayLike = (),
    excluded_margin: float | None = None,
    affine: bool,
    status: Status,
    **claim: Unpack[Claim],
) -> Separation | Inconclusive:
    """Certify a hyperplane and weights on the examples, whatever algorithm made them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_examples, n_features)
    signs : array of +1 and -1
    coef, intercept
        The hyperplane; ``coef=None`` if there is none yet.
    support, weights
        Examples and their weights, for the upper bound.
    excluded_margin : float, optional
        A margin the run found to be out of reach. It is claimed only if the upper bound proves
        it; otherwise the certificate's ``excluded_margin`` is ``None``.
    affine, status, asked, n_updates, positive, negative, costs
        As in :class:`Certificate`.
    fingerprint : str, optional
        Of the data and the signs, if it is known already.

    Returns
    -------
    Separation
        If every example is on its side, exactly.
    Inconclusive
        Otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[999.0], [1001.0]])
    >>> certificate = certify_margin(
    ...     X,
    ...     [1, -1],
    ...     coef=[-1.0],
    ...     intercept=1000.0,
    ...     affine=True,
    ...     support=[0, 1],
    ...     weights=[1, 1],
    ...     status=Status.CONVERGED,
    ...     positive="a",
    ...     negative="b",
    ... )
    >>> certificate.lower, certificate.upper
    (1.0, 1.0)
    >>> print(certificate.verify(X, ["a", "b"]))
    Verified: the hyperplane separates all 2 examples with margin at least 1, and no hyperplane
    has more than 1.
    """
    matrix, sides, costs = examples_of(X, signs, claim)
    rows, values = weighted(support, weights, costs, matrix.shape[0])
    return _margin(
        matrix,
        sides,
        None if coef is None else as_coef(coef, matrix.shape[1]),
        as_intercept(intercept, affine),
        hull_point(matrix, sides, rows, values, affine=affine),
        excluded_margin,
        support=rows,
        weights=values,
        **stated_of(matrix, sides, affine, status, claim),
    )


def certify_soft(
    X: Any,
    signs: npt.ArrayLike,
    *,
    coef: npt.ArrayLike,
    intercept: float = 0.0,
    delta: float,
    support: npt.ArrayLike = (),
    weights: npt.ArrayLike = (),
    rescale: bool = True,
    affine: bool,
    status: Status,
    **claim: Unpack[Claim],
) -> SoftOptimum:
    """Certify a hyperplane and weights for the soft-margin problem with ``C = 1/(2 delta²)``.

    The certificate's ``coef`` and ``intercept`` are those given times the scale that makes the
    objective least (along a ray it is convex and piecewise quadratic); with
    ``rescale=False`` they are taken as they are. The other parameters are those of
    :func:`certify_margin`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [-1.0]])
    >>> soft = certify_soft(
    ...     X,
    ...     [1, -1],
    ...     coef=[7.0],
    ...     affine=False,
    ...     delta=1.0,
    ...     support=[0, 1],
    ...     weights=[1, 1],
    ...     status=Status.CONVERGED,
    ... )
    >>> soft.dual, soft.primal
    (0.3333333333333333, 0.33333333333333337)
    """
    matrix, sides, costs = examples_of(X, signs, claim)
    offset, normal = as_intercept(intercept, affine), as_coef(coef, matrix.shape[1])
    if not 0.0 < delta < math.inf:
        raise CertificateError(f"delta must be positive and finite, not {delta!r}")
    if rescale:
        normal, offset = rescaled(matrix, sides, normal, offset, 0.5 / delta / delta, costs)
    rows, values = weighted(support, weights, costs, matrix.shape[0])
    return _soft(
        matrix,
        sides,
        normal,
        offset,
        hull_point(matrix, sides, rows, values, affine=affine, costs=costs),
        delta=float(delta),
        support=rows,
        weights=values,
        **stated_of(matrix, sides, affine, status, claim),
    )


def certify_both(
    X: Any,
    signs: npt.ArrayLike,
    *,
    coef: npt.ArrayLike,
    intercept: float = 0.0,
    delta: float,
    support: npt.ArrayLike = (),
    weights: npt.ArrayLike = (),
    affine: bool,
    status: Status,
    **claim: Unpack[Claim],
) -> tuple[SoftOptimum, Separation | Inconclusive]:
    """Certify a soft margin's hyperplane, as it is, and its margin: both from one look."""
    matrix, sides, costs = examples_of(X, signs, claim)
    rows, values = weighted(support, weights, costs, matrix.shape[0])
    normal, offset = as_coef(coef, matrix.shape[1]), as_intercept(intercept, affine)
    point = hull_point(matrix, sides, rows, values, affine=affine, costs=costs)
    stated = dict(support=rows, weights=values, **stated_of(matrix, sides, affine, status, claim))
    seen = signed_values(matrix, sides, normal, offset)
    some = normal if normal.any() else None
    return (
        _soft(matrix, sides, normal, offset, point, seen, delta=float(delta), **stated),
        _margin(matrix, sides, some, offset, point, None, seen, **stated),
    )


def _margin(
    X: Any,
    signs: Signs,
    coef: Floats | None,
    intercept: float,
    point: HullPoint | None,
    excluded_margin: float | None,
    seen: tuple[Floats, Floats] | None = None,
    **stated: Any,
) -> Separation | Inconclusive:
    costs = as_costs(stated.get("costs"), X.shape[0])
    taking_part = None if costs is None else costs > 0.0
    lower = -math.inf
    if coef is not None:
        lower = margin_below(X, signs, coef, intercept, taking_part, values=seen).value
    bounds = dict(
        stated,
        coef=coef,
        intercept=0.0 if coef is None else intercept,
        lower=lower,
        upper=margin_above(point),
    )
    if lower > 0.0:
        return Separation(**bounds)
    if point is None:
        return Inconclusive(**bounds)
    proved = excluded_margin is not None and point.excludes(float(excluded_margin))
    support = stated["support"][stated["weights"] > 0]
    spread = spread_below(X, support, affine=stated["affine"])
    return Inconclusive(
        excluded_margin=excluded_margin if proved else None,
        spread=spread if is_numerical(point.margin, spread) else None,
        **bounds,
    )


def _soft(
    X: Any,
    signs: Signs,
    coef: Floats,
    intercept: float,
    point: HullPoint | None,
    seen: tuple[Floats, Floats] | None = None,
    *,
    delta: float,
    **stated: Any,
) -> SoftOptimum:
    if not 0.0 < delta < math.inf:
        raise CertificateError(f"delta must be positive and finite, not {delta!r}")
    costs = as_costs(stated.get("costs"), X.shape[0])
    C = 0.5 / delta / delta
    return SoftOptimum(
        coef=coef,
        intercept=intercept,
        delta=delta,
        primal=primal_value(X, signs, coef, intercept, C, costs, values=seen).high,
        dual=dual_below(point, C),
        **stated,
    )


def certify_nonseparable(
    X: Any,
    signs: npt.ArrayLike,
    *,
    support: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    affine: bool,
    status: Status = Status.NOT_SEPARABLE,
    **claim: Unpack[Claim],
) -> NonSeparation:
    """Certify that no hyperplane separates the examples.

    With ``weights`` the combination they make must be exactly zero. Without, ``support`` must
    be a basis: examples with one relation between them, whose weights have one sign. Examples
    that do not take part are dropped.

    Raises
    ------
    CertificateError
        If the combination is not exactly zero.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> proof = certify_nonseparable(X, [1, 1, -1, -1], support=[0, 1, 2, 3], affine=True)
    >>> bool(proof), proof.weights is None
    (False, True)
    >>> print(proof.verify(X, [1, 1, -1, -1]))
    Verified: no hyperplane separates the examples; 4 examples combine to zero exactly.
    """
    matrix, sides, _ = examples_of(X, signs, claim)
    rows = as_support(support, matrix.shape[0])
    if not rows.size:
        raise CertificateError("a NonSeparation needs a support")
    values: npt.NDArray[Any] | None = None
    if weights is None:
        rows = rows[carriers(matrix, sides, rows, affine=affine)]
    else:
        values = as_weights(weights, rows)
        rows, values = rows[values > 0], values[values > 0]
        if not is_zero_combination(matrix, sides, rows, values, affine=affine):
            raise CertificateError("the weighted sum of the signed examples is not exactly zero")
    return NonSeparation(
        support=rows, weights=values, **stated_of(matrix, sides, affine, status, claim)
    )
