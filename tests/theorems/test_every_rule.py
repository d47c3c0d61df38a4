"""Each rule's own ``update_bound`` and ``margin_bound`` against what runs do.

In the homogeneous case, with an intercept (centre and lift) and with a soft margin: the rules see
lifted examples, and what is proved is proved of these. With an intercept MinOver sees differences,
and makes two updates for each.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.sample import Sample, storage_of
from tests.sample.lift import lifted_examples
from tests.theorems.optimum import differences, margin_along, optimum
from tests.theorems.problems import SEEDS, affine_problems, noisy_problems, orders, problems
from tests.theorems.promises import assert_at_most, assert_margin
from tests.theorems.rule_sets import ALL_RULES, WITH_A_SCALE, scaled_for
from tests.theorems.runs import mostly_decided, settle, settled_weights


@st.composite
def frames(draw):
    """A problem and how to read it: through the origin, with an intercept, or with slack."""
    kind = draw(st.sampled_from(["homogeneous", "affine", "soft", "soft affine"]))
    if kind == "homogeneous":
        return draw(problems(least=0.25)), {"affine": False}
    if kind == "affine":
        return draw(affine_problems(least=0.5)), {"affine": True}
    problem = draw(noisy_problems())
    share = draw(st.floats(0.7, 2.0))
    return problem, {"affine": kind == "soft affine", "slack2": (share * problem.R) ** 2}


@pytest.mark.parametrize("name", ALL_RULES)
@mostly_decided
@given(frame=frames(), seed=SEEDS)
def test_bounds(name, frame, seed):
    rule = ALL_RULES[name]
    problem, how = frame
    problem, how = scaled_for(name, problem, order=orders(len(problem.y), seed), **how)
    sample = Sample.of(storage_of(problem.X), problem.y, **how)
    finished = settle(sample, rule)
    if finished is None:
        return
    Z = lifted_examples(sample, problem.X)
    assert sample.lifted_radius == pytest.approx(np.linalg.norm(Z, axis=1).max())
    w, at_once = settled_weights(finished) @ Z, 1
    if rule.pick == "worst" and sample.affine:
        Z, at_once = differences(Z, sample.signs), 2
    R, eps = np.linalg.norm(Z, axis=1).max(), optimum(Z).upper
    margin = margin_along(Z, w)
    updates, least = rule.update_bound(R, eps), rule.margin_bound(R, eps)
    if updates is not None:
        assert_at_most(finished.n_updates / at_once, updates)
    if least is not None:
        assert_margin(margin, least, R)
    assert margin > 0.0


PROVED = {
    "classic": (True, False),
    "pa-1": (False, False),
    "pa-2": (False, False),
    "alma": (False, False),
}


@pytest.mark.parametrize("name", ALL_RULES)
@given(R=st.floats(0.01, 1.0), share=st.floats(0.05, 1.0), less=st.floats(0.1, 1.0))
def test_bounds_are_numbers_that_grow_the_right_way(name, R, share, less):
    """Where a bound is proved it is finite, and a smaller margin never promises more."""
    rule, eps = ALL_RULES[name], share * R
    proved = PROVED.get(name, (True, True))
    updates, margin = rule.update_bound(R, eps), rule.margin_bound(R, eps)
    assert (updates is not None, margin is not None) == proved
    if updates is not None:
        assert 1 <= updates * (1 + 1e-9) < np.inf
        assert rule.update_bound(R, less * eps) >= updates * (1 - 1e-9)
    if margin is not None:
        assert margin <= eps * (1 + 1e-9)


@pytest.mark.parametrize("name", [name for name in ALL_RULES if name not in WITH_A_SCALE])
@mostly_decided
@given(problem=problems(least=0.25), exponent=st.integers(-20, 20))
def test_scale_changes_nothing(name, problem, exponent):
    """Data times a power of two: the same updates, and weights that differ by one factor."""
    plain = settle(problem.sample(), ALL_RULES[name])
    scaled = settle(problem.scaled(2.0**exponent).sample(), ALL_RULES[name])
    if plain is None or scaled is None:
        return
    assert plain.n_updates == scaled.n_updates
    factor = 1.0 if plain.rule.unit_steps else plain.weights.max() / scaled.weights.max()
    np.testing.assert_array_equal(plain.weights, scaled.weights * factor)
