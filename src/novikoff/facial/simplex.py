"""A simplex method in rational arithmetic, for small programs that decide what floats cannot.

The first phase of the primal simplex method (Dantzig, 1951) with Bland's rule (1977), which does
not cycle. Each basis is solved anew by flint, so that fractions do not grow from step to step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpz_mat

Vector = list[int]


@dataclass(frozen=True)
class Combination:
    """Rows that combine to the target with positive weights."""

    places: list[int]
    weights: list[fmpq]


@dataclass(frozen=True)
class Direction:
    """Integers whose products with all rows are not negative, and with the target negative."""

    vector: list[fmpq]


def combine_to(
    rows: Sequence[Vector],
    target: Vector,
    check: Callable[[], None] = lambda: None,
) -> Combination | Direction:
    """Decide whether rows combine to a target with weights that are not negative (Farkas).

    Parameters
    ----------
    rows : sequence of lists of int
        The rows.
    target : list of int
        As long as each of them.
    check : callable
        Called before every step; raises to end the search.

    Examples
    --------
    >>> combine_to([[1, 0], [1, 2]], [3, 2])
    Combination(places=[0, 1], weights=[2, 1])
    >>> combine_to([[1, 0], [1, 2]], [0, 2])
    Direction(vector=[2, -1])
    """
    size = len(target)
    if not any(target):
        return Combination([], [])
    if not rows:
        return Direction([fmpq(-a) for a in target])
    matrix = fmpz_mat(rows)
    # Artificial columns have the numbers -1, -2, ...: the unit vectors with the target's signs.
    basis = [-1 - j for j in range(size)]
    right = fmpz_mat([[a] for a in target])
    degenerate = 0
    while True:
        check()
        square = fmpz_mat([_column(rows, target, k, size) for k in basis])
        values = [row[0] for row in _solve(square.transpose(), right)]
        costs = fmpz_mat([[int(k < 0)] for k in basis])
        prices = [row[0] for row in _solve(square, costs)]
        if not sum((a for a, k in zip(values, basis, strict=True) if k < 0), fmpq(0)):
            found = sorted((k, a) for a, k in zip(values, basis, strict=True) if k >= 0 and a > 0)
            return Combination([k for k, _ in found], [a for _, a in found])
        whole = _whole(prices)
        products = [int(row[0]) for row in (matrix * fmpz_mat([[a] for a in whole])).tolist()]
        better = [k for k, a in enumerate(products) if a > 0]
        if not better:
            return Direction([-a for a in prices])
        # Bland's rule ends what may be a cycle.
        entering = better[0] if degenerate > size else max(better, key=products.__getitem__)
        column = fmpz_mat([[a] for a in rows[entering]])
        steps = [row[0] for row in _solve(square.transpose(), column)]
        ratios = [
            (a / b, basis[p], p)
            for p, (a, b) in enumerate(zip(values, steps, strict=True))
            if b > 0
        ]
        least, _, leaving = min(ratios)
        degenerate = degenerate + 1 if least == 0 else 0
        basis[leaving] = entering


def _column(rows: Sequence[Vector], target: Vector, number: int, size: int) -> Vector:
    if number >= 0:
        return rows[number]
    unit = [0] * size
    unit[-1 - number] = -1 if target[-1 - number] < 0 else 1
    return unit


def _solve(matrix: Any, right: Any) -> list[list[fmpq]]:
    solved: list[list[fmpq]] = matrix.solve(right).tolist()
    return solved


def _whole(vector: Sequence[fmpq]) -> Vector:
    common = 1
    for a in vector:
        q = int(a.q)
        if common % q:
            common *= q
    return [int(a.p) * (common // int(a.q)) for a in vector]


@dataclass(frozen=True)
class Faces:
    """Which of some rows are separated, and a direction that shows it."""

    separated: list[bool]
    direction: Vector


def faces_of(rows: Sequence[Vector], check: Callable[[], None] = lambda: None) -> Faces:
    """Split rows into those that a direction separates and those that none does.

    Either the negative sum of the rows is a combination of them with weights that are not negative,
    and then no direction separates any; or some direction separates a few. The others are
    orthogonal to it, and are split in turn.

    Examples
    --------
    >>> faces_of([[1, 1], [1, 0], [-1, 0]])
    Faces(separated=[True, False, False], direction=[0, 1])
    """
    active = list(range(len(rows)))
    width = len(rows[0]) if rows else 0
    directions: list[Vector] = []
    while active:
        some = [rows[i] for i in active]
        target = [-sum(row[j] for row in some) for j in range(width)]
        found = combine_to(some, target, check)
        if isinstance(found, Combination):
            break
        direction = _whole(found.vector)
        directions.append(direction)
        active = [i for i in active if not _product(rows[i], direction)]
    total = [0] * width
    for direction in reversed(directions):
        # So large a multiple that what it separates stays separated.
        most = 0
        for row in rows:
            mine = _product(row, direction)
            if mine > 0:
                most = max(most, -_product(row, total) // mine + 1)
        total = [max(most, 1) * a + b for a, b in zip(direction, total, strict=True)]
    on_boundary = set(active)
    return Faces([i not in on_boundary for i in range(len(rows))], total)


def _product(row: Vector, vector: Vector) -> int:
    return sum(a * b for a, b in zip(row, vector, strict=True))
