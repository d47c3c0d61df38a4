"""Progress: a line a second in a log, one line that moves on a terminal, none when quiet."""

import io
import json
import math

import pytest

from novikoff.cli.shared import screen as module
from novikoff.cli.shared.screen import Screen, text_width
from novikoff.run import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    return now


def line(iteration, lower=-math.inf, upper=math.inf):
    return Progress(iteration, 1234 * iteration, 7, lower, upper, float(iteration))


def test_a_log_gets_at_most_a_line_a_second(clock, capsys):
    with Screen() as screen:
        screen.stage("reading")
        for i in range(1, 41):
            clock[0] += 0.1
            screen.progress(line(i, upper=0.25))
    told = capsys.readouterr()
    assert told.out == ""
    lines = told.err.splitlines()
    assert 3 <= len(lines) <= 4
    assert lines[0].startswith("pass 1")
    assert "updates, optimum below 0.25, " in lines[0]


def test_both_bounds_are_told_when_both_are_known(clock, capsys):
    with Screen() as screen:
        clock[0] += 2
        screen.progress(line(2, 0.125, 0.25))
        clock[0] += 2
        screen.progress(line(3))
        clock[0] += 2
        screen.progress(line(4, -7.0, 0.25))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "pass 2: 2,468 updates, optimum between 0.125 and 0.25, 2.0 s"
    assert "optimum unknown" in lines[1]
    assert "optimum below 0.25" in lines[2]


def test_quiet_is_quiet(clock, capsys):
    with Screen(quiet=True) as screen:
        clock[0] += 10
        screen.stage("reading")
        screen.progress(line(1))
        screen.note("done")
        screen.show([("Data", "some")])
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_one_line_and_takes_it_away(monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with Screen() as screen:
        screen.stage("reading [bold]fruit[/bold].csv")
    shown = terminal.getvalue()
    assert "reading [bold]fruit[/bold].csv" in shown
    assert shown.endswith("\x1b[2K")
    assert capsys.readouterr().out == ""


def test_a_terminal_gets_a_table_that_wraps(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    with Screen(quiet=False) as screen:
        screen.show([("Verdict", "[all] " + "very " * 12 + "good"), ("Time", "1 s")])
    lines = terminal.getvalue().splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= 60
    assert "[all]" in lines[0]


def test_texts_do_not_act_upon_the_terminal(monkeypatch, capsys):
    evil = "one\x1b[2J\r\x0b\u202etwo"
    shown = r"one\x1b[2J\r\x0b\u202etwo"
    with Screen() as screen:
        screen.note(evil)
        screen.show([("Data", f"{evil}\nnext")])
    told = capsys.readouterr()
    assert told.err == f"{shown}\n"
    assert told.out == f"Data  {shown}\n      next\n"
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    module.show_rows([("Data", evil)])
    assert shown in terminal.getvalue()
    module.Screen(json=True).show([], {"label": f"{evil}\x7f\x9b\ud800"})
    document = terminal.getvalue().splitlines()[-1]
    assert document.isprintable()
    assert json.loads(document)["label"] == f"{evil}\x7f\x9b\ud800"


def test_the_width_that_is_left_beside_names(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert text_width() == 66
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("sys.__stdout__", None)
    assert text_width() == 86
