"""The clock: limits, Ctrl-C and history, without a search."""

import os
import signal
import threading
import time
from math import inf

import pytest

from novikoff.certificate import Status
from novikoff.run import Clock, Limits, Stopped, cancel_on_interrupt

PAST = 0.0


def test_limits_of_every_kind():
    assert Clock().stop() is None
    spent = Clock(Limits(max_iter=2))
    spent.passes = 1.5
    assert spent.stop() is None
    spent.passes = 2.0
    assert spent.stop() is Status.MAX_ITER
    # The number of passes does not interrupt: whoever is in the middle of one may finish it.
    assert spent.interrupted() is None
    late = Clock(Limits(deadline=PAST))
    assert late.interrupted() is late.stop() is Status.TIME_LIMIT
    assert Clock(Limits(deadline=time.perf_counter() + 60.0)).stop() is None
    # Being cancelled comes first, whatever else is so.
    cancelled = Clock(Limits(max_iter=0, deadline=PAST, cancelled=lambda: True))
    assert cancelled.stop() is cancelled.interrupted() is Status.INTERRUPTED


def test_check_raises_what_interrupts():
    Clock(Limits(max_iter=0)).check()
    with pytest.raises(Stopped) as stopped:
        Clock(Limits(deadline=PAST)).check()
    assert stopped.value.status is Status.TIME_LIMIT


def test_updates_left():
    clock = Clock()
    assert clock.updates_left == float("inf")
    clock = Clock(Limits(max_updates=5))
    clock.updates += 2
    assert clock.updates_left == 3


def test_a_second_line_of_one_pass_replaces_the_first():
    told = []
    clock = Clock(callbacks=[told.append])
    clock.passes = 1.0
    clock.report(3, 0.1, 0.5)
    clock.report(3, 0.2, 0.4)
    clock.updates = 7
    clock.report(4, 0.2, 0.3)
    assert [line[:5] for line in clock.history] == [(1, 0, 3, 0.2, 0.4), (1, 7, 4, 0.2, 0.3)]
    # A callback sees each line once, when it is new.
    assert [line[:5] for line in told] == [(1, 0, 3, 0.1, 0.5), (1, 7, 4, 0.2, 0.3)]


def test_an_interrupt_in_a_callback_is_remembered():
    def interrupt(line):
        raise KeyboardInterrupt

    clock = Clock(callbacks=[interrupt])
    clock.report(0, 0.0, 1.0)
    assert clock.interrupted() is Status.INTERRUPTED
    assert len(clock.history) == 1


def test_other_errors_of_callbacks_are_not_swallowed():
    def fail(line):
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        Clock(callbacks=[fail]).report(0, 0.0, 1.0)


@pytest.mark.usefixtures("default_handler")
def test_the_first_ctrl_c_cancels_and_the_second_raises():
    cancel = threading.Event()
    with cancel_on_interrupt(cancel):
        os.kill(os.getpid(), signal.SIGINT)
        assert cancel.wait(10.0)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("default_handler")
def test_the_handler_comes_back_after_an_error():
    with pytest.raises(RuntimeError), cancel_on_interrupt(threading.Event()):
        raise RuntimeError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_handler_of_the_caller_is_kept():
    def theirs(number, frame):
        heard.append(number)

    heard, cancel = [], threading.Event()
    before = signal.signal(signal.SIGINT, theirs)
    try:
        with cancel_on_interrupt(cancel):
            signal.raise_signal(signal.SIGINT)
        assert heard == [signal.SIGINT]
        assert not cancel.is_set()
        assert signal.getsignal(signal.SIGINT) is theirs
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_are_left_alone():
    errors = []

    def work():
        try:
            with cancel_on_interrupt(threading.Event()):
                pass
        except ValueError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not errors


def test_a_search_may_have_fewer_passes_than_the_limit():
    clock = Clock(Limits(max_iter=10))
    clock.passes = 2.5
    with clock.at_most(4.0):
        assert clock.fits(4.0) and not clock.fits(5.0)
    with clock.at_most(100.0):
        assert clock.fits(7.5) and not clock.fits(8.0)
    with clock.at_most(inf):
        assert clock.limits.max_iter == 10
    with pytest.raises(Stopped), clock.at_most(1.0):
        raise Stopped(Status.MAX_ITER)
    assert clock.limits.max_iter == 10


def test_seconds_left():
    assert Clock().seconds_left == inf
    assert Clock(Limits(deadline=0.0)).seconds_left == 0.0
    assert 50.0 < Clock(Limits(deadline=time.perf_counter() + 60.0)).seconds_left <= 60.0


def test_passes_over_a_part_count_as_the_share_of_it():
    calls = []
    clock = Clock(Limits(max_iter=10, cancelled=lambda: False), callbacks=[calls.append])
    clock.passes, clock.updates = 4.0, 2
    with clock.of_part(0.25) as own:
        assert own.fits(24) and not own.fits(25)
        own.passes += 8.0
        own.updates += 3
        own.report(1, 0.0, 1.0)
    assert (clock.passes, clock.updates) == (6.0, 5)
    assert not clock.history and not calls


def test_the_limits_of_a_part_are_those_of_the_whole():
    cancelled = []
    clock = Clock(Limits(max_iter=10, deadline=1e18, cancelled=lambda: bool(cancelled)))
    with clock.of_part(0.5) as own:
        assert own.limits.deadline == 1e18 and own.stop() is None
        cancelled.append(True)
        assert own.stop() is Status.INTERRUPTED
