"""The settings of dual coordinate descent."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CoordinateSettings:
    """How long a round of sweeps is, what it leaves out, and what follows it."""

    most_sweeps: int = 10
    """A round ends after so many sweeps."""

    fallen: float = 0.1
    """A round ends when the largest violation has fallen to this share of what it was."""

    reach: float = 2.0
    """Examples without weight whose slope exceeds so many times the largest violation are left
    out of the next sweep."""

    settled: float = 0.03
    """After a round, conjugate gradients on the face of the support do what more sweeps would do
    slowly, if the last sweep changed the support by no more than this share."""

    rounds_in_vain: int = 10
    """The search ends after so many rounds without a better bound, once violations are down to
    ``rounding``."""

    rounding: float = 1e-11
    """See ``rounds_in_vain``; the scale of a violation is 1."""

    reserved_passes: float = 2.0
    """Passes that are kept for the bounds at the end."""

    centre_examples: int = 1000
    """About how many examples the centre, which rows are read relative to, is the mean of."""

    pull: float = 0.03
    """The quadratic penalty on the signed sum of the weights, in units of the mean squared
    distance to the centre. A larger one keeps the sum small, and makes every step shorter."""

    least_curve: float = 1e-12
    """The least second derivative along a weight, in units of the mean squared distance."""

    face_products: int = 30
    """The most products of conjugate gradients on a face."""

    face_forcing: float = 1e-3
    """How far their residual must fall, in units of what it was."""

    flat: float = 1e-12
    """A direction whose curvature is no more than this share of the diagonal's is flat: examples
    are nearly dependent, and along it the face has no minimum nearby."""

    trials: int = 6
    """How often a step on a face is quartered until the dual falls."""


COORDINATE = CoordinateSettings()
