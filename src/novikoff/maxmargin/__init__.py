"""The optimum margin, hard and soft: a working set over a Sample, and what it is solved by."""

from .distinct import Distinct
from .problem import Problem, Solution
from .solve import SOME_MARGIN, hard_margin, soft_margin

__all__ = ["SOME_MARGIN", "Distinct", "Problem", "Solution", "hard_margin", "soft_margin"]
