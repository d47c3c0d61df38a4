"""ALMA (Gentile, 2001): ``(1 - a)`` of the optimum margin.

The theorem is the literature's and its constants are not restated by the library, which offers no
bound as a number. What is tested is what runs are seen to do: at exit the margin is at least
``(1 - a) eps*``, and the weights stay a combination of the examples that gives an upper bound.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.compiled.step import SHRINK
from tests.theorems.optimum import margin_of
from tests.theorems.problems import SEEDS, orders, problems
from tests.theorems.promises import assert_margin
from tests.theorems.runs import PICKS, choose, mostly_decided, settle


@mostly_decided
@given(problem=problems(least=0.2), a=st.floats(0.15, 0.95), seed=SEEDS)
def test_margin(problem, a, seed):
    rule = rules.Alma(a=a)
    finished = settle(problem.sample(order=orders(len(problem.y), seed)), rule)
    if finished is None:
        return
    margin = margin_of(problem.Z, finished.weights)
    assert_margin(margin, (1 - a) * problem.eps, problem.R)
    assert rule.update_bound(problem.R, problem.eps) is None
    assert rule.margin_bound(problem.R, problem.eps) is None


@mostly_decided
@given(problem=problems(least=0.4), a=st.floats(0.4, 0.95), pick=st.sampled_from(list(PICKS)))
def test_the_published_loop_step_by_step(problem, a, pick):
    """The rule keeps w unscaled and a factor beside it; the published loop rescales w itself."""
    Z, w, k = problem.Z / problem.R, np.zeros(problem.X.shape[1]), 1

    def watch(memory, i):
        nonlocal w, k
        assert Z[i] @ w <= (1 - a) * np.sqrt(8) / a / np.sqrt(k) + 1e-9
        w = w + np.sqrt(2 / k) * Z[i]
        w /= max(1.0, np.linalg.norm(w))
        k += 1
        np.testing.assert_allclose(memory.w * memory.state[SHRINK], w, atol=1e-9)

    memory = choose(problem.sample(), rules.Alma(a=a), pick, watch=watch)
    if memory is not None:
        assert (Z @ w).min() > (1 - a) * np.sqrt(8) / a / np.sqrt(k) - 1e-9
        upper = np.linalg.norm(memory.weights @ problem.Z) / memory.weights.sum()
        assert upper >= problem.eps * (1 - 1e-9)
