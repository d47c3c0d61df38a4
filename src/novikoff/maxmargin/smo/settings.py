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

    inner: float = 0.1
    """A block is solved to this share of the violation in all examples; at 0.3: 1.53."""

    steps_per_example: int = 20
    """The most steps in a block, for each of its examples. Not reached there."""

    take_all: int = 1000
    """Up to this many examples, Wolfe's method works on the whole Gram matrix: exact to 1e-8 of
    lengths, also where two-example steps would take millions. Not tuned."""

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


SMO = SmoSettings()
