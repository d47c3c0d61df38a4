"""Proved upper bounds on the number of mistakes of the perceptron."""

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
