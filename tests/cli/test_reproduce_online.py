"""`novikoff reproduce online`: mistakes beside their bounds; 1 where a bound is broken."""

import json
from dataclasses import asdict, replace

import pytest

import novikoff.reproduce
from novikoff.reproduce import Checkpoint

GOOD = Checkpoint("random order", "(R / gamma)^2", 1000, 50, 400.0, True)
BROKEN = replace(GOOD, rounds=2000, mistakes=500, holds=False)


@pytest.fixture
def measured(monkeypatch):
    def set_rows(*rows):
        asked = []

        def reproduce_online(random_state, rounds):
            asked.append((random_state, rounds))
            return list(rows)

        monkeypatch.setattr(novikoff.reproduce, "reproduce_online", reproduce_online)
        return asked

    return set_rows


def test_bounds_that_hold(run, measured):
    asked = measured(GOOD)
    result = run("reproduce", "online", "--seed", 5, "--rounds", 1000)
    assert result.exit_code == 0
    assert asked == [(5, 1000)]
    lines = result.stdout.splitlines()
    assert lines[0] == "random order: mistakes <= (R / gamma)^2"
    assert lines[1].split() == ["rounds", "mistakes", "bound"]
    assert lines[2].split() == ["1,000", "50", "400.0"]
    assert lines[-1].startswith("Every bound holds.")


def test_a_broken_bound(run, measured):
    measured(GOOD, BROKEN)
    result = run("reproduce", "online")
    assert result.exit_code == 1
    assert "BROKEN" in result.stdout.splitlines()[3]
    assert "SOME BOUND IS BROKEN" in result.stdout
    quiet = run("reproduce", "online", "--quiet")
    assert (quiet.exit_code, quiet.output) == (1, "")


def test_json(run, measured):
    measured(GOOD, BROKEN)
    result = run("reproduce", "online", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert told["holds"] is False
    assert told["plot"] is None
    assert told["rows"] == [asdict(GOOD), asdict(BROKEN)]


def test_measured_here_with_curves(run, tmp_path):
    result = run("reproduce", "online", "--rounds", 50, "--plot", "curves.png")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Written: curves.png"
    assert [path.name for path in tmp_path.iterdir()] == ["curves.png"]


def test_curves_that_cannot_be_drawn(refused, monkeypatch):
    assert "must end in .png, .pdf or .svg" in refused(
        "reproduce", "online", "--plot", "curves.txt"
    )
    assert "there is no folder away" in refused("reproduce", "online", "--plot", "away/curves.png")
    monkeypatch.setattr("novikoff.cli.reproduce_online.find_spec", lambda name: None)
    assert "novikoff[plot]" in refused("reproduce", "online", "--plot", "curves.png")


def test_no_rounds(refused):
    assert "--rounds" in refused("reproduce", "online", "--rounds", 0)
