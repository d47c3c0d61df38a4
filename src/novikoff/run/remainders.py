"""Columns that depend on others: exactly, or up to rounding.

Where elimination finds a column ``c`` that is nearly ``Σ q_j x_j``, there are two cases. If that
holds exactly, for short fractions ``q_j``, the column is left out. If not, as for a sum that was
rounded, the column is replaced by its remainder ``c - Σ q_j x_j`` with floats ``q_j``, computed
exactly: :mod:`novikoff.certificate.exact.columns` has the mathematics. Which ``q_j`` is of no
consequence for the proof; the closer they are, the more of the remainder is rounding, and the less
it resembles the other columns. Least squares over more rows than columns finds them.

A remainder may depend on others in turn: two columns that are the same sum have the same remainder.
Then a combination of combinations vanishes, whose coefficients are computed as fractions.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray
from scipy import linalg

from novikoff.certificate import Slacks
from novikoff.certificate.exact.columns import Relation, Replaced, not_exact
from novikoff.run.elimination import Elimination

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

NEGLIGIBLE = 2.0**-30
"""Terms that small beside the largest are taken for rounding errors."""

NOISE = 64.0
"""So are terms that are less than so many times what all of them leave unexplained."""

DENOMINATORS = (64, 1 << 20)
"""The largest denominators of the coefficients of a relation, tried in turn."""

LONGEST = 1 << 30
"""The largest common denominator."""

FEW_ROWS = 32
"""Rows on which most wrong relations fail."""

NO_ROWS = np.empty(0, dtype=np.int64)

MOST_REFINED = 256
"""With more terms, the coefficients of a remainder are those of elimination: least squares would
take longer than that."""

PARTS = 4
"""Floats that a coefficient is made of, at most."""

LEAST, LARGEST = fmpq(1, 1 << 900), fmpq(1 << 900)
"""Coefficients within these bounds are sums of a few floats."""

Combination = dict[int, fmpq]
"""Coefficients of columns of the data."""


@dataclass
class Columns:
    """The columns in use: some are left out by relations, some replaced by remainders."""

    relations: dict[int, Relation] = field(default_factory=dict)
    remainders: dict[int, Relation] = field(default_factory=dict)

    @property
    def solved(self) -> Ids:
        """The columns that are left out."""
        return np.array(list(self.relations), dtype=np.int64)

    def combination(self, column: int) -> Combination:
        """Return a column in use as a combination of those of the data."""
        if column not in self.remainders:
            return {column: fmpq(1)}
        found: Combination = {}
        remainder = self.remainders[column]
        for j, coef in zip(remainder.columns.tolist(), remainder.coefs.tolist(), strict=True):
            found[j] = found.get(j, 0) + rational(coef)
        return found

    def left_over(self, column: int, terms: Combination) -> Combination:
        """Return a column in use minus a combination of others in use."""
        if not self.remainders:
            return {column: fmpq(1)} | {j: -weight for j, weight in terms.items() if weight}
        found = self.combination(column)
        for other, weight in terms.items():
            for j, coef in self.combination(other).items():
                found[j] = found.get(j, 0) - weight * coef
        return {j: coef for j, coef in found.items() if coef}

    def put(self, slacks: Slacks) -> Slacks:
        """Return a hyperplane in these columns, its coefficients being theirs already."""
        relations, remainders = self.relations.values(), self.remainders.values()
        return replace(slacks, relations=tuple(relations), remainders=tuple(remainders))


def leave_out(found: Elimination, columns: Columns) -> bool:
    """Find relations for the columns that elimination does not keep; whether all have one."""
    if found.kept.all():
        return True
    violations, places = found.violations, dict(_Terms.of_all(found))
    X, rows = violations.X, violations.rows
    first = {
        place: next(_relations(found, columns, place, terms), None)
        for place, terms in places.items()
    }
    # All at once: to look up the columns takes longer than to multiply them.
    likely = [relation for relation in first.values() if relation is not None]
    for some in (rows[:FEW_ROWS], rows):
        wrong = {id(relation) for relation in not_exact(X, some, likely)}
        likely = [relation for relation in likely if id(relation) not in wrong]
    true = {id(relation) for relation in likely}
    for place, terms in places.items():
        relation = first[place]
        if relation is None or id(relation) not in true:
            relation = _relation(found, columns, place, terms, rows[FEW_ROWS:])
        if relation is not None:
            columns.relations[int(found.columns[place])] = relation
    return bool(np.isin(found.columns[~found.kept], columns.solved).all())


def replace_dependent(found: Elimination, columns: Columns, slacks: Slacks) -> Slacks | None:
    """Find a relation or a remainder for each column that elimination does not keep.

    They are put into ``columns``. Returns the same hyperplane in the new ones, or ``None`` where a
    column has neither.
    """
    coefs, violations = np.append(slacks.coef, slacks.intercept), found.violations
    candidates = violations.X[violations.rows[found.places]]
    for place, terms in _Terms.of_all(found):
        column = int(found.columns[place])
        if column in columns.relations:
            continue
        relation = _relation(found, columns, place, terms, violations.rows[FEW_ROWS:])
        # The column in the new ones: what is left of it, divided by the scale, and the terms.
        weights, scale, remainder = terms.weights, math.inf, None
        if relation is None:
            weights, scale, remainder = _remainder(found, columns, place, terms, candidates)
        columns.remainders.pop(column, None)
        if relation is not None:
            columns.relations[column] = relation
        elif remainder is not None:
            columns.remainders[column] = remainder
        else:
            return None
        coefs[terms.columns] += coefs[column] * weights
        coefs[column] /= scale
    if not np.isfinite(coefs).all():
        return None
    return columns.put(replace(slacks, coef=coefs[:-1], intercept=float(coefs[-1])))


@dataclass(frozen=True)
class _Terms:
    """The columns that a column depends on, with their approximate weights."""

    columns: Ids
    weights: Vector
    places: Ids
    """Their places among the columns of the elimination."""

    @classmethod
    def of_all(cls, found: Elimination) -> "list[tuple[int, _Terms]]":
        """For each column that is not kept its place, and what it depends on."""
        weights, table = found.weights(), found.table[:, found.kept]
        # On the rows that the factor has not taken, this is what the weights do not explain.
        left = np.abs(found.table[:, ~found.kept] - table @ weights).max(axis=0)
        sizes = np.abs(weights) * np.abs(table).max(axis=0)[:, None]
        used = sizes > np.maximum(NEGLIGIBLE * sizes.max(axis=0), NOISE * left)
        kept, terms = np.flatnonzero(found.kept), []
        for k, place in enumerate(np.flatnonzero(~found.kept).tolist()):
            places = kept[used[:, k]]
            own = _unscaled(found, place, places, weights[used[:, k], k])
            terms.append((place, cls(found.columns[places], own, places)))
        return terms

    def combined(self, weights: Iterable[Fraction | float]) -> Combination:
        exact = map(rational, weights)
        return dict(zip(self.columns.tolist(), exact, strict=True))


def _unscaled(found: Elimination, place: int, places: Ids, weights: Vector) -> Vector:
    """Weights for columns as they are, from those of scaled ones."""
    exponents = found.violations.exponents
    shift = exponents[found.columns[place]] - exponents[found.columns[places]]
    with np.errstate(all="ignore"):
        unscaled: Vector = np.ldexp(weights, shift)
    return unscaled


def _relation(
    found: Elimination, columns: Columns, place: int, terms: _Terms, also: Ids = NO_ROWS
) -> Relation | None:
    """Return a relation of a column to others that holds exactly on few rows, and on others.

    ``None`` where none of those that are likely does.
    """
    violations = found.violations
    for relation in _relations(found, columns, place, terms):
        if not any(
            not_exact(violations.X, rows, [relation]) for rows in (violations.rows[:FEW_ROWS], also)
        ):
            return relation
    return None


def _relations(
    found: Elimination, columns: Columns, place: int, terms: _Terms
) -> Iterator[Relation]:
    """Relations of a column to others that are likely to hold."""
    column = int(found.columns[place])
    if not np.isfinite(terms.weights).all():
        return
    for weights in _guesses(found, column, terms):
        relation = _solved(columns, column, terms, weights)
        if relation is not None:
            yield relation


def _solved(
    columns: Columns, column: int, terms: _Terms, weights: list[Fraction] | Vector
) -> Relation | None:
    """Return a column minus the weighted terms, in columns of the data; ``None`` if too long."""
    if isinstance(weights, np.ndarray):
        if not columns.remainders:
            return Relation(np.r_[column, terms.columns], np.r_[1.0, -weights])
        weights = weights.tolist()
    return in_floats(column, columns.left_over(column, terms.combined(weights)))


def _guesses(found: Elimination, column: int, terms: _Terms) -> Iterator[list[Fraction] | Vector]:
    """Fractions that the weights may stand for, or floats that they may be."""
    if terms.columns.size == 1:
        # One is a multiple of the other, which a single row tells exactly.
        some = int(np.argmax(np.abs(found.table[:, terms.places[0]])))
        places = found.places[some : some + 1]
        one, other = found.violations.table(places, np.r_[column, terms.columns])[0].tolist()
        yield [Fraction(one) / Fraction(other)]
        return
    for largest in DENOMINATORS:
        weights = short_weights(terms.weights, largest)
        if weights is not None:
            yield weights
    yield terms.weights


def short_weights(numbers: Vector, largest: int) -> list[Fraction] | None:
    """Return the nearest fractions with such denominators, if they have a common one."""
    fractions, common = [], 1
    for number in numbers.tolist():
        fractions.append(_short(number, largest))
        common = math.lcm(common, fractions[-1].denominator)
        if common > LONGEST:
            return None
    return fractions


def _short(number: float, largest: int) -> Fraction:
    """Return the nearest fraction whose denominator is no larger."""
    nearest = round(number)
    # The fractions next to an integer are 1 / largest away.
    if abs(number - nearest) < 0.5 / largest:
        return Fraction(nearest)
    return Fraction(number).limit_denominator(largest)


def _remainder(
    found: Elimination, columns: Columns, place: int, terms: _Terms, candidates: Any
) -> tuple[Vector, float, Relation | None]:
    """Return the weights of a column's terms, a power of two, and what is left times that."""
    column, violations = int(found.columns[place]), found.violations
    weights, few = terms.weights, terms.columns.size <= MOST_REFINED
    by_row = np.ldexp(1.0, np.frexp(violations.weights[found.places])[1])
    by_row *= violations.signs[violations.rows[found.places]]
    by_column = np.ldexp(1.0, -violations.exponents[column])
    scale = 1.0
    for refined in (False, True) if few else (True,):
        if not np.isfinite(weights).all():
            break
        relation = _solved(columns, column, terms, weights)
        if relation is None:
            break
        left = Replaced.of(candidates, [relation]).values[:, 0]
        if refined:
            # A power of two near the size of the column over that of what is left.
            sizes = np.abs(found.table[:, place] / by_row).max() / by_column, np.abs(left).max()
            scale = float(np.ldexp(1.0, np.frexp(sizes[0])[1] - np.frexp(sizes[1])[1]))
            return weights, scale, Relation(relation.columns, relation.coefs * scale)
        table = found.table[:, terms.places]
        more = linalg.lstsq(table, left * by_row * by_column, check_finite=False)[0]
        weights = weights + _unscaled(found, place, terms.places, more)
    return weights, scale, None


def in_floats(column: int, combination: Combination) -> Relation | None:
    """Return a combination with its coefficients as floats, solved for a column.

    ``None`` where they are too long or too large for floats, or the column is not among them.
    """
    if column not in combination:
        return None
    odd = math.lcm(*(_odd_part(int(a.q)) for a in combination.values()))
    columns, coefs = [], []
    for j in sorted(combination, key=lambda j: j != column):
        parts = _parts(combination[j] if odd == 1 else combination[j] * odd)
        if not parts or (j == column and len(parts) > 1):
            return None
        columns += [j] * len(parts)
        coefs += parts
    return Relation(np.array(columns, dtype=np.int64), np.array(coefs))


def _odd_part(number: int) -> int:
    return number // (number & -number)


def _parts(number: fmpq) -> list[float]:
    """Floats that sum to a number; none where there are too many."""
    parts: list[float] = []
    while number:
        if len(parts) == PARTS or not LEAST < abs(number) < LARGEST:
            return []
        parts.append(int(number.p) / int(number.q))
        number -= rational(parts[-1])
    return parts


def rational(number: Fraction | float) -> fmpq:
    """Return the same number of a type whose arithmetic takes a tenth of the time."""
    return fmpq(*number.as_integer_ratio())
