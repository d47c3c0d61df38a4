"""Leads in floating point enclose the exact ones, in every store; so do the bounds from them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.certificate.exact.leads import Leads
from novikoff.certificate.exact.prediction import joint_errors
from tests.certificate import joint_truth as truth
from tests.certificate.strategies import extreme, ordinary

STORES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "csr": sparse.csr_array,
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: np.abs(X).astype(np.uint8),
    "int64": lambda X: X.astype(np.int64),
}


def as_dense(X):
    return np.asarray(X.todense() if sparse.issparse(X) else X, dtype=float)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("K", [3, 6])
def test_many_rows_are_enclosed(store, K):
    rng = np.random.default_rng(K)
    X = STORES[store](np.rint(50 * rng.standard_normal((400, 30))))
    codes = rng.integers(0, K, 400)
    coef, intercept = rng.standard_normal((K, 30)), rng.standard_normal(K)
    leads = Leads.of(X, codes, coef, intercept)
    exact = truth.leads(as_dense(X), codes, coef, intercept)
    for low, high, lead in zip(leads.low, leads.high, exact, strict=True):
        assert Fraction(low) <= lead <= Fraction(high)
    # Twice two bounds of 40 roundings of the scores, with room for the bounds of sparse rows.
    size = np.abs(as_dense(X)).max() * np.abs(coef).sum(axis=1).max()
    assert (leads.high - leads.low).max() < 2.0**-42 * size
    assert leads.errors.count == joint_errors(X, codes, coef, intercept).count
    found = [lead for part in leads.exact(np.arange(400)) for lead in part]
    assert [Fraction(int(a.p), int(a.q)) for a in found] == exact


def test_only_examples_that_take_part_count():
    X, codes = np.array([[1.0], [2.0], [3.0], [9.0]]), np.array([0, 1, 2, 0])
    coef, intercept = np.array([[0.0], [2.0], [4.0]]), np.array([0.0, -3.0, -8.0])
    part = np.array([True, True, True, False])
    leads = Leads.of(X, codes, coef, intercept, part)
    assert leads.errors.count == 0 and leads.margin().value > 0.0
    every = Leads.of(X, codes, coef, intercept)
    assert every.errors.count == 1 and every.margin().value < 0.0


@st.composite
def scored(draw):
    numbers = draw(st.sampled_from([ordinary, extreme]))
    n, d, K = draw(st.integers(1, 5)), draw(st.integers(1, 3)), draw(st.integers(2, 4))

    def table(rows, columns):
        values = st.lists(numbers, min_size=rows * columns, max_size=rows * columns)
        return np.array(draw(values)).reshape(rows, columns)

    codes = np.array(draw(st.lists(st.integers(0, K - 1), min_size=n, max_size=n)))
    return table(n, d), codes, table(K, d), table(1, K)[0]


@given(case=scored())
def test_hostile_numbers_are_enclosed(case):
    X, codes, coef, intercept = case
    leads = Leads.of(*case)
    exact = truth.leads(X, codes, coef, intercept)
    for low, high, lead in zip(leads.low, leads.high, exact, strict=True):
        assert low == -np.inf or Fraction(low) <= lead
        assert high == np.inf or lead <= Fraction(high)
    assert leads.errors.count == truth.errors(X, codes, coef, intercept)
    if coef.any():
        claim = leads.margin().value
        assert truth.lower_is_true(claim, X, codes, coef, intercept)
        # The largest float that can be claimed.
        more = np.nextafter(claim, np.inf)
        assert more == np.inf or not truth.lower_is_true(more, X, codes, coef, intercept)


def test_two_classes_have_the_numbers_of_the_hyperplane():
    """W = (-v, v)/2 has the margin and the objective of the hyperplane v."""
    from novikoff.certificate.exact.margins import margin_below
    from novikoff.certificate.exact.slack import primal_value

    rng = np.random.default_rng(0)
    X, codes = rng.integers(-9, 9, (60, 4)).astype(float), rng.integers(0, 2, 60)
    v, b = rng.integers(-9, 9, 4) + 0.0, 0.25
    signs = (2 * codes - 1).astype(np.int8)
    leads = Leads.of(X, codes, np.array([-v, v]) / 2, np.array([-b, b]) / 2)
    assert leads.margin(thorough=True).value == margin_below(X, signs, v, b, thorough=True).value
    mine, binary = leads.objective(0.3, None, thorough=True), primal_value(X, signs, v, b, 0.3)
    assert binary.low <= mine.high and mine.low <= binary.high
    scale = leads.best_scale(0.3, None)
    least = leads.objective(0.3, None).high
    for factor in (0.9, 1.0, 1.1):
        times = Leads.of(X, codes, scale * factor * leads.coef, scale * factor * leads.intercept)
        assert times.objective(0.3, None).high <= least or factor != 1.0
        least = times.objective(0.3, None).high if factor == 1.0 else least
