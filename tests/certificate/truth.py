"""The truth about claims, in fractions and nothing else."""

import math
from fractions import Fraction


def dot(a, b):
    return sum(
        (Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a, b, strict=True)), Fraction(0)
    )


def signed_values(X, signs, w, b):
    return [int(s) * (dot(x, w) + Fraction(float(b))) for x, s in zip(X, signs, strict=True)]


def lower_is_true(claim, X, signs, w, b, costs=None):
    """claim <= min_i y_i (w.x_i + b) / |w|, without ever taking a root."""
    if costs is not None:
        X, signs = X[costs > 0], signs[costs > 0]
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


def hull_square(X, signs, support, weights, affine, costs=None):
    """Squared norm of the bound the weights make, and its slack; None if they make none."""
    weights = [Fraction(float(a)) if isinstance(a, float) else Fraction(int(a)) for a in weights]
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
    if square is None or math.isinf(claim):
        return claim == math.inf
    return Fraction(claim) ** 2 >= square


def excluded_is_true(claim, X, signs, support, weights, affine):
    square = margin_square(X, signs, support, weights, affine)
    return square is not None and Fraction(claim) ** 2 > square


def spread_is_true(claim, X, affine):
    """Some two examples are that far apart; without an intercept, one from the origin."""
    rows = [[Fraction(float(v)) for v in row] for row in X]
    others = rows if affine else [[Fraction(0)] * len(rows[0])]
    squares = (sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) for x in rows for z in others)
    return any(Fraction(claim) ** 2 <= square for square in squares)


def primal(X, signs, w, b, C, costs=None):
    hinges = [max(Fraction(0), 1 - v) for v in signed_values(X, signs, w, b)]
    prices = [1] * len(hinges) if costs is None else map(Fraction, costs.tolist())
    slack = sum((s * h**2 for s, h in zip(prices, hinges, strict=True)), Fraction(0))
    return dot(w, w) / 2 + Fraction(C) * slack


def dual(X, signs, support, weights, affine, C, costs=None):
    found = hull_square(X, signs, support, weights, affine, costs)
    if found is None:
        return Fraction(0)
    q = found[0] + found[1] / (2 * Fraction(C))
    return 2 / q if affine else 1 / (2 * q)


def combines_to_zero(X, signs, support, weights, affine):
    rows = [[*map(float, X[i]), 1.0] if affine else list(map(float, X[i])) for i in support]
    return all(
        sum(
            (
                Fraction(float(a) if isinstance(a, float) else int(a))
                * int(signs[i])
                * Fraction(row[j])
                for a, i, row in zip(weights, support, rows, strict=True)
            ),
            Fraction(0),
        )
        == 0
        for j in range(len(rows[0]))
    )
