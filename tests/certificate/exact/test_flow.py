"""The point that weights of pairs make: in floating point above the exact one, and close to it."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.flow import check_balance, flow_of, flow_point
from novikoff.certificate.exact.hull import hull_point
from tests.certificate import joint_truth as truth
from tests.certificate.exact.test_leads import STORES, as_dense


def fraction(value):
    return Fraction(int(value.p), int(value.q))


def weighted(rng, codes, K, rows):
    weights = rng.integers(0, 1 << 40, (rows.size, K)) * (rng.random((rows.size, K)) < 0.5)
    weights[np.arange(rows.size), codes[rows]] = 0
    weights[np.arange(rows.size), (codes[rows] + 1) % K] += 1
    return weights


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_rounded_and_exact_points(store, offset):
    rng = np.random.default_rng(0)
    K = 4
    X = STORES[store](np.rint(50 * rng.standard_normal((300, 12))) + offset)
    codes, rows = rng.integers(0, K, 300), np.sort(rng.choice(300, 200, replace=False))
    weights = weighted(rng, codes, K, rows)
    costs = rng.random(300) + 0.5
    flow = flow_of(codes[rows], weights)
    exact = flow_point(X, rows, flow, costs=costs, thorough=True)
    rounded = flow_point(X, rows, flow, costs=costs)
    assert exact.exact and not rounded.exact
    square = truth.hull_square(as_dense(X), codes, rows.tolist(), weights.tolist())
    assert fraction(exact.square) == square
    assert square <= fraction(rounded.square) <= square * (1 + Fraction(1, 10**9))
    best = truth.dual(as_dense(X), codes, rows.tolist(), weights.tolist(), 0.5, costs)
    q = fraction(exact.square) + fraction(exact.shares_square)
    assert 1 / (2 * q) == best
    assert fraction(exact.shares_square) <= fraction(rounded.shares_square)


def test_nearly_cancelled_sums_are_exact():
    """Far from the origin rounding would be all that is left of the sum."""
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, (600, 8)) + 2.0**40
    codes = np.arange(600) % 3
    weights = np.zeros((600, 3), dtype=int)
    weights[np.arange(600), (codes + 1) % 3] = 1
    point = flow_point(X, np.arange(600), flow_of(codes, weights))
    assert point.exact
    assert fraction(point.square) == truth.hull_square(
        X - 2.0**40, codes, list(range(600)), weights.tolist()
    )


def test_two_classes_have_the_point_of_the_hyperplane():
    rng = np.random.default_rng(2)
    X, codes = rng.integers(-9, 9, (40, 3)).astype(float), np.arange(40) % 2
    weights = np.zeros((40, 2), dtype=int)
    weights[np.arange(40), 1 - codes] = np.repeat(rng.integers(1, 9, 20), 2)
    signs = (2 * codes - 1).astype(np.int8)
    flow = flow_of(codes, weights)
    check_balance(flow)
    mine = flow_point(X, np.arange(40), flow)
    binary = hull_point(X, signs, np.arange(40), weights.max(axis=1), affine=True)
    assert mine.margin_square == binary.margin_square
    # Each class of a binary hull has shares of its own, which sum to 1: twice as large.
    assert mine.shares_square * 4 == binary.shares_square


def test_translation_changes_nothing_where_the_flow_balances():
    rng = np.random.default_rng(3)
    X, codes = rng.integers(-9, 9, (9, 2)).astype(float), np.arange(9) % 3
    weights = np.zeros((9, 3), dtype=int)
    weights[np.arange(9), (codes + 1) % 3] = np.repeat(rng.integers(1, 9, 3), 3)
    flow = flow_of(codes, weights)
    check_balance(flow)
    first, second = (flow_point(X + shift, np.arange(9), flow) for shift in (0.0, 17.0))
    assert first.square == second.square
    # Any order of the classes is as good.
    order = np.array([2, 0, 1])
    again = flow_of(order[codes], weights[:, np.argsort(order)])
    assert flow_point(X, np.arange(9), again).square == first.square


def test_flows_that_are_refused():
    with pytest.raises(CertificateError, match="own class"):
        flow_of(np.array([1]), np.array([[0, 1, 0]]))
    with pytest.raises(CertificateError, match="2 of 3 classes differ"):
        check_balance(flow_of(np.array([0, 1]), np.array([[0, 2, 0], [1, 0, 0]])))


def test_signs_of_the_values_do_not_matter_for_sparse_rows():
    rng = np.random.default_rng(4)
    X = sparse.random_array((500, 40), density=0.2, rng=rng, format="csr")
    X.data -= 0.5
    codes = np.arange(500) % 3
    weights = weighted(rng, codes, 3, np.arange(500))
    flow = flow_of(codes, weights)
    rounded = flow_point(X, np.arange(500), flow)
    dense = flow_point(X.toarray(), np.arange(500), flow, thorough=True)
    assert dense.square <= rounded.square <= dense.square * 1000001 / 1000000
