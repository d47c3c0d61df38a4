"""Rows of a matrix with a single entry, as indicators have: elimination without arithmetic.

A row whose only entry is in column ``c`` determines that unknown. Without the column, other rows
may have a single entry in turn. What is left, of which no row has, is the core.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz_mat

from novikoff.certificate.examples.blocks import Indices

_SECONDS = 1.1e-9
"""Of solving, for the third power of the size: 9 s for 2,000."""


def peel(entries: npt.NDArray[np.bool_]) -> tuple[list[tuple[int, int]], Indices, Indices]:
    """Rows with a single entry, each with its column, in order; and the rows and columns left.

    Of those left, rows and columns without entries are not listed.

    Examples
    --------
    >>> peel(np.array([[True, True, False], [True, False, False], [False, True, True]]))
    ([(1, 0), (0, 1), (2, 2)], array([], dtype=int64), array([], dtype=int64))
    """
    counts = np.count_nonzero(entries, axis=1)
    waiting = np.flatnonzero(counts == 1).tolist()
    kept = np.ones(entries.shape[1], dtype=np.bool_)
    order = []
    while waiting:
        row = waiting.pop()
        if counts[row] != 1:
            continue
        column = int(np.flatnonzero(entries[row] & kept)[0])
        order.append((row, column))
        kept[column] = False
        others = np.flatnonzero(entries[:, column])
        counts[others] -= 1
        waiting.extend(others[counts[others] == 1].tolist())
    rows = np.flatnonzero(counts > 0)
    columns = np.flatnonzero(kept)
    return order, rows, columns[entries[np.ix_(rows, columns)].any(axis=0)]


def solve(
    matrix: Sequence[Sequence[int]],
    right: Sequence[Sequence[int]],
    before: Callable[[float], None] = lambda seconds: None,
) -> list[list[fmpq]]:
    """The solution of an invertible system of integers, for each column on the right.

    ``before`` is called with the seconds that the core takes, about; it may raise.

    Raises
    ------
    ZeroDivisionError
        If the matrix is singular.

    Examples
    --------
    >>> solve([[1, 2], [2, 0]], [[3], [1]])
    [[1/2], [5/4]]
    """
    size, entries = len(matrix), np.array([[bool(a) for a in row] for row in matrix])
    order, rows, columns = peel(entries)
    before(_SECONDS * rows.size**3)
    if not order:
        solved: Any = fmpz_mat(matrix).solve(fmpz_mat(right))
        return [[solved[k, j] for j in range(len(right[0]))] for k in range(size)]
    if len(order) + rows.size != size or rows.size != columns.size:
        raise ZeroDivisionError("the matrix is singular")
    left: list[dict[int, Any]] = [{j: fmpq(a) for j, a in enumerate(row) if a} for row in right]
    found: dict[int, dict[int, Any]] = {}
    for row, column in order:
        found[column] = {j: a / matrix[row][column] for j, a in left[row].items() if a}
        if not found[column]:
            continue
        for other in np.flatnonzero(entries[:, column]).tolist():
            for j, a in found[column].items():
                left[other][j] = left[other].get(j, fmpq(0)) - matrix[other][column] * a
    if rows.size:
        core = _solve_core(matrix, rows, columns, left, len(right[0]))
        found.update(zip(columns.tolist(), core, strict=True))
    return [[found[k].get(j, fmpq(0)) for j in range(len(right[0]))] for k in range(size)]


def _solve_core(
    matrix: Sequence[Sequence[int]],
    rows: Indices,
    columns: Indices,
    right: list[dict[int, Any]],
    n_right: int,
) -> list[dict[int, Any]]:
    """Solve for some columns in some rows, with fractions on the right."""
    common = fmpq(1)
    for row in rows:
        for a in right[row].values():
            common *= (a * common).q
    core = fmpz_mat([[matrix[row][column] for column in columns] for row in rows])
    whole = fmpz_mat(
        [[int((right[row].get(j, fmpq(0)) * common).p) for j in range(n_right)] for row in rows]
    )
    solved: Any = core.solve(whole)
    return [
        {j: solved[k, j] / common for j in range(n_right) if solved[k, j]}
        for k in range(columns.size)
    ]
