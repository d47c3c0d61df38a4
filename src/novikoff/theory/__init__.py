"""Theorems as numbers: bounds on mistakes, and on the error on new data."""

from novikoff.theory.generalization import (
    binomial_tail_bound,
    compression_bound,
    selection_bound,
    theorem_5_1,
    theorem_5_2,
)
from novikoff.theory.mistakes import (
    hinge_mistake_bound,
    lifted_mistake_bound,
    mistake_bound,
    squared_mistake_bound,
)

__all__ = [
    "binomial_tail_bound",
    "compression_bound",
    "hinge_mistake_bound",
    "lifted_mistake_bound",
    "mistake_bound",
    "selection_bound",
    "squared_mistake_bound",
    "theorem_5_1",
    "theorem_5_2",
]
