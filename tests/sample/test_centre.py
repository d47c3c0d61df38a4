"""The centre and the lift that come from the first examples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from novikoff import Perceptron, rules
from novikoff.sample import JointSample, Sample, storage_of
from novikoff.sample.centre import HEADS
from tests.sample.lift import lifted_examples
from tests.theorems.optimum import affine_optimum, optimum
from tests.theorems.problems import affine_problems
from tests.theorems.promises import assert_at_most
from tests.theorems.runs import mostly_decided, settle


def sample_of(X, y, **how):
    return Sample.of(storage_of(X), np.where(y > 0, 1, -1), classes=np.where(y > 0, 1, 0), **how)


@mostly_decided
@given(problem=affine_problems(least=0.1))
def test_updates_and_margin_from_a_median(problem):
    """A separator crosses the segment between the points of the two classes, so |b| <= c <= R."""
    sample = sample_of(problem.X, problem.y)
    finished = settle(sample, rules.Classic())
    if finished is None:
        return
    gamma = affine_optimum(problem.X, problem.y)
    R, c2 = sample.radius, sample.frame.lift2
    assert math.sqrt(c2) <= R * (1 + 1e-9)
    assert_at_most(finished.n_updates, 2 * (R**2 + c2) / gamma**2)
    lifted = optimum(lifted_examples(sample, problem.X))
    assert lifted.upper >= gamma / math.sqrt(2) - 1e-9 * R


def test_the_median_and_the_lift_by_hand():
    X = np.array([[0.0, 9.0], [4.0, 1.0], [2.0, 5.0], [8.0, 7.0]])
    sample = sample_of(X, np.array([1, 1, -1, -1]))
    # The lower of the two middle values in each column.
    np.testing.assert_array_equal(sample.centre, [2.0, 5.0])
    # The third example is the centre, so that the point of its class is; of the other class it
    # is the mean of (-2, 4) and (2, -4), which are equally far. A quarter of the median distance.
    assert sample.frame.lift2 == pytest.approx(20.0 / 16.0)
    assert sample.lifting == ()
    # Most examples are the centre: the distance to the farthest of all.
    middle = sample_of(X[[2, 2, 2, 3]], np.array([1, 1, -1, -1]))
    assert middle.anchor.lift2(np.array([1, 1, -1, -1])) == 0.0
    assert middle.frame.lift2 == middle.norms2[middle.longest] == 40.0
    assert middle.lifting == (3,)
    moved = sample_of(X[[0, 1, 3]], np.array([1, 1, -1]))
    np.testing.assert_array_equal(moved.centre, [4.0, 7.0])
    pull = np.array([-4.0, 2.0]) / math.sqrt(20) + np.array([0.0, -6.0]) / 6
    point = pull / (1 / math.sqrt(20) + 1 / 6)
    assert moved.frame.lift2 == pytest.approx(max(point @ point, 16.0))


@pytest.mark.filterwarnings("ignore:No separator was found, and columns differ in units")
def test_overlapping_classes_do_not_hold_the_intercept_at_the_centre():
    """One long column; the rarer class is anywhere in it, and the other is always predicted."""
    rng = np.random.default_rng(0)
    X = np.column_stack([1e6 * np.exp(0.6 * rng.standard_normal(3000)), rng.random((3000, 3))])
    y = (rng.random(3000) < 0.15).astype(int)
    for seed in range(8):
        assert Perceptron(random_state=seed).fit(X, y).score(X, y) > 0.8


def test_few_long_examples_move_the_centre_little():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 30)), np.arange(40) % 2
    X[[0, 1, 5]] *= 1000.0
    sample = sample_of(X, 2 * y - 1)
    assert np.linalg.norm(sample.centre) < 10.0
    assert sample.frame.lift2 < 100.0


def test_word_counts_have_a_sparse_centre():
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix((rng.random((100, 500)) < 0.05).astype(float))
    sample = sample_of(X, np.where(np.arange(100) % 3 == 0, 1, -1))
    assert len(sample.at) == 0
    assert 0.0 < sample.frame.lift2 < np.median(sample.norms2)


@given(seed=st.integers(0, 1000), shift=st.integers(-(2**20), 2**20))
def test_translation_changes_nothing(seed, shift):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-9, 10, size=(30, 3)).astype(float), np.arange(30) % 2
    one, two = sample_of(X, y), sample_of(X + shift, y)
    np.testing.assert_array_equal(one.centre + shift, two.centre)
    assert one.frame.lift2 == pytest.approx(two.frame.lift2)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.uint8, np.int64, "F", "csr"])
def test_storages_agree(kind):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 16, size=(50, 7)), np.arange(50) % 2
    expected = sample_of(X.astype(np.float64), y)
    if kind == "csr":
        X = sparse.csr_matrix(X.astype(np.float64))
    else:
        X = np.asfortranarray(X, dtype=float) if kind == "F" else X.astype(kind)
    found = sample_of(X, y)
    np.testing.assert_array_equal(found.centre, expected.centre)
    assert found.frame.lift2 == expected.frame.lift2


def test_classes_may_be_merged():
    """Each class against the rest has a lift of its own, for the same centre."""
    rng = np.random.default_rng(1)
    codes = np.arange(60) % 3
    X = rng.standard_normal((60, 4)) + 5.0 * np.eye(4)[codes]
    sample = Sample.of(storage_of(X), np.where(codes == 0, 1, -1), classes=codes)
    assert len(sample.anchor.heads) == HEADS
    joint = JointSample.joint(sample, codes, n_classes=3)
    np.testing.assert_array_equal(joint.centre, sample.centre)
    rows = X - sample.centre
    for labels, found in ((np.where(codes == 0, 1, -1), sample), (codes, joint)):
        reach = []
        for label in np.unique(labels):
            some = np.flatnonzero(labels[:HEADS] == label)
            weights = 1.0 / np.linalg.norm(rows[some], axis=1)
            reach.append(np.linalg.norm(weights @ rows[some]) / weights.sum())
        assert found.frame.lift2 == pytest.approx(sorted(reach)[1] ** 2)


@pytest.mark.parametrize("random_state", range(3))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_default_is_a_function_of_its_support(n_classes, random_state):
    """Norms from 1 to 100, so that the median is nowhere near the first example."""
    rng = np.random.default_rng(0)
    codes = rng.integers(n_classes, size=1000)
    X = 8.0 * np.eye(6)[codes] + rng.uniform(-1.0, 1.0, size=(1000, 6))
    X = np.round(X * rng.choice([1.0, 10.0, 100.0], size=(1000, 1)), 3)
    clf = Perceptron(random_state=random_state).fit(X, codes)
    assert clf.status_.name == "CONVERGED"
    # Of 40 orders the largest has 367.
    assert len(clf.support_) < 500
    again = clone(clf).set_params(shuffle=False).fit(X[clf.support_], codes[clf.support_])
    np.testing.assert_array_equal(again.coef_, clf.coef_)
    np.testing.assert_array_equal(again.intercept_, clf.intercept_)
    np.testing.assert_array_equal(again.centre_, clf.centre_)


def test_a_class_that_comes_late_has_its_first_example():
    n = HEADS + 4
    X = np.arange(2.0 * n)[:, None] ** 2
    codes = np.array([0] * n + [1] * 2 + [2] * (n - 2))
    sample = Sample.of(storage_of(X), np.where(codes == 0, 1, -1), classes=codes)
    centre = X[HEADS // 2 - 1, 0]
    assert sample.centre[0] == centre
    assert sample.anchor.heads.tolist() == [*range(HEADS), n, n + 2]
    # Of both late classes together it is the first that counts.
    assert sample.frame.lift2 == pytest.approx((n**2 - centre) ** 2)
    joint = JointSample.joint(sample, codes, n_classes=3)
    assert joint.frame.lift2 == pytest.approx((n**2 - centre) ** 2)
    other = sample.relabelled(np.where(codes == 2, 1, -1).astype(np.int8), (1.0, 1.0))
    assert other.frame.lift2 == pytest.approx(((n + 2) ** 2 - centre) ** 2)
