"""The settings of the search in the feature space of a kernel.

Figures are seconds of one core at half the value, at the value and at twice the value, of the first
10,000 digits of MNIST, even against odd, rbf kernel with gamma="scale", hard margin to 1e-3.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class SmoSettings:
    """How large blocks are, how exactly they are solved, and where digits end."""

    block: int = 512
    """Examples in a block, half of them from the block before: 1.41, 1.37, 2.17; larger blocks
    compute more columns that turn out not to matter (2461, 2731, 3200)."""

    small_block: int = 128
    block_share: int = 6
    """Of fewer examples a block is this part of them, and at least ``small_block``: on 500 half
    moons, the breast cancer data and 2,000 half moons (soft margins, C from 0.1 to 100) a block of
    512 takes 7.3, 7.1 and 33.6 ms on average, one of 256 4.2, 5.9 and 28.8, one of 128 4.5, 5.1 and
    26.3, one of 64 4.8, 6.2 and 33.7."""

    inner: float = 0.1
    """A block is solved to this share of the violation in all examples; at 0.3: 1.53."""

    steps_per_example: int = 20
    """The most steps in a block, for each of its examples. Not reached there."""

    take_all: int = 1000
    """Up to this many examples, Wolfe's method works on the whole Gram matrix: exact to 1e-8 of
    lengths, also where two-example steps would take millions. Not tuned."""

    few: int = 200
    """Up to this many, it also comes first for a soft margin: two-example steps are hardly faster
    (6 to 15 ms on 178 wines and on 300 examples in rings, and 7 to 16 with Wolfe's method), whose
    solutions do not depend on how often an example is repeated or what weight it has."""

    loose: float = 1e-4
    """The least gap for which two-example steps come first, for a soft margin of few examples: on
    500 half moons they take 5 ms to 1e-3, C from 0.1 to 100, and Wolfe's method 18."""

    rounds: int = 30
    """A hard margin that so many rounds did not find is looked for by Wolfe's method on a working
    set of ``take_all`` examples; then twice as many rounds follow. Not tuned: scikit-learn's
    digits, even against odd, take 8, and 2,000 noisy half moons do not end in 1,000."""

    soft_steps: int = 50
    """The steps for each example after which Wolfe's method takes over a soft margin of few. A
    thousand points of a noisy chessboard with C = 100 (rbf) take 38, and then a third of the time
    of Wolfe's method; 800 Gaussian examples with a polynomial of degree 2 and C = 30 take 142, and
    three times as long as it. Most soft margins take 1 to 10."""

    most_steps: int = 100
    """The same of more examples, after which a solver in coordinates takes over if these have room
    in the cache. Of 2,000 with C from 10 to 10,000 (a noisy chessboard, rbf; 20 noisy columns, rbf;
    3, linear; 5, a polynomial) it takes 0.03 to 1.1 s; steps take 2 to more than 2,500 for each
    example, and 0.25 s, 0.8 and 7 or more at 33, 220 and 2,400."""

    gram_steps: int = 20
    """The steps of Wolfe's method for each example after which rounding is taken to keep a soft
    margin of few from its end. Of 350 that ended the most took 1.8."""

    single: float = 1e-4
    """Kernel values are float32 if the gap asked for is at least this and the matrix does not fit
    in the cache as float64."""

    reserve: float = 0.9
    """The share of the gap that is aimed at, so that rounding does not push the certified gap over
    what was asked for."""

    zero: float = 1e-6
    """A margin that float64 kernel values cannot tell from zero, in units of the largest
    ``sqrt(k(x, x))``: the square root of their errors, with some reserve."""

    zero_single: float = 1e-3
    """The same for float32."""

    unit: float = 1.0
    """What the factor of Wolfe's method adds to products of one class."""

    burst: int = 200
    """Steps of Wolfe's method between two looks at the clock."""

    def block_of(self, n: int) -> int:
        """The size of a block of so many examples."""
        return min(n, self.block, max(self.small_block, n // self.block_share))


SMO = SmoSettings()
