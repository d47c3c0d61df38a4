"""From theorems to numbers: what is proved of the perceptron, and what it does."""

from novikoff.theory.mistakes import (
    hinge_mistake_bound,
    lifted_mistake_bound,
    mistake_bound,
    squared_mistake_bound,
)
from novikoff.theory.reproduce import reproduce_theorems
from novikoff.theory.rows import Row

__all__ = [
    "Row",
    "hinge_mistake_bound",
    "lifted_mistake_bound",
    "mistake_bound",
    "reproduce_theorems",
    "squared_mistake_bound",
]
