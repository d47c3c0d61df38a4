"""One clock for every search: its limits, Ctrl-C, and the history of its bounds."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil, floor, inf
from typing import Any, NamedTuple

from novikoff.certificate import Status


class Progress(NamedTuple):
    """One line of a run's history, written after each full pass.

    ``lower`` and ``upper`` are the best bounds so far, in floating point; the last line of an
    estimator's ``history_`` has those of the certificate, which are rigorous. Without slack they
    bound the margin (``lower`` is minus infinity before the first separating hyperplane), with
    slack the objective.
    """

    iteration: int
    updates: int
    mistakes: int
    lower: float
    upper: float
    seconds: float


Callback = Callable[[Progress], None]


@dataclass(frozen=True)
class Limits:
    """Where a search gives up: full passes, updates, a moment in time, or cancellation.

    ``deadline`` is a reading of ``time.perf_counter``.
    """

    max_iter: int = 1000
    max_updates: int | None = None
    deadline: float | None = None
    cancelled: Callable[[], bool] = lambda: False

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.perf_counter() >= self.deadline


class Stopped(Exception):
    """A limit was met; ``status`` says which."""

    def __init__(self, status: Status) -> None:
        self.status = status


class Clock:
    """Counts the passes and updates of a search, tells it when to stop, keeps its history.

    A search that hands over to another (from Wolfe's method to coordinate descent, from the hard
    margin to the soft one) hands over its clock, so that limits and history span both.

    Parameters
    ----------
    limits : Limits, optional
        Where to give up.
    callbacks : sequence of callables
        Called with each new line of the history.

    Attributes
    ----------
    unit : float
        What the bounds that a search reports are multiplied by.

    Examples
    --------
    >>> from novikoff.run.clock import Clock, Limits
    >>> clock = Clock(Limits(max_iter=2))
    >>> clock.passes += 1.5
    >>> clock.stop() is None, clock.fits(0.5), clock.fits(1.0)
    (True, True, False)
    """

    def __init__(self, limits: Limits | None = None, callbacks: Sequence[Callback] = ()) -> None:
        self.limits = limits or Limits()
        self.callbacks = callbacks
        self.history: list[Progress] = []
        self.passes = 0.0
        self.updates = 0
        self.started = time.perf_counter()
        self._interrupted = False
        self.unit = 1.0
        self._until_separated = self._separated = False

    def interrupted(self) -> Status | None:
        """Return INTERRUPTED or TIME_LIMIT, or ``None`` if neither applies.

        Within :meth:`until_separated` also SEPARATED.
        """
        if self._interrupted or self.limits.cancelled():
            return Status.INTERRUPTED
        if self.limits.is_over:
            return Status.TIME_LIMIT
        return Status.SEPARATED if self._separated else None

    @contextmanager
    def until_separated(self) -> Iterator[None]:
        """End searches within the block as soon as one reports a hyperplane without mistakes.

        Their bounds are on another problem than that of the history, and are not written there.
        """
        self._until_separated = True
        try:
            yield
        finally:
            self._until_separated = self._separated = False

    @contextmanager
    def in_units(self, unit: float) -> Iterator[None]:
        """Let bounds that are reported within the block be multiplied by a number."""
        before = self.unit
        self.unit = before * unit
        try:
            yield
        finally:
            self.unit = before

    @property
    def wants_separator(self) -> bool:
        """Whether searches end at the first hyperplane without mistakes."""
        return self._until_separated

    @contextmanager
    def at_most(self, passes: float) -> Iterator[None]:
        """Let searches within the block take this many passes, if the limits allow as many."""
        limits = self.limits
        if passes < inf:
            most = min(limits.max_iter, ceil(self.passes + passes))
            self.limits = replace(limits, max_iter=most)
        try:
            yield
        finally:
            self.limits = limits

    @contextmanager
    def of_part(self, share: float) -> Iterator["Clock"]:
        """Yield a clock for a search in a share of the examples, with the same limits.

        Its passes are passes over these, and its bounds are no part of the history.
        """
        left = floor(self.passes_left / share)
        clock = Clock(replace(self.limits, max_iter=left))
        try:
            yield clock
        finally:
            self.passes += share * clock.passes
            self.updates += clock.updates

    def stop(self) -> Status | None:
        """Return the limit that was met, including the number of passes, or ``None``."""
        status = self.interrupted()
        if status is None and self.passes >= self.limits.max_iter:
            return Status.MAX_ITER
        return status

    def check(self, ahead: float = 0.0) -> None:
        """Raise :class:`Stopped` if the search was interrupted or its time is up.

        Also if it will be before a step ends that cannot be interrupted and takes about ``ahead``
        seconds.
        """
        status = self.interrupted()
        if status is None and ahead > self.seconds_left:
            status = Status.TIME_LIMIT
        if status is not None:
            raise Stopped(status)

    @property
    def seconds_left(self) -> float:
        """How long it is to the deadline, at least 0; infinity without one."""
        deadline = self.limits.deadline
        return inf if deadline is None else max(0.0, deadline - time.perf_counter())

    @property
    def updates_left(self) -> float:
        """How many more updates are within the limit."""
        most = self.limits.max_updates
        return inf if most is None else most - self.updates

    @property
    def passes_left(self) -> float:
        """How many more passes are within the limit."""
        return max(0.0, self.limits.max_iter - self.passes)

    def fits(self, share: float) -> bool:
        """Whether this many more passes are within the limit."""
        return self.passes + share <= self.limits.max_iter

    def report(self, mistakes: int, lower: float, upper: float) -> None:
        """Append a line to the history and call the callbacks with it.

        A second line for the same pass and updates replaces the first, without a call.
        """
        self._separated = self._until_separated and mistakes == 0
        if self._until_separated:
            lower, upper = self.history[-1][3:5] if self.history else (-inf, inf)
        else:
            lower, upper = self.unit * lower, self.unit * upper
        line = Progress(
            iteration=ceil(self.passes),
            updates=self.updates,
            mistakes=mistakes,
            lower=lower,
            upper=upper,
            seconds=time.perf_counter() - self.started,
        )
        if self.history and self.history[-1][:2] == line[:2]:
            self.history[-1] = line
            return
        self.history.append(line)
        try:
            for callback in self.callbacks:
                callback(line)
        except SecondInterrupt:
            raise
        except KeyboardInterrupt:
            self._interrupted = True


class SecondInterrupt(KeyboardInterrupt):
    """Ctrl-C was pressed again, while a search was ending for the first one."""


@contextmanager
def cancel_on_interrupt(cancel: threading.Event) -> Iterator[None]:
    """Let the first Ctrl-C set ``cancel``, so that a search ends cleanly; the second raises.

    Nothing changes outside the main thread, or where another handler is installed.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or before is not signal.default_int_handler:
        yield
        return

    def handle(number: int, frame: Any) -> None:
        if cancel.is_set():
            raise SecondInterrupt
        cancel.set()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except SecondInterrupt:
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, before)
