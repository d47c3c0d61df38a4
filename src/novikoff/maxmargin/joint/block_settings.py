"""The settings of steps on blocks of kernel columns.

The *five sets* are scikit-learn's digits, 630 x 16, 2,000 x 2 and 2,000 x 10 with noisy labels, and
1,500 x 2 of a noisy chessboard, C = 1 and 30; times are to a gap of 1e-3. A field without figures
was not varied.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class BlockSettings:
    """How large blocks of kernel columns are, how exactly they are solved, and who goes first."""

    block: int = 512
    """Examples in a block, half of them from the block before: soft and hard margin of 5,000 digits
    of MNIST take 1.8 s at half the value, 1.6 to 1.9 at the value, 1.5 at one and a half times it;
    the five sets 2.3 s at half the value, 2.7 at it, and 6.1 at twice it."""

    small_block: int = 256
    block_share: int = 4
    """Of fewer examples a block is this part of them, and at least ``small_block``: 630 x 16, five
    classes, 22 ms at half the value of that and 15 at it; the five sets 2.6 s with an eighth, 2.7
    with a quarter, 3.2 with a half."""

    least_block: int = 32
    """The fewest examples of a block, whatever the room for columns: with 8, hard margins of 400
    examples with random labels do not end in 1,000 passes."""

    inner: float = 0.1
    """A block is solved to this share of the violation in all examples: 5,000 digits 1.7, 1.6 to
    1.9 and 1.9 s at half the value, at it and at twice it."""

    steps_per_example: int = 100
    """The most steps in a block, for each of its examples: three noisy sets, C = 100, take 5.8, 5.3
    and 5.1 s."""

    most_steps: int = 2500
    """The steps for each example after which a solver in coordinates takes over, if there is room
    for the pairs of the examples that matter. Noisy labels with C = 100 take 1,500 steps for each
    example where that is faster than coordinates (2,000 x 10, four classes: 1 s, not 12), and 6,000
    where it is slower (2,000 x 2: 4 s, not 2.5)."""

    some_steps: int = 500
    few_weights: int = 800
    """After ``some_steps`` for each example, if no more weights than these are positive: 1,600 x 2
    in five spirals, C = 1000, take coordinates 0.5 s, and have 600; at the next limit it was 1.5 s.
    1,500 x 2 of a noisy chessboard have 1,000 at C = 100, and blocks take 0.4 s, not 1.6."""

    some_rounds: int = 300
    """The same limit for blocks, for up to as many examples as a first working set has: where
    columns differ in units, blocks of few steps may go on for all passes. Of 234 small soft
    margins, blocks alone ended the others in 189."""

    pull: float = 0.05
    """The quadratic penalty on the flow between classes, in units of the mean squared distance of
    the examples of a large block from their mean: 5,000 digits 1.6, 1.6 to 1.9 and 1.7 s."""

    few: float = 200.0
    """The penalty is twice that where a block has so many examples, and more where it has fewer.
    Not varied."""

    unit: float = 0.15
    """What counts as violation of the flow that the moves of a block leave unbalanced, in the same
    units: 5,000 digits 1.5 s at a third of the value, 1.6 at three times it."""

    rounds_in_vain: int = 10
    """The search ends after this many blocks in a row without a gain: that is rounding."""

    at_once: int = 64
    """Columns that are multiplied at once: a copy of them is made."""

    tables: int = 6
    """Tables of a number for each example and class that are in memory at a time."""

    reserve: float = 0.9
    """The share of the gap that is aimed at, as in :mod:`novikoff.maxmargin.smo.settings`."""

    def block_of(self, n: int) -> int:
        """The size of a block of so many examples."""
        return min(n, self.block, max(self.small_block, n // self.block_share))

    def pull_of(self, size: int) -> float:
        """The penalty for a block of so many examples: the fewer, the less they respond to it."""
        return self.pull * (1.0 + self.few / size)


BLOCKS = BlockSettings()
