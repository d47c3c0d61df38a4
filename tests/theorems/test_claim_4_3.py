"""Claim 4.3: sparse strategies in the point-hyperplane game.

After t updates with the threshold R^2 the mean of the vectors used loses at most R sqrt(3 / t);
where the value of the game is eps > 0, the run ends with t >= R^2 / (3 eps^2) and a loss of at most
3 eps, and w / |w| wins at least R / sqrt(3 t).
"""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import PointGame
from novikoff.data import planted
from novikoff.reproduce import reproduce_game

SEEDS = st.integers(0, 10**6)


def game_of(seed, n, d, value):
    p = planted(n, d, value, random_state=seed)
    return PointGame(p.X * p.y[:, None])


@given(SEEDS, st.integers(5, 40), st.integers(2, 5), st.floats(0.05, 0.5))
def test_every_strategy_keeps_the_bound_and_the_last_is_good(seed, n, d, value):
    game = game_of(seed, n, d, value)
    w = np.zeros(d)
    for last in game.play():
        assert len(last.support) <= last.t
        assert last.weights.sum() == pytest.approx(1.0)
        assert last.value <= game.R * sqrt(3 / last.t) * (1 + 1e-9) == last.bound * (1 + 1e-9)
        assert np.allclose(last.weights * last.t, np.rint(last.weights * last.t))
        mean = last.weights @ game.points.array[last.support]
        assert last.value >= np.linalg.norm(mean) * (1 - 1e-12)
        w = last.t * mean
    solution = game.solve(rtol=1e-9)
    eps = solution.value_lower
    assert last.t >= game.R**2 / (3 * solution.value_upper**2) * (1 - 1e-9)
    assert last.value <= 3 * eps * (1 + 1e-6)
    assert game.win(w) >= game.R / sqrt(3 * last.t) * (1 - 1e-9)
    assert game.win(w) <= solution.value_upper


@given(SEEDS, st.integers(2, 20), st.integers(1, 4))
def test_the_value_is_between_what_both_strategies_guarantee(seed, n, d):
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((n, d)) + rng.uniform(0.0, 2.0)
    game = PointGame(V)
    solution = game.solve()
    assert solution.weights.sum() == pytest.approx(1.0) and len(solution.support) <= d + 1
    assert game.loss(solution.support, solution.weights) == pytest.approx(
        solution.value_upper, rel=1e-6, abs=1e-12
    )
    if solution.hyperplane is None:
        assert solution.value_lower == 0.0 and solution.value_upper <= 1e-11
    else:
        assert game.win(solution.hyperplane) == pytest.approx(solution.value_lower, rel=1e-9)
        assert solution.value_upper - solution.value_lower <= 1e-6 * solution.value_upper
    proved = solution.verify()
    assert solution.value_lower <= proved.lower <= proved.upper <= solution.value_upper


def test_a_game_of_value_zero_goes_on_and_its_losses_vanish():
    game = PointGame([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    strategies = list(game.play(max_steps=400))
    assert len(strategies) == 400
    assert strategies[-1].value <= sqrt(3 / 400) and strategies[-1].value < strategies[0].value
    assert game.solve().value_upper == 0.0


def test_a_vector_that_is_zero():
    assert PointGame([[0.0, 0.0], [1.0, 0.0]]).solve().value_upper == 0.0
    assert list(PointGame(np.zeros((2, 2))).play()) == []


def test_the_game_needs_dense_vectors():
    from scipy import sparse

    with pytest.raises(ValueError, match="dense"):
        PointGame(sparse.csr_matrix(np.eye(2)))
    assert PointGame(np.eye(2)).win([0.0, 0.0]) == -np.inf


def test_the_constant_goes_to_one_with_other_rules():
    rows = reproduce_game(random_state=2)
    assert all(row.holds for row in rows)
    combined = [row.measured for row in rows if "combined" in row.theorem]
    minover = [row.measured for row in rows if "MinOver" in row.theorem]
    assert combined == sorted(combined, reverse=True) and 1.0 <= combined[-1] < 1.4
    assert minover == sorted(minover, reverse=True) and 1.0 <= minover[-1] < 1.03


def test_a_run_cut_short_decides_nothing():
    rows = reproduce_game(random_state=2, max_updates=10)
    undecided = [row for row in rows if row.holds is None]
    assert undecided and all("Claim" not in row.theorem for row in undecided)


def test_what_a_losing_hyperplane_wins_is_rounded_down():
    rng = np.random.default_rng(5)
    for _ in range(200):
        V, u = rng.standard_normal((4, 3)), rng.standard_normal(3)
        exact = [sum(Fraction(a) * Fraction(b) for a, b in zip(v, u, strict=True)) for v in V]
        norm2 = sum(Fraction(a) ** 2 for a in u)
        win = Fraction(PointGame(V).win(u))
        # least / |u| >= win, where both are negative.
        least = min(exact)
        if least < 0:
            assert win < 0 and least**2 <= win**2 * norm2
