"""The order of visits, from a random mark that each example carries."""

import numpy as np
from numpy.typing import NDArray

RUN_BYTES = 1 << 18
FEWEST_RUNS = 100
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
