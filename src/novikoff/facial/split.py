"""The rounds of facial reduction: which rows are separated, and the proof that no others are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flint import fmpq

from novikoff.certificate import CertificateError
from novikoff.certificate.exact.dyadic import rational
from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.exact.modular import independent_columns
from novikoff.certificate.exact.span import Basis, shortest, whole_columns
from novikoff.facial.hinges import Floats, Ids, least_hinges
from novikoff.facial.opposites import opposite_rows
from novikoff.facial.simplex import faces_of
from novikoff.facial.spanning import MANY, enlarge, in_order_of_pivots, positive_support

Check = Callable[..., None]

BITS = (8, 16, 26, 40, 53)
"""Lengths of the integers that a direction is rounded to, until it separates."""

SLACKS = (1e-13, 1e-4), (1e-3, 1e-1)
"""Where the line is drawn between slacks and rounding, beside the largest slack: in the widest gap
of this range. What is taken for a slack by mistake makes the proof fail; then the second range is
tried, and after it exact arithmetic decides."""

FEW_VALUES = 160
"""Tables of so few values are decided exactly at once."""

MORE_ROWS = 3
"""Rows for each column that are added to an exact program at a time."""


@dataclass(frozen=True)
class Split:
    """Separated rows and the others, with a direction and with what proves that it has the most."""

    separated: Ids
    boundary: Ids
    direction: list[int]
    basis: Ids
    support: Ids
    weights: list[int]


def split_rows(lifted: Lifted, check: Check = lambda ahead=0.0: None) -> Split:
    """Split all rows, with proof.

    Parameters
    ----------
    lifted : Lifted
        The signed rows.
    check : callable
        Called between steps, with the seconds of a long one; raises to end the search.

    Examples
    --------
    >>> from novikoff.certificate.exact.lifted import Lifted
    >>> X, codes = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> found = split_rows(Lifted(X, codes, 2, affine=True))
    >>> found.separated, found.direction, found.basis, found.support
    (array([0, 3]), [-1, 1], array([1]), array([2]))
    """
    rows = lifted.rows
    n_examples = rows.size // (lifted.n_classes - 1)
    if lifted.per_class > n_examples:
        found = _if_complete(lifted, rows, check)
        return _in_fewer_columns(lifted, check) if found is None else found
    if rows.size * lifted.width > FEW_VALUES:
        for ends in SLACKS:
            # What overflows is not finite, and left to exact arithmetic.
            with np.errstate(all="ignore"):
                found = _by_floats(lifted, rows, ends, check)
            if found is not None:
                return found
    return _exactly(lifted, rows, check)


def _if_complete(lifted: Lifted, rows: Ids, check: Check) -> Split | None:
    """Separate all rows strictly; ``None`` where that fails."""
    with np.errstate(all="ignore"):
        table, vectors = _standardised(lifted, rows, check)
        found = least_hinges(table, check) if np.isfinite(table).all() else None
    if found is None or not found.separates:
        return None
    direction = _in_integers(lifted, rows, table, found.vector, vectors)
    none = rows[:0]
    return None if direction is None else Split(rows, none, direction, none, none, [])


def _in_fewer_columns(lifted: Lifted, check: Check) -> Split:
    """Split the rows where there are fewer examples than columns, by independent columns alone.

    The other columns are combinations of these, so a direction may be zero in them.
    """
    plain = Lifted(lifted.X, np.ones_like(lifted.codes), 2, lifted.affine, lifted.taking_part)
    kept = np.array(independent_columns(plain.table(plain.rows)), dtype=np.int64)
    features = kept[kept >= lifted.affine] - lifted.affine
    narrow = replace(lifted, X=lifted.X[:, features])
    found = split_rows(narrow, check)
    if not found.direction:
        return found
    wide = np.zeros((lifted.n_classes - 1, lifted.per_class), dtype=object)
    wide[:, kept] = np.array(found.direction, dtype=object).reshape(lifted.n_classes - 1, -1)
    return replace(found, direction=wide.ravel().tolist())


def _by_floats(lifted: Lifted, rows: Ids, ends: tuple[float, float], check: Check) -> Split | None:
    """Split the rows as floating point suggests; ``None`` where the proof fails."""
    taken, slacks = _of_equal_examples(lifted, check)
    basis = Basis(lifted, np.sort(taken), check)
    left = rows if lifted.affine else _not_zero(lifted, rows)
    while True:
        check()
        if taken.size == lifted.width:
            left = rows[:0]
        elif taken.size:
            left = outside(basis, left)
            check()
        if not left.size:
            direction: list[int] = []
            break
        table, vectors = _coordinates(lifted, basis, left)
        found = least_hinges(table, check) if np.isfinite(table).all() else None
        if found is None:
            return None
        if found.separates:
            short = _in_integers(lifted, left, table, found.vector, vectors)
            if short is None:
                return None
            direction = short
            break
        slack = found.slacks
        order = np.argsort(-slack, kind="stable")
        order = order[slack[order] > _threshold(slack, ends)]
        slacks.append((left[found.rows[order]], slack[order]))
        order = slacks[-1][0]
        before = taken.size
        taken = enlarge(lifted, taken, in_order_of_pivots(lifted, order, check), check, every=False)
        if taken.size == before:
            return None
        basis = Basis(lifted, np.sort(taken), check)
    boundary = np.setdiff1d(rows, left, assume_unique=True)
    if not direction and lifted.width > basis.rows.size:
        boundary = rows
    separated = left if direction else rows[:0]
    return _proved(separated, boundary, direction, basis, check, slacks=slacks)


def _of_equal_examples(lifted: Lifted, check: Check) -> tuple[Ids, list[tuple[Ids, Floats]]]:
    """Independent rows that have opposite ones, and weights that combine both to zero.

    Of many columns, as indicators are, these may leave few to be decided; otherwise none are taken.
    """
    none = np.empty(0, dtype=np.int64)
    if lifted.width < MANY:
        return none, []
    ours, theirs = opposite_rows(lifted)
    if 2 * ours.size < lifted.width:
        return none, []
    check()
    taken = enlarge(lifted, none, in_order_of_pivots(lifted, ours, check), check, every=False)
    if 2 * taken.size < lifted.width:
        return none, []
    return taken, [(np.concatenate([ours, theirs]), np.ones(2 * ours.size))]


def _threshold(slacks: Floats, ends: tuple[float, float]) -> float:
    """The middle of the widest gap between slacks of a range."""
    low, high = float(slacks.max()) * np.array(ends)
    between = np.r_[low, np.sort(slacks[(slacks > low) & (slacks < high)]), high]
    widest = int(np.argmax(between[1:] / between[:-1]))
    return float(np.sqrt(between[widest] * between[widest + 1]))


def _proved(
    separated: Ids,
    boundary: Ids,
    direction: list[int],
    basis: Basis,
    check: Check,
    exact: Ids | None = None,
    slacks: Sequence[tuple[Ids, Floats]] = (),
) -> Split | None:
    if not basis.rows.size:
        none = np.empty(0, dtype=np.int64)
        return Split(separated, boundary, direction, none, none, [])
    try:
        found = positive_support(basis, boundary, check, exact, slacks)
    except CertificateError:
        # A sum overflows, or the rows are not independent.
        found = None
    if found is None:
        return None
    support, weights = found
    return Split(separated, boundary, direction, basis.rows, support, weights)


def outside(basis: Basis, rows: Ids) -> Ids:
    """The rows that are not in the span of a basis, exactly."""
    inside = np.ones(rows.size, dtype=np.bool_)
    for vector in basis.orthogonal:
        basis.before(0.0)
        inside[inside] = basis.lifted.vanishes(rows[inside], vector)
    return rows[~inside]


def _not_zero(lifted: Lifted, rows: Ids) -> Ids:
    every = np.arange(lifted.width)
    marks = [table.any(axis=1) for _, table in lifted.tables(rows, every)]
    return rows[np.concatenate(marks)]


Map = Callable[[Sequence[int]], list[int]]


def _coordinates(lifted: Lifted, basis: Basis, rows: Ids) -> tuple[Floats, Map]:
    """The rows in coordinates of what is orthogonal to the basis.

    Also the function that takes a vector of integers in these coordinates to a direction.
    """
    if not basis.rows.size:
        return _standardised(lifted, rows, lambda: basis.before(0.0))
    vectors = basis.orthogonal
    floats = np.array([_normalised(vector) for vector in vectors])
    used = np.flatnonzero(floats.any(axis=0))
    table = np.empty((rows.size, len(vectors)))
    for part, values in lifted.tables(rows, used):
        basis.before(0.0)
        table[part] = values @ floats[:, used].T
    sizes = np.abs(table).max(axis=0)
    exponents = np.where(sizes > 0.0, np.frexp(sizes)[1], 0)
    table = np.ldexp(table, -exponents)
    scales = [rational(1, max(map(abs, vector)).bit_length()) for vector in vectors]

    def direction(whole: Sequence[int]) -> list[int]:
        factors = [
            fmpq(int(a)) / s * rational(1, -int(e))
            for a, s, e in zip(whole, scales, exponents, strict=True)
        ]
        return shortest(
            [
                sum((f * v[j] for f, v in zip(factors, vectors, strict=True) if v[j]), fmpq(0))
                for j in range(lifted.width)
            ]
        )

    return table, direction


def _standardised(lifted: Lifted, rows: Ids, check: Check) -> tuple[Floats, Map]:
    """All columns, each near the size 1 and, where there is an intercept, near the mean 0."""
    table, each = np.empty((rows.size, lifted.width)), lifted.per_class
    for part, values in lifted.tables(rows, np.arange(lifted.width)):
        check()
        table[part] = values
    means = np.zeros(lifted.width)
    if lifted.affine:
        for first in range(0, lifted.width, each):
            block = table[:, first : first + each]
            weight = np.abs(block[:, 0]).sum()
            if weight:
                # Few digits, so that directions have few.
                mean = _few_digits((block[:, 0] @ block[:, 1:]) / weight)
                block[:, 1:] -= block[:, :1] * mean
                means[first + 1 : first + each] = mean
    sizes = np.sqrt(np.einsum("ij,ij->j", table, table) / len(table))
    with np.errstate(all="ignore"):
        exponents = np.where(sizes > 0.0, np.frexp(sizes)[1], 0)
    if np.abs(exponents).max() < 1000:
        table *= np.ldexp(1.0, -exponents)
    else:
        table = np.ldexp(table, -exponents)

    def direction(whole: Sequence[int]) -> list[int]:
        w = [fmpq(int(a)) * rational(1, -int(e)) for a, e in zip(whole, exponents, strict=True)]
        if lifted.affine:
            for first in range(0, lifted.width, each):
                for j in range(first + 1, first + each):
                    if means[j] and w[j]:
                        w[first] -= w[j] * fmpq(*float(means[j]).as_integer_ratio())
        return shortest(w)

    return table, direction


def _few_digits(values: Floats) -> Floats:
    mantissa, exponent = np.frexp(values)
    rounded: Floats = np.ldexp(np.rint(np.ldexp(mantissa, 12)), exponent - 12)
    return rounded


def _normalised(vector: list[int]) -> list[float]:
    divisor = 1 << max(map(abs, vector)).bit_length()
    return [a / divisor for a in vector]


def _in_integers(
    lifted: Lifted, rows: Ids, table: Floats, vector: Floats, direction: Map
) -> list[int] | None:
    """A direction in short integers that has the rows strictly on their side, exactly."""
    largest = float(np.abs(vector).max())
    if not 0.0 < largest < np.inf:
        return None
    for bits in BITS:
        whole = np.rint(vector / largest * 2.0**bits)
        if not (table @ whole > 0.0).all():
            continue
        found = direction([int(a) for a in whole])
        if (lifted.signs(rows, found) > 0).all():
            return found
    return None


def _exactly(lifted: Lifted, rows: Ids, check: Check) -> Split:
    """Split the rows in exact arithmetic: few of them, then those that the result gets wrong."""
    most = MORE_ROWS * lifted.width + 16
    rng = np.random.default_rng(0)
    working = rows
    if rows.size > 4 * most:
        working = np.sort(rng.choice(rows, 2 * most, replace=False))
    while True:
        matrix, exponents = whole_columns(lifted.table(working))
        faces = faces_of(matrix, check)
        direction = shortest(
            [fmpq(a) * rational(1, -e) for a, e in zip(faces.direction, exponents, strict=True)]
        )
        inside = working[~np.array(faces.separated, dtype=np.bool_)]
        basis = Basis(
            lifted, np.sort(enlarge(lifted, inside[:0], in_order_of_pivots(lifted, inside, check)))
        )
        if working.size == rows.size:
            separated = working[np.array(faces.separated, dtype=np.bool_)]
            break
        signs = lifted.signs(rows, direction)
        separated, wrong = rows[signs > 0], rows[signs < 0]
        zero = rows[signs == 0]
        doubtful = outside(basis, zero) if basis.rows.size < lifted.width else zero[:0]
        if not wrong.size and not doubtful.size:
            break
        more = [
            some if some.size <= most else rng.choice(some, most, replace=False)
            for some in (wrong, doubtful)
        ]
        working = np.union1d(working, np.concatenate(more))
    boundary = np.setdiff1d(rows, separated, assume_unique=True)
    if not separated.size:
        direction = []
    found = _proved(separated, boundary, direction, basis, check, inside)
    assert found is not None, "the rows on the boundary have been found exactly"
    return found
