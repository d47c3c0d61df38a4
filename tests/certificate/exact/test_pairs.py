"""Pairs of floats give the floats that exact arithmetic gives, or nothing."""

import math
from fractions import Fraction

import numpy as np
import pytest

from novikoff.certificate.exact import compiled_pairs, pairs
from novikoff.certificate.exact.hull import hull_point
from novikoff.certificate.exact.margins import close_margin, margin_below
from novikoff.certificate.exact.sums import read_only


def separated(seed: int) -> tuple:
    """Return random examples of some scale and shift, signs, and a hyperplane between them."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(4, 60)), int(random.integers(1, 30))
    X = np.ldexp(random.standard_normal((n, d)), int(random.integers(-60, 60)))
    if seed % 3 == 0:
        X = X + 100.0 * np.abs(X).max()
    if seed % 5 == 0:
        X = np.rint(X / np.abs(X).max() * 7.0)
    w = random.standard_normal(d)
    along = X @ w
    middle = float(np.sort(along)[[n // 2 - 1, n // 2]].mean())
    signs = np.where(along > middle, 1, -1).astype(np.int8)
    signs[along.argmax()], signs[along.argmin()] = 1, -1
    return X, signs, w, -middle


@pytest.mark.parametrize("seed", range(300))
def test_the_margin_is_that_of_exact_arithmetic(seed: int) -> None:
    X, signs, w, b = separated(seed)
    exact = margin_below(X, signs, w, b, thorough=True)
    assert exact.exact
    close = close_margin(X, signs, w, b)
    assert close is None or close == exact.value > 0.0


@pytest.mark.parametrize("seed", range(300))
def test_the_norm_is_that_of_exact_arithmetic(seed: int) -> None:
    X, signs, _, _ = separated(seed)
    random = np.random.default_rng(seed)
    support = np.sort(random.choice(len(X), int(random.integers(2, len(X) + 1)), replace=False))
    weights = random.random(support.size) ** 8 + 1e-12
    exact = hull_point(X, signs, support, weights, affine=True, thorough=True, slack=False)
    close = hull_point(X, signs, support, weights, affine=True, slack=False, closely=True)
    if exact is None:
        assert close is None
        return
    assert close is not None
    assert close.margin == exact.margin
    assert close.margin_square >= exact.margin_square


def test_most_bounds_are_decided() -> None:
    found = []
    for seed in range(100):
        if seed % 5 == 0:
            # Of whole numbers the bounds may be floats.
            continue
        X, signs, w, b = separated(seed)
        if margin_below(X, signs, w, b).value > 0.0:
            found.append(close_margin(X, signs, w, b) is not None)
        sides = signs[: len(X)]
        weights = np.random.default_rng(seed).random(len(X)) + 0.1
        rows = pairs.rows_of(X)
        assert rows is not None
        norm = pairs.hull_norm(rows, np.arange(len(X)), weights, sides, affine=True)
        found.append(norm is not None)
    assert np.mean(found) > 0.95


def test_a_margin_that_is_a_float_is_left_to_exact_arithmetic() -> None:
    X, signs = np.array([[999.0], [1001.0]]), np.array([-1, 1], dtype=np.int8)
    assert close_margin(X, signs, np.array([0.5]), -500.0) is None
    assert margin_below(X, signs, np.array([0.5]), -500.0).value == 1.0


def test_errors_of_products_are_within_the_lemma() -> None:
    random = np.random.default_rng(0)
    for size in (1, 3, 50, 4000):
        rows = np.ldexp(random.standard_normal((1, size)), random.integers(-30, 30, size))
        w = np.append(random.standard_normal(size), 0.25)
        out = np.zeros(7)
        compiled_pairs.least_product(
            read_only(rows), np.ones(1, dtype=np.int8), w, np.empty(1), 1, out
        )
        exact = Fraction(0.25) + sum(
            Fraction(a) * Fraction(b) for a, b in zip(rows[0].tolist(), w.tolist(), strict=False)
        )
        found = Fraction(out[0]) + Fraction(out[1])
        assert abs(found - exact) <= Fraction(pairs.EPSILON) * Fraction(out[2])


@pytest.mark.parametrize("scale", [-1000, -600, -460, 500, 990])
def test_products_that_underflow_or_overflow_are_left_to_exact_arithmetic(scale: int) -> None:
    X, signs = np.array([[1.0, 0.3], [-1.0, 0.7]]), np.array([1, -1], dtype=np.int8)
    X = np.ldexp(X, scale)
    w = np.array([math.ldexp(0.9, min(scale, 500)), math.ldexp(0.1, min(scale, 500))])
    close, exact = close_margin(X, signs, w, 0.0), margin_below(X, signs, w, 0.0, thorough=True)
    assert close is None or close == exact.value
    weights = np.array([1.0, 3.0])
    point = hull_point(X, signs, np.arange(2), weights, affine=True, slack=False, closely=True)
    thorough = hull_point(X, signs, np.arange(2), weights, affine=True, slack=False, thorough=True)
    assert point is not None
    assert thorough is not None
    assert point.margin == thorough.margin


def test_a_sign_is_left_to_exact_arithmetic() -> None:
    X, signs = np.array([[1.0], [3.0]]), np.array([1, 1], dtype=np.int8)
    assert close_margin(X, signs, np.array([1.0]), -1.0) is None
    assert close_margin(X, signs, np.array([1.0]), -2.0) is None
    assert close_margin(X, signs, np.array([0.0]), 1.0) is None


def test_a_hull_around_the_origin_is_left_to_exact_arithmetic() -> None:
    X, signs = np.array([[1.0], [1.0]]), np.array([1, -1], dtype=np.int8)
    weights = np.array([0.1, 0.7])
    point = hull_point(X, signs, np.arange(2), weights, affine=True, slack=False, closely=True)
    assert point is not None
    assert point.exact
    assert point.margin == 0.0


@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_many_values_are_confirmed_by_the_filter(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, d = int(random.integers(60, 130)), int(random.integers(60, 300))
    X = np.ldexp(random.standard_normal((n, d)) + (seed % 2) * 10.0, int(random.integers(-30, 30)))
    signs = np.where(np.arange(n) % 2, 1, -1).astype(np.int8)
    # All rows compete for the least margin.
    Z = np.column_stack([X, np.full(n, np.abs(X).max())])
    w = np.linalg.lstsq(Z, signs.astype(float), rcond=None)[0]
    w, b = w[:-1], float(w[-1] * np.abs(X).max())
    close, checked = close_margin(X, signs, w, b), margin_below(X, signs, w, b)
    exact = margin_below(X, signs, w, b, thorough=True)
    if exact.value > 0.0 and not checked.exact:
        assert close is not None
        assert close <= checked.value <= exact.value
        assert close >= exact.value * (1.0 - 1e-9)
    weights, support = random.random(n), np.arange(n)
    claim = (X, signs, support, weights)
    point = hull_point(*claim, affine=True, slack=False, closely=True)
    filtered = hull_point(*claim, affine=True, slack=False)
    thorough = hull_point(*claim, affine=True, slack=False, thorough=True)
    assert point is not None
    assert filtered is not None
    assert thorough is not None
    assert thorough.margin <= filtered.margin <= point.margin <= thorough.margin * (1.0 + 1e-9)


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize(("weight", "scale"), [(520, -600), (-520, 600), (-545, 1010), (0, -1000)])
def test_a_norm_beyond_the_range_of_its_quotient_is_left_to_exact_arithmetic(
    weight, scale, filtered
):
    random = np.random.default_rng(0)
    X = np.ldexp(random.standard_normal((70, 40)), scale)
    support, sides = np.arange(70), np.repeat([1, -1], 35).astype(np.int8)
    weights = np.ldexp(random.random(70) + 0.5, weight)
    assert pairs.hull_norm(X, support, weights, sides, affine=True, filtered=filtered) is None
