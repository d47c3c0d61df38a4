"""The truth about claims on several classes together, from their definitions, in fractions."""

import math
from fractions import Fraction

import numpy as np

from tests.certificate import truth
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


def primal(X, codes, coef, intercept, C, costs=None, *, power=2):
    prices = [Fraction(1)] * len(X) if costs is None else [Fraction(float(s)) for s in costs]
    hinges = [max(Fraction(0), 1 - v) for v in leads(X, codes, coef, intercept)]
    slack = sum((s * h**power for s, h in zip(prices, hinges, strict=True)), Fraction(0))
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


def lower_is_true(claim, X, codes, coef, intercept):
    """Claim <= the margin, without ever taking a root."""
    if claim == -math.inf:
        return True
    norm = 2 * norm2(coef)
    if norm == 0:
        return False
    least, claim = min(leads(X, codes, coef, intercept)), Fraction(claim)
    if (claim >= 0) != (least >= 0):
        return least >= 0
    return (claim**2 * norm <= least**2) if claim >= 0 else (claim**2 * norm >= least**2)


def is_true(certificate, data):
    """Whether every claim of a Joint is true of the data."""
    classes = certificate.problem.classes
    codes = [classes.index(label) for label in data.y]
    model, bound, refutation = certificate.model, certificate.bound, certificate.refutation
    if model is not None and not model_is_true(model, data, codes):
        return False
    if model is not None and model.lower <= 0.0:
        # What separates the classes does not leave it undecided.
        rows = [data.X[i] for i in data.part], [codes[i] for i in data.part]
        if lower_is_true(5e-324, *rows, model.coef, model.intercept):
            return False
    if bound is not None and not bound_is_true(bound, data, codes):
        return False
    return refutation is None or refutation_is_true(refutation, data, codes, len(classes))


def model_is_true(model, data, codes):
    rows = [data.X[i] for i in data.part], [codes[i] for i in data.part]
    margin = -math.inf if model.margin is None else model.margin
    if not lower_is_true(margin, *rows, model.coef, model.intercept):
        return False
    if model.errors != errors(*rows, model.coef, model.intercept):
        return False
    soft = model.soft
    if soft is None:
        return True
    with np.errstate(all="ignore"):
        W, b = soft.scale * model.coef, soft.scale * model.intercept
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        return False
    objective = primal(data.X, codes, W, b, soft.C, data.costs)
    return (
        bound_is_true(soft, data, codes)
        and (soft.primal == math.inf or Fraction(soft.primal) >= objective)
        and Fraction(soft.dual) <= dual_of(soft, data, codes)
    )


def dual_of(soft, data, codes):
    if not soft.support.size:
        return Fraction(0)
    weighted = soft.support.tolist(), soft.weights.tolist()
    return dual(data.X, codes, *weighted, soft.C, data.costs)


def proves(upper, bound, data, codes):
    """Whether weights of pairs prove an upper bound."""
    if not bound.support.size:
        return upper == math.inf
    support, weights = bound.support.tolist(), bound.weights.tolist()
    if not set(support) <= set(data.part) or min(min(row) for row in weights) < 0:
        return False
    if any(row[codes[i]] for i, row in zip(support, weights, strict=True)):
        return False
    if data.affine and not balances(codes, support, weights):
        return False
    square = hull_square(data.X, codes, support, weights)
    return upper == math.inf or (upper >= 0 and Fraction(upper) ** 2 >= square)


def bound_is_true(bound, data, codes):
    return proves(bound.upper, bound, data, codes)


def some_bound_proves(upper, certificate, data):
    codes = [certificate.problem.classes.index(label) for label in data.y]
    bounds = [part for part in (certificate.bound, certificate.soft) if part is not None]
    return any(proves(upper, bound, data, codes) for bound in bounds)


def refutation_is_true(refutation, data, codes, n_classes):
    support = refutation.support.tolist()
    if not set(support) <= set(data.part) and refutation.weights is None:
        return False
    if refutation.pair is None:
        wrong = refutation.wrong.tolist()
        if any(codes[i] == r for i, r in zip(support, wrong, strict=True)):
            return False
        vectors = [
            pair_vector(data.X[i], codes[i], r, n_classes, affine=data.affine)
            for i, r in zip(support, wrong, strict=True)
        ]
        ones = [1] * len(vectors)
        return truth.is_basis(vectors, ones, list(range(len(vectors))), False)
    first, second = refutation.pair
    if any(codes[i] not in (first, second) for i in support):
        return False
    signs = [1 if code == second else -1 for code in codes]
    costs = [s if c in (first, second) else 0.0 for s, c in zip(data.costs, codes, strict=True)]
    part = {i for i, cost in enumerate(costs) if cost > 0.0}
    if refutation.slacks is not None:
        rows, slacks = truth.violating(data.X, signs, costs, refutation.slacks)
        if not set(support) <= set(rows):
            return False
        found = truth.corrected(data.X, signs, rows, slacks, support, data.affine)
        return found is not None and min(found) > 0
    if refutation.weights is None:
        return set(support) <= part and truth.is_basis(data.X, signs, support, data.affine)
    weights = refutation.weights.tolist()
    carriers = {i for i, a in zip(support, weights, strict=True) if a > 0}
    return carriers <= part and truth.combines_to_zero(data.X, signs, support, weights, data.affine)
