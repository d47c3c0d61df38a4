"""Gordan's theorem, and how the perceptron proves its other half.

Exactly one holds: some w has ``z_i . w > 0`` for all i, or some convex combination of the z_i is
zero. On integers the perceptron decides which: it stops, or by the cycling theorem (Minsky and
Papert; Block and Levin) its w stays bounded and so comes back to a vector it has had, and the
updates in between are an integer combination that sums to zero.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status, reduce_support, row_hashes
from novikoff.run import Clock, Limits, run
from novikoff.run.nonseparable import zero_combination
from novikoff.sample import Sample, storage_of
from tests.theorems.optimum import optimum
from tests.theorems.problems import SEEDS, Problem, certifier_of
from tests.theorems.runs import count, mostly_decided, settle


@st.composite
def small_integers(draw):
    """Integers with labels of a hyperplane, some of them turned: separable about every second."""
    n, d, seed = draw(st.integers(2, 16)), draw(st.integers(1, 4)), draw(SEEDS)
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, d)).astype(float)
    y = np.where(X @ rng.integers(-4, 5, size=d) + rng.integers(-3, 4) > 0, 1, -1)
    turned = rng.random(n) < draw(st.sampled_from([0.0, 0.1, 0.3]))
    y = np.where(turned, -y, y)
    y[:2] = (1, -1)
    return Problem(X, y, f"small integers({n}, {d}, {seed})")


def signed(problem, affine):
    ones = np.ones((len(problem.y), int(affine)))
    return np.hstack([problem.X, ones]) * problem.y[:, None]


@mostly_decided
@given(problem=small_integers(), affine=st.booleans())
def test_exactly_one_of_the_two(problem, affine):
    """The reference says which; the perceptron stops, or the zero combination is found."""
    Z = signed(problem, affine)
    separable = optimum(Z).lower > 0
    found = zero_combination(problem.X, problem.y, row_hashes(problem.X), affine=affine)
    if separable:
        assert found is None
        sample = Sample.of(storage_of(problem.X), problem.y, affine=affine)
        finished = settle(sample, rules.Classic())
        if finished is not None:
            coef, intercept = sample.model(finished.weights)
            assert (problem.y * (problem.X @ coef + intercept * affine) > 0).all()
        return
    if not count(found is not None):
        return
    support, weights = found
    assert weights.dtype == np.int64 and (weights > 0).all()
    np.testing.assert_array_equal(weights @ Z[support].astype(np.int64), 0)
    certifier = certifier_of(problem.X, problem.y, affine)
    refutation = certifier.refute(support, weights)
    assert refutation is not None and not certifier.refuted(refutation)


@given(problem=small_integers(), affine=st.booleans())
def test_few_examples_suffice(problem, affine):
    """Carathéodory: rank + 1 of the examples, hence at most d + 1, and d + 2 with an intercept."""
    found = zero_combination(problem.X, problem.y, row_hashes(problem.X), affine=affine)
    if found is None:
        return
    support, weights = reduce_support(problem.X, problem.y, *found, affine=affine)
    Z = signed(problem, affine)[support].astype(np.int64)
    assert set(support) <= set(found[0])
    assert len(support) == np.linalg.matrix_rank(Z) + 1 <= problem.X.shape[1] + 1 + affine
    np.testing.assert_array_equal(np.array(weights) @ Z, 0)
    assert min(weights) > 0


def test_exclusive_or():
    X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), np.array([1, 1, -1, -1])
    support, weights = zero_combination(X, y, row_hashes(X), affine=True)
    assert support.tolist() == [0, 1, 2, 3]
    assert weights.tolist() == [1, 1, 1, 1]


def test_the_origin_and_a_contradiction_are_seen_at_once():
    """Also in numbers that are no integers, and in more of them than a cycle is sought in."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((3000, 8)), rng.choice([-1, 1], size=3000)
    y[[17, 2500]] = (1, -1)
    assert zero_combination(X, y, row_hashes(X), affine=True) is None
    X[2500] = X[17]
    support, weights = zero_combination(X, y, row_hashes(X), affine=True)
    assert support.tolist() == [17, 2500] and weights.tolist() == [1, 1]
    X[40] = 0.0
    support, weights = zero_combination(X, y, row_hashes(X), affine=False)
    assert support.tolist() == [40] and weights.tolist() == [1]
    assert zero_combination(X, y, row_hashes(X), affine=True)[0].tolist() == [17, 2500]


@given(problem=small_integers())
def test_the_vector_stays_bounded(problem):
    """Where nothing separates, |w_t| / t falls like 1 / t, and not only like 1 / sqrt(t).

    After 20,000 updates sqrt(t) R is 141 R; the bound that the cycling theorem promises depends on
    the data, and on such small numbers it is a few R.
    """
    if problem.optimum.lower > 0:
        return
    n, most = len(problem.y), 20_000
    sample = problem.sample(order=np.tile(np.arange(n), 100))
    cut = run(sample, rules.Classic(), clock=Clock(Limits(max_iter=most, max_updates=most)))
    assert cut.status is Status.MAX_UPDATES and cut.n_updates == most
    np.testing.assert_array_equal(cut.weights @ problem.Z, cut.memory.w)
    assert np.linalg.norm(cut.memory.w) <= 30 * problem.R
