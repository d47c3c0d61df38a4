"""From theorems to numbers: what is proved of the perceptron, and what it does."""

from novikoff.theory.mistakes import (
    hinge_mistake_bound,
    lifted_mistake_bound,
    mistake_bound,
    squared_mistake_bound,
)

__all__ = [
    "hinge_mistake_bound",
    "lifted_mistake_bound",
    "mistake_bound",
    "squared_mistake_bound",
]
