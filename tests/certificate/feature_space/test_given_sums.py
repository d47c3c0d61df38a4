"""Sums of given kernel values, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from novikoff.certificate.feature_space.exact_table import exact_square, exact_sums
from novikoff.certificate.feature_space.given_sums import given_sums
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.table import KernelTable


def fraction(value):
    return Fraction(int(value.p), int(value.q))


def tables():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    far = np.exp(-40.0 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    return {"linear": X @ X.T, "far apart": far, "zero": np.zeros((40, 40))}


@pytest.mark.parametrize("name", tables())
def test_sums_and_squares_of_given_values(name):
    values = tables()[name]
    n = len(values)
    table, rows = KernelTable.of(Kernel("precomputed"), values), np.arange(n)
    coef = np.random.default_rng(1).standard_normal(n) * 1e6
    exact = [[Fraction(float(v)) for v in row] for row in values]
    factors = [Fraction(float(c)) for c in coef]
    sums = [sum(map(Fraction.__mul__, row, factors)) for row in exact]
    found = exact_sums(table, rows, rows, coef, 0.5)
    for (low, high), value in zip(found, sums, strict=True):
        assert fraction(low) <= value + Fraction(1, 2) <= fraction(high)
        assert float(high - low) <= 1e-30 * 1e6 * n
    integers = [int(c) for c in coef]
    low, high = exact_square(table, rows, integers)
    square = sum(
        a * b * v
        for a, row in zip(integers, exact, strict=True)
        for b, v in zip(integers, row, strict=True)
    )
    assert fraction(low) <= square <= fraction(high)
    assert float(high - low) <= 1e-30 * 1e12 * n**2


def test_values_far_below_the_largest_decide_where_the_others_cancel():
    values = np.array([[1.0, 1.0, 2.0**-1000], [1.0, 1.0, 0.0]])
    factors = np.array([1, -1, 3])
    apart = given_sums(values, factors, apart_from=fmpq(0))
    assert apart == [(3 * fmpq(1, 2**1000),) * 2, (0, 0)]
    (low, high), exact = given_sums(values, factors)
    assert low < 0 < high < fmpq(1, 2**120) and exact == (0, 0)


@pytest.mark.parametrize("n", [40, 700])
def test_bounds_on_rounded_sums_hold_the_exact_ones(n):
    """In runs, and runs of runs."""
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, 4))
    values = X @ X.T
    values = (values + values.T) / 2
    table, rows = KernelTable.of(Kernel("precomputed"), values), np.arange(n)
    coefs = rng.standard_normal((n, 2)) * 1e6
    sums, errors = table.sums(rows, coefs)
    for column in range(2):
        exact = exact_sums(table, rows, rows, np.ascontiguousarray(coefs[:, column]))
        for (low, _), value, error in zip(exact, sums[:, column], errors[:, column], strict=True):
            assert abs(fraction(low) - Fraction(float(value))) <= Fraction(float(error))
    flow = np.round(coefs)
    value, error = table.square(rows, flow)
    exact = sum(fraction(exact_square(table, rows, [int(a) for a in c])[0]) for c in flow.T)
    assert abs(exact - Fraction(value)) <= Fraction(error)
    # Twice 2**-53 for each of the roundings that a product passes through, with some to spare.
    moduli = np.abs(flow)
    assert error <= 1000 * 2.0**-53 * float((moduli * (np.abs(values) @ moduli)).sum())
