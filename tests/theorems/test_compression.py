"""The compression: a run is a function of its support.

Rerunning on the examples with positive weight, in the same order, makes the same updates, so that
the model comes out bit for bit. Where a largest norm enters (a threshold in units of R)
the example that attains it is kept as well, so are the examples that the lift of the intercept
depends on, and MinOver keeps the example that ended its run.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import rules
from novikoff.certificate import Status
from novikoff.compiled.step import THRESHOLD
from novikoff.data import planted
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of, visit_order
from tests.sample.kesler import joint_sample
from tests.theorems.problems import SEEDS, affine_problems, noisy_problems, problems
from tests.theorems.rule_sets import ALL_RULES, scaled_for
from tests.theorems.runs import mostly_decided, settle

HOW = st.sampled_from(["homogeneous", "affine", "soft", "soft affine"])


def kept_by(finished):
    """The examples that the run is a function of."""
    return np.sort(finished.compression().support)


def restricted(order, kept):
    """The order of visits among the kept examples, as positions in the smaller matrix."""
    position = {int(i): k for k, i in enumerate(kept)}
    return np.array([position[int(i)] for i in order if int(i) in position])


def assert_same_run(full, again, kept):
    assert again.status is full.status
    assert again.n_updates == full.n_updates
    assert again.mistakes == full.mistakes
    assert again.n_iter == full.n_iter
    np.testing.assert_array_equal(again.weights, full.weights[kept])
    np.testing.assert_array_equal(again.averaged, full.averaged[kept])
    np.testing.assert_array_equal(again.memory.w, full.memory.w)
    # What the state holds beyond the threshold is seen on all examples, and only reported.
    ours = slice(THRESHOLD + 1)
    np.testing.assert_array_equal(again.memory.state[ours], full.memory.state[ours])
    for weights in ("weights", "averaged"):
        one = full.sample.model(getattr(full, weights))
        two = again.sample.model(getattr(again, weights))
        np.testing.assert_array_equal(one[0], two[0])
        assert one[1] == two[1]


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("name", ALL_RULES)
@mostly_decided
@given(data=st.data(), how=HOW, seed=SEEDS)
def test_the_support_reproduces_the_run(name, compress, data, how, seed):
    problem = data.draw(affine_problems(least=0.4) if how == "affine" else problems(least=0.25))
    frame = {"affine": "affine" in how, "slack2": (0.5 * problem.R) ** 2 if "soft" in how else 0.0}
    order = visit_order(len(problem.y), problem.X.nbytes, np.random.RandomState(seed))
    problem, frame = scaled_for(name, problem, order=order, **frame)
    X, y = problem.X, problem.y
    full = settle(Sample.of(storage_of(X), y, **frame), ALL_RULES[name], compress=compress)
    if full is None:
        return
    kept = kept_by(full)
    frame["order"] = restricted(order, kept)
    sample = Sample.of(storage_of(X[kept]), y[kept], **frame)
    again = settle(sample, ALL_RULES[name], compress=compress)
    assert again is not None
    assert_same_run(full, again, kept)
    if full.deciding:
        np.testing.assert_array_equal(full.best[kept], again.best)


@given(
    problem=noisy_problems(),
    name=st.sampled_from([n for n in ALL_RULES if n not in ("infinity", "min-over")]),
    affine=st.booleans(),
    passes=st.integers(1, 40),
    seed=SEEDS,
)
def test_runs_cut_short(problem, name, affine, passes, seed):
    """A run that a limit on passes ended is a function of its support as well."""
    X, y, rule = problem.X, problem.y, ALL_RULES[name]
    order = visit_order(len(y), X.nbytes, np.random.RandomState(seed))
    limits = Limits(max_iter=passes)
    full = run(Sample.of(storage_of(X), y, order=order, affine=affine), rule, clock=Clock(limits))
    kept = kept_by(full)
    small = Sample.of(storage_of(X[kept]), y[kept], order=restricted(order, kept), affine=affine)
    assert_same_run(full, run(small, rule, clock=Clock(limits)), kept)


@pytest.mark.parametrize("matrix", [np.asarray, sparse.csr_matrix])
def test_cheap_passes_are_part_of_the_function(matrix):
    """Large enough for the loop to make cheap passes over near-violated examples in between."""
    p = planted(3000, 40, 0.01, intercept=True, random_state=0)
    order = visit_order(3000, p.X.nbytes, np.random.RandomState(0))
    full = run(Sample.of(storage_of(matrix(p.X)), p.y, order=order), rules.Classic())
    kept = kept_by(full)
    assert full.n_updates > 20 * full.n_iter and len(kept) < 1500
    small = Sample.of(storage_of(matrix(p.X[kept])), p.y[kept], order=restricted(order, kept))
    assert_same_run(full, run(small, rules.Classic()), kept)


@mostly_decided
@given(problem=problems(least=0.05), seed=SEEDS)
def test_few_examples_carry_the_perceptron(problem, seed):
    """The size of the compression: at most (R / eps*)^2 examples, however many there are."""
    order = visit_order(len(problem.y), problem.X.nbytes, np.random.RandomState(seed))
    finished = settle(problem.sample(order=order), rules.Classic())
    if finished is not None:
        bound = math.floor((problem.R / problem.eps) ** 2 * (1 + 1e-9) + 1e-9)
        assert np.count_nonzero(finished.weights) <= finished.n_updates <= bound


def test_without_the_first_of_another_class_the_lift_would_change():
    """Of many classes, c depends on the first example of each, so each of them is kept."""
    X = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 2.0], [6.0, 0.0], [0.0, 3.0], [-1.0, 0.0]])
    codes = np.array([0, 1, 2, 1, 2, 0])
    sample = joint_sample(X, codes)
    assert sample.frame.lift2 == 4.0
    assert sample.lifting == (1, 2)
    full = run(sample, rules.Classic())
    assert {0, 1, 2} <= set(full.compression().support.tolist())


def test_examples_at_the_centre_leave_the_lift_to_the_farthest():
    X, y = np.array([[1.0], [1.0], [4.0], [-3.0]]), np.array([1, -1, 1, -1])
    sample = Sample.of(storage_of(X), y)
    assert sample.frame.lift2 == 16.0
    assert sample.lifting == (1, 3)
    assert Sample.of(storage_of(X[:2]), y[:2]).frame.lift2 == 1.0


def test_compressing_keeps_the_support_small():
    """On 20 features, the cyclic order updates on several times as many examples."""
    rng = np.random.default_rng(0)
    sizes = {False: 0, True: 0}
    for _ in range(5):
        X = rng.standard_normal((400, 20))
        signs = np.where(X @ rng.standard_normal(20) > 0, 1, -1)
        for compress in sizes:
            sample = Sample.of(storage_of(X), signs, affine=False)
            finished = run(sample, rules.ScaleFree(), compress=compress)
            assert finished.status is Status.CONVERGED
            assert (finished.sample.margins(sample.order, finished.memory) > 0).all()
            sizes[compress] += len(finished.compression())
    assert 2 * sizes[True] < sizes[False]
