"""An intersection of halfspaces with margin: the polynomial, its norm, and the mistakes."""

from itertools import product
from math import acosh, ceil, comb, factorial, prod

import numpy as np
import pytest
from flint import fmpq, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from novikoff import is_separable
from novikoff.theory import mistake_bound
from novikoff.theory.intersections import (
    intersection_mistake_bound,
    intersection_sample,
    learn_intersection,
    separating_polynomial,
)
from tests.theorems.promises import assert_at_most

CASES = [(1, 0.5), (2, 0.2), (3, 0.1), (2, 0.05), (10, 0.05)]


def value(coefficients, s):
    return np.polynomial.polynomial.polyval(s, coefficients)


@given(k=st.integers(1, 30), margin=st.floats(0.01, 0.95))
def test_the_polynomial_separates(k, margin):
    p = separating_polynomial(k, margin)
    r = len(p) - 1
    growth = acosh((1 + 3 * margin) / (1 - margin))
    assert r in (ceil(acosh(4 * k) / growth - 1e-9), ceil(acosh(4 * k) / growth + 1e-9))
    # The coefficients are large and alternate: that is what rounding costs.
    rounding = 1e-13 * np.abs(p).sum()
    right, left = np.linspace(margin, 1, 400), np.linspace(-1, -margin, 400)
    assert (np.abs(value(p, right)) <= 1 / (4 * k) + rounding).all()
    assert (value(p, left) >= 1 - rounding).all()


@pytest.mark.parametrize(("k", "margin"), CASES)
def test_the_polynomial_in_exact_arithmetic(k, margin):
    """Chebyshev's polynomial in rationals; the degree below is not enough."""
    rho = fmpq(*margin.as_integer_ratio())
    at = (1 + 3 * rho) / (1 - rho)
    values = [fmpq(1), at]
    polynomials = [fmpq_poly([1]), fmpq_poly([(1 + rho) / (1 - rho), -2 / (1 - rho)])]
    while values[-1] < 4 * k:
        values.append(2 * at * values[-1] - values[-2])
        polynomials.append(2 * polynomials[1] * polynomials[-1] - polynomials[-2])
    exact = [float(c.p) / float(c.q) for c in (polynomials[-1] / values[-1]).coeffs()]
    np.testing.assert_allclose(separating_polynomial(k, margin), exact, rtol=1e-9)
    assert values[-2] < 4 * k


def features(X, r):
    """The features of the kernel (1 + x·x')^r, with their exponents."""
    d = X.shape[1]
    exponents = [e for e in product(range(r + 1), repeat=d) if sum(e) <= r]
    weights = [factorial(r) / (factorial(r - sum(e)) * prod(map(factorial, e))) for e in exponents]
    columns = [np.sqrt(w) * np.prod(X**e, axis=1) for w, e in zip(weights, exponents, strict=True)]
    return np.column_stack(columns), exponents, np.array(weights)


@pytest.mark.parametrize(("k", "margin"), [(1, 0.4), (2, 0.2), (3, 0.1)])
def test_the_separating_function_in_the_space_of_the_kernel(k, margin):
    """1/2 - sum p(u·x) as a vector of features: its values, and its norm."""
    X, y, normals = intersection_sample(200, 3, k, margin, random_state=0)
    p = separating_polynomial(k, margin)
    r = len(p) - 1
    Phi, exponents, weights = features(X, r)
    np.testing.assert_allclose(Phi @ Phi.T, (1 + X @ X.T) ** r, rtol=0, atol=1e-12)
    vector = np.zeros(len(exponents))
    vector[exponents.index((0, 0, 0))] = 0.5
    for u in normals:
        for place, e in enumerate(exponents):
            j = sum(e)
            multinomial = factorial(j) / prod(map(factorial, e))
            vector[place] -= (
                p[j] * multinomial * np.prod(u ** np.array(e)) / np.sqrt(weights[place])
            )
    g = Phi @ vector
    np.testing.assert_allclose(g, 0.5 - value(p, X @ normals.T).sum(axis=1), atol=1e-8)
    assert (y * g >= 0.25 - 1e-8).all()
    bound = intersection_mistake_bound(k, margin)
    assert bound.degree == r
    assert np.linalg.norm(vector) <= bound.norm * (1 + 1e-9)
    # Without the constants, the norm of one halfspace's polynomial is exact.
    one = np.sqrt(sum(c * c / comb(r, j) for j, c in enumerate(p)))
    assert bound.norm == pytest.approx(0.5 + k * one, rel=1e-9)
    # And so Novikoff's theorem gives the bound.
    gamma = 0.25 / bound.norm
    assert bound.mistakes == pytest.approx(mistake_bound(2 ** (r / 2), gamma), rel=1e-9)


@pytest.mark.parametrize(
    ("k", "margin", "degree", "mistakes"),
    [(2, 0.2, 3, 8.1e3), (3, 0.1, 4, 6.6e5), (10, 0.05, 7, 7e10)],
)
def test_known_values(k, margin, degree, mistakes):
    bound = intersection_mistake_bound(k, margin)
    assert bound.degree == degree
    assert bound.mistakes == pytest.approx(mistakes, rel=0.05)


def test_a_bound_beyond_floats_is_infinite():
    bound = intersection_mistake_bound(5, 1e-5)
    assert bound.degree == 413
    assert bound.mistakes == np.inf


@given(
    case=st.sampled_from([(1, 0.2), (2, 0.2), (2, 0.1), (3, 0.1)]),
    d=st.integers(2, 12),
    seed=st.integers(0, 10_000),
)
def test_mistakes_on_examples_with_margin(case, d, seed):
    X, y, _ = intersection_sample(150, d, *case, random_state=seed)
    learned = learn_intersection(X, y, *case)
    assert learned.converged
    assert_at_most(learned.mistakes, intersection_mistake_bound(*case).mistakes)
    assert learned.mistakes == np.abs(learned.weights).sum()
    np.testing.assert_array_equal(learned.predict(X), y)


def test_new_examples_of_an_intersection_that_no_hyperplane_separates():
    X, y, normals = intersection_sample(1500, 2, 2, 0.1, random_state=3)
    assert ((X @ normals.T > 0).all(axis=1) == (y > 0)).all()
    assert not is_separable(X, y)
    learned = learn_intersection(X[:1000], y[:1000], 2, 0.1)
    assert (learned.predict(X[1000:]) == y[1000:]).mean() > 0.95
    with pytest.raises(ValueError, match="mistakes, more than an intersection of 1 halfspaces"):
        learn_intersection(X, y, 1, 0.9)


def test_a_limit_is_said_to_be_one():
    X, y, _ = intersection_sample(300, 5, 3, 0.1, random_state=0)
    cut = learn_intersection(X, y, 3, 0.1, max_updates=2)
    assert not cut.converged
    assert cut.mistakes == 2


@pytest.mark.parametrize(
    ("n", "d", "k", "margin"), [(101, 3, 2, 0.2), (50, 20, 4, 0.1), (7, 1, 1, 0.5)]
)
def test_the_sample(n, d, k, margin):
    X, y, normals = intersection_sample(n, d, k, margin, random_state=0)
    values = X @ normals.T
    assert X.shape == (n, d) and normals.shape == (k, d)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    assert (np.linalg.norm(X, axis=1) <= 1.0).all()
    assert (np.abs(values) >= margin).all()
    np.testing.assert_array_equal((values > 0).all(axis=1), y > 0)
    assert (y > 0).sum() == n - n // 2
    again = intersection_sample(n, d, k, margin, random_state=0)
    np.testing.assert_array_equal(X, again.X)
    if d > k:
        assert np.linalg.matrix_rank(X) == min(n, d)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: separating_polynomial(0, 0.5), "n_halfspaces=0 must be a positive integer"),
        (lambda: separating_polynomial(2, 0.0), "margin=0.0 must be between 0 and 1"),
        (lambda: intersection_mistake_bound(2, 1.0), "margin=1.0 must be between 0 and 1"),
        (lambda: intersection_sample(0, 2, 1, 0.1), "n=0 must be a positive integer"),
        (lambda: intersection_sample(9, 5, 5, 0.9, random_state=0), "margin=0.9 leaves hardly any"),
        (lambda: learn_intersection([[2.0]], [1], 1, 0.1), "An example has norm 2"),
        (lambda: learn_intersection([[np.nan]], [1], 1, 0.1), "An example has norm nan"),
        (lambda: learn_intersection([[0.5]], [0], 1, 0.1), "labels must be -1 and"),
        (lambda: learn_intersection([[0.5]], [1, 1], 1, 0.1), "need one label"),
        (lambda: learn_intersection([[0.5]], [1], 1, 0.1, max_updates=0), "max_updates=0 must"),
    ],
)
def test_impossible_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
