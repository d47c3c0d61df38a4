"""The settings of Wolfe's method on a working set.

Figures such as "passes 10, 8, 5" are those at half the value, at the value and at twice the value.
They are of *planted*, ``planted(20_000, 100, 0.01, random_state=0)`` to a gap of 1e-6, and of
*images*, 6,000 rows of 150 absolute normal values as uint8, with the labels of a random plane, to
1e-4. A field without figures was not varied.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class WolfeSettings:
    """How many examples Wolfe's method works on, how exactly, and when it gives up."""

    per_class: int = 60
    """How many of the deepest examples of each class a scan adds to the candidates. More save
    passes and cost a larger Gram matrix: planted, passes 10, 8, 5; images 14, 9, 8."""

    take_all: int = 250
    """Up to this many examples, all are candidates from the start."""

    first_direction: int = 500
    """About how many examples of each class the first direction, between their means, is of:
    planted, passes 8, 8, 7; images 11, 9, 10."""

    share_of_tol: float = 0.01
    """The corral is solved to this share of the gap that is aimed at. The same passes and steps at
    half and at twice."""

    most_candidates: int = 5000
    """Give up with more candidates: their Gram matrix takes 200 MB here."""

    most_members: int = 1500
    """Give up with more members of the corral: a step takes the square of their number."""

    first_members: int = 64
    """How many members the arrays of a corral hold at first; their length doubles when they are
    full. Also how many members of a given corral are factored between two looks at the clock."""

    burst_products: int = 10**8
    """About how many multiplications are made between two looks at the clock."""

    burst_steps: int = 500
    """The most steps that are made between two looks at the clock."""

    gram_work: float = 0.05
    """What a multiplication in the Gram matrix costs, in values read by a pass."""

    far: float = 1e4
    """Where the squared length of the centre exceeds so many times the squared radius, sparse rows
    become dense, relative to the centre: their products would lose four digits and more."""

    narrow: int = 500
    """Sparse rows become dense with no more features than this. Separable 300 x 50 with 8 values in
    a row takes 5 ms instead of 9, 400 x 200 with 10 takes 13 instead of 15; wider ones of this kind
    go to sweeps. Other values were not tried."""

    unit: float = 1.0
    """What the factor adds to the products of members of a class, whose lengths are at most 1."""

    zero_of_gram: float = 1e-6
    """A norm that the Gram matrix cannot tell from zero, in units of the radius. It knows lengths
    down to about 1e-8."""

    zero: float = 1e-14
    """A norm that the vectors themselves cannot tell from zero, in the same units. They are known
    down to about 1e-15."""

    precise_features: int = 1500
    """The most features for work on the vectors, which keeps a dense basis of all of them."""

    nearest: int = 400
    """How many examples of each class nearest to the boundary are taken in before precise work:
    with these among the candidates, a vanishing combination is found in fewer scans."""

    rational_features: int = 40
    """The most features for steps in rational arithmetic."""

    rational_steps: int = 300
    """The most steps in rational arithmetic."""


WOLFE = WolfeSettings()
