"""Generators: the margin they state is the margin of the hyperplane they return."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.sparse import issparse

from benchmarks.generators import gene_like, text_like
from novikoff.data import far_pair, planted, sharpness
from tests.data.integers import integers

SEEDS = st.integers(0, 2**32 - 1)


def margin_of(p):
    assert np.linalg.norm(p.coef) == pytest.approx(1.0)
    return (p.clean_y * (p.X @ p.coef + p.intercept)).min()


def best_linear_margin(X, y):
    """Distance of the hull of the signed examples to the origin, by non-negative least squares."""
    Z = y[:, None] * X
    scale = np.linalg.norm(Z, axis=1).max()
    weights, _ = nnls(np.vstack([Z.T / scale, np.ones(len(y))]), np.append(np.zeros(Z.shape[1]), 1))
    return np.linalg.norm(weights @ Z) / weights.sum()


def best_affine_margin(X, y):
    """Half the distance of the two hulls: the differences of positives and negatives, as above."""
    differences = (X[y > 0][:, None] - X[y < 0][None]).reshape(-1, X.shape[1])
    return best_linear_margin(differences, np.ones(len(differences))) / 2


@given(
    n=st.integers(2, 30),
    d=st.integers(1, 8),
    share=st.floats(0.001, 1.0),
    radius=st.sampled_from([1e-3, 1.0, 50.0]),
    intercept=st.booleans(),
    seed=SEEDS,
)
def test_planted_margin_is_attained_and_best(n, d, share, radius, intercept, seed):
    p = planted(n, d, share * radius, radius=radius, intercept=intercept, random_state=seed)
    assert p.X.shape == (n, d)
    assert set(p.y) == {-1, 1}
    assert margin_of(p) == pytest.approx(share * radius, abs=1e-13 * radius)
    assert np.linalg.norm(p.X, axis=1).max() <= radius * (1 + 1e-15)
    assert best_affine_margin(p.X, p.y) == pytest.approx(p.margin, abs=1e-9 * radius)
    if not intercept:
        assert p.intercept == 0.0
        assert best_linear_margin(p.X, p.y) == pytest.approx(p.margin, abs=1e-9 * radius)


def test_planted_rows_never_leave_the_ball_by_rounding():
    p = planted(20_000, 3, 0.01, random_state=0)
    assert np.linalg.norm(p.X, axis=1).max() <= 1.0


def test_planted_hyperplane_misses_the_origin_only_when_asked():
    assert planted(10, 3, 0.1, random_state=0).intercept == 0.0
    assert planted(10, 3, 0.1, intercept=True, random_state=0).intercept != 0.0


def test_planted_single_example():
    p = planted(1, 3, 0.25, random_state=0)
    np.testing.assert_allclose(p.X[0], 0.25 * p.y[0] * p.coef)


@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0])
def test_noise_turns_that_share_of_labels_and_says_which(noise):
    p = planted(50, 4, 0.1, noise=noise, random_state=3)
    np.testing.assert_array_equal(np.flatnonzero(p.y != p.clean_y), p.flipped)
    assert len(p.flipped) == round(50 * noise)
    assert margin_of(p) == pytest.approx(0.1)


@given(
    n=st.integers(1, 20),
    d=st.integers(1, 5),
    bound=st.integers(1, 6),
    intercept=st.booleans(),
    seed=SEEDS,
)
def test_integers(n, d, bound, intercept, seed):
    p = integers(n, d, bound=bound, intercept=intercept, random_state=seed)
    assert np.abs(p.X).max() <= bound
    np.testing.assert_array_equal(p.X, np.rint(p.X))
    assert 0 < p.margin == pytest.approx(margin_of(p))
    if n >= 2:
        assert set(p.y) == {-1, 1}
    if not intercept:
        assert p.intercept == 0.0


@pytest.mark.parametrize("eps", [0.5, 0.1, 1e-3, 1e-9])
def test_sharpness(eps):
    p = sharpness(eps)
    np.testing.assert_allclose(np.linalg.norm(p.X, axis=1), 1.0, rtol=1e-15)
    assert (p.X[:, 0] > 0).all()
    assert margin_of(p) == p.margin == eps
    assert best_linear_margin(p.X, p.y) == pytest.approx(eps)


def test_far_pair():
    p = far_pair()
    assert p.X.ravel().tolist() == [999.0, 1001.0]
    assert margin_of(p) == p.margin == 1.0
    assert best_affine_margin(p.X, p.y) == 1.0


@given(seed=SEEDS, n=st.integers(1, 60), d=st.integers(50, 400), loyalty=st.floats(0, 1))
def test_text_like_margin_and_unit_rows(seed, n, d, loyalty):
    p = text_like(n, d, 12, margin=0.01, loyalty=loyalty, noise=0.1, random_state=seed)
    assert issparse(p.X) and p.X.format == "csr" and p.X.shape == (n, d)
    assert p.X.indices.dtype == np.int32 and p.X.has_canonical_format
    assert (p.X.data > 0).all()
    np.testing.assert_allclose(np.sqrt(p.X.multiply(p.X).sum(axis=1)), 1.0)
    assert margin_of(p) == p.margin >= 0.01
    assert len(p.flipped) == round(0.1 * n)


def test_text_like_has_the_asked_number_of_words_and_a_long_tail():
    p = text_like(2000, 5000, 40, margin=0.0, random_state=0)
    assert p.X.nnz / 2000 == pytest.approx(40, rel=0.05)
    popular = np.sort(np.bincount(p.X.indices, minlength=5000))[::-1]
    assert popular[0] > 1000 and np.median(popular) < 20
    assert np.argmax(np.bincount(p.X.indices, minlength=5000)) != 0


def test_text_like_refuses_a_margin_no_document_keeps():
    with pytest.raises(ValueError, match="smaller margin"):
        text_like(100, 1000, 20, margin=0.9, random_state=0)


@given(seed=SEEDS, n=st.integers(1, 15), d=st.integers(1, 200), margin=st.floats(1e-3, 10))
def test_gene_like_margin(seed, n, d, margin):
    p = gene_like(n, d, margin=margin, random_state=seed)
    assert p.X.shape == (n, d)
    assert margin_of(p) == pytest.approx(margin, abs=1e-10)


def test_gene_like_features_are_correlated_and_far_from_the_origin():
    p = gene_like(200, 100, random_state=0)
    correlation = np.corrcoef(p.X, rowvar=False)
    assert np.abs(correlation[~np.eye(100, dtype=bool)]).mean() > 0.15
    assert np.linalg.norm(p.X.mean(axis=0)) > 10 * np.linalg.norm(p.X.std(axis=0)) / 3


def test_gene_like_best_margin_is_at_least_the_planted_one():
    p = gene_like(12, 300, margin=0.5, random_state=1)
    assert best_affine_margin(p.X, p.y) >= 0.5


MAKERS = {
    "planted": lambda seed: planted(40, 5, 0.1, intercept=True, noise=0.1, random_state=seed),
    "integers": lambda seed: integers(40, 5, intercept=True, random_state=seed),
    "text_like": lambda seed: text_like(40, 300, 10, noise=0.1, random_state=seed),
    "gene_like": lambda seed: gene_like(40, 300, noise=0.1, random_state=seed),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_seed_decides_everything(make):
    def dense(p):
        return p.X.toarray() if issparse(p.X) else p.X

    one, two, other = make(7), make(np.random.RandomState(7)), make(8)
    np.testing.assert_array_equal(dense(one), dense(two))
    np.testing.assert_array_equal(one.y, two.y)
    np.testing.assert_array_equal(one.flipped, two.flipped)
    assert one.margin == two.margin and one.intercept == two.intercept
    assert not np.array_equal(dense(one), dense(other))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: planted(0, 3, 0.1), "n and d must be at least 1"),
        (lambda: planted(3, 0, 0.1), "n and d must be at least 1"),
        (lambda: planted(3, 3, 0.0), "margin must be in"),
        (lambda: planted(3, 3, 1.1), "margin must be in"),
        (lambda: planted(3, 3, float("nan")), "margin must be in"),
        (lambda: planted(3, 3, 0.1, radius=float("inf")), "margin must be in"),
        (lambda: planted(3, 3, 0.1, noise=1.5), "noise must be a share"),
        (lambda: integers(3, 3, bound=0), "bound must be at least 1"),
        (lambda: sharpness(0.0), "eps must be in"),
        (lambda: sharpness(1.0), "eps must be in"),
        (lambda: text_like(10, 20, 10), "nonzeros < d/2"),
        (lambda: text_like(10, 200, 10, loyalty=2), "loyalty must be a share"),
        (lambda: gene_like(10, 200, margin=-1.0), "margin must be positive"),
        (lambda: gene_like(10, 200, informative=0), "informative >= 1"),
    ],
)
def test_bad_parameters_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
