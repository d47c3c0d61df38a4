"""The paper's loop in plain Python, and the compiled loop measured against it.

On whole numbers every inner product is exact, so that the two make the same updates one by one. On
real numbers rounding may part them at a tie; there the updates of the compiled loop are replayed.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from novikoff import rules
from novikoff.certificate import Status
from novikoff.compiled.step import SHRINK, THRESHOLD
from novikoff.data import planted
from novikoff.run import Clock, Limits, Update, pick, run, trace
from novikoff.run.bounds import Bounds
from novikoff.run.plain import PlainRun
from novikoff.sample import Sample, storage_of
from tests.data.integers import integers
from tests.rules.all_rules import other_rules, unit_step_rules

SEEDS = st.integers(0, 2**32 - 1)
MOST = 30

# Numbers with few binary digits, so that a rational threshold meets a whole margin exactly or by
# far; irrational ones where margins are fractions, so that they never meet.
EXACT_RULES = unit_step_rules(
    alpha=math.sqrt(2), beta=0.75, absolute=0.25, dynamic=0.5, min_over=0.25
) | other_rules(tolerance=math.sqrt(0.1), C=(math.sqrt(0.02), math.sqrt(2)), a=math.sqrt(0.2))


def read_off(sample, rule, most=MOST):
    """The runs of 1, 2, ... updates of the compiled loop, and what each of them updated on."""
    step = 2 if rule.pick == "worst" and sample.affine else 1
    runs, updates, before = [], [], np.zeros(sample.n_examples)
    for t in range(step, most + 1, step):
        finished = run(sample, rule, clock=Clock(Limits(max_iter=10**6, max_updates=t)))
        if finished.n_updates < t:
            break
        runs.append(finished)
        updates.append(np.flatnonzero(finished.weights != before).tolist())
        before = finished.weights.copy()
    return runs, updates


@pytest.mark.parametrize("name", EXACT_RULES)
@settings(max_examples=20)
@given(
    n=st.integers(2, 12),
    d=st.integers(1, 4),
    seed=SEEDS,
    separable=st.booleans(),
    affine=st.booleans(),
    slack2=st.sampled_from([0.0, 0.0, 0.25, 4.0]),
)
def test_on_whole_numbers_the_compiled_loop_makes_the_same_updates(
    name, n, d, seed, separable, affine, slack2
):
    """With the cheap passes off, in whatever order of visits."""
    rng = np.random.default_rng(seed)
    if separable:
        p = integers(n, d, bound=3, intercept=affine, random_state=seed)
        X, signs = p.X.astype(np.float64), p.y
    else:
        X, signs = rng.integers(-3, 4, size=(n, d)).astype(np.float64), np.arange(n) % 2 * 2 - 1
    assert set(signs) == {-1, 1}
    if name == "infinity":
        # Norms of at most 1 with both lifts; a power of two keeps the sums exact.
        X, slack2 = X / 64.0, slack2 / 64.0**2
    order, rule = rng.permutation(n), EXACT_RULES[name]
    sample = Sample.of(storage_of(X), signs, order=order, affine=affine, slack2=slack2)
    how = dict(fit_intercept=affine, C=0.5 / slack2 if slack2 else math.inf, order=order)
    plain = list(trace(X, signs, rule=rule, max_updates=MOST, **how))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pick, "CHEAP_PASSES", 0)
        runs, updates = read_off(sample, rule)
        whole = run(sample, rule, clock=Clock(Limits(max_iter=10**6, max_updates=MOST)))
    theirs = [sorted(update.examples) for update in plain]
    if rule.pick == "worst":
        # The compiled run also bounds by what was added lately, and may stop before.
        assert whole.status in (Status.GAP_REACHED, Status.MAX_UPDATES)
        assert len(updates) <= len(theirs)
        theirs = theirs[: len(updates)]
    else:
        assert whole.n_updates == len(plain)
        assert whole.status is Status.CONVERGED or len(plain) == MOST
    assert updates == theirs
    for finished, update in zip(runs, plain, strict=False):
        assert update.t == finished.n_updates
        if rule.unit_steps:
            np.testing.assert_array_equal(finished.memory.w, update.w)
            assert finished.hyperplane(finished.weights)[1] == update.intercept


REAL_RULES = unit_step_rules(alpha=1.3, min_over=0.1) | other_rules()


def assert_close(ours, theirs, scale):
    """To within 1e-9 of the sizes of the numbers that both are sums of."""
    if np.isfinite(ours) or np.isfinite(theirs):
        assert abs(ours - theirs) <= 1e-9 * scale, (ours, theirs, scale)
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", REAL_RULES)
@settings(max_examples=15)
@given(
    n=st.integers(2, 40),
    d=st.integers(1, 5),
    share=st.floats(0.02, 0.9),
    seed=SEEDS,
    noisy=st.booleans(),
    affine=st.booleans(),
    slack2=st.sampled_from([0.0, 0.0, 0.02]),
    few=st.sampled_from([pick.FEW, math.inf]),
)
def test_replayed_in_the_plain_loop(name, n, d, share, seed, noisy, affine, slack2, few):
    """Every compiled update is one of the paper's: violated, with the same w, threshold, bounds.

    With cheap passes after every full pass as well, so that their updates are among the first.
    """
    rng, rule = np.random.default_rng(seed), REAL_RULES[name]
    p = planted(n, d, 0.34 * share, radius=0.34, intercept=affine, random_state=seed)
    signs = rng.permutation(np.arange(n) % 2 * 2 - 1) if noisy else p.y
    order = rng.permutation(n)
    how = dict(order=order, affine=affine, slack2=slack2)
    sample, plain = Sample.of(storage_of(p.X), signs, **how), PlainRun(p.X, signs, rule, **how)
    assert sample.lifted_radius == pytest.approx(plain.state.radius, rel=1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pick, "FEW", few)
        runs, updates = read_off(sample, rule)
        end = run(sample, rule, clock=Clock(Limits(max_iter=10**6, max_updates=MOST)))
    for finished, examples in zip(runs, updates, strict=True):
        length = math.sqrt(plain.state.norm2)
        update = plain.update(*examples)
        longest = math.sqrt(max(plain.norms2[i] for i in examples))
        assert update.margin <= update.threshold + 2.0**-40 * longest * length
        check_agreement(finished, plain, update)
    if end.status is Status.CONVERGED:
        assert end.n_updates == plain.state.t
        rounding = 2.0**-40 * np.sqrt(plain.norms2 * plain.state.norm2)
        assert (plain.margins() > rule.threshold(plain.state) - rounding).all()


def check_agreement(finished, plain, update):
    sample, memory = finished.sample, finished.memory
    here, unit = finished.here(), memory.state[SHRINK]
    size = plain.state.total * plain.state.radius
    np.testing.assert_allclose(memory.weights * unit, plain.weights, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(memory.w * unit, update.w, rtol=1e-9, atol=1e-9 * size)
    _, intercept, _ = finished.hyperplane(finished.weights)
    assert_close(intercept * unit, update.intercept, size * max(plain.state.radius, 1.0))
    threshold = memory.state[THRESHOLD] * unit
    if finished.rule.pick == "cyclic":
        assert_close(threshold, finished.rule.threshold(plain.state), max(threshold, size**2))
    # The lower bound, where it is kept: where the iterate separates.
    bounds = Bounds(sample, 0.0)
    bounds.keep(here, finished.worst().least)
    length = here.length(sample) * unit
    if update.lower > 1e-9 * plain.state.radius:
        assert_close(bounds.lower, update.lower, size * plain.state.radius / length)
    quick = here.upper_bound(sample)
    if not sample.affine:
        assert_close(quick, update.upper, plain.state.radius)
        return
    # The loop's quick bound is never below half the distance of the class means.
    assert quick >= update.upper * (1 - 1e-9)
    if update.upper < math.inf and sample.frame.slack2 == 0.0:
        exact = sample.hull_distance(memory.weights, memory.w) / 2
        assert_close(exact, update.upper, plain.state.radius)


def test_the_replayed_order_differs_from_the_plain_one():
    """The loop makes cheap passes on such data, so that its order is not the plain one."""
    p = planted(60, 3, 0.01, intercept=True, random_state=0)
    _, updates = read_off(Sample.of(storage_of(p.X), p.y), rules.Classic(), most=60)
    plain = [list(u.examples) for u in trace(p.X, p.y, rule="classic", max_updates=60)]
    assert updates[:20] == plain[:20]
    assert updates != plain


# The public function ---------------------------------------------------------------------------


def test_bounds_are_what_they_say():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3)) + 5.0
    y = np.where(X @ [1.0, -2.0, 0.5] > -2.0, "yes", "no")
    signs = np.where(y == "yes", 1, -1)
    lowers, uppers = [], []
    for k, update in enumerate(trace(X, y), start=1):
        assert isinstance(update, Update)
        assert update.t == k
        distances = signs * (X @ update.w + update.intercept)
        if update.w.any():
            assert update.lower == pytest.approx(distances.min() / np.linalg.norm(update.w))
        lowers.append(update.lower)
        uppers.append(update.upper)
    assert uppers[0] == math.inf
    assert 0.0 < lowers[-1] <= min(uppers)
    assert max(lowers) <= min(uppers)


def test_iterates_given_out_do_not_move():
    updates = list(trace([[1.0, 0.0], [0.0, 1.0], [1.0, 3.0]], [0, 1, 1], rule="classic"))
    assert len(updates) > 3
    for before, after in pairwise(updates):
        assert before.w is not after.w
    np.testing.assert_array_equal(updates[1].w, [-1.0, 1.0])


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b"],
        [1, 0, 1],
        [True, False, True],
        [2.5, -1.0, 2.5],
        np.array(["b", "a", "b"], dtype=object),
    ],
)
def test_labels_of_every_kind(labels):
    X = [[1.0, 2.0], [0.0, -1.0], [2.0, 0.5]]
    expected = list(trace(X, [1, -1, 1]))
    for ours, theirs in zip(trace(X, labels), expected, strict=True):
        assert ours.examples == theirs.examples
        np.testing.assert_array_equal(ours.w, theirs.w)


def test_the_order_of_visits_is_free():
    X, y = np.array([[0.0], [1.0], [5.0]]), [0, 0, 1]
    assert next(trace(X, y)).examples == (0,)
    assert next(trace(X, y, order=[2, 0, 1])).examples == (2,)
    # Rows may come more than once, or not at all: then nothing is asked of them.
    seen = {i for update in trace(X, y, order=[2, 0, 2, 0]) for i in update.examples}
    assert seen == {0, 2}


def test_limits():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    assert len(list(trace(X, y))) == 1000
    assert len(list(trace(X, y, max_updates=7))) == 7
    assert list(trace(X, y, max_updates=0)) == []
    pairs = list(trace(X, y, rule="min-over", max_updates=7))
    assert [update.t for update in pairs] == [2, 4, 6]
    assert all(len(update.examples) == 2 for update in pairs)


def test_a_finite_C_separates_everything():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    updates = list(trace(X, y, C=1.0))
    assert len(updates) < 1000
    assert updates[-1].lower > 0.0
    assert min(update.upper for update in updates) >= updates[-1].lower


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [0, 1, 2]}, "y must have two classes, and has 3"),
        ({"y": [1, 1, 1]}, "y must have two classes, and has 1"),
        ({"y": [0, 1]}, "inconsistent numbers of samples"),
        ({"y": [0.0, 1.0, np.nan]}, "NaN"),
        ({"y": np.array([0, "a", 1], dtype=object)}, "cannot be compared|two classes"),
        ({"X": [[1.0], [np.inf], [2.0]]}, "infinity"),
        ({"X": [[1.0], [2.0]]}, "inconsistent numbers of samples"),
        ({"X": [1.0, 2.0, 3.0]}, "Expected 2D array"),
        ({"X": [[1e200], [2.0], [3.0]]}, "squares of the features overflow"),
        ({"rule": "clasic"}, "is not a rule; choose one of"),
        ({"rule": rules.ScaleFree(c=-1.0)}, "c=-1.0 must be a number"),
        ({"rule": rules.Infinity()}, "norm at most 1"),
        ({"C": 0.0}, "C=0.0 must be a positive number"),
        ({"C": "1"}, "C='1' must be a positive number"),
        ({"C": math.nan}, "C=nan must be a positive number"),
        ({"max_updates": -1}, "max_updates=-1 must be a whole number"),
        ({"max_updates": 2.5}, "max_updates=2.5 must be a whole number"),
        ({"order": [0, 3]}, "rows that do not exist; there are 3"),
        ({"order": [-1]}, "rows that do not exist"),
        ({"order": []}, "sequence of row numbers"),
        ({"order": [0.5]}, "sequence of row numbers"),
        ({"order": [[0, 1]]}, "sequence of row numbers"),
        ({"order": [0, 1], "rule": "min-over"}, "order must visit examples of both classes"),
    ],
)
def test_bad_input_is_refused_at_once(change, message):
    """Before the first update is asked for."""
    good = {"X": [[1.0], [2.0], [3.0]], "y": [0, 0, 1]}
    with pytest.raises(ValueError, match=message):
        trace(**(good | change))


def test_sparse_matrices_are_refused():
    with pytest.raises(TypeError, match="dense data is required"):
        trace(sparse.csr_matrix(np.eye(2)), [0, 1])
