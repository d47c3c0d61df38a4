"""Weights of pairs as whole numbers that balance, close to what was given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import CertificateError
from novikoff.certificate.balance import balanced
from novikoff.certificate.exact.flow import check_balance, flow_of


@st.composite
def given_weights(draw):
    K = draw(st.integers(3, 5))
    codes = np.array([*range(K), *draw(st.lists(st.integers(0, K - 1), max_size=6))])
    size = draw(st.sampled_from([1.0, 1e-300, 1e300, 2.0**-1070]))
    numbers = st.sampled_from([0.0, 0.0, 0.1, 1.0, 3.0, 1e-9, 1e-20])
    shape = (codes.size, K)
    weights = size * np.array(
        draw(st.lists(numbers, min_size=codes.size * K, max_size=codes.size * K))
    ).reshape(shape)
    weights[np.arange(codes.size), codes] = 0.0
    if draw(st.booleans()):
        weights = np.rint(weights / size).astype(int)
    return codes, weights, K


@given(case=given_weights(), affine=st.booleans())
def test_every_way_balances_and_has_weight(case, affine):
    codes, weights, K = case
    ways = balanced(codes, np.arange(codes.size), weights, K, affine=affine)
    assert bool(ways) == bool(weights.any())
    for rows, whole in ways:
        assert whole.dtype == np.int64 and (whole >= 0).all() and whole.any(axis=1).all()
        assert (np.diff(rows) > 0).all() and np.gcd.reduce(whole.ravel()) == 1
        assert whole.sum(dtype=float) < 2.0**62
        flow = flow_of(codes[rows], whole)
        if affine:
            check_balance(flow)


def test_a_balanced_flow_is_kept():
    codes = np.array([0, 1, 2, 0])
    weights = np.array([[0, 3, 0], [0, 0, 4], [4, 0, 0], [0, 1, 0]])
    for given_as in (weights, weights / 8.0):
        ((rows, whole),) = balanced(codes, np.arange(4), given_as, 3, affine=True)
        assert (whole == weights).all() and (rows == np.arange(4)).all()


def test_rounding_is_put_on_one_example_of_a_class():
    rng = np.random.default_rng(0)
    codes = np.arange(30) % 3
    weights = np.zeros((30, 3))
    weights[np.arange(30), (codes + 1) % 3] = rng.random(30)
    for code in range(3):
        weights[codes == code] /= weights[codes == code].sum()
    ((_, whole),) = balanced(codes, np.arange(30), weights, 3, affine=True)
    assert np.abs(whole / whole.sum() - weights / 3.0).max() < 2.0**-50


def test_two_classes_are_normalised_apart():
    """Without the third class, as the binary bound does."""
    codes = np.array([0, 0, 1, 2])
    weights = np.array([[0, 1, 0], [0, 2, 0], [1, 0, 0], [0, 0, 0]])
    _, (rows, whole) = balanced(codes, np.arange(4), weights, 3, affine=True)
    assert rows.tolist() == [0, 1, 2]
    shares = whole / whole.sum()
    assert np.abs(shares - np.array([[0, 1, 0], [0, 2, 0], [3, 0, 0]]) / 6.0).max() < 1e-12


def test_a_class_without_support_gets_an_example_that_takes_part():
    codes = np.array([0, 1, 1, 2])
    part = np.array([True, False, True, True])
    for rows, whole in balanced(codes, [0], [[0, 1.0, 0]], 3, affine=True, taking_part=part):
        assert rows.tolist() == [0, 2] and whole.tolist() == [[0, 1, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    "weights", [[[1.0, 0.0, 0.0]], [[0.0, -1.0, 0.0]], [[0.0, np.nan, 0.0]], [[0.0, 1.0]], [1.0]]
)
def test_what_cannot_be_weights(weights):
    with pytest.raises(CertificateError):
        balanced(np.array([0, 1, 2]), [0], weights, 3, affine=True)
