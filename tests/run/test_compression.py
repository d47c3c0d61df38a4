"""Which examples a run is a function of, and why each of them."""

import numpy as np
import pytest

from novikoff import rules
from novikoff.run import Compression, run
from novikoff.run.compression import LARGEST_INTEGER, carriers
from novikoff.sample import Sample, storage_of
from tests.estimators.problems import ALL_RULES, UNIT_STEP_RULES, whole_numbers


def sample_of(X, signs, **how):
    return Sample.of(storage_of(np.asarray(X, dtype=float)), np.asarray(signs), **how)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("name", ALL_RULES)
def test_every_example_has_its_reason(name, affine):
    X, y = whole_numbers(intercept=affine)
    order = np.random.default_rng(0).permutation(len(y))
    sample = sample_of(X / 128.0, 2 * y - 1, affine=affine, order=order)
    finished = run(sample, ALL_RULES[name])
    weights = finished.best if name == "min-over" else finished.weights
    compression = finished.compression(weights)
    assert isinstance(compression, Compression)
    assert len(compression) == len(compression.reasons) == len(set(compression.support))
    place = {int(i): k for k, i in enumerate(order)}
    places = [place[i] for i in compression.support.tolist()]
    assert places == sorted(places)
    np.testing.assert_array_equal(compression.weights, weights[compression.support])
    assert set(np.flatnonzero(weights)) <= set(compression.support)
    assert compression.weights.dtype == (np.int64 if name in UNIT_STEP_RULES else np.float64)
    _, _, placing = finished.hyperplane(weights)
    assert finished.compression(weights, placing).reasons == compression.reasons
    for i, weight, reason in compression:
        updated = finished.weights[i] > 0
        assert (reason == "update") == updated
        assert updated or weight == 0
        if reason == "longest":
            assert i == sample.longest
            assert finished.rule.uses_radius
        if reason == "lift":
            assert i in sample.lifting
            assert affine
        if reason == "placing":
            assert i in placing
        if reason == "deciding":
            assert i in finished.deciding
    if finished.rule.uses_radius:
        assert sample.longest in compression.support
    if affine:
        assert set(sample.lifting) <= set(compression.support.tolist())
    assert set(finished.deciding) <= set(compression.support.tolist())


def test_an_example_of_a_class_that_was_never_updated_on():
    X, signs = [[-1.0, 0.1], [1.0, 0.0], [-2.0, 0.1], [2.0, 0.1]], [-1, 1, -1, 1]
    sample = sample_of(X, signs, affine=False, order=np.array([1, 2, 0, 3]))
    compression = run(sample, rules.Classic()).compression()
    assert list(compression) == [(1, 1, "update"), (2, 0, "class")]


def test_one_class_alone_has_no_other_to_add():
    sample = sample_of([[1.0], [2.0]], [1, 1], affine=False)
    assert list(run(sample, rules.Classic()).compression()) == [(0, 1, "update")]


def test_the_first_reason_counts():
    order, signs, weights = np.arange(4), np.array([1, -1, 1, -1]), np.array([2.0, 0.0, 0.0, 0.0])
    why = {"update": [0], "longest": (0, 1), "placing": np.array([1, 2])}
    made = Compression.of(order, signs, weights.__getitem__, why)
    assert list(made) == [(0, 2, "update"), (1, 0, "longest"), (2, 0, "placing")]


def test_pairs_are_placed_and_ended_by_examples_without_weight():
    """MinOver at its first iterate: the worst two of it place the hyperplane and end the run."""
    X, signs = [[0.0], [10.0], [4.0], [6.0]], [-1, 1, -1, 1]
    finished = run(sample_of(X, signs), rules.MinOver(accuracy=0.9))
    reasons = {i: reason for i, _, reason in finished.compression(finished.best)}
    assert finished.n_updates == 2
    assert reasons == {0: "update", 1: "update", 2: "placing", 3: "placing"}


def test_carriers():
    order = np.array([3, 0, 2, 1])
    support, weights = carriers(order, np.array([0.5, 0.0, 0.0, 2.0]))
    assert (support.tolist(), weights.tolist()) == ([3, 0], [2.0, 0.5])
    assert weights.dtype == np.float64
    _, weights = carriers(order, np.array([3.0, 0.0, 0.0, 2.0]))
    assert weights.dtype == np.int64
    _, weights = carriers(order, np.array([3.0, 0.0, 0.0, 2.0 * LARGEST_INTEGER]))
    assert weights.dtype == np.float64
    assert carriers(order, np.zeros(4))[0].size == 0
