"""Passive-aggressive steps.

PA on separable data: the losses of its updates satisfy ``sum l^2 <= (R / eps*)^2``, so at most
``(R / (tolerance eps*))^2`` updates have a loss of at least the tolerance. And
``|w|^2 <= 2 sum tau`` with ``eps* sum tau <= |w|`` gives ``|w| <= 2 / eps*``, hence a margin of at
least ``(1 - tolerance) eps* / 2`` at exit.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.compiled.step import NORM2, UPDATES
from novikoff.sample import Sample, storage_of
from tests.sample.lift import lifted_examples
from tests.theorems.problems import SEEDS, noisy_problems, problems
from tests.theorems.promises import assert_promises
from tests.theorems.runs import PICKS, choose, mostly_decided, settle_in_order

TOLERANCES = st.floats(0.05, 1.0)


@mostly_decided
@given(problem=problems(least=0.1), tolerance=TOLERANCES, seed=SEEDS)
def test_updates_margin_and_gap(problem, tolerance, seed):
    rule = rules.PassiveAggressive(tolerance=tolerance)
    finished = settle_in_order(problem, rule, seed)
    if finished is None:
        return
    margin = assert_promises(rule, problem, finished.weights, updates=finished.n_updates)
    w = finished.weights @ problem.Z
    total = finished.weights.sum()
    assert w @ w <= 2 * total * (1 + 1e-9)
    assert np.linalg.norm(w) <= 2 / problem.eps * (1 + 1e-9)
    assert margin / (np.linalg.norm(w) / total) >= (1 - tolerance) / 2 * (1 - 1e-9)


@mostly_decided
@given(problem=problems(least=0.15), pick=st.sampled_from(list(PICKS)), seed=SEEDS)
def test_losses_sum_up(problem, pick, seed):
    """``sum l^2 <= (R / eps*)^2`` after every update, whichever example is chosen."""
    w, losses = np.zeros(problem.X.shape[1]), []

    def watch(memory, i):
        losses.append(1 - problem.Z[i] @ w)
        assert problem.Z[i] @ memory.w == pytest.approx(1.0, abs=1e-9)
        w[:] = memory.w
        assert sum(loss**2 for loss in losses) <= (problem.R / problem.eps) ** 2 * (1 + 1e-9)

    rule = rules.PassiveAggressive(tolerance=0.2)
    choose(problem.sample(), rule, pick, seed=seed, watch=watch)


@given(
    problem=noisy_problems(),
    seed=SEEDS,
    affine=st.booleans(),
    slack2=st.sampled_from([0.0, 0.25]),
)
def test_a_step_lands_on_loss_zero(problem, seed, affine, slack2):
    """``y (w . x + b) = 1`` after any PA step: the lifted norm is what the loss is divided by."""
    sample = Sample.of(storage_of(problem.X), problem.y, affine=affine, slack2=slack2)
    specification = rules.PassiveAggressive(tolerance=0.01).specification(sample.lifted_radius)
    memory = sample.memory(specification)
    Z = lifted_examples(sample, problem.X)
    steps = 0
    for i in np.random.default_rng(seed).integers(len(problem.y), size=50):
        sample.sweep(np.array([i]), specification, memory)
        if memory.state[UPDATES] == steps:
            continue
        steps += 1
        assert sample.margins(np.array([i]), memory)[0] == pytest.approx(1.0, abs=1e-9)
        w = memory.weights @ Z
        assert Z[i] @ w == pytest.approx(1.0, abs=1e-9)
        assert memory.state[NORM2] == pytest.approx(w @ w, rel=1e-9)
        if slack2 == 0.0:
            coef, intercept = sample.model(memory.weights)
            assert problem.y[i] * (problem.X[i] @ coef + intercept) == pytest.approx(1.0, abs=1e-8)
    assert steps > 0


@given(problem=noisy_problems(), seed=SEEDS, C=st.floats(0.01, 10.0), affine=st.booleans())
def test_cautious_steps(problem, seed, C, affine):
    """PA-I steps ``min(C, l / |z|^2)``, PA-II ``l / (|z|^2 + 1 / (2 C))``."""
    sample = Sample.of(storage_of(problem.X), problem.y, affine=affine)
    Z = lifted_examples(sample, problem.X)
    norms2 = np.einsum("ij,ij->i", Z, Z)
    for variant in (1, 2):
        rule = rules.PassiveAggressive(C=C, variant=variant)
        specification = rule.specification(sample.lifted_radius)
        memory = sample.memory(specification)
        for i in np.random.default_rng(seed).integers(len(problem.y), size=30):
            before = memory.weights.copy()
            sample.sweep(np.array([i]), specification, memory)
            loss = 1 - Z[i] @ (before @ Z)
            if abs(loss - rule.tolerance) < 1e-9:
                continue
            full = loss / norms2[i] if norms2[i] > 0 else np.inf
            step = min(C, full) if variant == 1 else loss / (norms2[i] + 1 / (2 * C))
            expected = step if loss > rule.tolerance else 0.0
            assert memory.weights[i] - before[i] == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_dividing_by_the_norm_without_the_lift_would_overshoot():
    """x = 2 with lift 1: tau = 1 / 4 gives y f = 5 / 4, tau = 1 / 5 gives 1."""
    sample = Sample.of(storage_of(np.array([[2.0]])), np.array([1]), centre=np.zeros(1), lift=1.0)
    specification = rules.PassiveAggressive().specification(sample.lifted_radius)
    memory = sample.memory(specification)
    sample.sweep(np.array([0]), specification, memory)
    assert memory.weights == pytest.approx([1 / 5])
    assert sample.margins(np.array([0]), memory) == pytest.approx([1.0])
