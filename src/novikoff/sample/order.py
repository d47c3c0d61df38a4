"""The order of visits, from a random mark that each example carries."""

import numpy as np
from numpy.typing import NDArray

# How much data keeps its sequence. A sweep of 100,000 x 100 in float64 takes as long as with the
# rows in order, within a tenth, also at half and at twice the value; with every row at random 2.4
# times as long.
RUN_BYTES = 1 << 18
# Fewer runs than this would leave neighbours together in most of a small data set.
FEWEST_RUNS = 100
# Up to this size rows are shuffled one by one. That costs a tenth of a sweep at half the size, and
# between a third and a half at this size and beyond.
FITS_IN_CACHE = 1 << 20


def visit_order(
    n_examples: int, n_bytes: int, random_state: np.random.RandomState | None
) -> NDArray[np.int64]:
    """Return the examples sorted by their marks.

    A mark is drawn once, so every pass has the same order, and the order of a subset of the
    examples is the order of the whole restricted to it: rerunning on the support visits it as
    the full run did. Beyond the size of a cache, runs of neighbouring rows (up to 256 kB) share
    a mark and keep their sequence, because reading single rows at random costs two to three passes.

    Parameters
    ----------
    n_examples : int
        How many examples there are.
    n_bytes : int
        The size of the data.
    random_state : RandomState or None
        Draws the marks; ``None`` keeps the order of the rows.

    Examples
    --------
    >>> from novikoff.sample import visit_order
    >>> visit_order(4, 64, None)
    array([0, 1, 2, 3])
    """
    if random_state is None:
        return np.arange(n_examples, dtype=np.int64)
    run = 1
    if n_bytes > FITS_IN_CACHE:
        run = max(1, min(RUN_BYTES * n_examples // n_bytes, n_examples // FEWEST_RUNS))
    marks = random_state.random_sample(-(-n_examples // run))
    order = (np.argsort(marks)[:, None] * run + np.arange(run)).ravel()
    return order[order < n_examples]
