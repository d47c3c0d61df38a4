"""One thread of BLAS for small problems: several cost more than they compute.

A product of small matrices takes microseconds, and waking threads for it as long or longer. With
two threads beside one, fits on 1,797 x 64, 2,000 x 20 and 500 x 100 took 2 to 17 times as long.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache

import scipy.linalg  # noqa: F401  (its BLAS is another one than numpy's, and must be loaded)
from threadpoolctl import LibController, ThreadpoolController

NARROW = 512
"""Matrices with at most as many rows or columns count as small, and so do those with at most
``FEW_VALUES`` values. Of 60,000 x 300 the hard margin takes 0.37 s of CPU time with one thread and
1.02 with two, the soft one 0.28 and 1.56. Not tuned: measured on two busy cores."""

FEW_VALUES = 1 << 22


@cache
def _libraries() -> list[LibController]:
    # To look for the libraries takes milliseconds, to set a limit 17 microseconds.
    libraries: list[LibController] = ThreadpoolController().select(user_api="blas").lib_controllers
    return libraries


@contextmanager
def _limited_to(count: int) -> Iterator[None]:
    """Set the number of threads within the block."""
    before = [each.num_threads for each in _libraries()]
    for each in _libraries():
        each.set_num_threads(count)
    try:
        yield
    finally:
        for each, threads in zip(_libraries(), before, strict=True):
            each.set_num_threads(threads)


_before: list[int] = []
"""The numbers of threads at each block of :func:`blas_for` that is entered."""


@contextmanager
def blas_for(n_examples: int, n_features: int, *, is_sparse: bool = False) -> Iterator[None]:
    """Let BLAS use one thread within the block, if matrices of this shape are small.

    Those of sparse data are, whatever the shape: rows are read by compiled loops, and BLAS has
    the matrices of some of them. 3,000 x 7,832 counts of words, six classes: 4.3 s with one thread,
    5.7 with two, and 40 with two beside another process that is busy.

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
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or (large and not is_sparse):
        yield
        return
    _before.append(max((each.num_threads for each in _libraries()), default=1))
    try:
        # Where there is one thread, there is nothing to set.
        with _limited_to(1) if _before[-1] > 1 else nullcontext():
            yield
    finally:
        _before.pop()


@contextmanager
def blas_for_one(order: int) -> Iterator[None]:
    """Give BLAS its threads back for a block that inverts one matrix of this order, if large.

    Of order 2,500 that takes half the time with two.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if order <= NARROW or not _before or not in_main:
        yield
        return
    with _limited_to(_before[0]):
        yield


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread for work of many small steps, within :func:`blas_for_one` too.

    With pivoting, a QR factorisation of 1,251 x 1,001 takes 0.1 s with one thread, and up to 5 with
    two where others are busy.
    """
    in_main = threading.current_thread() is threading.main_thread()
    several = in_main and any(each.num_threads > 1 for each in _libraries())
    with _limited_to(1) if several else nullcontext():
        yield
