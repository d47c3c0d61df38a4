"""If no inner product changes by more than tau, no labeling's squared margin does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.theory import gram_certificate
from tests.theorems.labelings import affine_margins, labelings, margins
from tests.theorems.optimum import optimum
from tests.theorems.problems import SEEDS

ROUNDING = 1e-9


def perturbed(rng, X, kind):
    """The points after a map of some kind."""
    if kind == "noise":
        return X + 0.1 * rng.standard_normal(X.shape)
    if kind == "projection":
        k = max(1, X.shape[1] - 1)
        return X @ rng.standard_normal((X.shape[1], k)) / np.sqrt(k)
    return np.round(4 * X) / 4


@given(
    n=st.integers(2, 6),
    d=st.integers(1, 8),
    kind=st.sampled_from(["noise", "projection", "quantisation"]),
    scale=st.sampled_from([1.0, 1e-3, 40.0]),
    seed=SEEDS,
)
def test_every_labeling(n, d, kind, scale, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    Y = perturbed(rng, X, kind) * scale
    X = X * scale
    certificate = gram_certificate(X, Y)
    R = np.linalg.norm(X, axis=1).max()
    change = np.abs(X @ X.T - Y @ Y.T).max() / R**2
    assert change * (1 - ROUNDING) <= certificate.tau <= change * (1 + ROUNDING) + 1e-13
    assert certificate.R == pytest.approx(R, rel=1e-12)
    signs = labelings(n)
    both = signs[np.abs(signs.sum(axis=1)) < n]
    for measure, those in ((margins, signs), (affine_margins, both)):
        before, after = measure(X, those) / R, measure(Y, those) / R
        assert (np.abs(before**2 - after**2) <= certificate.tau + ROUNDING).all()
        for one, other in ((before, after), (after, before)):
            for m, kept in zip(one, other, strict=True):
                assert certificate.least_margin(m) ** 2 <= kept**2 + ROUNDING
                assert kept**2 <= certificate.largest_margin(m) ** 2 + ROUNDING
            large = one >= certificate.epsilon
            assert (other[large] >= one[large] / 2 - ROUNDING).all()
        large = after >= certificate.epsilon_back / 2
        assert (before[large] >= certificate.epsilon_back / 4 - ROUNDING).all()


def test_the_lemma_is_sharp():
    """Two points at right angles, turned: the squared margin changes by tau/2 and no more.

    One point that is stretched: it changes by tau exactly.
    """
    X = np.eye(2)
    angle = 0.2
    Y = np.array([[1.0, 0.0], [np.sin(angle), np.cos(angle)]])
    tau = gram_certificate(X, Y).tau
    assert tau == pytest.approx(np.sin(angle), rel=1e-12)
    change = optimum(Y).upper ** 2 - optimum(X).upper ** 2
    assert change == pytest.approx(tau / 2, rel=1e-9)
    stretched = gram_certificate(X[:1], 1.1 * X[:1])
    assert stretched.tau == pytest.approx(1.1**2 - 1, rel=1e-12)
    assert stretched.least_margin(1.1) == pytest.approx(1.0, rel=1e-12)
