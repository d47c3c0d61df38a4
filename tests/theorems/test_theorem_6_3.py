"""Theorem 6.3 and Lemma 6.4: a random projection keeps all ε-partitions at once."""

import numpy as np
import pytest
from flint import arb, ctx

from novikoff import RobustProjection
from novikoff.theory import projection_dimension, projection_failure, theorem_6_3
from tests.theorems.labelings import labelings, margins


@pytest.fixture
def fifty_digits():
    before, ctx.prec = ctx.prec, 200
    yield
    ctx.prec = before


def clusters(n, d, rng):
    """Unit vectors around two that are orthogonal: labelings that keep them together are robust."""
    X = np.eye(d)[np.arange(n) % 2] + rng.standard_normal((n, d)) * 0.1 / np.sqrt(d)
    return X / np.linalg.norm(X, axis=1)[:, None]


@pytest.mark.parametrize("density", [None, 1 / 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_theorem_with_its_own_dimension(seed, density):
    n, eps, delta = 8, 0.68, 0.05
    X = clusters(n, 5000, np.random.default_rng(seed))
    projection = RobustProjection(epsilon=eps, delta=delta, density=density, random_state=seed)
    Y = projection.fit_transform(X)
    k = projection_dimension(n, eps, delta, density=density)
    assert Y.shape == (n, k)
    assert k <= theorem_6_3(n, eps, delta) < 5000
    signs = labelings(n)
    before, after = margins(X, signs), margins(Y, signs)
    robust = before >= eps
    assert robust.sum() == 4
    assert (after[robust] >= eps / 2).all()
    assert (before[after >= eps / 2] >= eps / 4).all()
    # And by the certificate, which knows no labels.
    certificate = projection.gram_certificate(X)
    assert certificate.tau <= 3 * eps**2 / 16
    assert certificate.epsilon <= eps / 2
    assert certificate.epsilon_back <= eps


@pytest.mark.parametrize(("k", "tau"), [(5, 0.5), (30, 0.3), (400, 0.1)])
def test_the_tail_of_one_vector(k, tau):
    """For one point, the probability is exact: half as much or twice as much would fail here."""
    draws = 40_000
    squares = np.random.default_rng(k).chisquare(k, size=draws) / k
    share = (np.abs(squares - 1.0) > tau).mean()
    exact = projection_failure(k, 1, tau)
    assert abs(share - exact) <= 4 * np.sqrt(exact * (1 - exact) / draws)


@pytest.mark.parametrize("density", [1 / 3, 0.5, 1.0])
@pytest.mark.parametrize("spread", [1, 3, 40])
def test_signs_are_within_their_bound(density, spread):
    """For vectors with few and with many coordinates that are not zero."""
    k, tau, draws = 60, 0.4, 2000
    x = np.zeros((1, 100))
    x[0, :spread] = spread**-0.5
    projection = RobustProjection(
        n_components=k, density=density, random_state=np.random.RandomState(spread)
    )
    squares = np.array([(projection.fit_transform(x) ** 2).sum() for _ in range(draws)])
    bound = projection_failure(k, 1, tau, density=density)
    assert (np.abs(squares - 1.0) > tau).mean() <= bound + 4 * np.sqrt(bound / draws)
    assert squares.mean() == pytest.approx(1.0, abs=4 * np.sqrt(2 / k / draws))


def test_lemma_6_4_for_all_pairs():
    """More matrices fail than the bound allows never; and with half the dimension, some do."""
    n, d, tau, delta, draws = 6, 60, 0.6, 0.4, 150
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    k = next(k for k in range(1, d) if projection_failure(k, n, tau) <= delta)
    failed = {}
    for components in (k, k // 2):
        certificates = [
            RobustProjection(n_components=components, random_state=i).fit(X).gram_certificate(X)
            for i in range(draws)
        ]
        failed[components] = sum(c.tau > tau for c in certificates)
    assert failed[k] <= delta * draws + 3 * np.sqrt(delta * draws)
    assert 0 < failed[k // 2]


@pytest.mark.usefixtures("fifty_digits")
@pytest.mark.parametrize(("k", "tau"), [(1, 0.9), (7, 0.5), (1000, 0.1), (140_000, 0.0169)])
def test_the_exact_tails_against_fifty_digits(k, tau):
    half = arb(k) / 2
    above, below = _upper(half, 1 + arb(tau)), 1 - _upper(half, 1 - arb(tau))
    assert projection_failure(k, 1, tau) == pytest.approx(float(above + below), rel=1e-9)


def _upper(half, factor):
    """The regularised upper incomplete gamma function."""
    return (factor * half).gamma_upper(half, 1)


@pytest.mark.parametrize("density", [None, 0.5])
def test_as_many_vectors_as_inner_products_need(density):
    """The n points, and the sum and the difference of each pair."""
    n, k, tau = 7, 300, 0.3
    vectors = n + 2 * (n * (n - 1) // 2)
    one = projection_failure(k, 1, tau, density=density)
    assert projection_failure(k, n, tau, density=density) == pytest.approx(vectors * one)


def test_tails_that_underflow_are_bounded():
    assert projection_failure(10**9, 10, 0.5) == 0.0
    assert 0.0 < projection_failure(10**6, 10**100, 0.05) < 1e-60
    assert projection_failure(3, 1000, 0.5) == 1.0


def test_the_least_dimension():
    for n, eps, delta, density in ((8, 0.7, 0.05, None), (100, 0.3, 0.01, 0.5), (1, 1.0, 0.9, 1.0)):
        tau = 3 * eps**2 / 16
        k = projection_dimension(n, eps, delta, density=density)
        assert projection_failure(k, n, tau, density=density) <= delta
        assert k == 1 or projection_failure(k - 1, n, tau, density=density) > delta


def test_monotone():
    for density in (None, 1 / 3):
        by_n = [projection_dimension(n, 0.5, density=density) for n in (2, 10, 100, 10**6)]
        by_eps = [projection_dimension(50, eps, density=density) for eps in (1.0, 0.7, 0.3, 0.1)]
        by_delta = [projection_dimension(50, 0.5, d, density=density) for d in (0.9, 0.1, 1e-9)]
        for found in (by_n, by_eps, by_delta):
            assert (np.diff(found) > 0).all()
    for n in (2, 100, 10**6):
        for eps in (1.0, 0.5, 0.1):
            gaussian, signs = (projection_dimension(n, eps, density=s) for s in (None, 1.0))
            assert gaussian < signs <= theorem_6_3(n, eps)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: projection_dimension(0, 0.5), "n=0 must be a positive integer"),
        (lambda: projection_dimension(5, 0.0), "eps=0.0 must be positive"),
        (lambda: projection_dimension(5, 1.1), "eps=1.1 must be positive, and at most 1"),
        (lambda: projection_dimension(5, 0.5, 0.0), "delta=0.0 must be between 0 and 1"),
        (lambda: projection_dimension(5, 0.5, 1.0), "delta=1.0 must be between 0 and 1"),
        (lambda: projection_dimension(5, 0.5, density=0.3), "density=0.3 must be between 1/3"),
        (lambda: projection_failure(0, 5, 0.5), "k=0 must be a positive integer"),
        (lambda: projection_failure(5, 5, 1.0), "tau=1.0 must be between 0 and 1"),
        (lambda: projection_failure(5, 5, 0.0), "tau=0.0 must be between 0 and 1"),
        (lambda: theorem_6_3(5, -1.0), "eps=-1.0 must be positive"),
        (lambda: theorem_6_3(5, 0.5, 2.0), "delta=2.0 must be between 0 and 1"),
    ],
)
def test_impossible_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
