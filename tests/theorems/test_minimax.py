"""Theorem 3.1 of *Linear threshold functions and the perceptron algorithm* (Bartlett).

Whatever learns from n examples in d dimensions has a large risk on some source.
"""

from itertools import product

import numpy as np
import pytest

from novikoff.reproduce import reproduce_minimax
from novikoff.theory import can_shatter, minimax_bound
from novikoff.theory.minimax import HardSource, guessing_risk, hard_source

SMALL = [(n, d) for n in (1, 2, 3, 4) for d in (1, 2, 3, 5)]


def rote(X, y):
    """Right on the points it has seen, +1 elsewhere."""
    seen = {int(np.argmax(x)): label for x, label in zip(X, y, strict=True)}
    return lambda rows: [seen.get(int(np.argmax(row)), 1) for row in rows]


def contrary(X, y):
    """Right on the points it has seen, elsewhere the opposite of the first label."""
    seen = {int(np.argmax(x)): label for x, label in zip(X, y, strict=True)}
    return lambda rows: [seen.get(int(np.argmax(row)), -y[0]) for row in rows]


def majority(X, y):
    """The most frequent label, everywhere."""
    return lambda rows: np.full(len(rows), 1 if y.sum() >= 0 else -1)


def mean_risks(learner, n, d):
    """The mean risk of a learner for every choice of labels, over all samples, without chance."""
    J = min(n, d)
    means = []
    for labels in product((-1, 1), repeat=J):
        source = HardSource(n, d, np.array(labels))
        total = 0.0
        for drawn in product(range(J), repeat=n):
            rows = list(drawn)
            predict = learner(source.points[rows], source.labels[rows])
            total += np.prod(source.probabilities[rows]) * source.risk(predict)
        means.append(total)
    return means


@pytest.mark.parametrize(("n", "d"), SMALL)
def test_every_sample_of_a_small_source(n, d):
    """Some labels are as bad as the bound, for each learner; in the mean, guessing is the best."""
    assert guessing_risk(n, d) >= minimax_bound(n, d)
    for learner in (rote, contrary, majority):
        means = mean_risks(learner, n, d)
        assert max(means) >= minimax_bound(n, d) - 1e-12
        assert np.mean(means) >= guessing_risk(n, d) - 1e-12
        if learner is not majority:
            assert np.mean(means) == pytest.approx(guessing_risk(n, d), abs=1e-12)


def test_four_learners():
    rows = reproduce_minimax(random_state=1, draws=150, cases=[(10, 5), (5, 20)])
    assert len(rows) == 8
    for row in rows:
        assert row.measured >= row.bound - 4 * row.standard_error
        assert 0.0 < row.standard_error < 0.02
        if row.learner in ("Perceptron", "MaxMargin", "decision tree"):
            assert row.consistent
            assert abs(row.measured - guessing_risk(row.n, row.d)) <= 4 * row.standard_error
        else:
            assert not row.consistent
        assert row.holds


@pytest.mark.parametrize(
    ("n", "d", "exact", "bound"), [(10, 5, 0.0698, 0.0697), (5, 20, 0.1638, 0.1311)]
)
def test_known_values(n, d, exact, bound):
    assert round(guessing_risk(n, d), 4) == exact
    assert round(minimax_bound(n, d), 4) == bound


def test_the_bound_as_examples_and_dimensions_grow():
    assert minimax_bound(1, 10) == 0.0 == minimax_bound(10, 1)
    assert minimax_bound(10**6, 10**7) == pytest.approx(0.5 / np.e, rel=1e-5)
    # Beyond d examples, the risk is of the order d/n, and not n/d.
    d = 100
    by_n = [minimax_bound(n, d) * n / d for n in (1000, 10_000, 100_000)]
    np.testing.assert_allclose(by_n, 0.5 / np.e * (1 - 1 / d), rtol=1e-3)


@pytest.mark.parametrize(("n", "d"), [(10, 5), (5, 20), (1, 3), (4, 4)])
def test_the_source(n, d):
    source = hard_source(n, d, random_state=0)
    J = min(n, d)
    assert source.points.shape == (J, d)
    assert source.probabilities.sum() == pytest.approx(1.0)
    assert (source.probabilities > 0.0).all()
    # A linear threshold function has risk 0, with margin 1/sqrt(J).
    theta = np.append(source.labels, np.zeros(d - J))
    assert source.risk(lambda X: np.sign(X @ theta)) == 0.0
    margin = (source.labels * (source.points @ theta)).min() / np.linalg.norm(theta)
    assert margin == pytest.approx(J**-0.5)
    assert source.risk(lambda X: -np.sign(X @ theta)) == pytest.approx(1.0)
    X, y = source.sample(20_000, random_state=0)
    np.testing.assert_array_equal(np.sign(X @ theta), y)
    p = source.probabilities
    assert (np.abs(X[:, :J].mean(axis=0) - p) <= 4 * np.sqrt(p * (1 - p) / 20_000)).all()
    assert source.sample(random_state=3)[0].shape == (n, d)


def test_points_that_can_have_any_labels():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6, 6))
    assert can_shatter(X)
    for y in product((-1, 1), repeat=6):
        np.testing.assert_allclose(X @ (np.linalg.pinv(X) @ y), y, atol=1e-8)
    assert not can_shatter(np.vstack([X, X[:1]]))
    whole = rng.integers(-9, 9, size=(5, 6))
    assert can_shatter(whole)
    assert not can_shatter(np.vstack([whole, 2 * whole[0] - whole[3]]))


def test_shattering_is_decided_exactly():
    dependent = np.array([[1.0, 2.0, 3.0], [0.25, 0.5, 0.75]])
    assert not can_shatter(dependent)
    dependent[1, 2] = np.nextafter(0.75, 1.0)
    assert can_shatter(dependent)
    # 0.1 + 0.2 is not 0.3 in floating point, so these rows are independent; these integers not.
    assert can_shatter([[0.1, 1.0], [0.3, 3.0]])
    assert not can_shatter([[1, 10], [3, 30]])
    assert can_shatter([[1e-300, 1e300], [1e300, 1e-300]])


def test_shattering_with_an_intercept():
    triangle = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert can_shatter(triangle, affine=True) and not can_shatter(triangle)
    assert not can_shatter([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], affine=True)
    assert not can_shatter([*triangle, [1.0, 1.0]], affine=True)
    assert can_shatter(np.empty((1, 0)), affine=True) and not can_shatter(np.empty((1, 0)))
    assert not can_shatter(np.zeros((1, 3))) and can_shatter(np.zeros((1, 3)), affine=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: minimax_bound(0, 3), "n=0 must be a positive integer"),
        (lambda: minimax_bound(3, 1.5), "d=1.5 must be a positive integer"),
        (lambda: guessing_risk(-1, 3), "n=-1 must be a positive integer"),
        (lambda: hard_source(3, 0), "d=0 must be a positive integer"),
        (lambda: hard_source(3, 3).sample(0), "size=0 must be a positive integer"),
        (lambda: reproduce_minimax(draws=1), "draws=1 must be at least 2"),
        (lambda: can_shatter([1.0, 2.0]), "must be a table of numbers"),
        (lambda: can_shatter(np.empty((0, 3))), "at least one row"),
        (lambda: can_shatter([["a"]]), "must be a table of numbers"),
        (lambda: can_shatter([[np.nan]]), "NaN or infinity"),
    ],
)
def test_impossible_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
