"""The filter's intervals hold the exact values, at every scale and in every store."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate.exact.filter import (
    combination,
    filtered_squares,
    signed_values,
    squares_between,
)
from novikoff.certificate.examples.blocks import take
from tests.certificate import truth
from tests.certificate.strategies import STORES, cases, extreme, filter_first


@given(case=cases(extreme))
def test_every_interval_holds_the_exact_value(case):
    exact = truth.signed_values(case.X, case.signs, case.coef, case.intercept)
    for store in STORES.values():
        ends = signed_values(store(case.X), case.signs, case.coef, case.intercept)
        for value, low, high in zip(exact, *ends, strict=True):
            assert low == -np.inf or Fraction(float(low)) <= value
            assert high == np.inf or value <= Fraction(float(high))


@given(
    X=hnp.arrays(np.float64, (6, 40), elements=st.floats(-1e8, 1e8)),
    w=hnp.arrays(np.float64, 40, elements=st.floats(-1e8, 1e8)),
)
def test_near_cancellation_stays_inside(X, w):
    X[:, 20:] = -X[:, :20] * (1 + 2.0**-50)
    w[20:] = w[:20]
    signs = np.ones(6, dtype=np.int8)
    exact = truth.signed_values(X, signs, w, 0.0)
    for value, low, high in zip(exact, *signed_values(X, signs, w, 0.0), strict=True):
        assert Fraction(float(low)) <= value <= Fraction(float(high))


@pytest.mark.parametrize("store", STORES)
def test_what_underflows_is_accounted_for(store):
    # Each product is a little less than half of the smallest float, and rounds to zero.
    X = np.full((3, 100), 1.5e-162)
    w = np.full(100, 1.5e-162)
    signs = np.array([1, -1, 1], dtype=np.int8)
    ends = signed_values(STORES[store](X), signs, w, 0.0)
    exact = truth.signed_values(X, signs, w, 0.0)
    assert abs(exact[0]) > 40 * Fraction(5e-324)
    for value, low, high in zip(exact, *ends, strict=True):
        assert Fraction(float(low)) <= value <= Fraction(float(high))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int16, np.bool_])
def test_types_are_read_as_the_numbers_they_hold(dtype):
    rng = np.random.default_rng(0)
    X = (100 * rng.random((50, 7))).astype(dtype)
    w = rng.normal(size=7)
    signs = np.ones(50, dtype=np.int8)
    exact = truth.signed_values(X, signs, w, 0.25)
    for store in STORES.values():
        ends = signed_values(store(X), signs, w, 0.25)
        for value, low, high in zip(exact, *ends, strict=True):
            assert Fraction(float(low)) <= value <= Fraction(float(high))
            assert high - low < 1e-10


@given(case=cases(extreme))
def test_every_component_of_a_combination_is_within_its_error(case):
    weights = np.where(case.weights > 1e3, 1.0, case.weights.astype(np.float64))
    exact = [truth.dot(weights, column) for column in case.X[case.support].T]
    for store in STORES.values():
        rows = take(store(case.X), case.support)
        found = combination(rows, weights, case.X.shape[1])
        for value, total, error in zip(exact, *found, strict=True):
            if np.isfinite(error):
                assert abs(value - Fraction(float(total))) <= Fraction(float(error))


positive = st.one_of(
    st.floats(1e-3, 1e3),
    st.floats(0.0, exclude_min=True, allow_infinity=False),
    st.sampled_from([5e-324, 1e-300, 1e300, 1.7e308]),
)


@given(data=st.data(), values=hnp.arrays(np.float64, st.integers(1, 12), elements=extreme))
def test_a_sum_of_squares_is_between_its_bounds(data, values):
    divisors = data.draw(hnp.arrays(np.float64, len(values), elements=positive))
    exact = sum(Fraction(a) ** 2 for a in values.tolist())
    quotients = zip(values.tolist(), divisors.tolist(), strict=True)
    shared = sum(Fraction(a) ** 2 / Fraction(s) for a, s in quotients)
    with filter_first():
        ends = squares_between(values)
        assert _fraction(ends[0]) <= exact <= _fraction(ends[1])
        found = filtered_squares(values, divisors)
    if found is not None:
        assert _fraction(found[0]) <= shared <= _fraction(found[1])
    low, high = squares_between(values)
    assert low == high and _fraction(low) == exact


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_many_squares_are_summed_closely(dtype):
    rng = np.random.default_rng(0)
    # Integers beyond 2**53 are rounded on the way.
    values = (rng.exponential(2.0**58, size=100_000) + 1.0).astype(dtype)
    exact = sum(Fraction(a) ** 2 for a in values.tolist())
    low, high = map(_fraction, filtered_squares(values))
    assert low < exact < high < low * (1 + Fraction(1, 10**12))


def _fraction(value):
    return Fraction(int(value.p), int(value.q))


def test_blocks_cover_rows_of_any_length():
    lengths = np.array([0, 3, 0, 0, 700_000, 1, 0, 2])
    ends = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.concatenate([np.arange(k) for k in lengths])
    X = sparse.csr_array((np.ones(ends[-1]), columns, ends), shape=(8, 700_000))
    signs = np.ones(8, dtype=np.int8)
    low, high = signed_values(X, signs, np.ones(700_000), 0.0)
    assert (low <= lengths).all() and (lengths <= high).all()
    # A long row does not make the others' intervals wide.
    assert (high - low)[[1, 5, 7]].max() < 1e-13
