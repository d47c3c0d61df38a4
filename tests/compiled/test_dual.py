"""A sweep of dual coordinate descent against the same in plain numpy."""

import numpy as np
import pytest

from novikoff.compiled.dual import ALONG, OFFSET, SIZE, STEPS, TOTAL, WORST, Terms, sweep
from tests.compiled.problems import KINDS, rows_of


def plain_sweep(X, order, signs, centre, slack2, pull, estimate, bound, weights):
    """Minimise over one weight after another; the formulas of the augmented dual, unshortened."""
    Z = X - centre
    kept, worst, steps = [], 0.0, 0
    for i in order:
        w, total = (weights * signs) @ Z, float(weights @ signs)
        slope = signs[i] * (Z[i] @ w + estimate + pull * total) + slack2[i] * weights[i] - 1.0
        if weights[i] == 0.0 and slope > bound:
            continue
        kept.append(i)
        if weights[i] == 0.0 and slope >= 0.0:
            continue
        worst = max(worst, abs(slope))
        weight = max(0.0, weights[i] - slope / (Z[i] @ Z[i] + pull + slack2[i]))
        steps += weight != weights[i]
        weights[i] = weight
    return kept, worst, steps


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bound", [np.inf, 0.5, -1.0])
@pytest.mark.parametrize("slack", [0.0, 0.7])
def test_sweeps(kind, bound, slack):
    rows, X = rows_of(kind)
    n = len(X)
    rng = np.random.default_rng(0)
    signs = rng.choice(np.array([-1, 1], dtype=np.int8), n)
    centre, slack2 = X.mean(axis=0), np.full(n, slack)
    pull, estimate = 0.03 * ((X - centre) ** 2).sum(axis=1).mean(), 0.2
    weights = np.where(rng.uniform(size=n) < 0.3, rng.uniform(0.0, 0.1, n), 0.0)
    expected = weights.copy()
    w, total = (weights * signs) @ X, float(weights @ signs)
    state = np.zeros(SIZE)
    state[TOTAL], state[OFFSET], state[ALONG] = total, estimate + pull * total, w @ centre
    terms = Terms(
        signs,
        (X - centre) @ centre,
        slack2,
        ((X - centre) ** 2).sum(axis=1) + pull + slack2,
        float(centre @ centre),
        pull,
    )
    order = rng.permutation(n)
    for _ in range(3):
        state[WORST] = state[STEPS] = 0.0
        visited = order.copy()
        left = sweep(rows, visited, terms, bound, weights, w, state)
        kept, worst, steps = plain_sweep(
            X, order, signs, centre, slack2, pull, estimate, bound, expected
        )
        assert visited[:left].tolist() == kept
        np.testing.assert_allclose(weights, expected, rtol=1e-9, atol=1e-12)
        assert state[WORST] == pytest.approx(worst)
        assert state[STEPS] == steps
        order = visited[:left].copy()
    np.testing.assert_allclose(w, (weights * signs) @ X, rtol=1e-9, atol=1e-10)
    assert state[TOTAL] == pytest.approx(weights @ signs)
    assert state[OFFSET] == pytest.approx(estimate + pull * (weights @ signs))
    assert state[ALONG] == pytest.approx(w @ centre)


def test_the_worst_of_several_sweeps_is_kept():
    rows, X = rows_of("float64")
    n, d = X.shape
    terms = Terms(np.ones(n, np.int8), np.zeros(n), np.zeros(n), (X**2).sum(axis=1), 0.0, 0.0)
    state = np.zeros(SIZE)
    state[WORST] = 7.0
    sweep(rows, np.arange(n), terms, np.inf, np.zeros(n), np.zeros(d), state)
    assert state[WORST] == 7.0
