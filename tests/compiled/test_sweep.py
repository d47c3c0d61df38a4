"""The compiled passes on examples that are written out by hand."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.compiled.rows import CSR
from novikoff.compiled.step import (
    ALONG,
    FINITE,
    LEAST,
    NORM2,
    OFFSET,
    RESCALED,
    SHRINK,
    SMALLEST_SHRINK,
    THRESHOLD,
    UPDATES,
    WEIGHT,
    Frame,
    Specification,
    start,
    threshold,
)
from novikoff.compiled.sweep import Examples, Memory, combine, margins, sweep

X = np.array([[2.0, 0.0], [0.0, 1.0], [3.0, 3.0], [-1.0, 2.0]])
SIGNS = np.array([1, -1, 1, -1], dtype=np.int8)
CENTRE = np.array([1.0, 0.0])
NOTHING = np.zeros(0)
FRAME = Frame(lift2=4.0, slack2=0.5, weight_negative=1.0, weight_positive=2.0)


def csr(rows):
    made = sparse.csr_matrix(rows)
    return CSR(made.data, made.indices, made.indptr)


def examples(kind=np.asarray, centre=CENTRE, frame=FRAME, measured=True, own=(NOTHING, NOTHING)):
    norms2 = ((X - centre) ** 2).sum(axis=1) if measured else np.full(4, -1.0)
    return Examples(kind(X), SIGNS, norms2, centre, np.flatnonzero(centre), frame, *own)


def memory(rule):
    return Memory(np.zeros(4), np.zeros(4), np.zeros(2), start(rule))


def swept(rule, here, order, *, nearness=0.0, most=np.inf, **how):
    near = np.full(len(order), -1)
    _, visited, found = sweep(examples(**how), np.array(order), rule, here, near, nearness, most, 1)
    return visited, near[:found].tolist()


@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, csr])
def test_updating_on_an_example(kind, measured):
    """One step on a positive example, weighted by its class, and one on a negative one."""
    rule = Specification()
    here = memory(rule)
    swept(rule, here, [2], kind=kind, measured=measured)
    np.testing.assert_array_equal(here.w, 2.0 * (X[2] - CENTRE))
    swept(rule, here, [1], kind=kind, measured=measured)
    w = 2.0 * (X[2] - CENTRE) - (X[1] - CENTRE)
    np.testing.assert_array_equal(here.w, w)
    assert here.weights.tolist() == [0.0, 1.0, 2.0, 0.0]
    # Each step times the number of updates before it.
    assert here.stamps.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert here.state[OFFSET] == 4.0 * (2.0 - 1.0)
    assert here.state[ALONG] == w @ CENTRE
    norms2 = (X[2] - CENTRE) @ (X[2] - CENTRE) + 4.5, (X[1] - CENTRE) @ (X[1] - CENTRE) + 4.5
    # At the second step z . w = -((-1, 1) . (4, 6) + 8).
    assert here.state[NORM2] == 4.0 * norms2[0] + (2.0 * -10.0 + norms2[1])


def test_an_example_with_a_share_of_a_step():
    """Its own factor multiplies that of its class, and its slack is its own."""
    rule = Specification()
    here = memory(rule)
    shares, slacks2 = np.array([1.0, 1.0, 0.25, 1.0]), np.array([0.5, 0.5, 2.0, 0.5])
    swept(rule, here, [2], own=(shares, slacks2))
    np.testing.assert_array_equal(here.w, 0.5 * (X[2] - CENTRE))
    assert here.weights[2] == 0.5
    norm2 = ((X[2] - CENTRE) ** 2).sum() + FRAME.lift2 + 2.0
    assert here.state[NORM2] == 0.25 * norm2
    here.state[LEAST] = np.inf
    swept(rule, here, [2], nearness=1.0, own=(shares, slacks2))
    assert here.state[LEAST] == 0.5 * norm2


@pytest.mark.parametrize("kind", [np.asarray, csr])
def test_margins_and_combinations(kind):
    here = memory(Specification())
    here.w[:], here.weights[:] = (1.0, -2.0), (1.0, 0.0, 3.0, 0.0)
    order, out = np.array([3, 0, 2]), np.empty(3)
    along = here.w @ CENTRE
    margins(kind(X), SIGNS, order, here.w, (along, 5.0), out)
    true = SIGNS * ((X - CENTRE) @ here.w + 5.0)
    np.testing.assert_array_equal(out, true[order])
    w = np.array([10.0, 20.0])
    combine(kind(X), order, np.array([1.0, -2.0, 0.5]), CENTRE, np.flatnonzero(CENTRE), w)
    coefficients = np.array([-2.0, 0.0, 0.5, 1.0])
    np.testing.assert_array_equal(w, [10.0, 20.0] + coefficients @ (X - CENTRE))


def test_a_sweep_stops_at_the_most_updates():
    rule = Specification(scale=1.0, patience=np.inf, constant=np.inf)
    here = memory(rule)
    assert swept(rule, here, [2, 0, 3, 1], most=2.0) == (2, [2, 0])
    assert here.state[UPDATES] == 2.0
    # Nothing is left to do without an update, but nothing was visited either.
    assert swept(rule, here, [3, 1], most=2.0) == (0, [])
    assert swept(rule, here, [3, 1]) == (2, [3, 1])


def test_near_ones_are_collected_and_not_updated_on():
    plain = dict(centre=np.zeros(2), frame=Frame())
    rule = Specification()
    here = memory(rule)
    here.w[:] = (1.0, -1.0)
    here.state[[NORM2, WEIGHT]] = 8.0, 2.0  # |w|^2 / sum a, the mean margin of the support, is 4.
    # Margins 2, 1, 0, 3: the third is violated, the second within half the mean as it was.
    assert swept(rule, here, [1, 2, 0], nearness=0.49, **plain) == (3, [1, 2])
    assert here.weights.tolist() == [0.0, 0.0, 1.0, 0.0]
    assert here.state[LEAST] == 0.0


def test_a_tie_within_rounding_is_a_violation():
    rule = Specification(scale=1.0, patience=np.inf, constant=2.0)
    plain = dict(centre=np.zeros(2), frame=Frame())
    for w, violated in ((1.0, True), (1.0 + 2.0**-51, True), (1.0 + 2.0**-40, False)):
        here = memory(rule)
        here.w[0] = here.state[NORM2] = here.state[WEIGHT] = w
        assert swept(rule, here, [0], nearness=0.5, **plain)[1] == [0]
        assert here.weights[0] == violated


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_show_in_the_state(bad):
    rule = Specification()
    here = memory(rule)
    here.w[:] = (bad, 0.0)
    swept(rule, here, [0, 1], centre=np.zeros(2), frame=Frame())
    assert here.state[FINITE] != 0.0


@pytest.mark.parametrize("kind", [np.asarray, csr])
def test_weights_that_grow_are_brought_back(kind):
    """Weights, vector and state as a whole; the vector in the ball, shrink * w, does not move."""
    rule = Specification(cooling=1.0, push=1.0)
    small, large = memory(rule), memory(rule)
    for array in small[:3]:
        array[:] = np.arange(1.0, 1.0 + len(array))
    small.state[[UPDATES, WEIGHT, NORM2, OFFSET, SHRINK]] = 7.0, 10.0, 5.0, 3.0, 0.25
    small.state[THRESHOLD] = 100.0
    for array, grown in zip(small[:3], large[:3], strict=True):
        grown[:] = array / SMALLEST_SHRINK
    large.state[:] = small.state
    large.state[[WEIGHT, OFFSET, THRESHOLD]] /= SMALLEST_SHRINK
    large.state[NORM2] /= SMALLEST_SHRINK**2
    large.state[SHRINK] *= SMALLEST_SHRINK
    for here in small, large:
        swept(rule, here, [2], kind=kind)
        assert here.state[UPDATES] == 8.0
        # The least margin is that of before the update, in its unit.
        here.state[LEAST] = np.inf
    assert (small.state[RESCALED], large.state[RESCALED]) == (0.0, 1.0)
    large.state[RESCALED] = 0.0
    # The largest norm is one of the data, in the same unit for both.
    for array, brought_back in zip(small, large, strict=True):
        np.testing.assert_array_equal(brought_back, array)
    assert large.state[THRESHOLD] == threshold(rule, large.state)
