"""The optimum margin, hard and soft: four solvers, and the choice between them."""

from novikoff.maxmargin.choose.hard import hard_margin
from novikoff.maxmargin.choose.soft import soft_margin
from novikoff.maxmargin.distinct import Distinct
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.wolfe.precise import SOME_MARGIN

__all__ = ["SOME_MARGIN", "Distinct", "Problem", "Solution", "hard_margin", "soft_margin"]
