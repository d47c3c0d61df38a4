"""The settings of soft margins that are solved at once."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BatchSettings:
    """Sizes and accuracies, for MNIST's 60,000 x 784 digits in five folds, ten values of C."""

    single: bool = True
    """Whether passes are made in single precision, which is enough for a gap of 1e-3."""

    block_values: int = 1 << 19
    """How many values are read at once."""

    copied_values: int = 1 << 27
    """Data with at most this many values (512 MB) are copied, centred and scaled; of larger ones
    every block is, in every pass."""

    per_feature: int = 8
    """The factors are built from this many examples for each feature."""

    own_features: int = 1500
    """With more features than this, the problems share one factor."""

    forcing: float = 0.1
    """How far the residual of Newton's equation must fall, in units of what it was."""

    least_gain: float = 0.1
    """A problem is solved where twice the gain of a step is at most this share of ``tol`` times its
    primal objective, even if the gap is larger: with large C, weights of the hinges solve the dual
    badly long after the primal has come to its end."""

    most_products: int = 40
    """The most products of conjugate gradients in a step."""

    slow_products: int = 6
    """After more products than this, the factors are built again, from four times as many."""

    most_steps: int = 30
    """The most steps for one C."""


BATCH = BatchSettings()
