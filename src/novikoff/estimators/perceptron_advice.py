"""What would help a perceptron that takes long, or that columns of different units lead astray."""

import logging
import warnings
from dataclasses import dataclass
from typing import Any

from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff.certificate import Certificate
from novikoff.estimators.training import Training
from novikoff.run import Progress
from novikoff.sample.scale import UNEVEN, different_units

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


def warn_of_units(certificate: Certificate, training: Training) -> None:
    """Warn where no separator was found, and one column spans far more than most others."""
    X, weights = training.X, training.weights
    parts: Any = certificate.parts
    if sparse.issparse(X) or all(part.lower > 0.0 for part in parts):
        return
    units = different_units(X if weights is None or weights.all() else X[weights > 0.0])
    if units is None:
        return
    names = training.problem.feature_names
    wide, median = (f"column {j}" if names is None else repr(names[j]) for j in units)
    warnings.warn(
        f"No separator was found, and columns differ in units ({wide} spans more than "
        f"{UNEVEN:.0f} times as much as {median}): set scale=True, or use MaxMargin.",
        ConvergenceWarning,
        stacklevel=3,
    )
