"""Wolfe's method goes first on wide dense data that few examples carry."""

import numpy as np
import pytest

from novikoff.certificate import Status
from novikoff.maxmargin import soft_margin
from novikoff.maxmargin.choose.settings import CHOOSE, ChooseSettings
from tests.maxmargin.problems import clock_of, problem_of

WITHOUT = ChooseSettings(most_mistaken=-1.0)


def apart(n, d, rank, seed=0):
    """Two clouds at some distance, in a subspace of this dimension."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    factors = rng.normal(size=(n, rank))
    factors[:, 0] += 3.0 * y
    return factors @ rng.normal(size=(rank, d)) / np.sqrt(d), y


def soft(X, y, C, *, clock, settings=CHOOSE, affine=True):
    return soft_margin(problem_of(X, y, C, affine=affine), tol=1e-3, clock=clock, settings=settings)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("n", [600, 1300])
def test_few_passes_where_few_examples_carry_the_optimum(n, C, affine):
    X, y = apart(n, 520, 20)
    clock, other = clock_of(), clock_of()
    found = soft(X, y, C, clock=clock, affine=affine)
    assert found.solver == "wolfe" and found.status is Status.GAP_REACHED and found.gap <= 1e-3
    without = soft(X, y, C, clock=other, settings=WITHOUT, affine=affine)
    assert without.solver != "wolfe" and clock.passes <= 0.5 * other.passes
    assert found.lower <= without.upper and without.lower <= found.upper


def test_others_follow_where_many_do():
    X, y = apart(1300, 520, 520)
    clock, other = clock_of(), clock_of()
    found = soft(X, y, 1.0, clock=clock)
    without = soft(X, y, 1.0, clock=other, settings=WITHOUT)
    assert found.solver == f"wolfe+{without.solver}" and found.status is Status.GAP_REACHED
    assert clock.passes <= other.passes + 2.0


def test_not_where_the_class_means_err_or_the_passes_are_limited():
    X, y = apart(1300, 520, 20)
    wrong = np.random.default_rng(0).random(len(y)) < 0.3
    assert not soft(X, np.where(wrong, -y, y), 1.0, clock=clock_of()).solver.startswith("wolfe")
    for most in (3, 10, 30):
        clock = clock_of(most)
        found = soft(X, y, 1.0, clock=clock)
        assert clock.passes <= most and found.solver.startswith("wolfe") == (most == 30)


def test_one_class_alone():
    """Hyperplanes through the origin may have all examples on one side."""
    X, _ = apart(1300, 520, 20)
    found = soft(X, np.ones(1300, dtype=int), 1.0, clock=clock_of(), affine=False)
    assert found.status is Status.GAP_REACHED
