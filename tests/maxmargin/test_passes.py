"""Passes are counted by their share, and stopped by the clock between blocks."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Status
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Stopped
from tests.maxmargin.problems import clock_of, noisy, problem_of


def passes_of(clock, n=40, monkeypatch=None):
    X, y = noisy(0, n, 3)
    problem = problem_of(X, y)
    if monkeypatch is not None:
        monkeypatch.setattr(problem.sample.storage, "chunk", 5)
    return X, y, Passes(problem.sample, clock)


def test_products_and_sums():
    clock = clock_of()
    X, y, passes = passes_of(clock)
    ids, w = np.array([3, 8, 5, 30]), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(passes.products(ids, w, 0.25), X[ids] @ w - 0.25, rtol=1e-14)
    assert clock.passes == pytest.approx(0.1)
    one, other = np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4)
    sums = passes.class_sums(ids, one, other)
    for k, weights in enumerate((one, other)):
        for side, sign in enumerate((1, -1)):
            mine = y[ids] == sign
            expected = weights[mine] @ X[ids[mine]]
            np.testing.assert_allclose(sums[k, side], expected, rtol=1e-13, atol=1e-13)
    assert clock.passes == pytest.approx(0.2)


def test_what_does_not_fit_is_not_begun():
    clock = clock_of(2)
    _, _, passes = passes_of(clock)
    everyone, half = np.arange(40), np.arange(20)
    passes.products(everyone, np.ones(3), 0.0)
    passes.reserved = 0.75
    with pytest.raises(Stopped) as stopped:
        passes.products(half, np.ones(3), 0.0)
    assert stopped.value.status is Status.MAX_ITER
    assert clock.passes == 1.0
    passes.products(half[:10], np.ones(3), 0.0)
    with passes.without_limits():
        passes.products(everyone, np.ones(3), 0.0)
    assert clock.passes == 2.25
    with pytest.raises(Stopped):
        passes.products(half, np.ones(3), 0.0)


@pytest.mark.parametrize("after", range(8))
def test_the_clock_is_asked_before_every_block(monkeypatch, after):
    asked = []

    def cancelled():
        asked.append(1)
        return len(asked) > after

    clock = clock_of(cancelled=cancelled)
    _, _, passes = passes_of(clock, monkeypatch=monkeypatch)
    seen = []
    with pytest.raises(Stopped) as stopped:
        for _, here, _ in passes.over(np.arange(40)):
            seen.append(len(here))
    assert stopped.value.status is Status.INTERRUPTED
    assert seen == [5] * after
    assert clock.passes == 0.0
    with passes.without_limits():
        assert len(list(passes.over(np.arange(40)))) == 8


def test_a_copy_of_no_examples():
    X, y = noisy(0, 40, 3)
    passes = Passes(problem_of(sparse.csr_array(X), y).sample, clock_of())
    rows, moments = passes.gathered(np.zeros(0, dtype=np.int64), np.zeros(0))
    assert rows.indptr.tolist() == [0] and len(rows.data) == 0
    assert not moments.any()
