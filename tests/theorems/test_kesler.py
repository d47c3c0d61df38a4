"""Many classes by Kesler's construction: every rule keeps its promises on the virtual rows.

These are divided by sqrt(2), so that the theorems hold with the norms of the examples. With
intercepts MinOver steps on cycles of classes, and needs no lift.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.compiled.mean_cycle import least_mean_cycle
from novikoff.compiled.step import MISTAKES
from novikoff.run import run
from novikoff.theory import mistake_bound
from tests.sample.kesler import cycles, joint_sample, vector, virtual_rows
from tests.theorems.optimum import margin_along, optimum
from tests.theorems.problems import SEEDS
from tests.theorems.promises import assert_at_most, assert_margin
from tests.theorems.rule_sets import ALL_RULES
from tests.theorems.runs import DECIDED, mostly_decided, settle, settled_weights


def corners(seed, *, n_classes=3, per_class=3, d=3, spread=0.2):
    """Examples around orthogonal points, in the unit ball with every lift: separable jointly."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(n_classes), per_class))
    points = np.linalg.qr(rng.standard_normal((max(d, n_classes), n_classes)))[0].T
    X = points[codes] + spread * rng.uniform(-1.0, 1.0, (len(codes), points.shape[1]))
    return 0.25 * X / np.linalg.norm(X, axis=1).max(), codes


@pytest.mark.parametrize("name", ALL_RULES)
@mostly_decided
@settings(max_examples=15)
@given(
    seed=SEEDS,
    n_classes=st.integers(3, 5),
    affine=st.booleans(),
    soft=st.sampled_from([0.0, 0.0, 0.1]),
)
def test_bounds(name, seed, n_classes, affine, soft):
    rule = ALL_RULES[name]
    X, codes = corners(seed, n_classes=n_classes)
    sample = joint_sample(X, codes, affine=affine, slack2=soft**2)
    finished = settle(sample, rule)
    if finished is None or (rule.pick == "worst" and affine):
        # With intercepts MinOver needs no lift: the next test.
        return
    Z, _ = virtual_rows(sample, X)
    R, eps = np.linalg.norm(Z, axis=1).max(), optimum(Z).upper
    assert sample.lifted_radius == pytest.approx(R)
    margin = margin_along(Z, vector(finished, settled_weights(finished)))
    updates, least = rule.update_bound(R, eps), rule.margin_bound(R, eps)
    if updates is not None:
        assert_at_most(finished.n_updates, updates)
    if least is not None:
        assert_margin(margin, least, R)
    assert margin > 0.0
    assert finished.bounds.upper >= eps * (1 - 1e-9) or affine


@given(seed=SEEDS)
@settings(max_examples=30)
def test_min_over_with_intercepts(seed):
    """Its bounds enclose the best margin over all intercepts, which cycles of classes make."""
    rule = ALL_RULES["min-over"]
    X, codes = corners(seed, per_class=2)
    sample = joint_sample(X + 3.0, codes)
    finished = run(sample, rule)
    assert finished.status in DECIDED
    Z, owners = virtual_rows(joint_sample(X, codes, affine=False), X)
    best = optimum(cycles(Z, owners, codes)).upper
    assert finished.bounds.lower <= best * (1 + 1e-9)
    assert finished.bounds.upper >= best * (1 - 1e-9)
    assert finished.bounds.lower >= (1 - rule.accuracy) * best * (1 - 1e-9)
    coef, intercept, _ = finished.hyperplane(finished.best)
    scores = (X + 3.0) @ coef.T + intercept
    own = scores[np.arange(len(codes)), codes].copy()
    scores[np.arange(len(codes)), codes] = -np.inf
    reached = (own - scores.max(axis=1)).min() / (np.sqrt(2.0) * np.linalg.norm(coef))
    assert reached == pytest.approx(finished.bounds.lower, rel=1e-9)


@given(seed=SEEDS, rounds=st.integers(1, 80))
def test_mistakes_on_any_sequence(seed, rounds):
    """At most ``(R / eps)^2`` on any sequence, with repetitions and whatever class comes next."""
    X, codes = corners(seed)
    sample, rule = joint_sample(X, codes, affine=False), ALL_RULES["classic"].specification(1.0)
    memory = sample.memory(rule)
    sequence = np.random.default_rng(seed).integers(len(X), size=rounds)
    for i in sequence:
        sample.sweep(np.array([i]), rule, memory)
    Z, owners = virtual_rows(sample, X)
    shown = Z[[i in sequence for i, _ in owners]]
    R, gamma = np.linalg.norm(shown, axis=1).max(), optimum(shown).upper
    assert_at_most(memory.state[MISTAKES], mistake_bound(R, gamma))


@given(seed=SEEDS, n=st.integers(2, 7), whole=st.booleans())
def test_the_cycle_of_least_mean(seed, n, whole):
    """No cycle has a smaller mean, which the potentials prove."""
    lengths = np.random.default_rng(seed).standard_normal((n, n))
    lengths = np.rint(2 * lengths) if whole else lengths
    nodes, potentials = np.empty(n + 1, dtype=np.int64), np.empty(n)
    count, mean = least_mean_cycle(lengths, nodes, potentials)
    cycle = nodes[:count]
    assert len(set(cycle.tolist())) == count >= 2
    assert cycle[0] == cycle.max()
    assert lengths[cycle, np.roll(cycle, -1)].mean() == pytest.approx(mean, abs=1e-12)
    spare = lengths + potentials[:, None] - potentials - mean
    assert spare[~np.eye(n, dtype=bool)].min() >= -1e-12
    assert potentials.sum() == pytest.approx(0.0, abs=1e-12)
