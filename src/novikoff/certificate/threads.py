"""Work on blocks of rows in threads; the results do not depend on the number of threads.

Blocks are of fixed sizes, each block is computed by itself, and results are combined in the order
of the blocks. So every sum is rounded the same way, whether one thread computes it or several.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Workers(NamedTuple):
    pool: ThreadPoolExecutor
    number: int


_WORKERS: ContextVar[_Workers | None] = ContextVar("novikoff_workers", default=None)


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` asks for, as in scikit-learn.

    ``None`` is one thread, -1 one for each processor, -2 one fewer.

    Examples
    --------
    >>> count_threads(None), count_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if n_jobs > 0:
        return n_jobs
    usable = getattr(os, "sched_getaffinity", None)
    processors = len(usable(0)) if usable is not None else os.cpu_count() or 1
    return max(1, processors + 1 + n_jobs)


@contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Let :func:`in_order` use so many threads within the block."""
    count = count_threads(n_jobs)
    if count == 1:
        yield
        return
    with ThreadPoolExecutor(count) as pool:
        token = _WORKERS.set(_Workers(pool, count))
        try:
            yield
        finally:
            _WORKERS.reset(token)


def in_order(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the result for each item, in the order of the items; in threads if there are some.

    Work that releases the interpreter's lock, as compiled functions with ``nogil`` do, runs in
    parallel. Few results are held at a time. Threads of the pool do not use threads themselves.

    Examples
    --------
    >>> with threads(2):
    ...     list(in_order(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    workers = _WORKERS.get()
    if workers is None:
        yield from map(work, items)
        return
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(workers.pool.submit(work, item))
            if len(pending) > 2 * workers.number:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()
