"""The loop: its ends, its limits, its history, whatever the rule."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status
from novikoff.compiled.step import OFFSET, SHRINK, THRESHOLD, UPDATES
from novikoff.data import far_pair, planted
from novikoff.run import Clock, Limits, Progress, Run, run
from novikoff.run.bounds import Bounds
from novikoff.sample import Sample, storage_of
from tests.estimators.problems import ALL_RULES, ONLINE_RULES, UNIT_STEP_RULES, noise
from tests.sample.lift import lifted_examples

CALM = Limits(max_iter=50_000)


def sample_of(X, y, **how):
    return Sample.of(storage_of(X), np.where(y > 0, 1, -1), **how)


@pytest.mark.parametrize("name", ALL_RULES)
@settings(max_examples=15)
@given(
    n=st.integers(2, 40),
    d=st.integers(1, 5),
    share=st.floats(0.1, 0.9),
    seed=st.integers(0, 2**32 - 1),
    affine=st.booleans(),
    slack2=st.sampled_from([0.0, 0.0, 0.04]),
)
def test_a_run_that_converged_satisfies_its_rule(name, n, d, share, seed, affine, slack2):
    """No example is violated at the end, by the threshold of the end; weights make up w."""
    p = planted(n, d, 0.34 * share, radius=0.34, intercept=affine, random_state=seed)
    order = np.random.default_rng(seed).permutation(n)
    sample = sample_of(p.X, p.y, order=order, affine=affine, slack2=slack2)
    finished = run(sample, ALL_RULES[name], clock=Clock(CALM))
    Z = lifted_examples(sample, p.X)
    w = finished.weights @ Z
    lower, upper = (Z @ w).min() / np.linalg.norm(w), np.linalg.norm(w) / finished.weights.sum()
    if name == "min-over":
        assert finished.status is Status.GAP_REACHED
        best = finished.best @ Z
        # With an intercept, half the difference of the worst of each class.
        sides = (sample.signs > 0, sample.signs < 0) if affine else (slice(None),)
        lower = np.mean([(Z[side] @ best).min() for side in sides]) / np.linalg.norm(best)
        upper = np.linalg.norm(finished.upper @ Z) / finished.upper.sum()
        assert lower >= 0.7 * upper
    else:
        assert finished.status is Status.CONVERGED
        scale = np.abs(Z @ w).max()
        assert (Z @ w).min() >= finished.memory.state[THRESHOLD] - 1e-9 * scale
        assert lower > 0.0
    if name in UNIT_STEP_RULES:
        assert (finished.weights == np.rint(finished.weights)).all()
        assert finished.weights.sum() == finished.n_updates
    assert (finished.weights >= 0.0).all()


@pytest.mark.parametrize("name", ALL_RULES)
def test_the_mean_over_updates(name):
    """Recomputed from the iterates themselves, one for each update, or pair of updates."""
    X, y = noise(25)
    X = X / 16.0
    sample = sample_of(X, y)
    steps = range(2, 31, 2) if name == "min-over" else range(1, 31)
    iterates = [
        run(sample, ALL_RULES[name], clock=Clock(Limits(max_updates=t))).weights for t in steps
    ]
    finished = run(sample, ALL_RULES[name], clock=Clock(Limits(max_updates=30)))
    assert finished.n_updates == 30
    np.testing.assert_allclose(finished.averaged, np.mean(iterates, axis=0), rtol=1e-9, atol=1e-15)


def test_a_pair_is_made_whole_or_not_at_all():
    X, y = noise(25)
    for most in (1, 2, 17, 18):
        finished = run(sample_of(X, y), rules.MinOver(), clock=Clock(Limits(max_updates=most)))
        assert finished.status is Status.MAX_UPDATES
        assert finished.n_updates == most // 2 * 2
        positive = finished.sample.signs > 0
        assert finished.weights[positive].sum() == finished.weights[~positive].sum() == most // 2
    with_slack = sample_of(X, y, slack2=0.25, class_weights=(3.0, 0.25))
    finished = run(with_slack, rules.MinOver(accuracy=0.5))
    assert finished.status is Status.GAP_REACHED
    assert finished.weights[positive].sum() == finished.weights[~positive].sum()


def test_the_worst_of_one_class():
    """With an intercept nothing bounds the margin of a single class; the run says so."""
    X = np.array([[1.0], [2.0], [4.0]])
    finished = run(sample_of(X, np.ones(3)), rules.MinOver(), clock=Clock(Limits(max_iter=20)))
    assert finished.status is Status.MAX_ITER
    assert finished.bounds.upper == np.inf


def test_updates_with_the_lift_at_the_origin():
    """999 against 1001: read from the origin it takes c = R 2,003 updates, from a centre five."""
    p = far_pair()
    signs = p.y
    from_origin = Sample.of(storage_of(p.X), signs, centre=np.zeros(1), lift=1001.0)
    assert run(from_origin, rules.Classic(), clock=Clock(Limits(max_iter=10_000))).n_updates == 2003
    assert run(Sample.of(storage_of(p.X), signs), rules.Classic()).n_updates <= 50


def test_limits_of_every_kind():
    X, y = noise(500)
    sample = sample_of(X, y)
    for limits, status in (
        (Limits(max_iter=3), Status.MAX_ITER),
        (Limits(max_updates=17), Status.MAX_UPDATES),
        (Limits(max_iter=10**9, deadline=time.perf_counter() + 0.1), Status.TIME_LIMIT),
        (Limits(max_iter=10**9, cancelled=lambda: True), Status.INTERRUPTED),
    ):
        for rule in (rules.ScaleFree(), rules.MinOver(accuracy=0.001)):
            finished = run(sample, rule, clock=Clock(limits))
            assert finished.status is status
            assert finished.history[-1].updates == finished.n_updates
    assert run(sample, rules.ScaleFree(), clock=Clock(Limits(max_updates=17))).n_updates == 17


@pytest.mark.parametrize("rule", [rules.ScaleFree(), rules.MinOver()])
def test_an_interruption_in_a_callback(rule):
    """Ctrl-C in somebody's callback: the run ends with what it has."""
    X, y = noise()
    lines = []

    def interrupt(line):
        lines.append(line)
        if len(lines) == 3:
            raise KeyboardInterrupt

    finished = run(sample_of(X, y), rule, clock=Clock(callbacks=[interrupt]))
    assert len(lines) == 3
    assert finished.status is Status.INTERRUPTED
    assert finished.weights.sum() == finished.n_updates > 0


def test_a_run_that_failed_does_not_look_finished():
    """An error in the middle leaves no run behind that looks finished."""
    X, y = noise()

    def fail(line):
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        run(sample_of(X, y), rules.ScaleFree(), clock=Clock(callbacks=[fail]))
    sample = sample_of(X, y)
    specification = rules.Classic().specification(1.0)
    memory, bounds = sample.memory(specification), Bounds(sample, 0.0)
    begun = Run(sample, rules.Classic(), specification, memory, Clock(), bounds)
    assert begun.status.at_limit


def test_callbacks_see_every_line_once():
    for X, y in (noise(), (planted(50, 3, 0.1, random_state=0).X,) * 2):
        y = y if y.ndim == 1 else planted(50, 3, 0.1, random_state=0).y
        first, second = [], []
        finished = run(
            sample_of(X, y),
            rules.ScaleFree(),
            clock=Clock(Limits(max_iter=30), [first.append, second.append]),
        )
        assert all(isinstance(line, Progress) for line in first)
        assert first == second
        assert [line[:2] for line in first] == [line[:2] for line in finished.history]


def test_a_clock_handed_over_spans_both_runs():
    """One history and one count of passes and updates, whoever runs."""
    X, y = noise(80)
    clock = Clock(Limits(max_iter=7, max_updates=10**6))
    first = run(sample_of(X, y), rules.ScaleFree(), clock=clock, min_margin=0.5)
    assert first.status is Status.NO_SUCH_MARGIN
    passes, lines = first.n_iter, len(clock.history)
    assert 0 < passes < 7
    second = run(sample_of(X, y), rules.Classic(), clock=clock)
    assert second.status is Status.MAX_ITER
    assert clock.passes == second.n_iter == 7
    assert len(clock.history) > lines
    assert second.history is clock.history
    assert [line.iteration for line in clock.history] == sorted(
        line.iteration for line in clock.history
    )


def test_updates_of_a_continued_run_count():
    X, y = noise(80)
    sample = sample_of(X, y)
    memory = run(sample, rules.ScaleFree(), clock=Clock(Limits(max_updates=20))).memory
    clock = Clock(Limits(max_updates=30))
    continued = run(sample, rules.ScaleFree(), clock=clock, memory=memory)
    assert continued.status is Status.MAX_UPDATES
    assert continued.n_updates == clock.updates == 30


@pytest.mark.parametrize("rule", [rules.ScaleFree(), rules.MinOver(accuracy=0.01)])
def test_an_exception_out_of_a_sweep_leaves_no_half_of_it_visible(rule, monkeypatch):
    """Where somebody else handles the signal, KeyboardInterrupt can come when a sweep returns."""
    from novikoff.compiled import sweep as compiled
    from novikoff.sample import storage

    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
    sweep, calls = compiled.sweep, []

    def interrupted(*arguments):
        answer = sweep(*arguments)
        calls.append(answer)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return answer

    monkeypatch.setattr(compiled, "sweep", interrupted)
    X, y = noise(80)
    X = np.asfortranarray(np.rint(8 * X))
    sample = sample_of(X, y)
    memory = sample.memory(rule.specification(sample.lifted_radius))
    with pytest.raises(KeyboardInterrupt):
        run(sample, rule, memory=memory)
    assert len(calls) == 3
    assert memory.weights.sum() == memory.state[UPDATES] > 0
    w, offset = sample.combine(memory.weights)
    np.testing.assert_array_equal(memory.w, w)
    assert memory.state[OFFSET] == offset


@pytest.mark.parametrize("weight", [1.0, 100.0, 1e8])
def test_weights_that_grow_with_every_update_stay_in_range(weight):
    """ALMA with a large class weight: w grows by a factor at each update, and is brought back."""
    X, y = noise(300)
    sample = sample_of(X, y, class_weights=(1.0, weight))
    finished = run(sample, rules.Alma(a=0.01), clock=Clock(Limits(max_iter=30)))
    assert finished.status is Status.MAX_ITER
    assert finished.n_updates > 5000
    w, offset = sample.combine(finished.weights)
    size = finished.weights.max() * sample.lifted_radius
    np.testing.assert_allclose(finished.memory.w, w, rtol=1e-9, atol=1e-9 * size)
    assert finished.memory.state[OFFSET] == pytest.approx(offset, rel=1e-6)
    length2 = w @ w + offset**2 / sample.frame.lift2
    # In the unit ball, as far as its length is known.
    assert length2 * finished.memory.state[SHRINK] ** 2 <= 1.0 + 1e-6


def test_a_run_continues_from_a_memory():
    X, y = noise(80)
    for name, rule in ALL_RULES.items():
        sample = sample_of(X / 16.0, y)
        whole = run(sample, rule, clock=Clock(Limits(max_iter=9)))
        memory = run(sample, rule, clock=Clock(Limits(max_iter=4))).memory
        parts = run(sample, rule, clock=Clock(Limits(max_iter=5)), memory=memory)
        np.testing.assert_array_equal(parts.weights, whole.weights, err_msg=name)
        np.testing.assert_array_equal(parts.memory.w, whole.memory.w)
        np.testing.assert_array_equal(parts.memory.state, whole.memory.state)


@pytest.mark.parametrize(
    "name", [name for name, rule in ONLINE_RULES.items() if not rule.uses_radius]
)
def test_examples_that_are_never_violated_leave_no_trace(name):
    """The near-violated examples are chosen by the state alone: a crowd far off changes nothing."""
    p = planted(60, 3, 0.02, radius=0.3, random_state=0)
    alone = run(sample_of(p.X, p.y, affine=False), ALL_RULES[name], clock=Clock(CALM))
    w = alone.weights @ (p.X * p.y[:, None])
    # Last in order and as far from the hyperplane as can be: satisfied at the first visit.
    crowd = np.repeat(0.3 * w[None] / np.linalg.norm(w), 500, axis=0)
    X, y = np.vstack([p.X, crowd]), np.append(p.y, np.ones(500))
    together = run(sample_of(X, y, affine=False), ALL_RULES[name], clock=Clock(CALM))
    assert not together.weights[60:].any()
    np.testing.assert_array_equal(together.weights[:60], alone.weights)
    assert together.n_iter == alone.n_iter


def test_bounds_without_both_classes():
    """No affine bound exists before both classes have been updated on."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1, 1, -1])
    finished = run(sample_of(X, y), rules.Classic(), clock=Clock(Limits(max_updates=1)))
    assert finished.history[-1].upper == np.inf
    assert finished.upper is None


def test_min_margin_ends_the_run_with_weights_that_prove_it():
    X, y = noise(200)
    for affine in (True, False):
        sample = sample_of(X, y, affine=affine)
        finished = run(sample, rules.ScaleFree(), min_margin=0.2)
        assert finished.status is Status.NO_SUCH_MARGIN
        assert finished.bounds.upper < 0.2
        weights = finished.upper
        if affine:
            means = [
                np.average(X[sample.signs == s], axis=0, weights=weights[sample.signs == s])
                for s in (1, -1)
            ]
            bound = np.linalg.norm(means[0] - means[1]) / 2
        else:
            bound = np.linalg.norm(weights * sample.signs @ X) / weights.sum()
        assert bound <= finished.bounds.upper * (1 + 1e-9)
