"""The check of slacks against fractions, on thousands of nearly degenerate and of forged bases.

What is accepted must be true; and so that refusing all does not pass, a share of every kind of
basis must be accepted.
"""

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from novikoff.certificate.exact.columns import Relation, Replaced
from novikoff.certificate.exact.violations import Violations
from tests.certificate.exact.test_vanishing import accepts, is_true, near_optimum, violations_of

BASES = 1800
"""Of each kind and seed: more than 32,000 in all."""


class Basis(NamedTuple):
    """What is to be checked, and what was done to it."""

    edit: str
    X: np.ndarray
    violations: Violations
    support: np.ndarray
    relations: tuple[Relation, ...] = ()


def relation(columns, coefs):
    return Relation(np.array(columns), np.array(coefs, dtype=float))


def some_rows(rng, violations, size):
    return rng.permutation(violations.rows)[:size]


def rounded_sums(rng):
    """A third column that is the sum of two others: exactly on all rows, or on some, or rounded."""
    n = int(rng.integers(7, 12))
    X = rng.normal(size=(n, 3))
    kind = str(rng.choice(["exact", "rounded", "nearly exact"]))
    if kind != "rounded":
        # With so few digits the sum has no rounding.
        X = np.rint(X * 2.0**10) / 2.0 ** int(rng.integers(0, 60))
    X[:, 2] = X[:, 0] + X[:, 1]
    scale = np.abs(X).max()
    signs = rng.choice([1, -1], n).astype(np.int8)
    w, b = near_optimum(rng, X[:, :2] / scale, signs, True, rng.choice([1e-12, 1e-3]))
    w = np.append(w / scale, 0.0)
    if kind == "nearly exact":
        row = rng.integers(n)
        X[row, 2] = np.nextafter(X[row, 2], rng.choice([-np.inf, np.inf]))
    violations = violations_of(X, signs, w, b)
    claim = relation([2, 0, 1], [-1, 1, 1])
    for _ in range(3):
        yield Basis(kind, X, violations, some_rows(rng, violations, 3), (claim,))
    yield Basis(f"{kind}, no relation", X, violations, some_rows(rng, violations, 4))
    wrong = relation([2, 0, 1], [-1, 1, 1 + 2.0**-52])
    yield Basis(f"{kind}, other relation", X, violations, some_rows(rng, violations, 3), (wrong,))


def rounded_columns(rng):
    """Two columns that others determine up to rounding, as their coefficients and the columns."""
    n = int(rng.integers(14, 20))
    X = rng.normal(size=(n, 4))
    kind = str(rng.choice(["sums", "weighted", "float32", "units", "short"]))
    if kind == "sums":
        X[:, 2], X[:, 3] = X[:, 0] + X[:, 1], X[:, 0] - X[:, 1]
        claims = [([2, 0, 1], [1, -1, -1]), ([3, 0, 1], [1, -1, 1])]
    elif kind == "weighted":
        X[:, 2], X[:, 3] = 0.3 * X[:, 0] + 0.7 * X[:, 1], X[:, 1] / 3.0
        claims = [([2, 0, 1], [1, -0.3, -0.7]), ([3, 1], [3, -1])]
    elif kind == "float32":
        X[:, 2], X[:, 3] = X[:, 0].astype(np.float32), (X[:, 0] + X[:, 1]).astype(np.float32)
        claims = [([2, 0], [1, -1]), ([3, 0, 1], [1, -1, -1])]
    elif kind == "units":
        X[:, :2] = np.round(20 + 8 * X[:, :2], 1)
        X[:, 2], X[:, 3] = 1.8 * X[:, 0] + 32.0, X[:, 1] * 0.45359237
        claims = [([2, 0, 4], [1, -1.8, -32]), ([3, 1], [1, -0.45359237])]
    else:
        # Few of the sums have to be rounded.
        X[:, :2] = np.rint(X[:, :2] * 2.0**20)
        X[:, 2] = X[:, 0] / 3.0 * 3.0
        X[:, 3] = X[:, 0] + X[:, 1] * (1 + 2.0**-50)
        claims = [([2, 0], [1, -1]), ([3, 0, 1], [1, -1, -1])]
    return kind, X, [relation(*claim) for claim in claims]


def brought_to_size(X, claim):
    """The remainder times a power of two that brings it near 1."""
    largest = np.abs(Replaced.of(X, [claim]).values).max()
    return Relation(claim.columns, claim.coefs * 2.0 ** -int(np.frexp(largest)[1]))


def remainders(rng):
    """Columns that others determine up to rounding, replaced by their remainders; and forgeries."""
    kind, X, claims = rounded_columns(rng)
    signs = rng.choice([1, -1], len(X)).astype(np.int8)
    first, second = (brought_to_size(X, claim) for claim in claims)
    new = Replaced.of(X, [first, second])
    columns = np.c_[X[:, :2], new.values]
    scale = np.abs(columns).max(axis=0)
    scale[scale == 0.0] = 1.0
    w, b = near_optimum(rng, columns / scale, signs, True, rng.choice([1e-12, 1e-3]))
    w /= scale

    def replaced_by(*remainders):
        return violations_of(X, signs, w, b, remainders=remainders)

    found = replaced_by(first, second)
    size = found.columns.size
    for _ in range(4):
        yield Basis(kind, X, found, some_rows(rng, found, size))
    rows = some_rows(rng, found, 5)
    # Neither replaced nor related; related by what is true up to rounding; or too few rows.
    plain = violations_of(X, signs, np.r_[w[:2], 0.0, 0.0], b)
    yield Basis("not replaced", X, plain, some_rows(rng, plain, 5))
    yield Basis("related", X, plain, some_rows(rng, plain, 3), (claims[0], claims[1]))
    yield Basis("replaced and related", X, found, rows[:4], (claims[0],))
    half = replaced_by(first)
    yield Basis("one related", X, half, some_rows(rng, half, 4), (claims[1],))
    yield Basis("too few", X, found, rows[: size - 1])
    # Other coefficients make other columns with the same span.
    coefs = second.coefs.copy()
    coefs[1] *= 1.0 + 2.0**-40
    other = Relation(second.columns, coefs)
    moved = replaced_by(first, other)
    yield Basis("other coefficients", X, moved, some_rows(rng, moved, moved.columns.size))


def vanishing_remainders(rng):
    """A column twice, and forged remainders of zero that would leave it out altogether."""
    n = int(rng.integers(10, 16))
    X = rng.normal(size=(n, 4))
    X[:, 3] = X[:, 2]
    signs = rng.choice([1, -1], n).astype(np.int8)
    same, other = relation([3, 2], [1, -1]), relation([2, 3], [1, -1])
    w, b = near_optimum(rng, X[:, :3], signs, True, 1e-9)
    true = violations_of(X, signs, np.append(w, 0.0), b)
    yield Basis("related", X, true, some_rows(rng, true, 4), (same,))
    replaced = violations_of(X, signs, np.append(w, 0.0), b, remainders=(same,))
    yield Basis("replaced", X, replaced, some_rows(rng, replaced, 4))
    # Slacks that combine to zero in all columns but the last two.
    w, b = near_optimum(rng, X[:, :2], signs, True, 1e-9)
    twice, nothing = relation([2, 2], [1, -1]), relation([2, 0, 0], [0, 1, -1])
    for relations, remainders in (
        ((), (same, other)),
        ((same,), (other,)),
        ((other,), (same,)),
        ((same,), (twice,)),
        ((same,), (nothing,)),
        ((same, nothing), ()),
        ((same, other), ()),
    ):
        found = violations_of(X, signs, np.r_[w, 0.0, 0.0], b, remainders=remainders)
        yield Basis("forged", X, found, some_rows(rng, found, 3), relations)


def regular_rows(rng, violations):
    """Four rows that are independent in the first four columns, if they are soon found."""
    for _ in range(20):
        rows = some_rows(rng, violations, 4)
        if len(rows) == 4 and abs(np.linalg.det(violations.X[rows, :4])) > 0.5:
            break
    return rows


def constant_sums(rng):
    """Two groups of columns with a single 1 in each row: both sum to the intercept's column."""
    n = int(rng.integers(14, 20))
    X = np.column_stack([np.eye(3)[rng.integers(0, 3, n)], np.eye(2)[rng.integers(0, 2, n)]])
    signs = rng.choice([1, -1], n).astype(np.int8)
    w, b = near_optimum(rng, X, signs, True, rng.choice([1e-12, 1e-3]))
    kind = str(rng.choice(["exact", "exact", "nearly exact"]))
    if kind == "nearly exact":
        X[rng.integers(n), rng.integers(5)] += rng.choice([2.0**-52, -(2.0**-53)])
    violations = violations_of(X, signs, w, b)
    first = relation([5, 0, 1, 2], [-1, 1, 1, 1])
    second = relation([4, 3, 0, 1, 2], [2, 2, -2, -2, -2])
    for _ in range(4):
        yield Basis(kind, X, violations, regular_rows(rng, violations), (first, second))
    six, five = some_rows(rng, violations, 6), some_rows(rng, violations, 5)
    yield Basis(f"{kind}, no relation", X, violations, six)
    yield Basis(f"{kind}, one relation", X, violations, five, (first,))
    forged = relation([4, 3], [1, 1]), relation([4, 3, 5], [1, 1, -1]), relation([4, 0], [1, 0])
    for other in forged:
        yield Basis(f"{kind}, forged", X, violations, five[:4], (first, other))


def tiny_weights(rng):
    """One relation between the examples, in which the weight of one of them is tiny."""
    d = int(rng.integers(1, 4))
    X = rng.integers(-9, 10, (d + 1, d)).astype(float)
    weights = rng.integers(1, 2**20, d + 1).astype(float)
    tiny, last = rng.permutation(d + 1)[:2]
    size = rng.choice([1.0, 0.0, -1.0])
    weights[tiny] = size
    # In integers below 2**53, and a power of two: the relation is exact.
    X[last] = 0.0
    X[last] = -weights @ X + weights[last] * X[last]
    weights[last] = 2.0 ** int(rng.integers(0, 40))
    X[last] /= weights[last]
    signs = np.ones(d + 1, dtype=np.int8)
    weights = weights * weights.sum() / (weights @ weights)
    w = np.linalg.lstsq(X, 1.0 - weights, rcond=None)[0]
    violations = violations_of(X, signs, w, affine=False)
    for left_out in range(d + 1):
        support = np.setdiff1d(np.arange(d + 1), [left_out])
        yield Basis(f"weight {size:+.0f}", X, violations, support)


def edited(rng):
    """Proofs after an edit of a label, of the support, of an example or of the hyperplane."""
    n, d = int(rng.integers(9, 14)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)).astype(np.float32).astype(float)
    signs = rng.choice([1, -1], n).astype(np.int8)
    w, b = near_optimum(rng, X, signs, True, 1e-12)
    found = violations_of(X, signs, w, b)
    support = some_rows(rng, found, d + 1)
    yield Basis("none", X, found, support)
    turned = signs.copy()
    turned[rng.integers(n)] *= -1
    yield Basis("label", X, violations_of(X, turned, w, b), support)
    yield Basis("twice", X, found, np.r_[support[:-1], support[:1]])
    yield Basis("too few", X, found, support[:-1])
    yield Basis("any rows", X, found, rng.permutation(n)[: d + 1])
    yield Basis("threshold", X, violations_of(X, signs, w, b, threshold=0.5), support)
    yield Basis("shorter", X, violations_of(X, signs, 0.9 * w, 0.9 * b), support)
    moved = X.copy()
    moved[rng.integers(n)] *= rng.choice([0.0, -1.0, 1.0 + 2.0**-20, 4.0])
    yield Basis("example", moved, violations_of(moved, signs, w, b), support)
    # A second row that is the first but for a rounding error.
    near = X.copy()
    near[support[-1]] = np.nextafter(near[support[0]], np.inf)
    yield Basis("nearly equal", near, violations_of(near, signs, w, b), support)


def holds(basis, relation):
    """Whether a relation is true of all rows with weight, in fractions."""
    coefs = [Fraction(a) for a in relation.coefs.tolist()]
    rows = np.column_stack([basis.X, np.ones(len(basis.X))])[basis.violations.rows]
    return coefs[0] != 0 and all(
        sum(a * Fraction(v) for a, v in zip(coefs, row, strict=True)) == 0
        for row in rows[:, relation.columns].tolist()
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("kind", "shares"),
    [
        (rounded_sums, {"exact": 0.5}),
        (constant_sums, {"exact": 0.3}),
        (tiny_weights, {"weight +1": 0.8}),
        (remainders, dict.fromkeys(["sums", "weighted", "float32", "units", "short"], 0.5)),
        (vanishing_remainders, {"related": 0.8, "replaced": 0.8}),
        (edited, {"none": 0.8, "any rows": 0.5, "shorter": 0.3, "example": 0.2}),
    ],
)
def test_what_is_accepted_is_true(kind, shares, seed):
    rng = np.random.default_rng(seed)
    accepted, tried = Counter(), Counter()
    while tried.total() < BASES:
        for basis in kind(rng):
            tried[basis.edit] += 1
            if not accepts(basis.violations, basis.support, basis.relations):
                continue
            accepted[basis.edit] += 1
            support = basis.support.tolist()
            assert is_true(basis.X, basis.violations, support, basis.relations), basis.edit
            assert all(holds(basis, claim) for claim in basis.relations), basis.edit
    for edit, share in shares.items():
        assert accepted[edit] >= share * tried[edit] > 30
