"""The truth about claims, from their definitions, in fractions and nothing else."""

import math
from fractions import Fraction

import numpy as np


def exact(a):
    if isinstance(a, Fraction):
        return a
    return Fraction(float(a)) if isinstance(a, float) else Fraction(int(a))


def dot(a, b):
    return sum((rational(x) * rational(y) for x, y in zip(a, b, strict=True)), Fraction(0))


def rational(a):
    return a if isinstance(a, Fraction) else Fraction(float(a))


def signs(y, positive):
    return [1 if label == positive else -1 for label in y]


def costs(y, classes, class_weights=None, sample_weight=None):
    """The float64 products of the weights of class and example."""
    codes = [list(classes).index(label) for label in y]
    of_class = [1.0] * len(classes) if class_weights is None else list(class_weights)
    own = [1.0] * len(y) if sample_weight is None else [float(a) for a in sample_weight]
    return [of_class[k] * a for k, a in zip(codes, own, strict=True)]


def signed_values(X, signs, w, b):
    return [int(s) * (dot(x, w) + Fraction(float(b))) for x, s in zip(X, signs, strict=True)]


def lower_is_true(claim, X, signs, w, b):
    """claim <= min_i y_i (w.x_i + b) / |w|, without ever taking a root."""
    if claim == -math.inf:
        return True
    norm2 = dot(w, w)
    if norm2 == 0:
        return False
    least, claim = min(signed_values(X, signs, w, b)), Fraction(claim)
    if (claim >= 0) != (least >= 0):
        return least >= 0
    if claim >= 0:
        return claim**2 * norm2 <= least**2
    return claim**2 * norm2 >= least**2


def errors(X, signs, w, b):
    """How many examples sign(w.x + b) gets wrong, where sign(0) = +1."""
    scores = [dot(x, w) + Fraction(float(b)) for x in X]
    return sum((score >= 0) != (sign > 0) for score, sign in zip(scores, signs, strict=True))


def rounded(score):
    """The nearest float, but a number that is not zero is never rounded to zero."""
    try:
        nearest = float(score)
    except OverflowError:
        nearest = math.inf
    nearest = abs(nearest) if score > 0 else -abs(nearest)
    return nearest or (math.copysign(5e-324, score) if score else 0.0)


def joint_errors(X, codes, coef, intercept):
    """How many examples the first class of the largest rounded score gets wrong."""
    planes = list(zip(coef, intercept, strict=True))
    wrong = 0
    for x, code in zip(X, codes, strict=True):
        scores = [rounded(dot(x, w) + Fraction(float(b))) for w, b in planes]
        wrong += scores.index(max(scores)) != code
    return wrong


def hull_square(X, signs, support, weights, affine, costs=None):
    """Squared norm of the bound the weights make, and its slack; None if they make none."""
    weights = [exact(a) for a in weights]
    total = {1: Fraction(0), -1: Fraction(0)}
    for i, a in zip(support, weights, strict=True):
        total[int(signs[i])] += a
    if affine:
        if min(total.values()) == 0:
            return None
        scale = {side: 1 / t for side, t in total.items()}
    else:
        if sum(total.values()) == 0:
            return None
        scale = dict.fromkeys(total, 1 / sum(total.values()))
    vector = [Fraction(0)] * len(X[0])
    shares = Fraction(0)
    for i, a in zip(support, weights, strict=True):
        share = a * scale[int(signs[i])]
        if share:
            shares += share**2 / (1 if costs is None else Fraction(float(costs[i])))
        for j, x in enumerate(X[i]):
            vector[j] += int(signs[i]) * share * Fraction(float(x))
    return sum((v**2 for v in vector), Fraction(0)), shares


def margin_square(X, signs, support, weights, affine):
    found = hull_square(X, signs, support, weights, affine)
    return None if found is None else found[0] / (4 if affine else 1)


def upper_is_true(claim, X, signs, support, weights, affine):
    square = margin_square(X, signs, support, weights, affine)
    if square is None or claim == math.inf:
        return claim == math.inf
    return claim >= 0 and Fraction(claim) ** 2 >= square


def spread_is_true(claim, X, affine):
    """Some two examples are that far apart; without an intercept, one from the origin."""
    rows = [[Fraction(float(v)) for v in row] for row in X]
    others = rows if affine else [[Fraction(0)] * len(rows[0])]
    squares = (sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) for x in rows for z in others)
    return any(Fraction(claim) ** 2 <= square for square in squares)


def primal(X, signs, w, b, C, costs=None, *, power=2):
    hinges = [max(Fraction(0), 1 - v) for v in signed_values(X, signs, w, b)]
    prices = [1] * len(hinges) if costs is None else map(Fraction, costs)
    slack = sum((s * h**power for s, h in zip(prices, hinges, strict=True)), Fraction(0))
    return dot(w, w) / 2 + Fraction(C) * slack


def dual(X, signs, support, weights, affine, C, costs=None):
    found = hull_square(X, signs, support, weights, affine, costs)
    if found is None:
        return Fraction(0)
    q = found[0] + found[1] / (2 * Fraction(C))
    return 2 / q if affine else 1 / (2 * q)


def signed_columns(X, signs, support, affine):
    """One list for each feature, and one for the intercept."""
    rows = [[*X[i], 1.0] if affine else list(X[i]) for i in support]
    signed = [[int(signs[i]) * exact(float(v)) for v in row] for i, row in zip(support, rows)]  # noqa: B905
    return [list(column) for column in zip(*signed, strict=True)]


def combines_to_zero(X, signs, support, weights, affine):
    return all(
        sum((exact(a) * v for a, v in zip(weights, column, strict=True)), Fraction(0)) == 0
        for column in signed_columns(X, signs, support, affine)
    )


def is_basis(X, signs, support, affine):
    """One relation between the signed examples, up to a factor, whose weights have one sign."""
    matrix = signed_columns(X, signs, support, affine)
    n, pivots, rank = len(support), [], 0
    for column in range(n):
        found = next((i for i in range(rank, len(matrix)) if matrix[i][column] != 0), None)
        if found is None:
            continue
        matrix[rank], matrix[found] = matrix[found], matrix[rank]
        head = matrix[rank]
        for i, row in enumerate(matrix):
            if i != rank and row[column] != 0:
                factor = row[column] / head[column]
                matrix[i] = [a - factor * b for a, b in zip(row, head, strict=True)]
        pivots.append(column)
        rank += 1
    if rank != n - 1:
        return False
    (free,) = set(range(n)) - set(pivots)
    relation = [-matrix[i][free] / matrix[i][column] for i, column in enumerate(pivots)]
    return min([*relation, 1]) >= 0


def replaced(X, remainders):
    """The rows with columns replaced by combinations of what they were."""
    rows = [[exact(float(v)) for v in x] for x in X]
    return [
        [
            next((combination(x, each) for each in remainders if each.columns[0] == j), v)
            for j, v in enumerate(x)
        ]
        for x in rows
    ]


def combination(x, relation):
    """What a relation leaves of a row."""
    lifted = [*x, Fraction(1)]
    terms = zip(relation.columns.tolist(), relation.coefs.tolist(), strict=True)
    return sum((Fraction(a) * exact(lifted[j]) for j, a in terms), Fraction(0))


def violating(X, signs, costs, slacks):
    """The rows with a slack above the threshold, and their slacks times their costs."""
    values = signed_values(replaced(X, slacks.remainders), signs, slacks.coef, slacks.intercept)
    sizes = [(1 - v) * Fraction(a) for v, a in zip(values, costs, strict=True)]
    rows = [
        i
        for i, size in enumerate(sizes)
        if size > Fraction(slacks.threshold) and not any(X[i][j] for j in slacks.without)
    ]
    return rows, [sizes[i] for i in rows]


def corrected(X, signs, rows, weights, support, affine):
    """The weights of rows that combine to zero, different from those given on the support alone.

    None if there are none, or more than one choice.
    """
    total = [
        sum((exact(a) * v for a, v in zip(weights, column, strict=True)), Fraction(0))
        for column in signed_columns(X, signs, rows, affine)
    ]
    matrix = [
        [*column, -sum_]
        for column, sum_ in zip(signed_columns(X, signs, support, affine), total, strict=True)
    ]
    change = solution(matrix, len(support))
    if change is None:
        return None
    changes = dict(zip(support, change, strict=True))
    return [exact(a) + changes.get(i, 0) for i, a in zip(rows, weights, strict=True)]


def spread(X, signs, rows, weights, support, columns, affine):
    """The weights of rows, changed on the support so that they combine to zero in some columns.

    The change is the least one, beside powers of two near the weights. None if there is none.
    """
    lifted = np.column_stack([X, np.ones(len(X))]) if affine else X
    signed = [[exact(v) * int(signs[i]) for v in lifted[i][columns].tolist()] for i in rows]
    at = {row: place for place, row in enumerate(rows)}
    places = [at[i] for i in support]
    squares = [Fraction(2.0 ** (2 * np.frexp(weights[p])[1] - 2)) for p in places]
    size = range(len(columns))
    matrix = [
        [
            sum(a * signed[p][k] * signed[p][m] for a, p in zip(squares, places, strict=True))
            for m in size
        ]
        + [sum(exact(a) * row[k] for a, row in zip(weights, signed, strict=True))]
        for k in size
    ]
    solved = solution(matrix, len(columns))
    if solved is None:
        return None
    changed = [exact(a) for a in weights]
    for a, p in zip(squares, places, strict=True):
        changed[p] -= a * sum(v * b for v, b in zip(signed[p], solved, strict=True))
    return changed


def solution(matrix, n):
    """The only solution of equations in n unknowns; the right sides are the last column."""
    for rank in range(n):
        found = next((i for i in range(rank, len(matrix)) if matrix[i][rank] != 0), None)
        if found is None:
            return None
        matrix[rank], matrix[found] = matrix[found], matrix[rank]
        head = [a / matrix[rank][rank] for a in matrix[rank]]
        for i, row in enumerate(matrix):
            if row[rank] != 0:
                matrix[i] = [a - row[rank] * b for a, b in zip(row, head, strict=True)]
        matrix[rank] = head
    return None if any(row[n] for row in matrix[n:]) else [row[n] for row in matrix[:n]]
