"""How a run ended, in sentences."""

import enum


class Status(enum.Enum):
    """How a run ended; the value is a sentence for the user.

    A status is never success by default: a run that stops must say which of these it was.

    Examples
    --------
    >>> print(Status.MAX_ITER)
    The run stopped at its limit on full passes (max_iter).
    >>> Status.MAX_ITER.at_limit
    True
    """

    CONVERGED = "No example is violated: the rule has stopped by itself."
    GAP_REACHED = "The bounds are as close as was asked for."
    SEPARATED = "A separating hyperplane was found."
    NO_SUCH_MARGIN = "No separator with the margin that was asked for (min_margin) exists."
    NOT_SEPARABLE = "No hyperplane separates the examples."
    PRECISION = "The bounds are as close as floating-point numbers allow."
    MAX_ITER = "The run stopped at its limit on full passes (max_iter)."
    MAX_UPDATES = "The run stopped at its limit on updates (max_updates)."
    BUDGET = "The run stopped at its budget of support vectors."
    TIME_LIMIT = "The run stopped at its time limit (time_limit)."
    INTERRUPTED = "The run was interrupted."

    def __str__(self) -> str:
        return self.value

    @property
    def at_limit(self) -> bool:
        """Whether the run was cut short rather than ended by what it proved."""
        return self in _AT_LIMIT


_AT_LIMIT = frozenset(
    {
        Status.PRECISION,
        Status.MAX_ITER,
        Status.MAX_UPDATES,
        Status.BUDGET,
        Status.TIME_LIMIT,
        Status.INTERRUPTED,
    }
)
