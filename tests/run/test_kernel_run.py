"""The loop on kernel samples: the same runs as on vectors, whatever is cached."""

import numpy as np
import pytest

from novikoff.certificate import Status
from novikoff.run import run
from novikoff.run.clock import Clock, Limits
from novikoff.sample import Sample, storage_of
from novikoff.sample.kernel import KernelFunction, KernelMatrix
from novikoff.sample.kernel_sample import KernelSample
from tests.estimators.problems import ALL_RULES, UNIT_STEP_RULES

LINEAR = KernelFunction("linear")
RBF = KernelFunction("rbf", gamma=0.5)
WIDE = KernelFunction("rbf", gamma=0.02)


def examples(seed, n=60, margin=1.0):
    """Whole numbers that a hyperplane separates."""
    generator = np.random.default_rng(seed)
    X = generator.integers(-9, 10, (4 * n, 3)).astype(np.float64)
    scores = X @ [2.0, -1.0, 1.0] + 3.0
    X = X[np.abs(scores) > margin][:n]
    return X, np.where(X @ [2.0, -1.0, 1.0] + 3.0 > 0, 1, -1)


def kernel_run(X, signs, rule, kernel=LINEAR, cache=1e8, dtype=np.float64, eager=False, **how):
    sample = KernelSample.of(
        KernelMatrix(X, kernel, dtype), signs, eager=eager, cache_bytes=cache, **how
    )
    return run(sample, rule, clock=Clock(Limits(max_iter=200)))


# MinOver ends on an upper bound, of which vectors prove a smaller one; Infinity needs |x| <= 1.
CYCLIC = [name for name in UNIT_STEP_RULES if name not in ("min-over", "infinity")]


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("name", CYCLIC)
def test_the_linear_kernel_runs_as_the_linear_form_on_whole_numbers(name, affine):
    rule = ALL_RULES[name]
    for seed in range(3):
        X, signs = examples(seed)
        sample = Sample.of(storage_of(X), signs, affine=affine)
        linear = run(sample, rule, clock=Clock(Limits(max_iter=200)))
        kernel = kernel_run(X, signs, rule, affine=affine)
        np.testing.assert_array_equal(kernel.weights, linear.weights)
        assert kernel.status is linear.status
        assert kernel.n_updates == linear.n_updates
        assert kernel.bounds.lower == pytest.approx(linear.bounds.lower)
        # On vectors, what was added since an earlier iterate may prove more.
        assert kernel.bounds.upper >= linear.bounds.upper * (1.0 - 1e-9)
        assert kernel.weights.sum() == kernel.n_updates


@pytest.mark.parametrize("name", [name for name in ALL_RULES if name != "infinity"])
def test_the_linear_kernel_runs_as_the_linear_form_to_rounding(name):
    X, signs = examples(5)
    X = X / 7.0 + np.random.default_rng(5).normal(scale=0.02, size=X.shape)
    rule = ALL_RULES[name]
    how = dict(slack2=0.3)
    linear = run(Sample.of(storage_of(X), signs, **how), rule, clock=Clock(Limits(max_iter=50)))
    sample = KernelSample.of(KernelMatrix(X, LINEAR), signs, eager=False, **how)
    kernel = run(sample, rule, clock=Clock(Limits(max_iter=50)))
    np.testing.assert_allclose(kernel.weights, linear.weights, rtol=1e-6, atol=1e-9)
    assert kernel.status is linear.status


# Eager runs depend on the cache where nearly all examples carry weight, as with RBF.
CACHED = [(RBF, False), (WIDE, False), (WIDE, True)]


@pytest.mark.parametrize(("kernel", "eager"), CACHED)
@pytest.mark.parametrize("name", ["classic", "scale-free", "dynamic", "passive-aggressive"])
def test_a_run_does_not_depend_on_what_is_cached(name, kernel, eager, monkeypatch):
    monkeypatch.setattr("novikoff.sample.kernel_scores.CHUNK", 32)
    X, signs = examples(2, n=150)
    whole = kernel_run(X, signs, ALL_RULES[name], kernel, eager=eager)
    # Columns of 130 examples fit; all 150 x 150 do not.
    parts = kernel_run(X, signs, ALL_RULES[name], kernel, cache=8 * 150 * 149, eager=eager)
    assert whole.sample.whole
    assert not parts.sample.whole
    np.testing.assert_allclose(parts.weights, whole.weights, rtol=1e-9)
    assert parts.n_updates == whole.n_updates


@pytest.mark.parametrize("eager", [True, False])
def test_a_small_cache_still_ends_at_the_rule(eager, monkeypatch):
    monkeypatch.setattr("novikoff.sample.kernel_scores.CHUNK", 32)
    monkeypatch.setattr("novikoff.sample.kernel_scores.CHEAP_BLOCK", 8)
    monkeypatch.setattr("novikoff.sample.kernel_sample.CHEAP_BLOCK", 8)
    X, signs = examples(2, n=150)
    cache = 8 * 30 * 30
    finished = kernel_run(X, signs, ALL_RULES["dynamic"], RBF, cache=cache, eager=eager)
    assert finished.status.name == "CONVERGED"
    everyone = np.arange(len(X))
    margins = finished.sample.margins(everyone, finished.memory)
    signed = finished.weights * signs
    K = finished.sample._block(everyone, everyone)
    offset = finished.sample.frame.lift2 * signed.sum()
    np.testing.assert_allclose(margins, signs * (K @ signed + offset), rtol=1e-9)


def test_the_support_reproduces_the_run():
    X, signs = examples(7, n=120)
    for name in ("scale-free", "dynamic", "classic"):
        rule = ALL_RULES[name]
        first = run(KernelSample.of(KernelMatrix(X, RBF), signs), rule)
        support = first.compression().support
        again = run(KernelSample.of(KernelMatrix(X[support], RBF), signs[support]), rule)
        assert len(support) < len(X)
        np.testing.assert_array_equal(again.weights, first.weights[support])
        coef, intercept = first.sample.model(first.weights)
        theirs, other = again.sample.model(again.weights)
        np.testing.assert_allclose(theirs, coef[support], rtol=1e-9)
        assert other == pytest.approx(intercept, rel=1e-9)


def test_the_model_has_the_margins_of_the_run():
    X, signs = examples(4)
    finished = kernel_run(X, signs, ALL_RULES["dynamic"], RBF)
    coef, intercept = finished.sample.model(finished.weights)
    everyone = np.arange(len(X))
    scores = finished.sample.matrix.block(everyone, everyone) @ coef + intercept
    margins = finished.sample.margins(everyone, finished.memory)
    np.testing.assert_allclose(signs * scores, margins, rtol=1e-9)
    length, offset = finished.sample.combine(finished.weights)
    assert length[0] == pytest.approx(finished.memory.w[0])
    assert offset == pytest.approx(finished.memory.state[4])


def test_few_examples_are_taken_in():
    # Those with weight are satisfied before others, of which the worst come first.
    X, signs = examples(11, n=400)
    for name in ("scale-free", "dynamic"):
        rule = ALL_RULES[name]
        in_turn = kernel_run(X, signs, rule, WIDE)
        settled = kernel_run(X, signs, rule, WIDE, eager=True)
        assert settled.status is in_turn.status is Status.CONVERGED
        assert settled.weights.sum() == settled.n_updates
        assert np.count_nonzero(settled.weights) < 0.8 * np.count_nonzero(in_turn.weights)
