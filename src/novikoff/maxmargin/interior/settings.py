"""The settings of the interior-point method."""

from dataclasses import dataclass


@dataclass(frozen=True)
class InteriorSettings:
    """How far a step goes, and which weights are kept at the end.

    One-hot 30,000 x 1,840 with 3 values in a row takes 12 iterations to a gap of 1e-3. None of the
    fields was varied but ``room`` and ``kept``.
    """

    most_width: int = 4000
    """The most columns that are left in the normal matrix: an iteration then takes 0.6 s. One-hot
    20,000 x 6,255 with narrow margins, 1,240, 2,433 and 3,695 columns left, ended undecided after
    1,000 passes in 1 to 2 s; separators now take 0.4, 0.5 and 3.0 s."""

    boundary: float = 0.99
    """The share of the way to the boundary that a step goes at most."""

    room: float = 1.0
    """How far from the boundary examples begin, where the margin is 1. From the weights of a soft
    margin, the data above took 13 iterations in a first version, 14 with 0.3 and 16 with 0.1."""

    most_iterations: int = 60
    """Ten to twenty are usual; where rounding prevents progress, it ends here."""

    shortest: float = 1e-10
    """A step no longer than this, in units of the full one, is rounding."""

    zero: float = 1e-12
    """A bound on the margin no larger than this, in units of the radius, is taken for rounding.
    Hashed texts, 6,348 x 2,048, that nothing separates, come to it in 15 iterations, and would go
    on for 25."""

    kept: tuple[float, ...] = (1.0, 0.1, 0.01, 1e-3, 1e-4)
    """A weight below this share of the mean one, for each unit of room, is set to zero, if the gap
    stays as small as asked for; the first share that allows it is taken. With steps of 100 instead
    of 10, small problems kept weights far from the margin."""


INTERIOR = InteriorSettings()
