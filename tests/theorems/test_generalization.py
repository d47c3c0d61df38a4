"""The bounds on the error on new data, against their equations in 50-digit arithmetic.

Section 5 of *On the Perceptron's Compression*, the exact binomial tail, and the bound of Campi and
Garatti. A bound that is 5 % too small fails here; the simulations cannot tell.
"""

from math import comb, log

import numpy as np
import pytest
from flint import arb, ctx

from novikoff.theory import (
    binomial_tail_bound,
    compression_bound,
    selection_bound,
    theorem_5_1,
    theorem_5_2,
)
from novikoff.theory.binomial import log_choose, log_lower_tail, log_probability


@pytest.fixture(autouse=True)
def fifty_digits():
    before, ctx.prec = ctx.prec, 200
    yield
    ctx.prec = before


def equation(m, k, delta, e):
    """The left side of the equation of the compression bound, term by term."""
    rest = 1 - arb(e)
    total = sum((arb(comb(j, k)) * rest ** (j - m) for j in range(k, m)), arb(0))
    return float(total * arb(delta) / m / arb(comb(m, k)))


def lower_tail(n, k, p):
    """The probability of at most k successes in n trials."""
    p = arb(p)
    return sum((arb(comb(n, i)) * p**i * (1 - p) ** (n - i) for i in range(k + 1)), arb(0))


@pytest.mark.parametrize("delta", [1e-9, 0.05, 0.9])
@pytest.mark.parametrize(
    ("m", "k"), [(1, 0), (2, 1), (10, 0), (10, 3), (50, 20), (300, 7), (1000, 100), (1000, 900)]
)
def test_the_compression_bound_solves_its_equation(m, k, delta):
    e = float(compression_bound(m, k, delta))
    assert k / m < e < 1.0
    assert equation(m, k, delta, e) == pytest.approx(1.0, rel=1e-7)
    wrong = k / m + 0.95 * (e - k / m)
    assert equation(m, k, delta, wrong) < 1.0 - 1e-3


def test_its_ends_in_closed_form():
    m, delta = 40, 0.05
    assert compression_bound(m, m, delta) == 1.0
    # One term is left: delta / (m^2 (1 - e)) = 1.
    assert 1.0 - compression_bound(m, m - 1, delta) == pytest.approx(delta / m**2, rel=1e-9)
    # A geometric sum is left: delta ((1 - e)^-m - 1) = m e.
    e = float(compression_bound(m, 0, delta))
    assert delta * ((1.0 - e) ** -m - 1.0) == pytest.approx(m * e, rel=1e-9)


def test_published_values():
    bounds = compression_bound([1000] * 3 + [60_000] * 2, [5, 20, 100, 20, 100])
    assert np.round(bounds, 4).tolist() == [0.014, 0.0355, 0.1316, 0.0006, 0.0022]
    tails = selection_bound([1000] * 3 + [60_000] * 2, [5, 20, 100, 20, 100], 0)
    assert np.round(tails, 4).tolist() == [0.0391, 0.1021, 0.3084, 0.0032, 0.0124]


@pytest.mark.parametrize("log_delta", [-3.0, -60.0, -700.0])
@pytest.mark.parametrize(("n", "errors"), [(50, 0), (50, 1), (400, 30), (1000, 400), (30, 29)])
def test_the_binomial_tail_is_delta_at_the_bound(n, errors, log_delta):
    p = float(binomial_tail_bound(n, errors, log_delta=log_delta))
    if p < 1.0 - 1e-12:
        assert float(lower_tail(n, errors, p).log()) == pytest.approx(log_delta, rel=1e-9)
        assert float(lower_tail(n, errors, 0.95 * p).log()) > log_delta + 0.02


def test_a_delta_below_the_smallest_float():
    """A quantile of the beta distribution would be 1 for a delta below 1e-16."""
    p = float(selection_bound(3000, 300, 5, 0.05))
    log_delta = log(0.05) - log(3001) - float(arb(comb(3000, 300)).log())
    assert log_delta < -900.0
    assert float(lower_tail(2700, 5, p).log()) == pytest.approx(log_delta, rel=1e-9)


def test_messages_cost_their_logarithm():
    one, many = selection_bound(1000, 20, 0), selection_bound(1000, 20, 0, messages=1000)
    assert np.log1p(-many) - np.log1p(-one) == pytest.approx(-log(1000) / 980, rel=1e-9)


def test_a_billion_examples():
    m = 10**9
    k = np.array([0, 10, 10**5, 10**8])
    bounds = compression_bound(m, k)
    assert (bounds > k / m).all() and np.isfinite(bounds).all()
    # The distance to k/m is a few standard deviations of a binomial share.
    deviation = np.sqrt(k[2:] * (1 - k[2:] / m)) / m
    assert ((bounds[2:] - k[2:] / m) / deviation < 6.0).all()
    assert ((bounds[2:] - k[2:] / m) / deviation > 3.0).all()


@pytest.mark.parametrize("bound", [compression_bound, lambda m, k, d: selection_bound(m, k, 3, d)])
def test_monotone(bound):
    m = np.array([50, 100, 1000, 10**5, 10**8])
    assert (np.diff(bound(m, 10, 0.05)) < 0.0).all()
    assert (np.diff(bound(10**4, np.arange(0, 5000, 50), 0.05)) > 0.0).all()
    assert (np.diff(bound(1000, 10, np.array([1e-12, 1e-6, 0.01, 0.05, 0.5]))) < 0.0).all()


def test_log_space_against_fifty_digits():
    for n, k, p in ((30, 3, 0.2), (2000, 100, 0.3), (2000, 1, 0.9), (500, 499, 0.9999)):
        odds = float((arb(p) / (1 - arb(p))).log())
        exact = arb(comb(n, k)) * arb(p) ** k * (1 - arb(p)) ** (n - k)
        assert float(log_probability(n, k, odds)) == pytest.approx(float(exact.log()), rel=1e-12)
        assert float(log_choose(n, k)) == pytest.approx(float(arb(comb(n, k)).log()), rel=1e-12)
        if k <= n * p:
            tail = float(lower_tail(n, k, p).log())
            assert float(log_lower_tail(n, k, odds)) == pytest.approx(tail, rel=1e-10)


def test_the_theorems_of_the_paper():
    m, k, delta = 10**6, 10, 0.05
    e = 12 * (k * log(np.e * m / k) + log((m + 1) / delta)) / m
    assert theorem_5_2(m, k, 0.01, delta) == pytest.approx(0.01 + (0.01 * e) ** 0.5 + e)
    assert theorem_5_2(100, 10, 0.0) == 1.0
    assert theorem_5_1(10**4, 0.1) == pytest.approx(4 * (log(100) + log(40)) / 100)
    # The margin argument pays a logarithm and a constant for what the compression measures.
    assert compression_bound(10**4, 100) < theorem_5_1(10**4, 0.1)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: compression_bound(10, 11), "k must be"),
        (lambda: compression_bound(10, -1), "k must be"),
        (lambda: compression_bound(10, 1.5), "k must be"),
        (lambda: compression_bound(0, 0), "m must be"),
        (lambda: compression_bound(10, 1, 0.0), "delta must be"),
        (lambda: compression_bound(10, 1, 1.0), "delta must be"),
        (lambda: compression_bound(10, 1, np.nan), "delta must be"),
        (lambda: selection_bound(10, 5, 6), "errors must be"),
        (lambda: selection_bound(10, 5, 1, messages=0.5), "messages="),
        (lambda: binomial_tail_bound(10, 1, log_delta=0.0), "log_delta"),
        (lambda: theorem_5_2(10, 1, 1.5), "training_error"),
        (lambda: theorem_5_1(10, 0.0), "epsilon must be"),
        (lambda: theorem_5_1(10, 0.1), "at least 2"),
    ],
)
def test_impossible_arguments(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_delta_once():
    with pytest.raises(TypeError, match="not both"):
        binomial_tail_bound(10, 1)
