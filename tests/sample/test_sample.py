"""The signed, lifted examples against their definition, written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import rules
from novikoff.compiled.step import ALONG, NORM2, OFFSET, UPDATES, WEIGHT
from novikoff.run.plain import PlainRun
from novikoff.sample import Sample, storage, storage_of, visit_order
from tests.estimators.problems import twisted, whole_numbers
from tests.sample.lift import lifted_examples

STORES = {
    "float64": np.array,
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: X.astype(np.uint8),
    "CSR": sparse.csr_matrix,
    "CSR uint8": lambda X: sparse.csr_matrix(X.astype(np.uint8)),
    "F order": np.asfortranarray,
    "int64": lambda X: X.astype(np.int64),
    "CSR twisted": twisted,
}
KINDS = pytest.mark.parametrize("kind", STORES)
HOW = pytest.mark.parametrize("how", [{}, {"affine": False}, {"slack2": 4.0}])


def problem(kind, monkeypatch=None, **how):
    X, y = whole_numbers()
    if monkeypatch is not None:
        monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
        monkeypatch.setattr(storage, "CONVERTED_CHUNK_BYTES", 400)
        monkeypatch.setattr(storage, "CHUNK_BYTES", 90)
    order = visit_order(len(y), X.nbytes, np.random.RandomState(2))
    sample = Sample.of(storage_of(STORES[kind](X)), 2 * y - 1, order=order, **how)
    return X, sample


@KINDS
@HOW
def test_measures(kind, how):
    X, sample = problem(kind, **how)
    Z = lifted_examples(sample, X)
    first = X[sample.order[0]]
    np.testing.assert_array_equal(sample.centre, first if sample.affine else np.zeros(5))
    np.testing.assert_array_equal(sample.norms2, ((X - sample.centre) ** 2).sum(axis=1))
    assert sample.radius == pytest.approx(np.linalg.norm(X - sample.centre, axis=1).max())
    assert sample.lifted_radius == pytest.approx(np.linalg.norm(Z, axis=1).max())
    assert sample.norms2[sample.longest] == sample.norms2.max()
    other = next(i for i in sample.order if sample.signs[i] != sample.signs[sample.order[0]])
    assert sample.frame.lift2 == (sample.norms2[other] if sample.affine else 0.0)
    assert sample.lifting == ((other,) if sample.affine else None)
    assert sample.n_examples == 60


@KINDS
@HOW
@pytest.mark.parametrize("rule", [rules.ScaleFree(), rules.PassiveAggressive(), rules.Classic()])
def test_sweeps_margins_and_models(kind, how, rule, monkeypatch):
    """Against the paper's loop, in chunks of a few rows, whatever the rows."""
    X, sample = problem(kind, monkeypatch, **how)
    Z = lifted_examples(sample, X)
    run = PlainRun(X, sample.signs, rule, order=sample.order, **how)
    specification = rule.specification(sample.lifted_radius)
    memory = sample.memory(specification)
    for _ in range(3):
        chunks = list(sample.chunks(sample.order))
        assert len(chunks) > 1
        np.testing.assert_array_equal(np.concatenate(chunks), sample.order)
        for chunk in chunks:
            passes, visited, near = sample.sweep(chunk, specification, memory, nearness=0.0)
            assert (passes, visited) == (1, len(chunk))
            violated = []
            for i in chunk.tolist():
                if run.margin(i) <= rule.threshold(run.state):
                    run.update(i)
                    violated.append(i)
            assert near.tolist() == violated
        np.testing.assert_allclose(memory.weights, run.weights, rtol=1e-9)
        lifted = run.weights @ Z
        assert memory.state[UPDATES] == run.state.t
        assert memory.state[WEIGHT] == pytest.approx(run.weights.sum())
        assert memory.state[NORM2] == pytest.approx(lifted @ lifted)
        margins = sample.margins(sample.order, memory)
        np.testing.assert_allclose(margins, (Z @ lifted)[sample.order], rtol=1e-9, atol=1e-9)
    signed = memory.weights * sample.signs
    w, offset = sample.combine(memory.weights)
    np.testing.assert_allclose(w, signed @ (X - sample.centre), rtol=1e-9, atol=1e-9)
    assert offset == pytest.approx(sample.frame.lift2 * signed.sum(), abs=1e-9)
    np.testing.assert_allclose(memory.w, w, rtol=1e-9, atol=1e-9)
    assert memory.state[OFFSET] == pytest.approx(offset, abs=1e-9)
    assert memory.state[ALONG] == pytest.approx(w @ sample.centre, abs=1e-9)
    coef, intercept = sample.model(memory.weights)
    shown = (X @ coef + intercept) * sample.signs
    hidden = sample.frame.slack2 * memory.weights
    np.testing.assert_allclose(shown + hidden, Z @ lifted, rtol=1e-9, atol=1e-9)


@KINDS
@HOW
def test_signed_rows_and_reaches(kind, how, monkeypatch):
    """In parts, which for some kinds are converted."""
    X, sample = problem(kind, monkeypatch, **how)
    ids = np.array([7, 3, 31, 30, 59, 0])
    expected = sample.signs[ids, None] * (X[ids] - sample.centre)
    np.testing.assert_array_equal(sample.signed_rows(ids), expected)


@KINDS
def test_one_example_at_a_time(kind, monkeypatch):
    X, sample = problem(kind, monkeypatch)
    Z = lifted_examples(sample, X)
    specification = rules.MinOver().specification(sample.lifted_radius)
    memory = sample.memory(specification)
    w = np.zeros(Z.shape[1])
    for i in (7, 3, 7, 59):
        margin = sample.margins(np.array([i]), memory)[0]
        assert margin == pytest.approx(Z[i] @ w)
        assert sample.sweep(np.array([i]), specification, memory)[:2] == (1, 1)
        w += Z[i]
    assert memory.weights[[7, 3, 59]].tolist() == [2.0, 1.0, 1.0]
    np.testing.assert_array_equal(memory.w, w[:5])


@KINDS
def test_the_most_updates(kind):
    _, sample = problem(kind)
    specification = rules.ScaleFree().specification(sample.lifted_radius)
    memory = sample.memory(specification)
    _, visited, _ = sample.sweep(sample.order, specification, memory, most=2.0)
    assert memory.state[UPDATES] == 2.0
    assert memory.weights.sum() == 2.0
    assert 2 <= visited < 60


@KINDS
@HOW
@pytest.mark.parametrize("rule", [rules.ScaleFree(), rules.PassiveAggressive(), rules.Alma()])
def test_many_passes_in_one_call(kind, how, rule, monkeypatch):
    """The same updates, bit for bit, as one pass at a time; a pass that makes none is the last."""
    _, sample = problem(kind, monkeypatch, **how)
    specification = rule.specification(sample.lifted_radius)
    at_once, singly = sample.memory(specification), sample.memory(specification)
    ids = sample.order[::12]
    passes, visited, _ = sample.sweep(ids, specification, at_once, passes=100)
    assert 1 < passes <= 100
    assert visited == len(ids)
    for k in range(passes):
        before = singly.state[UPDATES]
        assert sample.sweep(ids, specification, singly)[:2] == (1, len(ids))
        assert (singly.state[UPDATES] == before) == (k == passes - 1 < 99)
    for a, b in zip(at_once, singly, strict=True):
        np.testing.assert_array_equal(a, b)
    limited = sample.memory(specification)
    most = at_once.state[UPDATES] - 1.0
    passes, visited, _ = sample.sweep(ids, specification, limited, most=most, passes=100)
    assert limited.state[UPDATES] == most
    assert passes > 1
    assert visited < len(ids)


def test_near_examples():
    """Those whose margin is below the threshold plus a share of the support's mean margin."""
    X, sample = problem("float64")
    Z = lifted_examples(sample, X)
    specification = rules.Classic().specification(sample.lifted_radius)
    memory = sample.memory(specification)
    for _ in range(50):
        sample.sweep(sample.order, specification, memory)
    w = memory.weights @ Z
    assert (Z @ w > 0).all()
    reach = 0.5 * (w @ w) / memory.weights.sum()
    _, _, near = sample.sweep(sample.order, specification, memory, nearness=0.5)
    assert near.tolist() == [i for i in sample.order if Z[i] @ w <= reach]
    assert 0 < len(near) < 60


def test_class_weights_scale_the_steps():
    X, y = whole_numbers()
    rows, signs = storage_of(X), 2 * y - 1
    sample = Sample.of(rows, signs, class_weights=(0.5, 3.0))
    specification = rules.Classic().specification(sample.lifted_radius)
    memory = sample.memory(specification)
    sample.sweep(sample.order, specification, memory)
    used = memory.weights > 0
    np.testing.assert_array_equal(memory.weights[used], np.where(signs > 0, 3.0, 0.5)[used])


def test_relabelled_examples_are_measured_once():
    X, y = whole_numbers()
    sample = Sample.of(storage_of(X), 2 * y - 1)
    signs = np.where(X[:, 0] > 7, 1, -1).astype(np.int8)
    other = sample.relabelled(signs, (1.0, 2.0))
    assert other.norms2 is sample.norms2
    assert other.storage is sample.storage
    assert other.frame.weight_positive == 2.0
    assert sample.frame.weight_positive == 1.0
    assert other.frame.lift2 == sample.norms2[np.argmax(signs != signs[0])]
    given = Sample.of(storage_of(X), 2 * y - 1, lift=3.0)
    assert given.relabelled(signs, (1.0, 1.0)).frame.lift2 == 9.0


def test_a_centre_and_a_lift_of_ones_own():
    """The plain lift (x, c): the theorem's tax where c is small beside R."""
    X = np.array([[999.0], [1001.0]])
    sample = Sample.of(storage_of(X), np.array([1, -1]), centre=np.zeros(1), lift=1.0)
    assert sample.frame.lift2 == 1.0
    assert sample.radius == 1001.0
    np.testing.assert_array_equal(sample.norms2, [999.0**2, 1001.0**2])


@given(
    n=st.integers(2, 30),
    d=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
    affine=st.booleans(),
)
def test_the_distance_of_the_class_means(n, d, seed, affine):
    rng = np.random.default_rng(seed)
    X, signs = rng.standard_normal((n, d)), np.where(np.arange(n) % 2, 1, -1)
    sample = Sample.of(storage_of(X), signs, affine=affine)
    weights = rng.integers(0, 3, size=n).astype(float)
    weights[:2] += 1.0
    w, _ = sample.combine(weights)
    means = [np.average(X[signs == s], axis=0, weights=weights[signs == s]) for s in (1, -1)]
    distance = np.linalg.norm(means[0] - means[1])
    assert sample.hull_distance(weights, w) == pytest.approx(distance, rel=1e-9, abs=1e-12)


@given(
    n=st.integers(1, 20),
    d=st.integers(1, 30),
    density=st.floats(0.0, 1.0),
    shift=st.sampled_from([0.0, 1.0, 1e6, 1e12]),
    seed=st.integers(0, 2**32 - 1),
)
def test_distances_of_sparse_rows_are_those_of_dense_ones(n, d, density, shift, seed):
    """Taken from differences: |x|^2 - 2 x.o + |o|^2 would lose every digit far from the origin."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < density, rng.standard_normal((n, d)) + shift, 0.0)
    if n > 1:
        X[1] = X[0]
        X[1, 0] = X[0, 0] + (1.0 if shift else 0.5)
    dense, csr = (Sample.of(storage_of(A), np.ones(n)) for A in (X, sparse.csr_matrix(X)))
    np.testing.assert_allclose(csr.norms2, dense.norms2, rtol=1e-9)
    np.testing.assert_allclose(dense.norms2, ((X - X[0]) ** 2).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("store", [np.array, sparse.csr_matrix, np.asfortranarray])
def test_equal_examples_are_no_underflow(store):
    """All at one point, or at the origin: a radius of zero is the truth, and the lift is 1."""
    for X in (np.full((5, 3), 7.25), np.zeros((5, 3)), np.full((5, 3), 1e-200)):
        sample = Sample.of(storage_of(store(X)), np.ones(5))
        assert sample.radius == 0.0
        assert sample.frame.lift2 == 1.0
    almost = np.full((5, 3), 1e-200)
    almost[4, 2] = 2e-200
    with pytest.raises(ValueError, match="underflow"):
        Sample.of(storage_of(store(almost)), np.ones(5))
    with pytest.raises(ValueError, match="underflow"):
        Sample.of(storage_of(store(np.full((5, 3), 1e-200))), np.ones(5), affine=False)
    partly = np.zeros((5, 3))
    partly[2, 1] = 1e-300
    with pytest.raises(ValueError, match="underflow"):
        Sample.of(storage_of(store(partly)), np.ones(5))
