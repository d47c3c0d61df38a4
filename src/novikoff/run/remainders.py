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

import numpy as np
from flint import fmpq
from numpy.typing import NDArray
from scipy import linalg, sparse

from novikoff.certificate import Slacks
from novikoff.certificate.exact.columns import Relation, Replaced, not_exact
from novikoff.certificate.exact.violations import Violations, touching
from novikoff.run.elimination import Elimination

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

NEGLIGIBLE = 2.0**-30
"""Terms that small beside the largest are taken for rounding errors."""

NOISE = 64.0
"""So are terms that are less than so many times what all of them leave unexplained."""

DENOMINATORS = (64, 1 << 20)
"""The largest denominators of the coefficients of a relation, tried in turn."""

NEAR = 2.0**-20
"""Fractions further from the weights than this are not what these stand for: elimination is exact
to 1e-9 or so. Not varied; 100 columns of 150 that are rounded sums take two thirds of the time."""

LONGEST = 1 << 30
"""The largest common denominator."""

FEW_ROWS = 32
"""Rows on which most wrong relations fail."""

NO_ROWS = np.empty(0, dtype=np.int64)

MOST_REFINED = 256
"""With more terms, the coefficients of a remainder are those of elimination: least squares would
take longer than that."""

MOST_ABSENT = 256
"""The most columns without weight that remainders may have terms in: least squares in these."""

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
        if not self.replace_any({column, *terms}):
            return {column: fmpq(1)} | {j: -weight for j, weight in terms.items() if weight}
        found = self.combination(column)
        for other, weight in terms.items():
            for j, coef in self.combination(other).items():
                found[j] = found.get(j, 0) - weight * coef
        return {j: coef for j, coef in found.items() if coef}

    def replace_any(self, columns: set[int]) -> bool:
        """Whether one of these columns is replaced."""
        return not self.remainders.keys().isdisjoint(columns)

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
    guesses = {place: _relations(found, columns, place, terms) for place, terms in places.items()}
    first = {place: next(each, None) for place, each in guesses.items()}
    # All at once: to look up the columns takes longer than to multiply them.
    likely = [relation for relation in first.values() if relation is not None]
    for some in (rows[:FEW_ROWS], rows):
        wrong = {id(relation) for relation in not_exact(X, some, likely)}
        likely = [relation for relation in likely if id(relation) not in wrong]
    true = {id(relation) for relation in likely}
    for place, others in guesses.items():
        relation = first[place]
        if relation is None or id(relation) not in true:
            relation = _true_one(violations, others, rows[FEW_ROWS:])
        if relation is not None:
            columns.relations[int(found.columns[place])] = relation
    return bool(np.isin(found.columns[~found.kept], columns.solved).all())


def replace_dependent(
    found: Elimination, columns: Columns, slacks: Slacks, *, tried: bool = False
) -> Slacks | None:
    """Find a relation or a remainder for each column that elimination does not keep.

    They are put into ``columns``. ``tried``: they have the relations that there are. Returns the
    same hyperplane in the new ones, or ``None`` where a column has neither.
    """
    coefs, violations = np.append(slacks.coef, slacks.intercept), found.violations
    left = []
    for place, terms in _Terms.of_all(found):
        column = int(found.columns[place])
        if column in columns.relations:
            continue
        relation = None
        if not tried:
            relation = _relation(found, columns, place, terms, violations.rows[FEW_ROWS:])
        if relation is None:
            left.append((place, terms))
            continue
        columns.remainders.pop(column, None)
        columns.relations[column] = relation
        coefs[terms.columns] += coefs[column] * terms.weights
        coefs[column] = 0.0
    remainders = _remainders(found, columns, left)
    if remainders is None:
        return None
    for (_, terms), (weights, scale, remainder) in zip(left, remainders, strict=True):
        # The column in the new ones: what is left of it, divided by the scale, and the terms.
        column = int(remainder.columns[0])
        columns.remainders.pop(column, None)
        columns.remainders[column] = remainder
        coefs[terms.columns] += coefs[column] * weights
        coefs[column] /= scale
    _reach_others(violations, columns, coefs)
    if not np.isfinite(coefs).all():
        return None
    return columns.put(replace(slacks, coef=coefs[:-1], intercept=float(coefs[-1])))


def _reach_others(violations: Violations, columns: Columns, coefs: Vector) -> None:
    """Give remainders terms in columns that are zero in all examples that have weight.

    Splines of which few examples have the outermost sum to 1 only with these. Otherwise an example
    beyond the margin that has such a column may have a remainder far larger than rounding, and
    stand in the way of the least hinges.
    """
    X, taken = violations.X, violations.columns
    absent = np.setdiff1d(np.arange(X.shape[1]), np.r_[taken, columns.solved])
    absent = absent[~np.isin(absent, list(columns.remainders))]
    if not 0 < absent.size <= MOST_ABSENT:
        return
    rows = np.flatnonzero(touching(X, np.arange(X.shape[0]), absent))
    if not 0 < rows.size <= X.shape[0] // 2:
        return
    table = X[rows][:, absent] if sparse.issparse(X) else X[np.ix_(rows, absent)]
    table = (table.toarray() if sparse.issparse(X) else table).astype(np.float64)
    values = Replaced.of(X[rows], list(columns.remainders.values())).values
    more = linalg.lstsq(table, values, check_finite=False)[0]
    more[~np.isfinite(more)] = 0.0
    for weights, (column, remainder) in zip(more.T, list(columns.remainders.items()), strict=True):
        used = np.abs(weights) * np.abs(table).max(axis=0) > 1.0
        terms, own = absent[used], weights[used]
        columns.remainders[column] = Relation(
            np.r_[remainder.columns, terms], np.r_[remainder.coefs, -own]
        )
        coefs[terms] += coefs[column] * own


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
    return _true_one(found.violations, _relations(found, columns, place, terms), also)


def _true_one(violations: Violations, likely: Iterator[Relation], also: Ids) -> Relation | None:
    for relation in likely:
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
        if not columns.replace_any({column, *terms.columns.tolist()}):
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
        if weights is not None and _are_near(weights, terms.weights):
            yield weights
    yield terms.weights


def _are_near(weights: list[Fraction], numbers: Vector) -> bool:
    """Whether fractions are as near to the weights as those of a relation that holds are."""
    floats = np.array([float(weight) for weight in weights])
    return bool((np.abs(floats - numbers) <= NEAR * np.maximum(1.0, np.abs(numbers))).all())


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


def _remainders(
    found: Elimination, columns: Columns, dependent: list[tuple[int, _Terms]]
) -> list[tuple[Vector, float, Relation]] | None:
    """For each column the weights of its terms, a power of two, and what is left times that.

    ``None`` where one cannot be replaced. None of them is a term of another one.
    """
    violations, weights = found.violations, [terms.weights for _, terms in dependent]
    candidates = violations.X[violations.rows[found.places]]
    by_row = np.ldexp(1.0, np.frexp(violations.weights[found.places])[1])
    by_row *= violations.signs[violations.rows[found.places]]
    by_column = np.ldexp(1.0, -violations.exponents[found.columns])
    few = [k for k, (_, terms) in enumerate(dependent) if terms.columns.size <= MOST_REFINED]
    for refined, some in ((False, few), (True, list(range(len(dependent))))):
        relations = []
        for k in some:
            place, terms = dependent[k]
            column, finite = int(found.columns[place]), np.isfinite(weights[k]).all()
            relation = _solved(columns, column, terms, weights[k]) if finite else None
            if relation is None:
                return None
            relations.append(relation)
        # All at once: what they have in common costs more than each.
        lefts = Replaced.of(candidates, relations).values.T
        if refined:
            break
        for k, left in zip(some, lefts, strict=True):
            place, terms = dependent[k]
            table = found.table[:, terms.places]
            more = linalg.lstsq(table, left * by_row * by_column[place], check_finite=False)[0]
            weights[k] = weights[k] + _unscaled(found, place, terms.places, more)
    remainders = []
    for (place, _), own, relation, left in zip(dependent, weights, relations, lefts, strict=True):
        # A power of two near the size of the column over that of what is left.
        size = np.abs(found.table[:, place] / by_row).max() / by_column[place]
        scale = float(np.ldexp(1.0, np.frexp(size)[1] - np.frexp(np.abs(left).max())[1]))
        remainders.append((own, scale, Relation(relation.columns, relation.coefs * scale)))
    return remainders


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
