"""The margin of every model of several classes, bounded from above by weighted pairs of classes.

Weights ``λ_ir >= 0`` on pairs of an example ``i`` and a class ``r`` that is not its own, ``y_i``,
move weight from ``r`` to ``y_i``. With ``V_r`` the weighted sum of the examples that the flow
brings to class ``r``, less that of those it takes from it,

    Σ_ir λ_ir (f_{y_i} - f_r)(x_i) = Σ_r w_r·V_r + Σ_r b_r (flow into r - flow out of r).

The least lead is at most the left side over ``Σ λ``. So if the flow into each class is equal to
that out of it, or if there are no intercepts, the margin of every model is at most
``‖V‖/(√2 Σ λ)``, by the inequality of Cauchy and Schwarz. Equality of the flows is checked in
whole numbers.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import rational
from novikoff.certificate.exact.filter import radius
from novikoff.certificate.exact.hull import (
    HullPoint,
    exact_sum,
    largest_weight,
    square_above,
    squares_of_weights,
)
from novikoff.certificate.exact.margins import EXACT_VALUES, NO_ROWS
from novikoff.certificate.examples.blocks import (
    Block,
    DenseBlock,
    Floats,
    Indices,
    SparseBlock,
    as_float64,
    count_values,
    take,
)

Flow = npt.NDArray[np.int64]


def flow_of(codes: Indices, weights: Flow) -> Flow:
    """What each example brings to each class: its weights to its own, their negatives to others.

    Parameters
    ----------
    codes : array of shape (s,)
        The classes of the examples.
    weights : array of int of shape (s, K)
        The weight of each pair, which all together have less than 63 bits.

    Raises
    ------
    CertificateError
        If an example has weight on its own class.

    Examples
    --------
    >>> flow_of(np.array([0, 2]), np.array([[0, 1, 2], [5, 0, 0]]))
    array([[ 3, -1, -2],
           [-5,  0,  5]])
    """
    at = np.arange(codes.size), codes
    if weights[at].any():
        raise CertificateError("an example of the support has weight on its own class")
    flow: Flow = np.negative(weights)
    flow[at] = weights.sum(axis=1)
    return flow


def check_balance(flow: Flow) -> None:
    """Refuse a flow that brings a class more, or less, than it takes from it.

    Raises
    ------
    CertificateError
        If it does not balance: with intercepts, it bounds nothing.
    """
    excess = np.flatnonzero(flow.sum(axis=0))
    if excess.size:
        raise CertificateError(
            "the weights do not balance: what they bring to a class must be what they take from "
            f"it, and {excess.size} of {flow.shape[1]} classes differ"
        )


def flow_point(
    X: Any,
    support: Indices,
    flow: Flow,
    *,
    costs: Floats | None = None,
    thorough: bool = False,
) -> HullPoint:
    """The point ``V/(√2 Σ λ)`` that a flow makes, with the weights of whole examples as shares.

    ``costs`` are those of all examples, positive on the support; by default 1.
    """
    brought = flow.max(axis=1)
    total = int(brought.sum())
    part = None if costs is None else costs[support]
    squares, exact_shares = squares_of_weights(brought, part, thorough=thorough)
    carriers = [np.flatnonzero(column) for column in flow.T]
    n_values = sum(count_values(X, support[rows]) for rows in carriers)
    square = None
    if n_values > EXACT_VALUES and not thorough:
        # Rounded at most three times, for which the filter has room.
        sums, errors = class_sums(X, support, flow / float(total))
        square = square_above(sums.ravel(), errors.ravel(), n_values)
    exact = square is None
    if square is None:
        square = fmpq(0)
        for rows, column in zip(carriers, flow.T, strict=True):
            whole, exponent = exact_sum(X, support[rows], column[rows].astype(object))
            square += rational(int(whole @ whole) if whole.size else 0, 2 * exponent)
        square /= fmpz(total) ** 2
    exact_rows = support if exact else NO_ROWS
    shares_square = squares / fmpz(total) ** 2
    largest = largest_weight(brought, part) / fmpz(total)
    exact = exact and exact_shares
    return HullPoint(square / 2, shares_square, False, exact, exact_rows, largest)


def class_sums(X: Any, support: Indices, shares: Floats) -> tuple[Floats, Floats]:
    """The sums of examples times their shares, a row for each class, and bounds on the errors.

    ``shares`` has a row for each example and a column for each class. As in
    :func:`~novikoff.certificate.exact.filter.combination`, three roundings of a share are within
    the bound.
    """
    n_classes = shares.shape[1]
    total = np.zeros((n_classes, X.shape[1]))
    magnitude = np.zeros_like(total)
    seen = n_blocks = largest = 0
    with np.errstate(all="ignore"):
        for block in take(X, support):
            mine = shares[seen : seen + block.rows.size]
            seen += block.rows.size
            sums = _sums(block, mine, X.shape[1])
            total, magnitude = total + sums[:n_classes], magnitude + sums[n_classes:]
            n_blocks, largest = n_blocks + 1, max(largest, block.rows.size)
        # A product is rounded within its block, then once for each block that follows.
        error = radius(magnitude, seen + 2, largest + n_blocks + 2)
    return total, np.where(np.isfinite(total), error, np.inf)


def _sums(block: Block, shares: Floats, n_columns: int) -> Floats:
    """The sums of rows times shares, a row for each class, and then those of the moduli."""
    both = np.concatenate([shares, np.abs(shares)], axis=1)
    n_classes = shares.shape[1]
    if isinstance(block, SparseBlock):
        entries, shape = (block.data, block.indices, block.ends), (block.rows.size, n_columns)
        rows = sparse.csr_array(entries, shape=shape)
        if not (block.data >= 0.0).all():
            parts = [rows.T @ shares, abs(rows).T @ both[:, n_classes:]]
            return np.concatenate(parts, axis=1).T
        found: Floats = (rows.T @ both).T
        return found
    assert isinstance(block, DenseBlock)
    values = as_float64(block.values)
    if values.min(initial=0.0) >= 0.0:
        return both.T @ values
    return np.concatenate([shares.T @ values, both.T[n_classes:] @ np.abs(values)])
