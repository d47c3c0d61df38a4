"""Verdicts on columns of different units: scaled by powers of two, unless asked not to."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import is_separable
from novikoff.certificate import NonSeparation, Separation
from novikoff.sample.scale import needs_scaling


def columns_of_units(n, d, seed, flipped=0.0):
    """Gaussian columns of units from 1e-4 to 1e4, off the origin; the labels see all alike."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where((X @ rng.standard_normal(d) > 0.0) ^ (rng.random(n) < flipped), 1, -1)
    return X * 10.0 ** rng.uniform(-4.0, 4.0, d) + 10.0 ** rng.uniform(-3.0, 3.0, d), y


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("flipped, kind", [(0.0, Separation), (0.2, NonSeparation)])
def test_the_verdict_is_that_of_every_scale(store, flipped, kind):
    X, y = columns_of_units(300, 20, 1, flipped)
    for scale in ("auto", True, False):
        proof = is_separable(store(X), y, scale=scale)
        assert isinstance(proof, kind)
        assert (proof.problem.exponents is None) == (scale is False)
        proof.verify(X, y)


def test_wide_data_of_different_units_are_decided():
    """Without scaling, 1,000 x 700 take more than three times as many passes."""
    X, y = columns_of_units(1_000, 700, 2)
    passes = []

    def count(progress):
        passes.append(progress.iteration)

    proof = is_separable(X, y, callbacks=(count,))
    assert isinstance(proof, Separation)
    proof.verify(X, y)
    scaled = max(passes)
    is_separable(X, y, scale=False, max_iter=100, callbacks=(count,))
    assert 3 * scaled < max(passes)


def test_alike_columns_are_left_as_they_are():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((500, 5)) * [1.0, 10.0, 0.1, 3.0, 0.0]
    assert not needs_scaling(X)
    assert is_separable(X, X[:, 0] > 0.0).problem.exponents is None


def test_the_rows_that_are_looked_at_are_spread():
    X = np.zeros((1_000, 2))
    X[::100] = [[1.0, 1e-4]] * 10
    assert needs_scaling(X)
    assert needs_scaling(sparse.csr_matrix(X))


def test_columns_that_cannot_be_divided_exactly_are_left_as_they_are():
    """The least subnormal number has no half."""
    X = np.array([[5e-324, 1.0], [0.0, 2.0], [1e4, 4.0], [1e4, 1e-3]])
    y = np.array([0, 0, 1, 1])
    with pytest.raises(ValueError, match="cannot be scaled exactly"):
        is_separable(X, y, scale=True)
    assert needs_scaling(X)
    proof = is_separable(X, y)
    assert isinstance(proof, Separation)
    assert proof.problem.exponents is None
    proof.verify(X, y)


@pytest.mark.parametrize("scale", ["yes", 1, None])
def test_other_answers_are_refused(scale):
    with pytest.raises(ValueError, match=r"scale=.* must be True, False or 'auto'"):
        is_separable([[0.0], [1.0]], [0, 1], scale=scale)
