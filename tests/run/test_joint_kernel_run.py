"""The loop on kernel samples of many classes: the same runs as on vectors, whatever is cached."""

import numpy as np
import pytest

from novikoff.run import run
from novikoff.run.clock import Clock, Limits
from novikoff.sample import JointSample, Sample, storage_of
from novikoff.sample.joint_kernel import JointKernelSample
from novikoff.sample.kernel import KernelFunction, KernelMatrix
from novikoff.sample.kernel_sample import KernelSample
from tests.estimators.problems import ALL_RULES
from tests.run.test_kernel_run import CACHED, CYCLIC

LINEAR = KernelFunction("linear")
RBF = KernelFunction("rbf", gamma=0.5)


def examples(seed, n=80, k=4):
    """Whole numbers that a linear model of all classes separates."""
    generator = np.random.default_rng(seed)
    X = generator.integers(-9, 10, (8 * n, 3)).astype(np.float64)
    scores = X @ generator.integers(-5, 6, (3, k)) + generator.integers(-5, 6, k)
    best = np.sort(scores, axis=1)
    clear = best[:, -1] - best[:, -2] > 4
    X, codes = X[clear][:n], scores.argmax(axis=1)[clear][:n]
    _, codes = np.unique(codes, return_inverse=True)
    return X, codes


def joint_kernel(X, codes, kernel=LINEAR, cache=1e8, eager=False, **how):
    sample = KernelSample.of(
        KernelMatrix(X, kernel), np.ones(len(X)), eager=eager, cache_bytes=cache, **how
    )
    return JointKernelSample.joint(sample, codes, n_classes=int(codes.max()) + 1)


def joint_linear(X, codes, **how):
    sample = Sample.of(storage_of(X), np.ones(len(X)), **how)
    return JointSample.joint(sample, codes, n_classes=int(codes.max()) + 1)


def clock():
    return Clock(Limits(max_iter=300))


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("name", CYCLIC)
def test_the_linear_kernel_runs_as_the_linear_form_on_whole_numbers(name, affine):
    for seed in range(3):
        X, codes = examples(seed)
        linear = run(joint_linear(X, codes, affine=affine), ALL_RULES[name], clock=clock())
        kernel = run(joint_kernel(X, codes, affine=affine), ALL_RULES[name], clock=clock())
        assert kernel.status is linear.status
        assert kernel.n_updates == linear.n_updates
        np.testing.assert_array_equal(kernel.sample.rows.owner, linear.sample.rows.owner)
        np.testing.assert_array_equal(kernel.sample.rows.wrong, linear.sample.rows.wrong)
        np.testing.assert_array_equal(kernel.weights, linear.weights)
        np.testing.assert_allclose(kernel.averaged, linear.averaged)
        assert kernel.weights.sum() == kernel.n_updates
        assert kernel.bounds.lower == pytest.approx(linear.bounds.lower)


@pytest.mark.parametrize("name", [name for name in ALL_RULES if name != "infinity"])
def test_the_linear_kernel_runs_as_the_linear_form_to_rounding(name):
    X, codes = examples(5)
    X = X / 7.0 + np.random.default_rng(5).normal(scale=0.02, size=X.shape)
    # Without a lift: offsets of classes with as many updates would be ties.
    how = dict(slack2=0.3, affine=False)
    linear = run(joint_linear(X, codes, **how), ALL_RULES[name], clock=clock())
    kernel = run(joint_kernel(X, codes, **how), ALL_RULES[name], clock=clock())
    assert kernel.status is linear.status
    assert kernel.n_updates == linear.n_updates
    np.testing.assert_array_equal(kernel.sample.rows.owner, linear.sample.rows.owner)
    np.testing.assert_allclose(kernel.weights, linear.weights, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "name", ["classic", "scale-free", "dynamic", "passive-aggressive", "min-over"]
)
def test_two_classes_are_the_binary_run(name):
    X, codes = examples(3, k=2)
    # Whole numbers have equal distances, which MinOver would have to choose between.
    X = X + np.random.default_rng(3).normal(scale=0.02, size=X.shape)
    binary = KernelSample.of(KernelMatrix(X, RBF), np.where(codes == 1, 1, -1))
    two = run(binary, ALL_RULES[name], clock=clock())
    joint = run(joint_kernel(X, codes, RBF, eager=True), ALL_RULES[name], clock=clock())
    assert joint.status is two.status
    assert joint.n_updates == two.n_updates
    weights = joint.sample.by_example(joint.weights)
    np.testing.assert_allclose(weights, two.weights, rtol=1e-9, atol=1e-12)
    assert joint.bounds.lower == pytest.approx(two.bounds.lower)


# With RBF the scores of two wrong classes are equal up to rounding.
@pytest.mark.parametrize(("kernel", "eager"), CACHED[1:])
@pytest.mark.parametrize("name", ["classic", "scale-free", "dynamic", "passive-aggressive"])
def test_a_run_does_not_depend_on_what_is_cached(name, kernel, eager, monkeypatch):
    monkeypatch.setattr("novikoff.sample.kernel_scores.CHUNK", 32)
    X, codes = examples(2, n=150)
    # Whole numbers have equal distances, and two wrong classes equal scores.
    X = X + np.random.default_rng(3).normal(scale=0.02, size=X.shape)
    whole = run(joint_kernel(X, codes, kernel, eager=eager), ALL_RULES[name], clock=clock())
    # Columns of 130 examples fit; all 150 x 150 do not.
    some = joint_kernel(X, codes, kernel, cache=8 * 150 * 149, eager=eager)
    parts = run(some, ALL_RULES[name], clock=clock())
    assert whole.sample.whole
    assert not parts.sample.whole
    assert parts.n_updates == whole.n_updates
    np.testing.assert_allclose(parts.weights, whole.weights, rtol=1e-9)


def test_the_model_has_the_scores_of_the_run():
    X, codes = examples(4)
    for name in ("scale-free", "min-over"):
        finished = run(joint_kernel(X, codes, RBF), ALL_RULES[name], clock=clock())
        sample = finished.sample
        coef, intercepts = sample.model(finished.weights)
        values = sample.matrix.block(np.arange(len(X)), np.arange(len(X)))
        scores = values @ coef + intercepts
        own = scores[np.arange(len(X)), codes]
        scores[np.arange(len(X)), codes] = -np.inf
        margins = 0.5 * (own - scores.max(axis=1))
        found = sample.margins(np.arange(len(X)), finished.memory)
        np.testing.assert_allclose(found, margins, atol=1e-12)
        length, _ = sample.combine(finished.weights)
        assert length == pytest.approx(np.sqrt(0.5 * np.sum(coef * (values @ coef))))
