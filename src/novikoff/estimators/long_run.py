"""What would help a perceptron: one that takes long, and one whose columns hide the margin."""

import logging
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.run import Progress
from novikoff.sample.scale import column_ranges

logger = logging.getLogger("novikoff")

LONG = 5.0
"""After so many seconds without a separator it is time to say what would help."""

UNEQUAL = 100.0
"""Columns have different units if the widest range is so many times the least. Counts of words are
within it (the largest of a collection is some tens), and dividing these by their ranges does not
help; metres beside centimetres are not."""


def warn_of_units(X: Any) -> None:
    """Say that scaling would help, where the ranges of the columns are very different.

    To be called by ``_fit``, where no hyperplane has the margin that was asked for.
    """
    low, high = column_ranges(X)
    with np.errstate(over="ignore"):
        ranges = (high - low)[low < high]
    if len(ranges) and ranges.max() > UNEQUAL * ranges.min():
        warnings.warn(
            "No hyperplane has the margin that was asked for; but some columns have a much wider "
            f"range than others ({ranges.max():.2g} against {ranges.min():.2g}), and in scaled "
            "columns one may. "
            "Set scale=True, or use MaxMargin, which finds the largest margin in any units.",
            UserWarning,
            stacklevel=4,
        )


@dataclass
class LongRun:
    """A callback that says once, in the log, what would end a long run sooner.

    Examples
    --------
    >>> from novikoff.run import Progress
    >>> said = LongRun(1000, "Set scale=True.")
    >>> said(Progress(9, 80, 3, float("-inf"), 0.5, seconds=0.1))
    >>> said.done
    False
    """

    max_iter: int
    remedy: str
    done: bool = False
    began: float | None = None

    def __call__(self, line: Progress) -> None:
        """Look at a line of progress."""
        if self.began is None:
            # Before the first line, code may have been compiled.
            self.began = line.seconds
        if self.done or line.seconds - self.began < LONG or line.lower > 0.0:
            return
        self.done = True
        logger.warning(
            "No separator after %d of at most %d passes. %s",
            line.iteration,
            self.max_iter,
            self.remedy,
        )
