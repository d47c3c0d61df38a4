"""The pick rules on searches that are no samples."""

import numpy as np
import pytest

from novikoff.certificate import Status
from novikoff.run import Clock, Limits, Stopped
from novikoff.run.pick import (
    CHEAP_PASSES,
    PASSES_OF_SUPPORT,
    Pace,
    compressing,
    cyclic,
    worst_first,
)


class Scripted:
    """A search whose full passes make the given numbers of updates, with cheap ones after each."""

    pace = Pace()

    def __init__(self, full, cheap=(), n_carriers=30, ends=None):
        self.full, self.cheap, self.n_carriers, self.ends = (
            list(full),
            list(cheap),
            n_carriers,
            ends,
        )
        self.log = []

    def sweep_all(self):
        self.log.append("all")
        return self.full.pop(0)

    def sweep_near(self, passes):
        updates = 1
        while passes > 0 and updates > 0:
            self.log.append("near")
            updates = self.cheap.pop(0) if self.cheap else 0
            passes -= 1

    def judge(self, updates):
        self.log.append(updates)
        if self.ends is not None and len(self.full) == self.ends:
            return Status.NO_SUCH_MARGIN
        return Status.CONVERGED if updates == 0 else None


def test_passes_until_nothing_is_violated():
    search, clock = Scripted([20, 12, 0]), Clock()
    assert cyclic(search, clock) is Status.CONVERGED
    # Many updates: the next full pass comes at once.
    assert search.log == ["all", 20, "all", 12, "all", 0]
    assert clock.passes == 3.0


def test_cheap_passes_once_few_are_violated():
    search, clock = Scripted([20, 9, 0], cheap=[4, 1]), Clock()
    assert cyclic(search, clock) is Status.CONVERGED
    assert search.log == ["all", 20, "all", 9, "near", "near", "near", "all", 0]
    assert clock.passes == 3.0
    endless = Scripted([1, 0], cheap=[1] * 10 * CHEAP_PASSES)
    assert cyclic(endless, Clock()) is Status.CONVERGED
    assert endless.log.count("near") == CHEAP_PASSES


def test_limits_and_other_ends_of_cyclic():
    assert cyclic(Scripted([20] * 9), Clock(Limits(max_iter=4))) is Status.MAX_ITER
    search = Scripted([20] * 9)
    assert cyclic(search, Clock(Limits(max_iter=0))) is Status.MAX_ITER
    assert search.log == []
    assert cyclic(Scripted([20] * 9, ends=5), Clock()) is Status.NO_SUCH_MARGIN


class Disc:
    """MinOver on a convex body that is only known by its extreme points: a disc off the origin."""

    def __init__(self, centre, radius, accuracy, clock):
        self.centre, self.radius, self.accuracy = np.array(centre), radius, accuracy
        self.clock, self.w, self.lower, self.upper = clock, np.zeros(2), 0.0, np.inf

    def find_worst(self):
        length = np.linalg.norm(self.w)
        self.worst = self.centre - (self.radius * self.w / length if length else 0.0)

    def judge_worst(self):
        if self.clock.updates == 0:
            return None
        length = np.linalg.norm(self.w)
        self.lower = max(self.lower, self.worst @ self.w / length)
        self.upper = min(self.upper, length / self.clock.updates)
        self.clock.report(0, self.lower, self.upper)
        done = self.lower >= (1 - self.accuracy) * self.upper
        return Status.GAP_REACHED if done else None

    def step_on_worst(self):
        if self.clock.updates_left < 1:
            raise Stopped(Status.MAX_UPDATES)
        self.w += self.worst
        self.clock.updates += 1


def test_worst_first_on_a_convex_body():
    clock = Clock(Limits(max_iter=100_000))
    disc = Disc([3.0, 4.0], 2.0, 0.01, clock)
    assert worst_first(disc, clock) is Status.GAP_REACHED
    # The disc is at distance 5 - 2 from the origin.
    assert disc.lower <= 3.0 + 1e-12
    assert disc.upper >= 3.0 - 1e-12
    assert disc.lower >= 0.99 * disc.upper
    assert clock.passes == clock.updates + 1 == len(clock.history) + 1


def test_limits_of_worst_first():
    clock = Clock(Limits(max_iter=5))
    assert worst_first(Disc([3.0, 4.0], 4.9, 1e-9, clock), clock) is Status.MAX_ITER
    assert clock.passes == 5.0
    clock = Clock(Limits(max_updates=3))
    with pytest.raises(Stopped) as stopped:
        worst_first(Disc([3.0, 4.0], 4.9, 1e-9, clock), clock)
    assert stopped.value.status is Status.MAX_UPDATES
    assert clock.updates == 3


class Compressed(Scripted):
    """A search in which the worst example is violated so many times."""

    def __init__(self, violated, full):
        super().__init__(full)
        self.violated = violated

    def find_worst(self):
        self.log.append("worst")
        self.worst_is_violated = self.violated > 0
        self.violated -= 1

    def step_on_worst(self):
        self.log.append("step")

    def sweep_carriers(self, passes):
        assert passes == PASSES_OF_SUPPORT
        self.log.append("support")


def test_another_example_only_where_the_support_is_satisfied():
    search, clock = Compressed(2, [1, 0]), Clock()
    assert compressing(search, clock) is Status.CONVERGED
    # A full pass decides, since only it looks for ties: the first finds one.
    once = ["worst", "step", "support", 1]
    assert search.log == [*once, *once, "worst", "all", 1, "worst", "all", 0]
    assert clock.passes == 4.0


def test_compressing_ends_at_its_limit():
    search = Compressed(100, [])
    assert compressing(search, Clock(limits=Limits(max_iter=5))) is Status.MAX_ITER
    assert search.log.count("step") == 5
