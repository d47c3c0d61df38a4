"""The settings of block principal pivoting."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PivotingSettings:
    """Which examples are members, how exactly they are solved for, and when to stop."""

    members_per_feature: float = 2.0
    """Where not all examples are members from the start, so many are for each feature; those of
    least ``y f(x)``."""

    least_members: int = 300
    """There are at least so many members, if there are as many examples."""

    growth: float = 0.5
    """A scan adds at most this share of the members to them, or ``least_members`` if these are
    more."""

    share_of_tol: float = 0.3
    """A scan follows when the gap among members is this share of the gap asked for."""

    patience: int = 4
    """After so many exchanges in a row that leave as many examples misplaced as before, they are
    exchanged one at a time, where they are few, or the problem is made softer."""

    farthest: float = 0.8
    """From the first such exchange on, only examples are exchanged that are beyond their place by
    this share of the farthest."""

    few_misplaced: int = 20
    """With at most so many misplaced, they are exchanged one at a time ..."""

    singles: int = 40
    """... so often."""

    single: float = 1e-5
    """Single precision serves where the gap asked for is no smaller ..."""

    single_slack: float = 1e-6
    """... and no ``Delta^2`` smaller, in units of the squared radius."""

    single_range: float = 1e15
    """... and the radius between this and its inverse."""

    rounding: float = 64.0
    """A weight or a slope beyond zero by no more than so many roundings, in units of the largest,
    is not misplaced."""

    softer: float = 30.0
    """By what factor the problem is made softer, until exchanges no longer go in circles."""

    harder: float = 3.0
    """By what factor it is made harder again; where that goes in circles, by its square root."""

    bolder: float = 1.5
    """The power to which that factor is raised after each success."""

    least_factor: float = 1.05
    """Give up where it cannot be made harder by this factor."""

    softest: float = 1e12
    """Give up where so much softer a problem goes in circles."""

    soft_tol: float = 3e-4
    """The gap to which softer problems are solved."""

    block_values: int = 1 << 22
    """How many values of rows are multiplied at once to a part of the Gram matrix."""


PIVOTING = PivotingSettings()
