"""Which estimates are finite: evidence for every column, found in floating point or exactly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flint import fmpq
from scipy import optimize

from novikoff.certificate import Undecided
from novikoff.certificate.coefficients import (
    EITHER,
    FINITE,
    LEFT_OUT,
    NEGATIVE,
    POSITIVE,
    Coefficient,
    Coefficients,
    Group,
    group_of,
)
from novikoff.certificate.exact.dyadic import nearest_float, rational
from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.exact.span import Basis, shortest, whole_columns
from novikoff.certificate.integers import Integers
from novikoff.facial.hinges import Floats, Ids, least_hinges
from novikoff.facial.simplex import Combination, combine_to
from novikoff.facial.spanning import enlarge, in_order_of_pivots
from novikoff.facial.split import Split, outside

Check = Callable[..., None]

BITS = (8, 20, 40, 53)
CANDIDATES = 4000
"""Rows of a program in floating point; others are added where they matter."""

LONGEST = 1 << 21
"""Columns that depend on others, times the square of the number of these: that many floats."""

EXACT_ROWS = 50
"""Rows for each column that an exact program begins with."""


def find_coefficients(
    lifted: Lifted, split: Split, check: Check = lambda ahead=0.0: None
) -> Coefficients:
    """Decide for every column whether its estimate is finite.

    Examples
    --------
    >>> from novikoff.certificate.exact.lifted import Lifted
    >>> from novikoff.facial.split import split_rows
    >>> X, codes = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> lifted = Lifted(X, codes, 2, affine=True)
    >>> [each.estimate for each in find_coefficients(lifted, split_rows(lifted)).columns]
    ['-inf', '+inf']
    """
    whole = _spanning(lifted, split.basis, check)
    identified = set(whole.pivots)
    free = sorted(set(range(lifted.width)) - identified)
    if len(free) > len(identified) and len(free) * len(identified) ** 2 > LONGEST:
        raise Undecided(
            f"undecided: {len(free):,} of {lifted.width:,} columns depend on others, and how would "
            "take gigabytes to say; leave out columns until there are fewer than examples"
        )
    check()
    relations = dict(zip(free, whole.orthogonal, strict=True))
    basis = Basis(lifted, split.basis, check)
    others = sorted(set(range(lifted.width)) - set(basis.pivots))
    vectors = [v for f, v in zip(others, basis.orthogonal, strict=True) if f in identified]
    direction = _without(split.direction, relations) if split.direction else []
    with np.errstate(all="ignore"):
        # What overflows is not finite, and left to exact arithmetic.
        cone = _Cone(lifted, split.separated, vectors, direction, check) if vectors else None
        verdicts = {
            j: cone.verdict(j)
            for j in sorted(identified)
            if cone is not None and any(v[j] for v in vectors)
        }
    columns = []
    for j in range(lifted.width):
        if j in relations:
            relation = Integers(relations[j])
            columns.append(Coefficient(estimate=LEFT_OUT, directions=(relation,)))
        elif j in verdicts:
            columns.append(_with_group(lifted, j, verdicts[j]))
        else:
            columns.append(Coefficient(estimate=FINITE))
    return Coefficients(columns=tuple(columns), independent=whole.rows)


def _spanning(lifted: Lifted, taken: Ids, check: Check) -> Basis:
    """A basis of all rows that contains some."""
    rows = lifted.rows
    if rows.size <= CANDIDATES:
        return Basis(lifted, np.sort(enlarge(lifted, taken, rows, check)), check)
    basis = Basis(lifted, np.sort(taken), check)
    left = rows
    while taken.size < lifted.width:
        check()
        # Few rows are outside where most columns are in the span.
        left = outside(basis, left) if 2 * taken.size >= lifted.width else left
        if not left.size:
            break
        some = left
        if left.size > CANDIDATES:
            some = np.random.default_rng(0).choice(left, CANDIDATES, replace=False)
        before = taken.size
        taken = enlarge(lifted, taken, in_order_of_pivots(lifted, some, check), check)
        basis = Basis(lifted, np.sort(taken), check)
        if taken.size == before:
            left = outside(basis, left)
    return basis


def _without(direction: list[int], relations: dict[int, list[int]]) -> list[int]:
    """The same products with all rows, but zero in the columns that depend on earlier ones."""
    exact = [fmpq(a) for a in direction]
    for f in sorted(relations, reverse=True):
        if exact[f]:
            factor = exact[f] / relations[f][f]
            exact = [a - factor * b for a, b in zip(exact, relations[f], strict=True)]
    return shortest(exact)


@dataclass
class _Cone:
    """The feasible directions: ``y_i·c >= 0`` for the separated rows, in coordinates ``c``.

    A direction is the combination of the vectors with these coordinates; those in ``known`` were
    found to be feasible.
    """

    lifted: Lifted
    rows: Ids
    vectors: list[list[int]]
    interior: list[int]
    check: Check

    def __post_init__(self) -> None:
        self.known: list[list[int]] = []
        tops = [1 << max(map(abs, v)).bit_length() for v in self.vectors]
        floats = np.array([[a / t for a in v] for v, t in zip(self.vectors, tops, strict=True)])
        used = np.flatnonzero(floats.any(axis=0))
        table = np.empty((self.rows.size, len(tops)))
        for part, values in self.lifted.tables(self.rows, used):
            table[part] = values @ floats[:, used].T
        sizes = np.abs(table).max(axis=0)
        exponents = np.where(sizes > 0.0, np.frexp(sizes)[1], 0)
        self.table = np.ldexp(table, -exponents)
        self.scales = [
            fmpq(1, t) / rational(1, int(e)) for t, e in zip(tops, exponents, strict=True)
        ]
        lengths = np.linalg.norm(self.table, axis=1)
        self.unit = self.table / np.where(lengths > 0.0, lengths, 1.0)[:, None]
        # The coordinates of the interior direction.
        most = 1 << max(map(abs, self.interior)).bit_length()
        goal = np.array([a / most for a in self.interior])
        inner = np.zeros(len(tops))
        if np.isfinite(self.table).all():
            inner = np.linalg.lstsq(floats.T, goal, rcond=None)[0]
        inner = np.ldexp(inner, exponents)
        self.inner = inner / (np.abs(inner).max() or 1.0)

    def verdict(self, j: int) -> Coefficient:
        """Decide the sign of a column in all feasible directions."""
        self.check()
        sign = (self.interior[j] > 0) - (self.interior[j] < 0)
        if sign == 0:
            return self._both_ways(j)
        goal = [sign * v[j] for v in self.vectors]
        # A direction that was found for one column often has the other sign in many.
        found: Coefficient | list[int] | None = next(
            (each for each in self.known if sign * each[j] < 0), None
        )
        if found is None:
            found = self._other_sign(goal)
        if found is None:
            found = self._guess(goal)
        if found is None:
            found = self._exactly(goal)
        if isinstance(found, Coefficient):
            return replace(found, estimate=POSITIVE if sign > 0 else NEGATIVE)
        if not any(found is each for each in self.known):
            self.known.append(found)
        pair = (Integers(self.interior), Integers(found))
        return Coefficient(estimate=EITHER, directions=pair if sign > 0 else pair[::-1])

    def _both_ways(self, j: int) -> Coefficient:
        """Leave the interior direction a little along a vector that has the column."""
        vector = next(v for v in self.vectors if v[j])
        factor = 1
        while True:
            found = []
            for sign in (1, -1):
                step = sign if vector[j] > 0 else -sign
                found.append(
                    [factor * a + step * b for a, b in zip(self.interior, vector, strict=True)]
                )
            if all((self.lifted.signs(self.rows, each) >= 0).all() for each in found):
                return Coefficient(
                    estimate=EITHER, directions=(Integers(found[0]), Integers(found[1]))
                )
            factor *= 1 << 8

    def _other_sign(self, goal: list[int]) -> list[int] | None:
        """A direction that separates the rows and, with another sign, the column: least hinges.

        It exists unless the goal is in the cone of the rows.
        """
        wanted = np.array([nearest_float(a * s) for a, s in zip(goal, self.scales, strict=True)])
        size = float(np.abs(wanted).max())
        if not (0.0 < size < np.inf and np.isfinite(self.unit).all()):
            return None
        found = least_hinges(np.vstack([self.unit, -wanted / size]), self.check)
        if found is None or not found.separates:
            return None
        return self._in_integers(goal, found.vector / np.abs(found.vector).max())

    def _guess(self, goal: list[int]) -> Coefficient | list[int] | None:
        """Find the goal in the cone of the rows, or a feasible direction that excludes it."""
        wanted = np.array([nearest_float(a * s) for a, s in zip(goal, self.scales, strict=True)])
        size = float(np.linalg.norm(wanted))
        if not (0.0 < size < np.inf and np.isfinite(self.table).all()):
            return None
        wanted = wanted / size
        unit = self.unit
        chosen = np.arange(self.rows.size)
        if chosen.size > 2 * CANDIDATES:
            chosen = np.argsort(-(unit @ wanted))[:CANDIDATES]
        for _ in range(20):
            self.check()
            try:
                weights, missed = optimize.nnls(
                    unit[chosen].T, wanted, maxiter=10 * len(goal) + 100
                )
            except RuntimeError:
                return None
            if missed <= 1e-9:
                some = chosen[weights > 0.0]
                found = self._combined(goal, self.rows[some])
                return found if isinstance(found, Coefficient) else None
            left = wanted - unit[chosen].T @ weights
            gains = unit @ left
            if chosen.size == self.rows.size or gains.max() <= 1e-9 * missed:
                return self._feasible(goal, wanted, left)
            chosen = np.union1d(chosen, np.argsort(-gains)[:CANDIDATES])
        return None

    def _feasible(self, goal: list[int], wanted: Floats, left: Floats) -> list[int] | None:
        """A feasible direction with a negative product with the goal, near the residual."""
        against = float(wanted @ self.inner)
        along = float(wanted @ left)
        if along <= 0.0:
            return None
        for share in (0.5, 0.05, 0.95):
            mixed = -left + (share * along / against if against > 0.0 else 1.0) * self.inner
            found = self._in_integers(goal, mixed / np.abs(mixed).max())
            if found is not None:
                return found
        return None

    def _in_integers(self, goal: list[int], coordinates: Floats) -> list[int] | None:
        """A feasible direction in short integers, if the goal excludes it, exactly."""
        for bits in BITS:
            whole = [int(a) for a in np.rint(coordinates * 2.0**bits)]
            if not self._excludes(goal, whole):
                continue
            direction = self._direction([fmpq(a) for a in whole])
            if (self.lifted.signs(self.rows, direction) >= 0).all():
                return direction
        return None

    def _excludes(self, goal: list[int], whole: list[int]) -> bool:
        terms = zip(goal, whole, self.scales, strict=True)
        return bool(sum((fmpq(a * b) * s for a, b, s in terms), fmpq(0)) < 0)

    def _direction(self, coordinates: Sequence[fmpq]) -> list[int]:
        factors = [a * s for a, s in zip(coordinates, self.scales, strict=True)]
        return self._in_columns(factors)

    def _in_columns(self, factors: list[fmpq]) -> list[int]:
        pairs = list(zip(factors, self.vectors, strict=True))
        return shortest(
            [sum((f * v[j] for f, v in pairs if v[j]), fmpq(0)) for j in range(self.lifted.width)]
        )

    def _exact_rows(self, rows: Ids) -> tuple[list[list[int]], fmpq]:
        """The rows in coordinates of the vectors: integers, times a common power of two."""
        matrix, exponents = whole_columns(self.lifted.table(rows))
        low = min(exponents)
        scaled = [[a << (e - low) for a, e in zip(v, exponents, strict=True)] for v in self.vectors]
        found = [
            [sum(a * b for a, b in zip(row, v, strict=True) if a and b) for v in scaled]
            for row in matrix
        ]
        return found, rational(1, low)

    def _combined(self, goal: list[int], rows: Ids) -> Coefficient | list[fmpq]:
        """The goal as a combination of rows, exactly; or a direction that excludes it."""
        matrix, unit = self._exact_rows(rows)
        found = combine_to(matrix, goal, self.check)
        if not isinstance(found, Combination):
            return found.vector
        weights = [a / unit for a in found.weights]
        common = shortest([*weights, fmpq(1)])
        order = np.argsort(rows[found.places])
        return Coefficient(
            estimate=POSITIVE,
            rows=rows[found.places][order],
            weights=Integers(common[k] for k in order),
            multiple=Integers(common[-1:]),
        )

    def _exactly(self, goal: list[int]) -> Coefficient | list[int]:
        most = EXACT_ROWS * len(goal)
        rows = self.rows
        if rows.size > 2 * most:
            rows = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
        while True:
            found = self._combined(goal, rows)
            if isinstance(found, Coefficient):
                return found
            direction = self._in_columns(found)
            wrong = self.rows[self.lifted.signs(self.rows, direction) < 0]
            if not wrong.size:
                return direction
            rows = np.union1d(rows, wrong[:most])


def _with_group(lifted: Lifted, j: int, each: Coefficient) -> Coefficient:
    """Say which examples make an estimate infinite, where a column has two values."""
    feature = j % lifted.per_class - lifted.affine
    if each.estimate == EITHER or lifted.n_classes != 2 or feature < 0:
        return each
    rows = lifted.rows
    signs = 2.0 * lifted.codes[rows] - 1.0
    values = np.unique(lifted.table(rows, np.array([j]))[:, 0] * signs)
    if values.size != 2:
        return each
    for value in sorted(values.tolist(), key=lambda a: a == 0.0):
        found = group_of(lifted, feature, value)
        if found is not None:
            group = Group(value=value + 0.0, count=found[0], code=found[1])
            return replace(each, group=group)
    return each
