"""The margin of every hyperplane, bounded from above by a point of the hull.

For weights λ on the signed examples, ``‖Σ λ_i y_i x_i‖`` with ``Σ λ_i = 1`` bounds the margin
of every hyperplane through the origin; with an intercept it is half the distance of the two class
averages, each class normalised apart.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz

from novikoff.certificate.exact import pairs
from novikoff.certificate.exact.dyadic import (
    Dyadic,
    as_integers,
    ceil_sqrt,
    floor_sqrt,
    nearest_float,
    of_float,
    rational,
    squares_over,
)
from novikoff.certificate.exact.filter import combination, filtered_squares, squares_between
from novikoff.certificate.exact.margins import EXACT_VALUES, NO_ROWS
from novikoff.certificate.exact.slices import exact_total, sum_of_squares
from novikoff.certificate.examples.blocks import Floats, Indices, count_values, take
from novikoff.certificate.examples.labels import Signs

_LARGEST_EXACT = 1 << 24
"""Values to which exact arithmetic is extended where the weighted sum nearly cancels."""

_CANCELLED = 2.0**-14
"""The share of the error in the norm from which on the sum counts as nearly cancelled."""

_NEGLIGIBLE = 2.0**-34
"""Unless it adds no more than this share to the square and what that is added to."""

_SMALLEST_SHARE = 2.0**-900
"""A smaller share of the weight may underflow in the filter, so it is left to exact arithmetic."""

_MOST_SPREAD = 4096
"""Rows that are looked at for two that are far apart."""


@dataclass(frozen=True, eq=False)
class HullPoint:
    """A point of the hull: a bound on its squared norm, and the shares that make it.

    ``square`` bounds ``‖v‖²`` from above, where ``v`` is the weighted mean of the signed
    examples, or with an intercept the difference of the two class means. ``shares_square``
    bounds ``Σ λ_i²/s_i`` over the normalised weights, where ``s_i`` is the cost of an example.
    ``largest`` is the largest ``λ_i/s_i``, exactly; ``None`` in the feature space of a kernel.
    Both are ``None`` where only margins are asked for. ``exact``: the other two are equalities.
    ``exact_rows`` are the examples whose weighted sum was computed in exact arithmetic: all that
    carry weight, or none. ``norm`` is a float that is not below ``‖v‖``, where
    :mod:`novikoff.certificate.exact.pairs` has told it.
    """

    square: fmpq
    shares_square: fmpq | None
    affine: bool
    exact: bool
    exact_rows: Indices
    largest: fmpq | None = None
    norm: float | None = None

    @property
    def margin_square(self) -> fmpq:
        """Bound on the square of every hyperplane's margin."""
        return self.square / 4 if self.affine else self.square

    @cached_property
    def margin(self) -> float:
        """Bound on every hyperplane's margin."""
        if self.norm is not None:
            return self.norm / 2 if self.affine else self.norm
        return ceil_sqrt(self.margin_square)

    def excludes(self, margin: float) -> bool:
        """Whether no hyperplane has a margin that large."""
        return bool(self.margin_square < of_float(margin) ** 2)


def hull_point(
    X: Any,
    signs: Signs,
    support: Indices,
    weights: npt.NDArray[Any],
    *,
    affine: bool,
    costs: Floats | None = None,
    thorough: bool = False,
    slack: bool = True,
    C: float | None = None,
    closely: bool = False,
) -> HullPoint | None:
    """The point of the hull with these weights; ``None`` where a class has no weight.

    ``costs`` are those of all examples, positive where there is weight; by default 1. Without
    ``slack`` the point bounds margins alone. With ``C`` it is to bound the soft margin of the
    squared hinge, and a norm that vanishes beside the slack need not be known closely. With
    ``closely`` a bound on margins may come from :mod:`novikoff.certificate.exact.pairs`: where
    exact arithmetic is used without need, the same float.
    """
    if not weights.all():
        support, weights = support[weights > 0], weights[weights > 0]
    sides = signs[support]
    if closely and not (slack or thorough):
        norm = _close_norm(X, support, weights, sides, affine=affine)
        if norm is not None:
            return HullPoint(of_float(norm) ** 2, None, affine, False, NO_ROWS, norm=norm)
    groups = groups_of(sides, affine=affine)
    if not all(group.size for group in groups):
        return None
    n_values = count_values(X, support)
    filtered = n_values > EXACT_VALUES and not thorough
    totals = [exact_total(weights[group]) for group in groups] if slack or filtered else []
    some = None if costs is None else costs[support]
    shares_square, exact_shares = None, True
    if slack:
        shares_square, exact_shares = share_squares(
            weights, some, groups, totals, thorough=thorough
        )
    square, exact = None, False
    if filtered:
        shares = np.empty(support.size)
        for group, total in zip(groups, totals, strict=True):
            # Rounded at most three times, for which the filter has room.
            shares[group] = weights[group] / nearest_float(total)
        beside = 0.0
        if C is not None and shares_square is not None:
            beside = nearest_float(shares_square / (2 * of_float(C)))
        square = _filtered_square(X, support, sides * shares, n_values, beside)
    if square is None:
        signed, denominator = common_shares(weights, sides, groups)
        square, exact = _exact_square(X, support, signed, denominator), True
    exact_rows = support if exact else NO_ROWS
    if not slack:
        return HullPoint(square, None, affine, exact, exact_rows)
    largest = max(
        largest_weight(weights[group], None if some is None else some[group]) / total
        for group, total in zip(groups, totals, strict=True)
    )
    return HullPoint(square, shares_square, affine, exact and exact_shares, exact_rows, largest)


def _close_norm(
    X: Any, support: Indices, weights: npt.NDArray[Any], sides: Signs, *, affine: bool
) -> float | None:
    rows = pairs.rows_of(X) if weights.dtype == np.float64 else None
    if rows is None:
        return None
    filtered = count_values(X, support) > EXACT_VALUES
    return pairs.hull_norm(rows, support, weights, sides, affine=affine, filtered=filtered)


def groups_of(sides: Signs, *, affine: bool) -> list[Indices]:
    """The positions that are normalised apart: of the two classes, or all."""
    return [*map(np.flatnonzero, (sides > 0, sides < 0))] if affine else [np.arange(sides.size)]


def share_squares(
    weights: npt.NDArray[Any],
    costs: Floats | None,
    groups: list[Indices],
    totals: list[fmpq],
    *,
    thorough: bool,
) -> tuple[fmpq, bool]:
    """``Σ λ_i²/s_i`` over the normalised weights, and whether it is exact or rounded up."""
    shares_square, exact_shares = fmpq(0), True
    for group, total in zip(groups, totals, strict=True):
        part = None if costs is None else costs[group]
        squares, exact = squares_of_weights(weights[group], part, thorough=thorough)
        shares_square += squares / total**2
        exact_shares = exact_shares and exact
    return shares_square, exact_shares


def common_shares(
    weights: npt.NDArray[Any], sides: Signs, groups: list[Indices]
) -> tuple[npt.NDArray[Any], int]:
    """The signed shares as integers, and their common denominator.

    The common power of two cancels in the shares, so integers are all that is needed. Over the
    common denominator the weight of a class is multiplied by the other's total.
    """
    signed = as_integers(weights)
    sums = [int(signed[group].sum()) for group in groups]
    denominator = math.prod(sums)
    for group, whole in zip(groups, sums, strict=True):
        signed[group] *= denominator // whole
    signed *= sides.astype(object)
    return signed, denominator


def squares_of_weights(
    weights: npt.NDArray[Any], costs: Floats | None, *, thorough: bool
) -> tuple[fmpq, bool]:
    """``Σ a_i²/s_i``, and whether it is exact or rounded up."""
    between = None if thorough else filtered_squares(weights, costs)
    if between is not None:
        return between[1], False
    if costs is None and weights.dtype.kind == "f":
        return sum_of_squares(weights), True
    exact = Dyadic.of(weights)
    squares, whole = squares_over(exact.integers.astype(object), costs, thorough=thorough)
    return squares * rational(1, 2 * exact.exponent), whole


def largest_weight(weights: npt.NDArray[Any], costs: Floats | None) -> fmpq:
    """The largest ``a_i/s_i`` of positive weights, exactly."""
    with np.errstate(all="ignore"):
        rough = weights / (1.0 if costs is None else costs)
    top = rough.max()
    # A quotient is rounded twice, unless it is so small or large that all are compared.
    close = rough >= (1.0 - 2.0**-50) * top
    if not 2.0**-1000 < top < np.inf:
        close[:] = True
    every = np.ones(weights.size) if costs is None else costs
    pairs = set(zip(weights[close].tolist(), every[close].tolist(), strict=True))
    return max(_exact(weight) / of_float(cost) for weight, cost in pairs)


def _exact(weight: float) -> fmpq:
    return fmpq(weight) if isinstance(weight, int) else of_float(weight)


def margin_above(point: HullPoint | None) -> float:
    """Bound on every hyperplane's margin; infinity if there is no point to bound it."""
    return math.inf if point is None else point.margin


def spread_below(X: Any, rows: Indices, *, affine: bool) -> float:
    """A float below the distance between two of the rows; if not affine, below a row's norm.

    They are the two at the ends of a fixed direction, of a few thousand: others may be further
    apart.
    """
    rows = rows[:: 1 + rows.size // _MOST_SPREAD]
    direction = np.random.default_rng(0).standard_normal(X.shape[1])
    with np.errstate(all="ignore"):
        along = np.concatenate([block.products(direction)[0] for block in take(X, rows)])
    signed = {int(along.argmax()): 1}
    if affine:
        if along.argmin() == along.argmax():
            # Rounding does not tell them apart.
            return 0.0
        signed[int(along.argmin())] = -1
    elif abs(along.min()) > along.max():
        signed = {int(along.argmin()): 1}
    integers = np.array(list(signed.values()), dtype=object)
    # The direction's ends may differ by a rounding elsewhere: less is claimed than is known.
    return floor_sqrt(_exact_square(X, rows[list(signed)], integers, 1)) * (1.0 - 2.0**-40)


def _filtered_square(
    X: Any, support: Indices, shares: Floats, n_values: int, beside: float
) -> fmpq | None:
    """Bound in floating point, or ``None`` where exact arithmetic must decide."""
    if np.abs(shares).min() < _SMALLEST_SHARE:
        return None
    return square_above(*combination(take(X, support), shares, X.shape[1]), n_values, beside)


def square_above(total: Floats, error: Floats, n_values: int, beside: float = 0.0) -> fmpq | None:
    """Bound ``‖v‖²`` for vectors ``v`` within ``error`` of ``total``, each entry by itself.

    ``None``: exact arithmetic must decide, since a bound overflows, or the sum nearly cancels and
    exact arithmetic has no more than so many values to read. ``beside`` is what the square is added
    to: where that is far more than the error, the error does not matter.
    """
    if not np.isfinite(error).all():
        return None
    with np.errstate(all="ignore"):
        # Rounded up: nothing here is subnormal, since no error is.
        reach = (np.abs(total) + error) * (1.0 + 2.0**-50)
    if not np.isfinite(reach).all():
        return None
    largest = max(float(reach.max()), 5e-324)
    if n_values <= _LARGEST_EXACT:
        with np.errstate(all="ignore"):
            error_size = float(np.linalg.norm(error / largest))
            size = float(np.linalg.norm(total / largest))
        more = math.sqrt(beside) / largest
        added, whole = (2.0 * size + error_size) * error_size, size * size + more * more
        if error_size > _CANCELLED * size and not added <= _NEGLIGIBLE * whole:
            return None
    # Columns that are all zero reach as far as an underflow: more costs nothing, and fewer bits.
    return squares_between(np.maximum(reach, 2.0**-80 * largest))[1]


def _exact_square(X: Any, support: Indices, signed: npt.NDArray[Any], denominator: int) -> fmpq:
    sums, exponent = exact_sum(X, support, signed)
    total = int(sums @ sums) if sums.size else 0
    return rational(total, 2 * exponent) / fmpz(denominator) ** 2


def exact_sum(X: Any, rows: Indices, integers: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    """Exact sum of rows times integers: one integer for each column, and their exponent."""
    total = np.zeros(X.shape[1], dtype=object)
    exponent = 0
    seen = 0
    bits = max((int(a).bit_length() for a in integers), default=0)
    for block in take(X, rows):
        count = block.rows.size
        columns, sums, place = block.exact_combination(integers[seen : seen + count], bits)
        seen += count
        if columns.size == total.size and count == rows.size:
            # One block of all columns: the usual case of few rows.
            return sums, place
        if place < exponent:
            total <<= exponent - place
            exponent = place
        total[columns] += sums << (place - exponent)
    return total, exponent
