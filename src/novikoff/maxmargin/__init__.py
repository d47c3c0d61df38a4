"""The optimum margin, hard and soft: a working set over a Sample, and what it is solved by."""

from novikoff.maxmargin.choose import SOME_MARGIN, hard_margin, soft_margin
from novikoff.maxmargin.distinct import Distinct
from novikoff.maxmargin.problem import Problem, Solution

__all__ = ["SOME_MARGIN", "Distinct", "Problem", "Solution", "hard_margin", "soft_margin"]
