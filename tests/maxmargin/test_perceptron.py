"""The perceptron that looks for a separator before soft margins do."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin, is_separable
from novikoff.certificate import Separation, Status
from novikoff.maxmargin import Problem
from novikoff.maxmargin.choose import hard
from novikoff.maxmargin.perceptron import PERCEPTRON, by_mistakes
from novikoff.run.clock import Clock, Limits
from novikoff.sample import Sample, storage_of

ALWAYS = replace(PERCEPTRON, least_values=0)


def scattered(n=600, d=60, *, values=12, margin=0.5, noise=0.0, seed=0):
    """Sparse rows of normal values, labelled by a hyperplane that keeps its distance."""
    rng = np.random.default_rng(seed)
    rows = sparse.random_array(
        (3 * n, d), density=values / d, rng=rng, data_sampler=rng.standard_normal, format="csr"
    )
    scores = rows @ rng.standard_normal(d)
    far = np.flatnonzero(np.abs(scores) > margin)[:n]
    flips = np.where(rng.random(n) < noise, -1, 1)
    return rows[far], np.where(scores[far] > 0.0, 1, -1) * flips


def problem_of(X, y, **how):
    return Problem(Sample.of(storage_of(X), y.astype(np.int8), **how))


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("dense", [True, False])
def test_it_separates(affine, dense):
    X, y = scattered()
    problem = problem_of(X.toarray() if dense else X, y, affine=affine)
    found = by_mistakes(problem, Clock(), ALWAYS)
    assert found.status is Status.SEPARATED
    centre = problem.sample.centre
    scores = X @ found.w - centre @ found.w + found.offset
    assert (y * scores).min() == pytest.approx(1.0)
    assert found.lower == pytest.approx(1.0 / np.linalg.norm(found.w))


def test_where_one_class_comes_first(monkeypatch):
    X, y = scattered(margin=1.0)
    order = np.argsort(y)
    problem = problem_of(X[order], y[order])
    assert by_mistakes(problem, Clock(), ALWAYS) is not None
    monkeypatch.setattr(np.random, "default_rng", lambda seed: mock.Mock(permutation=np.copy))
    assert by_mistakes(problem, Clock(), ALWAYS) is None


def test_it_gives_up_early_on_noisy_labels():
    X, y = scattered(noise=0.15)
    clock = Clock()
    assert by_mistakes(problem_of(X, y), clock, ALWAYS) is None
    assert clock.passes <= 8


def test_few_values_are_left_to_others():
    X, y = scattered()
    clock = Clock()
    assert by_mistakes(problem_of(X, y), clock) is None
    assert clock.passes == 0


def test_limits_are_kept():
    X, y = scattered()
    clock = Clock(Limits(max_iter=3))
    assert by_mistakes(problem_of(X, y), clock, ALWAYS) is None
    assert clock.passes <= 3
    cancelled = Clock(Limits(cancelled=lambda: True))
    assert by_mistakes(problem_of(X, y), cancelled, ALWAYS) is None
    assert cancelled.passes == 0


def test_it_decides_and_starts_hard_margins():
    X, y = scattered(4_000, 1_300, values=20, margin=1.5)
    verdict, model = is_separable(X, y), MaxMargin().fit(X, y)
    assert isinstance(verdict, Separation)
    verdict.verify(X, y)
    assert verdict.account.n_updates > 0
    assert model.solver_.startswith("perceptron+")
    assert model.certificate_.gap <= model.tol


@pytest.mark.parametrize("margin", [2.0, 0.0])
def test_it_decides_dense_data_of_medium_size(margin, monkeypatch):
    X, y = scattered(1_500, 150, values=60, margin=margin)
    X, tried = X.toarray(), []
    monkeypatch.setattr(
        hard, "by_mistakes", lambda *problem: tried.append(by_mistakes(*problem)) or tried[-1]
    )
    verdict = is_separable(X, y)
    assert isinstance(verdict, Separation)
    verdict.verify(X, y)
    (found,) = tried
    assert (found is not None) is (margin > 0.0)
    # A margin is the widest, which other methods find; and many examples for few features are
    # decided sooner by these.
    MaxMargin().fit(X, y)
    is_separable(X[:, :40], X[:, 0] > 0.0)
    assert len(tried) == 1


def test_the_interior_point_method_starts_from_a_soft_margin():
    X, y = scattered(4_000, 200, values=20, margin=1.5)
    assert MaxMargin().fit(X, y).solver_ == "newton+interior"
    assert is_separable(X, y, max_iter=40).account.n_updates > 0


def test_margins_do_not_depend_on_it(monkeypatch):
    X, y = scattered(4_000, 1_300, values=20, margin=1.5, seed=1)
    with_it = MaxMargin().fit(X, y).margin_
    monkeypatch.setattr(hard, "by_mistakes", lambda problem, clock: None)
    without = MaxMargin().fit(X, y)
    assert not without.solver_.startswith("perceptron")
    assert with_it == pytest.approx(without.margin_, rel=2e-3)
