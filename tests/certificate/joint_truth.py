"""The truth about claims on several classes together, from their definitions, in fractions."""

import math
from fractions import Fraction

from tests.certificate.truth import dot, rounded


def scores(x, coef, intercept):
    return [dot(x, w) + Fraction(float(b)) for w, b in zip(coef, intercept, strict=True)]


def leads(X, codes, coef, intercept):
    """The score of the own class minus the largest other, of each example."""
    found = []
    for x, code in zip(X, codes, strict=True):
        values = scores(x, coef, intercept)
        found.append(values[code] - max(v for r, v in enumerate(values) if r != code))
    return found


def norm2(coef):
    return sum((dot(w, w) for w in coef), Fraction(0))


def floor_root(square):
    """The largest float whose square is not above a fraction."""
    root = math.sqrt(square)
    while Fraction(root) ** 2 > square:
        root = math.nextafter(root, 0.0)
    while Fraction(math.nextafter(root, math.inf)) ** 2 <= square:
        root = math.nextafter(root, math.inf)
    return root


def margin(X, codes, coef, intercept):
    """The largest float that is not above the margin."""
    least, norm = min(leads(X, codes, coef, intercept)), 2 * norm2(coef)
    if least >= 0:
        return floor_root(least**2 / norm)
    square = least**2 / norm
    root = floor_root(square)
    return -root if Fraction(root) ** 2 == square else -math.nextafter(root, math.inf)


def errors(X, codes, coef, intercept):
    wrong = 0
    for x, code in zip(X, codes, strict=True):
        values = [rounded(v) for v in scores(x, coef, intercept)]
        wrong += values.index(max(values)) != code
    return wrong


def primal(X, codes, coef, intercept, C, costs=None):
    prices = [Fraction(1)] * len(X) if costs is None else [Fraction(float(s)) for s in costs]
    hinges = [max(Fraction(0), 1 - v) for v in leads(X, codes, coef, intercept)]
    slack = sum((s * h**2 for s, h in zip(prices, hinges, strict=True)), Fraction(0))
    return norm2(coef) + Fraction(C) * slack


def pair_vector(x, own, wrong, n_classes, *, affine):
    """(e_own - e_wrong) (x) (x, 1), as one list."""
    row = [Fraction(float(v)) for v in x] + ([Fraction(1)] if affine else [])
    vector = [Fraction(0)] * (n_classes * len(row))
    for j, v in enumerate(row):
        vector[own * len(row) + j] += v
        vector[wrong * len(row) + j] -= v
    return vector


def combination(X, codes, support, weights, *, affine):
    """The weighted sum of the pairs' vectors."""
    n_classes = len(weights[0])
    total = [Fraction(0)] * (n_classes * (len(X[0]) + affine))
    for i, row in zip(support, weights, strict=True):
        for wrong, weight in enumerate(row):
            if weight:
                vector = pair_vector(X[i], codes[i], wrong, n_classes, affine=affine)
                total = [a + int(weight) * b for a, b in zip(total, vector, strict=True)]
    return total


def balances(codes, support, weights):
    excess = [0] * len(weights[0])
    for i, row in zip(support, weights, strict=True):
        for wrong, weight in enumerate(row):
            excess[codes[i]] += int(weight)
            excess[wrong] -= int(weight)
    return not any(excess)


def hull_square(X, codes, support, weights):
    """The square of the bound on every margin; the weights balance where they must."""
    total = sum(int(a) for row in weights for a in row)
    vector = combination(X, codes, support, weights, affine=False)
    return sum((v**2 for v in vector), Fraction(0)) / 2 / total**2


def dual(X, codes, support, weights, C, costs=None):
    """The best value of the dual on the ray of the weights."""
    total = sum(int(a) for row in weights for a in row)
    shares = [Fraction(sum(int(a) for a in row), total) for row in weights]
    prices = [Fraction(1 if costs is None else float(costs[i])) for i in support]
    slack = sum((a**2 / s for a, s in zip(shares, prices, strict=True)), Fraction(0))
    return 1 / (2 * (hull_square(X, codes, support, weights) + slack / (2 * Fraction(C))))
