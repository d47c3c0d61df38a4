"""Which rows are separated, by enumeration in rational arithmetic: slow, simple, and apart.

A vector of nonnegative weights that combines rows to zero is a sum of such vectors of minimal
support (Rockafellar, 1969). So a row is on the boundary exactly if it belongs to a minimal
dependent set of rows whose relation is positive, and these sets have at most one row more than the
rank.
"""

from fractions import Fraction
from itertools import combinations
from math import gcd, lcm


def relation(rows):
    """The relation between minimally dependent rows of integers, or None if they are not such."""
    size, width = len(rows), len(rows[0])
    # Columns of this matrix are the rows; reduce it, without fractions.
    matrix = [[rows[i][j] for i in range(size)] for j in range(width)]
    pivots, r = [], 0
    for c in range(size):
        p = next((k for k in range(r, width) if matrix[k][c]), None)
        if p is None:
            if c > r:
                return None
            continue
        matrix[r], matrix[p] = matrix[p], matrix[r]
        first = matrix[r]
        for k in range(width):
            if k != r and matrix[k][c]:
                lead, f = first[c], matrix[k][c]
                row = [lead * a - f * b for a, b in zip(matrix[k], first, strict=True)]
                divisor = gcd(*row) or 1
                matrix[k] = [a // divisor for a in row]
        pivots.append(c)
        r += 1
    if len(pivots) != size - 1:
        return None
    (free,) = set(range(size)) - set(pivots)
    found = [Fraction(0)] * size
    found[free] = Fraction(1)
    for k, c in enumerate(pivots):
        found[c] = Fraction(-matrix[k][free], matrix[k][c])
    return found if all(found) else None


def whole(row):
    """The row times a positive number that makes it whole: on the same side of every direction."""
    common = lcm(*(a.denominator for a in row))
    return [int(a * common) for a in row]


def boundary(rows):
    """The numbers of the rows that no direction separates."""
    rows = [tuple(map(Fraction, row)) for row in rows]
    width = len(rows[0])
    # Equal rows share their fate.
    distinct = sorted(set(rows))
    integers = [whole(row) for row in distinct]
    inside = set()
    for size in range(1, width + 2):
        for chosen in combinations(range(len(distinct)), size):
            if inside.issuperset(chosen):
                continue
            found = relation([integers[i] for i in chosen])
            if found is not None and (min(found) > 0 or max(found) < 0):
                inside.update(chosen)
    return {i for i, row in enumerate(rows) if distinct.index(row) in inside}


def rank(rows):
    """The rank of rows of integers or floats."""
    matrix = [list(map(Fraction, row)) for row in rows]
    r = 0
    for c in range(len(matrix[0]) if matrix else 0):
        p = next((k for k in range(r, len(matrix)) if matrix[k][c]), None)
        if p is None:
            continue
        matrix[r], matrix[p] = matrix[p], matrix[r]
        for k in range(r + 1, len(matrix)):
            f = matrix[k][c] / matrix[r][c]
            matrix[k] = [a - f * b for a, b in zip(matrix[k], matrix[r], strict=True)]
        r += 1
    return r


def in_cone(rows, vector):
    """Whether a vector is a combination of rows with weights that are not negative."""
    if not any(vector):
        return True
    return len(rows) in boundary([*rows, [-a for a in vector]])


def estimates(rows):
    """The verdict on each column of signed rows."""
    width = len(rows[0])
    kept, verdicts = [], []
    for j in range(width):
        columns = [*kept, j]
        if rank([[row[c] for c in columns] for row in rows]) < len(columns):
            verdicts.append("not identified")
        else:
            kept.append(j)
            verdicts.append("")
    part = [[row[c] for c in kept] for row in rows]
    for place, j in enumerate(kept):
        unit = [int(c == place) for c in range(len(kept))]
        up, down = in_cone(part, unit), in_cone(part, [-a for a in unit])
        verdicts[j] = {(1, 1): "finite", (1, 0): "+inf", (0, 1): "-inf", (0, 0): "undetermined"}[
            int(up), int(down)
        ]
    return verdicts
