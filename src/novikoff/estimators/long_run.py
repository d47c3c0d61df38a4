"""A word to the user of a perceptron that takes long, while it runs."""

import logging
from dataclasses import dataclass

from novikoff.run import Progress

logger = logging.getLogger("novikoff")

LONG = 5.0
"""After so many seconds without a separator it is time to say what would help."""


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
