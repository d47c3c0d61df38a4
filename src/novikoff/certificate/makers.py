"""From what a run found to what can be claimed: bounds computed rigorously, rounded outward."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import CertificateError
from .exact import is_zero_combination, null_weights
from .fields import as_coef, as_intercept, as_support, as_weights
from .fingerprint import fingerprint as fingerprint_of
from .hull import HullPoint, hull_point, margin_above
from .labels import Label, Signs, check_signs
from .margins import margin_below
from .nonseparation import NonSeparation
from .rows import Indices, check_matrix
from .separation import Inconclusive, Separation
from .slack import dual_below, primal_value, rescaled
from .soft import SoftOptimum
from .status import Status


def certify_margin(
    X: Any,
    signs: npt.ArrayLike,
    *,
    coef: npt.ArrayLike | None,
    intercept: float = 0.0,
    affine: bool,
    support: npt.ArrayLike = (),
    weights: npt.ArrayLike = (),
    upper_support: npt.ArrayLike | None = None,
    upper_weights: npt.ArrayLike | None = None,
    excluded_margin: float | None = None,
    status: Status,
    asked: str = "",
    n_updates: int = 0,
    positive: Label | None = None,
    negative: Label | None = None,
    fingerprint: str | None = None,
) -> Separation | Inconclusive:
    """Certify a hyperplane and weights on the examples, whatever algorithm made them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_examples, n_features)
    signs : array of +1 and -1
    coef, intercept
        The hyperplane; ``coef=None`` if there is none yet.
    affine : bool
        Whether the hyperplanes of the problem have an intercept.
    support, weights
        Examples and their weights, for the upper bound.
    upper_support, upper_weights
        Other weights; of the two the smaller upper bound is certified.
    excluded_margin : float, optional
        A margin the run found to be out of reach. It is claimed only if the upper bound proves
        it; otherwise the certificate's ``excluded_margin`` is ``None``.
    status, asked, n_updates, positive, negative
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
    matrix, sides = _examples(X, signs)
    offset = as_intercept(intercept, affine)
    normal = None if coef is None else as_coef(coef, matrix.shape[1])
    lower = -math.inf if normal is None else margin_below(matrix, sides, normal, offset).value
    rows, values, point = _weighted(matrix, sides, support, weights, affine)
    if upper_support is not None:
        others = _weighted(
            matrix, sides, upper_support, () if upper_weights is None else upper_weights, affine
        )
        if margin_above(others[2]) < margin_above(point):
            rows, values, point = others
    common: dict[str, Any] = dict(
        affine=affine,
        positive=positive,
        negative=negative,
        n_examples=matrix.shape[0],
        n_features=matrix.shape[1],
        fingerprint=fingerprint_of(matrix, sides) if fingerprint is None else fingerprint,
        status=status,
        asked=asked,
        n_updates=n_updates,
        coef=normal,
        intercept=offset,
        lower=lower,
        upper=margin_above(point),
        support=rows,
        weights=values,
    )
    if lower > 0.0:
        return Separation(**common)
    proved = (
        excluded_margin is not None and point is not None and point.excludes(float(excluded_margin))
    )
    return Inconclusive(excluded_margin=excluded_margin if proved else None, **common)


def certify_soft(
    X: Any,
    signs: npt.ArrayLike,
    *,
    coef: npt.ArrayLike,
    intercept: float = 0.0,
    affine: bool,
    delta: float,
    support: npt.ArrayLike = (),
    weights: npt.ArrayLike = (),
    rescale: bool = True,
    status: Status,
    asked: str = "",
    n_updates: int = 0,
    positive: Label | None = None,
    negative: Label | None = None,
    fingerprint: str | None = None,
) -> SoftOptimum:
    """Certify a hyperplane and weights for the soft-margin problem with ``C = 1/(2 delta²)``.

    The certificate's ``coef`` and ``intercept`` are those given times the scale that makes the
    objective least (along a ray it is convex and piecewise quadratic); with
    ``rescale=False`` they are taken as they are. The other parameters are those of
    :func:`certify_margin`.

    Examples
    --------
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
    matrix, sides = _examples(X, signs)
    offset, normal = as_intercept(intercept, affine), as_coef(coef, matrix.shape[1])
    if not 0.0 < delta < math.inf:
        raise CertificateError(f"delta must be positive and finite, not {delta!r}")
    if rescale:
        normal, offset = rescaled(matrix, sides, normal, offset, delta)
    rows, values, point = _weighted(matrix, sides, support, weights, affine)
    return SoftOptimum(
        affine=affine,
        positive=positive,
        negative=negative,
        n_examples=matrix.shape[0],
        n_features=matrix.shape[1],
        fingerprint=fingerprint_of(matrix, sides) if fingerprint is None else fingerprint,
        status=status,
        asked=asked,
        n_updates=n_updates,
        coef=normal,
        intercept=offset,
        delta=float(delta),
        primal=primal_value(matrix, sides, normal, offset, delta).high,
        dual=dual_below(point, delta),
        support=rows,
        weights=values,
    )


def certify_nonseparable(
    X: Any,
    signs: npt.ArrayLike,
    *,
    support: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    affine: bool,
    status: Status = Status.NOT_SEPARABLE,
    asked: str = "",
    n_updates: int = 0,
    positive: Label | None = None,
    negative: Label | None = None,
    fingerprint: str | None = None,
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
    >>> X = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> proof = certify_nonseparable(X, [1, 1, -1, -1], support=[0, 1, 2, 3], affine=True)
    >>> bool(proof), proof.weights is None
    (False, True)
    >>> print(proof.verify(X, [1, 1, -1, -1]))
    Verified: no hyperplane separates the examples; 4 examples combine to zero exactly.
    """
    matrix, sides = _examples(X, signs)
    rows = as_support(support, matrix.shape[0])
    if not rows.size:
        raise CertificateError("a NonSeparation needs a support")
    values: npt.NDArray[Any] | None = None
    if weights is None:
        found = null_weights(matrix, sides, rows, affine=affine)
        rows = rows[np.array([a > 0 for a in found])]
    else:
        values = as_weights(weights, rows)
        rows, values = rows[values > 0], values[values > 0]
        if not is_zero_combination(matrix, sides, rows, values, affine=affine):
            raise CertificateError("the weighted sum of the signed examples is not exactly zero")
    return NonSeparation(
        affine=affine,
        positive=positive,
        negative=negative,
        n_examples=matrix.shape[0],
        n_features=matrix.shape[1],
        fingerprint=fingerprint_of(matrix, sides) if fingerprint is None else fingerprint,
        status=status,
        asked=asked,
        n_updates=n_updates,
        support=rows,
        weights=values,
    )


def _examples(X: Any, signs: npt.ArrayLike) -> tuple[Any, Signs]:
    matrix = check_matrix(X)
    return matrix, check_signs(signs, matrix.shape[0])


def _weighted(
    X: Any, signs: Signs, support: npt.ArrayLike, weights: npt.ArrayLike, affine: bool
) -> tuple[Indices, npt.NDArray[Any], HullPoint | None]:
    rows = as_support(support, X.shape[0])
    values = as_weights(weights, rows)
    return rows, values, hull_point(X, signs, rows, values, affine=affine)
