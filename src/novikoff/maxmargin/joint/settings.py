"""The settings of the searches for the margin of several classes.

Figures such as "2.1, 1.8, 1.9 s" are those at half the value, at the value and at twice the value.
A field without figures was not varied.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class DescentSettings:
    """How long a round of dual coordinate descent is, and what it leaves out."""

    most_sweeps: int = 40
    """The most sweeps of a round."""

    foreseen: float = 0.5
    """With slack, a round ends when the gap after its last sweep is expected to be at most this
    times the gap asked for, as in :mod:`novikoff.maxmargin.coordinate.settings`."""

    fallen: float = 0.1
    """Without slack, a round ends when the largest violation has fallen to this share of what it
    was."""

    reach: float = 2.0
    """Examples without weight whose hinge is below minus so many times the largest violation are
    left out of the next sweep."""

    support_sweeps: int = 2
    """How many sweeps over the examples with weight follow each over all that are left."""

    rounds_in_vain: int = 10
    """The search ends after this many rounds without a better bound, once violations are down to
    ``rounding``."""

    rounding: float = 1e-11
    """See ``rounds_in_vain``; the scale of a violation is 1."""

    reserved_passes: float = 2.0
    """Passes that are kept for the bounds at the end."""

    centre_examples: int = 1000
    """About how many examples the centre, which rows are read relative to, is the mean of."""

    pull: float = 0.03
    """The quadratic penalty on the flow between classes, in units of the mean squared distance to
    the centre and of the mean squared slack."""

    least_curve: float = 1e-12
    """The least second derivative along a weight, in units of the mean squared distance."""

    patience: int = 12
    """Sweeps after which few weights are handed over to the exact solver, if the gap that is asked
    for is not reached."""


DESCENT = DescentSettings()


@dataclass(frozen=True)
class CorralSettings:
    """How many virtual rows the exact solver works on, how exactly, and when it gives up."""

    take_all: int = 600
    """Up to this many virtual rows, all are candidates from the start."""

    per_class: int = 60
    """How many of the deepest virtual rows of each class a scan adds to the candidates."""

    per_scan: int = 600
    """How many it adds of all classes, at most, and at least one of each: the hard margin of 3,000
    x 10 numbers and 100 classes takes more than 7, 9.4 and 10.4 s."""

    most_candidates: int = 4000
    """Give up with more candidates: their Gram matrix takes 128 MB here."""

    most_members: int = 1500
    """Give up with more members of the corral: a step takes the square of their number."""

    pull: float = 1.0
    """The quadratic penalty on the flow between classes, in units of the squared radius and of the
    mean squared slack."""

    multipliers: int = 30
    """The most corrections of the intercepts between two scans."""

    leaps: int = 15
    """Up to this many of these corrections solve for the intercepts that balance the flow of the
    members at hand; later ones move them by the flow."""

    balanced: float = 1e-10
    """A flow of this share of the weights is balanced, but for one correction more."""

    share_of_tol: float = 0.01
    """The corral is solved to this share of the gap that is aimed at."""

    burst_steps: int = 500
    """The most steps between two looks at the clock."""

    zero: float = 1e-6
    """A norm that the Gram matrix cannot tell from zero, in units of the radius."""


CORRAL = CorralSettings()
