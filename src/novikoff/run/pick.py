"""Which example comes next: all of them in order, the worst one, or those that have weight.

The theorems hold for any choice. What is here knows the clock and nothing of how examples are
stored, so that a search over anything that can be swept, or asked for its worst, can use it.
"""

from math import inf
from typing import NamedTuple, Protocol

from novikoff.certificate import Status
from novikoff.run.clock import Clock

# Once a full pass makes fewer updates than this share of the support, the next full pass waits
# until the near-violated examples are satisfied, or for CHEAP_PASSES passes over them. Both act on
# the state alone, so that the support reproduces the run. Rows read by a scale-free run, in passes,
# at the value, half of it and twice of it: on 20,000 x 50 planted examples with margin 0.01, FEW
# 24, 25, 28, and CHEAP_PASSES 24, 17, 27; on the standardised breast cancer data, which nothing
# separates with the margin looked for, FEW 1539, 1574, 1491, and CHEAP_PASSES 1539, 1636, 1716.
# With 10 % of the planted labels flipped, the run ends after two passes whatever they are.
FEW = 1 / 3
CHEAP_PASSES = 100
# The order that keeps the support small makes so many passes over it before it takes in another
# example. The support of a classic run with intercept on 1,000 points of a sphere in 20 dimensions
# is 45.5 on average (of six draws), 45.7 at ten times the value and 50.7 at a tenth of it; on the
# standardised breast cancer data it makes 46 full passes, 72 at half the value, 37 at twice.
PASSES_OF_SUPPORT = 1000


class Pace(NamedTuple):
    """When cheap passes begin (updates of a full pass, as a share of the support), and how many."""

    few: float = FEW
    cheap: int = CHEAP_PASSES


# In feature space a full pass costs a product of all examples with the support, and a cheap one
# next to nothing.
EAGER = Pace(few=inf, cheap=2000)
# There, examples that have weight are satisfied before another is taken in, up to so many passes
# over them, each time that the run has made so many updates: a share of the support, at least
# LEAST_UPDATES. Of the others the worst come first: those below these shares of the threshold, one
# after another. SHARES[0] is that of the first full pass.
SETTLING_PASSES = 30
SETTLING_SHARE, LEAST_UPDATES = 0.1, 20
SHARES = (0.3, 0.5, 0.7, 0.8, 0.9)
# Where more updates than this share were mistakes, examples are visited in turn: the mean over
# updates is then often the model, and on noisy half moons that nothing separates it errs by 1.7
# points less (gamma 20, 5 and 50, three rules, three draws). Of digits it is a tenth.
NOISY = 0.3


class Sweepable(Protocol):
    """What the cyclic order needs of a search; a limit raises :class:`~.clock.Stopped`."""

    @property
    def n_carriers(self) -> int:
        """How many examples have weight."""

    @property
    def pace(self) -> Pace:
        """When cheap passes begin, and how many there are."""

    def sweep_all(self) -> int:
        """Visit every example once, updating on violated ones; return how many these were."""

    def sweep_near(self, passes: int) -> None:
        """Make cheap passes, over what the last full pass found violated or nearly so.

        End after ``passes`` of them, or after one without an update.
        """

    def judge(self, updates: int) -> Status | None:
        """Report the bounds after a full pass; return the status to end with, if any."""


class Worst(Protocol):
    """What the worst-first order needs of a search; a limit raises :class:`~.clock.Stopped`."""

    def find_worst(self) -> None:
        """Find what to step on next."""

    def judge_worst(self) -> Status | None:
        """Report the bounds of this iterate; return the status to end with, if any."""

    def step_on_worst(self) -> None:
        """Update on what was found."""


class Compressing(Sweepable, Worst, Protocol):
    """What the order that keeps the support small needs of a search."""

    @property
    def worst_is_violated(self) -> bool:
        """Whether the rule steps on what was found."""

    def sweep_carriers(self, passes: int) -> None:
        """Make passes over the examples that have weight, until one makes no update."""


def cyclic(search: Sweepable, clock: Clock) -> Status:
    """Make full passes in order, with cheap passes over near-violated examples in between."""
    while clock.fits(1.0):
        updates = search.sweep_all()
        clock.passes += 1.0
        ended = search.judge(updates)
        if ended is not None:
            return ended
        if updates < search.pace.few * search.n_carriers:
            search.sweep_near(search.pace.cheap)
    return Status.MAX_ITER


class Settling(Sweepable, Protocol):
    """What the order that takes in few examples needs of a search."""

    def settle_all(self, share: float) -> int:
        """Visit every example once, as :meth:`sweep_all`, settling those with weight in between.

        Others are updated on only below a share of the threshold.
        """

    def settle_near(self, share: float) -> int:
        """Visit what the last full pass found violated or nearly so, in the same way."""

    @property
    def is_noisy(self) -> bool:
        """Whether more than ``NOISY`` of all updates were made on the wrong side."""

    def begin_mean(self) -> None:
        """Let a model that is a mean over updates be that over those from here on."""


def settling(search: Settling, clock: Clock) -> Status:
    """Make full passes, and take in few examples, because each costs a kernel column.

    Those that have weight are satisfied first, then the worst of the others. What is visited next
    depends on the examples that have been updated on alone, so that the support reproduces the run.
    """
    share = SHARES[0]
    while clock.fits(1.0):
        updates = search.settle_all(share)
        clock.passes += 1.0
        if updates and search.is_noisy:
            search.begin_mean()
            search.sweep_near(search.pace.cheap)
            return cyclic(search, clock)
        ended = search.judge(updates if share == 1.0 else max(updates, 1))
        if ended is not None:
            return ended
        for share in SHARES:
            search.settle_near(share)
        share = 1.0
        for _ in range(search.pace.cheap):
            if search.settle_near(share) == 0:
                break
    return Status.MAX_ITER


def worst_first(search: Worst, clock: Clock) -> Status:
    """Update on what is worst until the two bounds meet (MinOver)."""
    while clock.fits(1.0):
        search.find_worst()
        clock.passes += 1.0
        ended = search.judge_worst()
        if ended is not None:
            return ended
        search.step_on_worst()
    return Status.MAX_ITER


def compressing(search: Compressing, clock: Clock) -> Status:
    """Update on the worst example only where those that have weight are all satisfied.

    A run that any rule may make, which enters few examples: each costs a pass over all of them.
    """
    while clock.fits(1.0):
        search.find_worst()
        clock.passes += 1.0
        if search.worst_is_violated:
            search.step_on_worst()
            search.sweep_carriers(PASSES_OF_SUPPORT)
            updates = 1
        else:
            # Only a full pass looks for ties, so one decides.
            updates = search.sweep_all()
        ended = search.judge(updates)
        if ended is not None:
            return ended
    return Status.MAX_ITER
