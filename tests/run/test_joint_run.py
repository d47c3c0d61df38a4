"""The loop on the virtual rows of many classes, beside the binary loop and beside plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from novikoff.certificate import Status
from novikoff.compiled.step import WEIGHT
from novikoff.rules.base import State
from novikoff.run import Clock, Limits, run
from novikoff.sample import JointSample, Sample, storage_of
from novikoff.sample.signed import Habits
from tests.sample.kesler import joint_sample, lifted, vector, virtual_rows
from tests.theorems.problems import SEEDS
from tests.theorems.rule_sets import ALL_RULES, UNIT_STEP_RULES

STORES = {"dense": np.asarray, "sparse": sparse.csr_matrix, "fortran": np.asfortranarray}


def clouds(seed, *, n=30, d=3, n_classes=3, spread=0.3, whole=False):
    """Examples around as many points as there are classes, within the unit ball; whole: small."""
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)]
    points = rng.standard_normal((n_classes, d))
    X = points[codes] + spread * rng.standard_normal((n, d))
    if whole:
        return np.rint(4.0 * X), codes
    return X * 2.0 ** -np.ceil(np.log2(8.0 * np.linalg.norm(X, axis=1).max())), codes


def bounded(updates=2000):
    return Clock(Limits(max_iter=300, max_updates=updates))


@pytest.mark.parametrize("store", ["dense", "sparse"])
@pytest.mark.parametrize("name", ALL_RULES)
@settings(max_examples=20)
@given(seed=SEEDS, affine=st.booleans(), soft=st.booleans(), weighted=st.booleans())
def test_two_classes_are_the_binary_run(store, name, seed, affine, soft, weighted):
    """Update by update: the same steps on the same examples at the same times, to the last bit."""
    X, codes = clouds(seed, n_classes=2)
    how = dict(affine=affine, slack2=2.0**-8 if soft else 0.0)
    how["order"] = np.random.default_rng(seed).permutation(len(X))
    rows, signs = storage_of(STORES[store](X)), np.where(codes > 0, 1, -1)
    steps = (0.5, 3.0) if weighted else (1.0, 1.0)
    binary = run(
        Sample.of(rows, signs, class_weights=steps, **how), ALL_RULES[name], clock=bounded()
    )
    sample = JointSample.joint(
        Sample.of(rows, signs, **how), codes, n_classes=2, steps=np.array(steps)
    )
    with pytest.MonkeyPatch.context() as patch:
        # When cheap passes begin, and how many there are at least, is another matter.
        patch.setattr(JointSample, "habits", Sample.habits)
        joint = run(sample, ALL_RULES[name], clock=bounded())
    assert joint.status is binary.status
    assert joint.n_updates == binary.n_updates
    assert joint.mistakes == binary.mistakes
    assert joint.n_iter == binary.n_iter
    np.testing.assert_array_equal(sample.by_example(joint.weights), binary.weights)
    if not binary.balanced:
        np.testing.assert_array_equal(sample.by_example(joint.memory.stamps), binary.memory.stamps)
    np.testing.assert_allclose(
        sample.by_example(joint.averaged), binary.averaged, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_array_equal(joint.memory.w[1], binary.memory.w)
    np.testing.assert_array_equal(joint.memory.w[0], -binary.memory.w)
    assert joint.bounds.lower == pytest.approx(binary.bounds.lower, rel=1e-12)
    # The bound of many classes counts what balances the classes.
    assert joint.bounds.upper <= binary.bounds.upper * (1 + 1e-12)
    w, b, _ = binary.hyperplane(binary.weights)
    coef, intercept, _ = joint.hyperplane(joint.weights)
    np.testing.assert_array_equal(coef, [-w, w])
    np.testing.assert_allclose(intercept, [-b, b], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(joint.compression().support, binary.compression().support)


def plain_run(sample, X, rule, passes):
    """Visit the examples in order and step on the worst virtual row of each, in plain Python."""
    rows, owners = virtual_rows(sample, X)
    Z, codes, K = lifted(sample, X), sample.codes, sample.n_classes
    place_of = {owner: place for place, owner in enumerate(owners)}
    weights, w = np.zeros(len(rows)), np.zeros(rows.shape[1])
    norms2 = np.einsum("ij,ij->i", rows, rows)
    state = State(radius2=float(norms2.max()))
    for _ in range(passes):
        before = state.t
        for i in sample.order.tolist():
            # By class, so that classes that nothing was added to have equal scores.
            scores = w[: K * Z.shape[1]].reshape(K, -1) @ Z[i]
            scores[codes[i]] = -np.inf
            place = place_of[i, int(np.argmax(scores))]
            margin, threshold = float(rows[place] @ w), rule.threshold(state)
            if margin > threshold + 1e-12 * (abs(threshold) + state.radius2):
                continue
            tau = rule.step(state, margin, float(norms2[place]))
            weights[place] += tau
            w = w + tau * rows[place]
            state.advance(threshold, tau, margin, float(norms2[place]))
            if rule.unit_ball and state.norm2 > 1.0:
                factor = 1.0 / np.sqrt(state.norm2)
                w, weights = factor * w, factor * weights
                state.scale(factor)
        if state.t == before:
            break
    return weights, w, state


CYCLIC = [name for name in ALL_RULES if name != "min-over"]


@pytest.mark.parametrize("name", CYCLIC)
@settings(max_examples=20)
@given(seed=st.integers(0, 500), affine=st.booleans(), soft=st.booleans())
def test_the_steps_are_those_of_plain_python(name, seed, affine, soft):
    X, codes = clouds(seed, n=20, n_classes=4)
    order = np.random.default_rng(seed).permutation(len(X))
    how = dict(affine=affine, slack2=2.0**-8 if soft else 0.0, order=order)
    if affine:
        # An example at the centre would have equal scores of classes, which rounding decides.
        how["centre"] = np.full(X.shape[1], 0.01)
    sample, rule = joint_sample(X, codes, **how), ALL_RULES[name]
    with pytest.MonkeyPatch.context() as patch:
        # Without cheap passes.
        patch.setattr(JointSample, "habits", Habits(eagerness=0.0))
        joint = run(sample, rule, clock=Clock(Limits(max_iter=8)))
    weights, w, state = plain_run(sample, X, rule, 8)
    scale = joint.memory.state[WEIGHT] / state.total
    assert joint.n_updates == state.t
    support, table = sample.table(joint.weights)
    expected = np.zeros((len(X), 4))
    for weight, (i, r) in zip(weights, virtual_rows(sample, X)[1], strict=True):
        expected[i, r] = weight * scale
    np.testing.assert_allclose(table, expected[support], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(vector(joint, joint.weights), w * scale, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", UNIT_STEP_RULES)
@settings(max_examples=20)
@given(seed=SEEDS, affine=st.booleans())
def test_counts_and_vectors_of_whole_numbers(name, seed, affine):
    """The counts sum to the updates, and the vectors of the classes to zero."""
    X, codes = clouds(seed, n_classes=4, whole=True)
    rule = UNIT_STEP_RULES[name]
    if name == "infinity":
        X = X * 2.0**-8
    sample = joint_sample(X, codes, affine=affine)
    joint = run(sample, rule, clock=bounded())
    assert joint.weights.sum() == joint.n_updates
    assert (joint.weights == np.rint(joint.weights)).all()
    np.testing.assert_array_equal(joint.memory.w.sum(axis=0), np.zeros(X.shape[1]))
    assert joint.memory.offsets.sum() == 0.0
    np.testing.assert_array_equal(sample.combine(joint.weights)[0], joint.memory.w)
    dual = sample.signed_weights(*sample.table(joint.weights))
    np.testing.assert_array_equal(dual.sum(axis=0), np.zeros(dual.shape[1]))


@pytest.mark.parametrize("name", UNIT_STEP_RULES)
@settings(max_examples=20)
@given(seed=SEEDS, affine=st.booleans(), soft=st.booleans())
def test_the_support_reproduces_the_run(name, seed, affine, soft):
    X, codes = clouds(seed, n_classes=4, spread=0.1)
    how = dict(affine=affine, slack2=2.0**-8 if soft else 0.0)
    order = np.random.default_rng(seed).permutation(len(X))
    sample, rule = joint_sample(X, codes, order=order, **how), UNIT_STEP_RULES[name]
    whole = run(sample, rule, clock=bounded(20_000))
    if whole.status not in (Status.CONVERGED, Status.GAP_REACHED):
        return
    weights = whole.weights if whole.status is Status.CONVERGED else whole.best
    support = whole.compression(weights).support
    part = joint_sample(X[support], codes[support], n_classes=4, **how)
    again = run(part, rule, clock=bounded(20_000))
    assert again.status is whole.status
    assert again.n_updates == whole.n_updates
    np.testing.assert_array_equal(again.memory.w, whole.memory.w)
    same = again.weights if again.status is Status.CONVERGED else again.best
    np.testing.assert_array_equal(part.table(same)[1], sample.table(weights)[1])
    for mine, theirs in zip(again.hyperplane(same)[:2], whole.hyperplane(weights)[:2], strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name", ["classic", "scale-free", "min-over", "passive-aggressive"])
@pytest.mark.parametrize("store", ["sparse", "fortran", "uint8", "float32", "int64"])
def test_every_storage_gives_the_same_run(name, store):
    X, codes = clouds(3, n_classes=5, n=60, whole=True)
    X = X - X.min()
    other = STORES[store](X) if store in STORES else X.astype(store)
    one, two = (
        run(joint_sample(rows, codes), ALL_RULES[name], clock=bounded()) for rows in (X, other)
    )
    assert one.n_updates == two.n_updates > 0
    np.testing.assert_allclose(one.memory.w, two.memory.w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.weights, two.weights, rtol=1e-9, atol=1e-12)


def test_rows_that_are_converted_in_chunks(monkeypatch):
    monkeypatch.setattr("novikoff.sample.storage.CONVERTED_AT_ONCE", 0)
    monkeypatch.setattr("novikoff.sample.storage.CONVERTED_CHUNK_BYTES", 200)
    X, codes = clouds(3, n_classes=5, n=60)
    converted = joint_sample(np.asfortranarray(X), codes)
    assert converted.storage.chunk < len(X)
    rule = ALL_RULES["scale-free"]
    one, two = run(joint_sample(X, codes), rule), run(converted, rule)
    np.testing.assert_array_equal(one.memory.w, two.memory.w)
    np.testing.assert_array_equal(one.weights, two.weights)


def test_virtual_rows_take_memory_as_they_are_met():
    X, codes = clouds(0, n=400, n_classes=40, d=30, spread=0.8)
    finished = run(joint_sample(X, codes), ALL_RULES["classic"], clock=bounded())
    n_rows = len(finished.sample.rows)
    assert 0 < n_rows < 0.25 * 400 * 39
    assert len(finished.memory.all_weights) <= 2 * n_rows + 400 * 39


def test_noisy_examples_get_ten_passes():
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((300, 2)), rng.integers(3, size=300)
    finished = run(joint_sample(X, codes), ALL_RULES["scale-free"], min_margin=0.5)
    assert finished.status is Status.NO_SUCH_MARGIN
    assert finished.n_iter == 10
    early = run(
        joint_sample(X, codes), ALL_RULES["scale-free"], min_margin=0.5, clock=Clock(Limits(3))
    )
    assert early.status is Status.NO_SUCH_MARGIN
    assert early.n_iter == 3


def test_the_mean_of_a_noisy_run_leaves_out_the_first_passes():
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((300, 2)), rng.integers(3, size=300)
    rule = ALL_RULES["classic"]
    finished = run(joint_sample(X, codes), rule, min_margin=0.5)
    first = run(joint_sample(X, codes), rule, clock=Clock(Limits(4)))
    T, t = finished.n_updates, first.n_updates
    late = (T * finished.averaged - _padded(t * first.averaged, finished.averaged)) / (T - t)
    np.testing.assert_allclose(finished.averaged_tail, late, rtol=1e-9, atol=1e-12)
    assert np.abs(finished.averaged_tail - finished.averaged).max() > 1e-3


def _padded(short, like):
    out = np.zeros(len(like))
    out[: len(short)] = short
    return out


def test_cheap_passes_can_be_left_out(monkeypatch):
    X, codes = clouds(3, n_classes=5, n=200, spread=0.3)
    rule, limits = ALL_RULES["classic"], Limits(max_iter=30)
    usual = run(joint_sample(X, codes), rule, clock=Clock(limits))
    without = run(joint_sample(X, codes), rule, clock=Clock(limits), cheap=False)
    assert without.n_updates < usual.n_updates
    monkeypatch.setattr(JointSample, "habits", Habits(eagerness=0.0))
    again = run(joint_sample(X, codes), rule, clock=Clock(limits))
    np.testing.assert_array_equal(again.memory.w, without.memory.w)
