"""Soft margins of several folds at once, against those solved one by one."""

from dataclasses import replace

import numpy as np
import pytest

from novikoff.maxmargin import Problem, soft_margin
from novikoff.maxmargin.batch import Batch, BatchSettings
from novikoff.run import Clock, Limits
from novikoff.run.clock import Stopped
from novikoff.sample import Sample, storage_of


def examples(n=400, d=12, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = np.round(20 * rng.standard_normal((n, d)) * 0.8 ** np.arange(d) + 100).clip(0, 255)
    score = (X - 100) @ rng.standard_normal(d) + 10 * rng.standard_normal(n)
    return np.ascontiguousarray(X, dtype=dtype), np.where(score > 0, 1, -1).astype(np.int8)


def folded(signs, n_folds=3):
    """Labels of each fold, 0 for what it leaves out."""
    fold = np.arange(len(signs)) % n_folds
    return np.array([np.where(fold == k, 0, signs) for k in range(n_folds)], dtype=np.int8)


def alone(sample, mine, C, costs):
    """The decision values of one problem, solved by itself."""
    part = replace(sample, order=sample.order[mine[sample.order] != 0])
    slack2 = 0.5 / C / costs
    found = soft_margin(Problem(part, slack2), tol=1e-9, clock=Clock())
    return sample.products(found.w) + found.offset


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.uint8])
def test_the_same_as_one_by_one(affine, dtype):
    X, signs = examples(dtype=dtype)
    sample = Sample.of(storage_of(X), signs, affine=affine)
    costs = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    # Small blocks, and too few rows for a factor of all.
    how = dict(block_values=500, per_feature=3, single=False, least_gain=0.0)
    settings = BatchSettings(copied_values=2000 if affine else 10000, **how)
    batch = Batch(sample, folded(signs), costs, Clock(), settings)
    for C in (1e-7, 1e-5, 1e-3, 1e-1):
        batch.solve(C, 1e-8)
        assert (batch.gaps <= 1e-8).all()
        for values, mine in zip(batch.values, folded(signs), strict=True):
            np.testing.assert_allclose(values, alone(sample, mine, C, costs), atol=2e-3)


def test_what_a_fold_leaves_out_does_not_matter():
    X, signs = examples()
    mine = folded(signs)
    other = X.copy()
    other[mine[0] == 0] += 50.0
    found = []
    for rows in (X, other):
        sample = Sample.of(storage_of(rows), signs, order=np.arange(len(X)))
        settings = BatchSettings(single=False, least_gain=0.0)
        batch = Batch(sample, mine[:1], np.ones(len(X)), Clock(), settings)
        batch.solve(1e-4, 1e-10)
        found.append(batch.w[:, 0])
    np.testing.assert_allclose(*found, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("own_features", [0, 100])
def test_single_precision_is_enough_for_a_rough_optimum(own_features):
    X, signs = examples(n=2000)
    X[:, 3] *= 1e5
    sample = Sample.of(storage_of(X), signs)
    settings = BatchSettings(own_features=own_features)
    batch, ones = Batch(sample, folded(signs), np.ones(2000), Clock(), settings), np.ones(2000)
    for C in np.logspace(-10, 0, 6):
        batch.solve(C, 1e-3)
        for k, mine in enumerate(folded(signs)):
            exact = alone(sample, mine, C, ones)
            differ = (exact > 0) != (batch.values[k] > 0)
            assert differ.mean() <= 0.01


def test_problems_that_have_nothing_in_common():
    X, signs = examples()
    rng = np.random.default_rng(0)
    mine = np.where(rng.random((4, len(X))) < 0.5, signs, 0).astype(np.int8)
    sample, ones = Sample.of(storage_of(X), signs), np.ones(len(X))
    settings = BatchSettings(single=False, least_gain=0.0)
    batch = Batch(sample, mine, ones, Clock(), settings)
    batch.solve(1e-3, 1e-8)
    for values, each in zip(batch.values, mine, strict=True):
        np.testing.assert_allclose(values, alone(sample, each, 1e-3, ones), atol=2e-3)


def test_only_the_examples_in_order_take_part():
    X, signs = examples()
    order = np.flatnonzero(np.arange(len(X)) % 4)
    some = Sample.of(storage_of(X), signs, order=order)
    few = Sample.of(storage_of(np.ascontiguousarray(X[order])), signs[order])
    one = Batch(some, signs[None, order], np.ones(len(order)), Clock())
    other = Batch(few, signs[None, order], np.ones(len(order)), Clock())
    for batch in (one, other):
        batch.solve(1e-4, 1e-6)
    np.testing.assert_array_equal(one.values, other.values)


def test_constant_columns_and_a_single_feature():
    X = np.column_stack([np.arange(20.0), np.full(20, 7.0)])
    signs = np.where(np.arange(20) < 9, -1, 1).astype(np.int8)
    batch = Batch(Sample.of(storage_of(X), signs), signs[None], np.ones(20), Clock())
    batch.solve(10.0, 1e-6)
    assert (np.sign(batch.values[0]) == signs).all()
    assert abs(batch.w[1, 0]) < 1e-9


def test_it_asks_the_clock():
    X, signs = examples()
    with pytest.raises(Stopped):
        Batch(
            Sample.of(storage_of(X), signs), signs[None], np.ones(len(X)), Clock(Limits(deadline=0))
        )
