"""The one compiled step: thresholds, lengths, the bookkeeping of the state."""

import math

import numpy as np
import pytest

from novikoff.compiled.step import (
    ALONG,
    LARGEST_GROWTH,
    LEAST,
    LONGEST2,
    MISTAKES,
    NORM2,
    OFFSET,
    SCALE,
    SHRINK,
    SMALLEST_SHRINK,
    STATE_SIZE,
    THRESHOLD,
    UPDATES,
    WEIGHT,
    Frame,
    Specification,
    advance,
    length,
    rescale,
    safe_updates,
    start,
    threshold,
)


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
    assert length(Specification(), state, 0.0, 5.0) == 1.0
    aggressive = Specification(aggressive=True)
    assert length(aggressive, state, -1.0, 4.0) == 0.5
    assert length(aggressive._replace(cap=0.3), state, -1.0, 4.0) == 0.3
    assert length(aggressive._replace(ridge=4.0), state, -1.0, 4.0) == 0.25
    assert length(aggressive, state, 0.0, 0.0) == 1.0
    assert length(Specification(push=6.0), state, 0.0, 1.0) == pytest.approx(6.0 / (0.25 * 3.0))


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
    rule = Specification(cooling=1.0, push=1.0)
    state = start(rule)
    advance(rule, state, 0.0, 1.0, 0.5)
    assert state[SHRINK] == 1.0
    advance(rule, state, 0.0, 1.0, 4.0)
    assert state[SHRINK] == pytest.approx(1.0 / math.sqrt(0.25 + 16.0))


def test_how_many_updates_are_safe():
    """Until the product of the growth factors could exceed what is left of float64's range."""
    rule, state = Specification(cooling=1.0, push=1.0), start(Specification())
    assert safe_updates(Specification(), Frame(), state) == math.inf
    for weight in (1.0, 100.0):
        for t in (0.0, 50.0, 1e6):
            state[UPDATES] = t
            safe = safe_updates(rule, Frame(weight_positive=weight), state)
            assert safe >= 1.0
            k = t + 1.0 + np.arange(min(safe, 10_000.0))
            bits = np.log2(1.0 + weight * np.sqrt(2.0 / k)).sum()
            assert bits <= math.log2(LARGEST_GROWTH)
    state[UPDATES] = 0.0
    assert safe_updates(rule, Frame(weight_negative=1e300), state) == 1.0


def test_an_infinite_length_does_not_divide_by_zero():
    rule = Specification(cooling=1.0, push=1.0)
    state = start(rule)
    advance(rule, state, 0.0, 1e300, 1e10)
    assert state[NORM2] == math.inf
    assert 0.0 < state[SHRINK]
    assert not math.isnan(state[THRESHOLD])


def test_weights_that_grow_are_brought_back():
    state = np.ones(STATE_SIZE)
    assert rescale(state) == 1.0
    np.testing.assert_array_equal(state, np.ones(STATE_SIZE))
    state[SHRINK] = SMALLEST_SHRINK / 2
    state[[WEIGHT, OFFSET, ALONG]] = 3.0 / SMALLEST_SHRINK
    state[NORM2] = (2.0 / SMALLEST_SHRINK) ** 2
    assert rescale(state) == SMALLEST_SHRINK
    assert state[[WEIGHT, OFFSET, ALONG]].tolist() == [3.0, 3.0, 3.0]
    assert (state[NORM2], state[SHRINK]) == (4.0, 0.5)
    # The vector in the ball, shrink * w, has not moved.
    assert state[UPDATES] == 1.0
