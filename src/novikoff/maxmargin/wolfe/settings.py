"""The settings of Wolfe's method on a working set."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WolfeSettings:
    """How many examples Wolfe's method works on, how exactly, and when it gives up."""

    per_class: int = 60
    """How many of the deepest examples of each class a scan adds to the candidates."""

    take_all: int = 250
    """So few examples are all candidates from the start."""

    first_direction: int = 500
    """About how many examples of each class the first direction, between their means, is of."""

    share_of_tol: float = 0.01
    """The corral is solved to this share of the gap that is aimed at."""

    most_candidates: int = 5000
    """Give up with more candidates: their Gram matrix, 200 MB here, is no longer small."""

    most_members: int = 1500
    """Give up with more members of the corral: nor is the factor of theirs."""

    first_members: int = 64
    """How many members the arrays of a corral have room for at first; they double when full."""

    burst_products: int = 10**8
    """About how many multiplications are made between two looks at the clock."""

    burst_steps: int = 500
    """At most so many steps are made between two looks at the clock."""

    unit: float = 1.0
    """What the factor adds to the products of members of a class, whose lengths are at most 1."""

    zero_of_gram: float = 1e-6
    """A norm that the Gram matrix cannot tell from zero, in units of the radius."""

    zero: float = 1e-14
    """A norm that the vectors themselves cannot tell from zero, in the same units."""

    precise_features: int = 1500
    """The most features for work on the vectors, which keeps a dense basis of all of them."""

    nearest: int = 400
    """How many examples of each class nearest to the boundary are taken in before precise work:
    with these to choose from, a vanishing combination is found sooner."""

    rational_features: int = 40
    """The most features for steps in rational arithmetic."""

    rational_steps: int = 300
    """The most steps in rational arithmetic."""


WOLFE = WolfeSettings()
