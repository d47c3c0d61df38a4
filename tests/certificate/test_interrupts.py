"""Ctrl-C while code is being compiled."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from novikoff.certificate.interrupts import defer_interrupts


@pytest.mark.usefixtures("default_handler")
def test_an_interrupt_is_raised_at_the_end_of_the_outermost_block():
    reached = []
    with pytest.raises(KeyboardInterrupt), defer_interrupts():
        with defer_interrupts():
            signal.raise_signal(signal.SIGINT)
            reached.append("inner")
        reached.append("outer")
    assert reached == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_is_called_once_for_every_interrupt():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with defer_interrupts():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            assert heard == []
        assert heard == [signal.SIGINT] * 2
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_handler")
def test_an_interrupt_is_not_lost_where_the_block_fails():
    with pytest.raises(KeyboardInterrupt) as raised, defer_interrupts():
        signal.raise_signal(signal.SIGINT)
        raise ValueError("while compiling")
    assert isinstance(raised.value.__context__, ValueError)


def test_ignored_signals_and_other_threads_are_left_alone():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with defer_interrupts():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    seen = []

    def work():
        with defer_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


COLD = """
import signal, sys, threading, time
import numpy as np
from novikoff import MaxMargin, Perceptron, separate
from novikoff.certificate.announce import announcing

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.standard_normal((200, 5)), rng.integers(0, 2, 200)
what = {
    "fit": lambda: MaxMargin().fit(X, y),
    "perceptron": lambda: Perceptron().fit(X, y),
    "separate": lambda: separate(X, X + 0.3, epsilon=1e-3),
}[sys.argv[1]]
with announcing(lambda line: print("compiling", flush=True)):
    try:
        what()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    else:
        print("not interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a single child on Windows")
@pytest.mark.parametrize("what", ["fit", "perceptron", "separate"])
@pytest.mark.parametrize("functions", [1, 4])
def test_the_first_run_ever_can_be_interrupted_while_it_compiles(tmp_path, what, functions):
    command = [sys.executable, "-c", COLD, what]
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = []
    with subprocess.Popen(command, env=env, **pipes) as run:
        for line in run.stdout:
            said.append(line.strip())
            if len(said) == functions:
                run.send_signal(signal.SIGINT)
        assert run.stderr.read() == ""
    assert said[-1] == "interrupted" and run.returncode == 0
