"""Ctrl-C while code is being compiled: answered as soon as the function is compiled.

An exception that is raised in a callback of the compiler is printed and ignored, and the compiler
then fails with an error of its own. So the signal waits, for some seconds at most.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Answer every Ctrl-C of the block at its end, by the handler that is installed now.

    Nothing changes outside the main thread, which alone receives signals, or where no Python
    function answers them.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or not callable(before) or isinstance(before, _Deferred):
        yield
        return
    deferred = _Deferred()
    signal.signal(signal.SIGINT, deferred)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        for number, frame in deferred.pressed:
            before(number, frame)


class _Deferred:
    """A handler that remembers what it was called with."""

    def __init__(self) -> None:
        self.pressed: list[tuple[int, FrameType | None]] = []

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.pressed.append((number, frame))
