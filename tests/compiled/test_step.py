"""The one compiled step: thresholds, lengths, the bookkeeping of the state."""

import math

import pytest

from novikoff.certificate.kernels import njit
from novikoff.compiled.step import (
    LEAST,
    LONGEST2,
    MISTAKES,
    NORM2,
    SCALE,
    SHRINK,
    STATE_SIZE,
    THRESHOLD,
    UPDATES,
    WEIGHT,
    Specification,
    start,
    threshold,
    threshold_at,
)
from novikoff.compiled.step import advance as compiled_advance


@njit()
def advance(rule, state, margin, norm2, factor):
    """Take a step as the sweeps do; only compiled code can call its parts."""
    tau = compiled_advance(rule, state, margin, norm2, factor)
    state[THRESHOLD] = threshold_at(rule, state)
    return tau


def test_the_state_at_the_start():
    state = start(Specification(scale=2.0, constant=3.0))
    assert state.shape == (STATE_SIZE,)
    assert (state[SCALE], state[SHRINK], state[LEAST]) == (2.0, 1.0, math.inf)
    assert state[THRESHOLD] == 6.0
    # A scale-free rule has no scale yet; an infinite level times it must not be NaN.
    assert start(Specification(constant=math.inf))[THRESHOLD] == 0.0


def test_every_term_of_the_threshold():
    state = start(Specification())
    state[[UPDATES, WEIGHT, SCALE, NORM2, SHRINK]] = 3.0, 4.0, 2.0, 10.0, 0.5
    assert threshold(Specification(), state) == 0.0
    assert threshold(Specification(constant=1.5), state) == 3.0
    grown = threshold(Specification(growth=2.0, alpha=1.5), state)
    assert grown == pytest.approx(2.0 * (4**1.5 - 3**1.5 - 1))
    assert threshold(Specification(dynamic=0.8), state) == pytest.approx(0.8 * 10.0 / 4.0)
    assert threshold(Specification(cooling=3.0), state) == pytest.approx(3.0 / (0.5 * 2.0))


def test_lengths_of_steps():
    state = start(Specification())
    state[[UPDATES, SHRINK]] = 8.0, 0.25

    def length_of(rule, margin, norm2, factor=1.0):
        return advance(rule, state.copy(), margin, norm2, factor)

    assert length_of(Specification(), 0.0, 5.0) == 1.0
    assert length_of(Specification(), 0.0, 5.0, factor=3.0) == 3.0
    aggressive = Specification(aggressive=True)
    assert length_of(aggressive, -1.0, 4.0) == 0.5
    assert length_of(aggressive._replace(cap=0.3), -1.0, 4.0) == 0.3
    assert length_of(aggressive._replace(ridge=4.0), -1.0, 4.0) == 0.25
    assert length_of(aggressive, 0.0, 0.0) == 1.0
    assert length_of(Specification(push=6.0), 0.0, 1.0) == pytest.approx(6.0 / (0.25 * 3.0))


def test_the_state_after_a_step():
    rule = Specification(patience=4.0, constant=4.0)
    state = start(rule)
    # (margin, |z|^2, step): w = 2 z_1, then w + z_2 with z_2 . w = -1, then w + z_3 with 3.
    advance(rule, state, 0.0, 2.0, 2.0)
    assert (state[UPDATES], state[WEIGHT], state[NORM2], state[MISTAKES]) == (1.0, 2.0, 8.0, 1.0)
    assert (state[LONGEST2], state[SCALE], state[THRESHOLD]) == (2.0, 2.0, 8.0)
    advance(rule, state, -1.0, 8.0, 1.0)
    assert (state[UPDATES], state[WEIGHT], state[NORM2], state[MISTAKES]) == (2.0, 3.0, 14.0, 2.0)
    # Four times as much does not change the scale yet; more does.
    assert (state[LONGEST2], state[SCALE], state[THRESHOLD]) == (8.0, 2.0, 8.0)
    advance(rule, state, 3.0, 8.5, 1.0)
    assert (state[LONGEST2], state[SCALE], state[THRESHOLD]) == (8.5, 8.5, 34.0)
    assert state[MISTAKES] == 2.0


def test_the_vector_is_brought_into_the_unit_ball():
    rule = Specification(cooling=1.0)
    state = start(rule)
    advance(rule, state, 0.0, 1.0, 0.5)
    assert state[SHRINK] == 1.0
    advance(rule, state, 0.0, 1.0, 4.0)
    assert state[SHRINK] == pytest.approx(1.0 / math.sqrt(0.25 + 16.0))


def test_an_infinite_length_does_not_divide_by_zero():
    rule = Specification(cooling=1.0)
    state = start(rule)
    advance(rule, state, 0.0, 1e300, 1e10)
    assert state[NORM2] == math.inf
    assert 0.0 < state[SHRINK]
    assert not math.isnan(state[THRESHOLD])
