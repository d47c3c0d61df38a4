"""The hyperplane of least squared slacks, and the proof that a perceptron makes of it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris

from novikoff.certificate import Certifier
from novikoff.run.least_slack import MOST_STEPS, least_slack
from novikoff.run.slack_proof import refute_by_slacks


def noisy(n=200, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.standard_normal(d)
    return X, np.where(rng.random(n) < 0.5, 1, -1).astype(np.int8)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_slacks_combine_the_signed_examples_to_zero(affine, seed):
    X, signs = noisy(seed=seed)
    coef, intercept = least_slack(X, signs, affine=affine)
    slacks = np.maximum(1.0 - signs * (X @ coef + intercept), 0.0)
    assert (slacks > 0.0).sum() > X.shape[1]
    total = (slacks * signs) @ X
    assert (np.abs(total) <= 1e-11 * np.abs(slacks @ np.abs(X))).all()
    if affine:
        assert abs(slacks @ signs) <= 1e-11 * slacks.sum()
    else:
        assert intercept == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_proved_not_to_be_separable(seed):
    X, signs = noisy(seed=seed)
    certifier = Certifier.of(X, signs, positive=1, affine=True)
    found = refute_by_slacks(certifier, *least_slack(X, signs, affine=True))
    assert found is not None
    assert certifier.refuted(found).verify(X, signs)


def test_sparse_rows_are_the_same_examples():
    X, signs = noisy()
    coef, intercept = least_slack(X, signs, affine=True)
    again = least_slack(sparse.csr_matrix(X), signs, affine=True)
    assert np.array_equal(again[0], coef) and again[1] == intercept


def test_constant_columns_and_columns_that_depend_on_others_have_a_minimum():
    X, signs = noisy()
    X = np.column_stack([X, np.full(len(X), 7.0), X[:, 0] + X[:, 1]])
    coef, intercept = least_slack(X, signs, affine=True)
    slacks = np.maximum(1.0 - signs * (X @ coef + intercept), 0.0)
    assert coef[5] == 0.0
    assert (np.abs((slacks * signs) @ X) <= 1e-9 * np.abs(slacks @ np.abs(X))).all()


def test_separable_examples_have_none():
    X, y = load_iris(return_X_y=True)
    assert least_slack(X, np.where(y == 0, 1, -1), affine=True) is None
    X, y = load_digits(return_X_y=True)
    assert least_slack(X, np.where(y == 3, 1, -1), affine=True) is None


def test_it_ends_when_told():
    X, signs = noisy()
    assert least_slack(X, signs, affine=True, stopped=lambda: True) is None
    asked = []
    least_slack(X, signs, affine=True, stopped=lambda: bool(asked.append(1)))
    assert 1 < len(asked) <= MOST_STEPS


def test_columns_that_are_equal_in_the_first_rows_only():
    # Two indicators agree on the examples of largest slack and differ in one of the others, as the
    # two leagues of a baseball player do: more rows must be looked at.
    rng = np.random.default_rng(3)
    X, signs = noisy(400, 3)
    first = (rng.random(400) < 0.5).astype(float)
    X = np.column_stack([X, first, first])
    coef, intercept = least_slack(X, signs, affine=True)
    slacks = 1.0 - signs * (X @ coef + intercept)
    middle = np.argsort(-slacks)[150]
    X[middle, 4] = 1.0 - X[middle, 4]
    certifier = Certifier.of(X, signs, positive=1, affine=True)
    assert refute_by_slacks(certifier, *least_slack(X, signs, affine=True)) is not None
