"""One thread of BLAS for small problems: several cost more than they compute.

A product of small matrices takes microseconds, and waking threads for it as long or longer. With
two threads beside one, fits on 1,797 x 64, 2,000 x 20 and 500 x 100 took 2 to 17 times as long.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import scipy.linalg  # noqa: F401  (its BLAS is another one than numpy's, and must be loaded)
from threadpoolctl import ThreadpoolController

NARROW = 512
"""Matrices with at most as many rows or columns count as small, and so do those with at most
``FEW_VALUES`` values. Of 60,000 x 300 the hard margin takes 0.37 s of CPU time with one thread and
1.02 with two, the soft one 0.28 and 1.56. Not tuned: measured on two busy cores."""

FEW_VALUES = 1 << 22


@cache
def _controller() -> ThreadpoolController:
    # To look for the libraries takes milliseconds, to set a limit 17 microseconds.
    return ThreadpoolController()


@contextmanager
def blas_for(n_examples: int, n_features: int) -> Iterator[None]:
    """Let BLAS use one thread within the block, if matrices of this shape are small.

    The limit is one of the process, as those of threadpoolctl are. It is set in the main thread
    alone: blocks of several threads may overlap, and OpenBLAS ignores what other threads set.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with blas_for(1000, 30):
    ...     {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
    {1}
    """
    large = min(n_examples, n_features) > NARROW and n_examples * n_features > FEW_VALUES
    if large or threading.current_thread() is not threading.main_thread():
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield
