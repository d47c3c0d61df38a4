"""`novikoff reproduce theorems`: a bound, a measurement, a ratio; 1 where a bound is broken."""

import json
from dataclasses import asdict

import pytest

import novikoff.reproduce
from novikoff.reproduce import Row

GOOD = Row("Theorem 2.1", "updates <= (R / eps)^2", "planted", 10000.0, 2500.0, 0.25, True)
SMALL = Row("Theorem 2.2", "margin >= eps / 3", "planted", 0.02, 0.025, 1.25, True)
BROKEN = Row("Theorem 2.1", "updates <= (R / eps)^2", "spoilt", 100.0, 125.0, 1.25, False)
CAPPED = Row("Theorem 2.1", "updates <= (R / eps)^2", "long", 100.0, 50.0, 0.5, None)


@pytest.fixture
def measured(monkeypatch):
    def set_rows(*rows):
        seeds = []

        def reproduce_theorems(random_state):
            seeds.append(random_state)
            return list(rows)

        monkeypatch.setattr(novikoff.reproduce, "reproduce_theorems", reproduce_theorems)
        return seeds

    return set_rows


def test_bounds_that_hold(run, measured):
    seeds = measured(GOOD, SMALL)
    result = run("reproduce", "theorems", "--seed", 5)
    assert result.exit_code == 0
    assert seeds == [5]
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["bound", "measured", "ratio"]
    assert lines[1:3] == ["Theorem 2.1", "  updates <= (R / eps)^2"]
    assert lines[3].split() == ["planted", "10,000", "2,500", "0.25", "holds"]
    assert lines[7].split() == ["planted", "0.02", "0.025", "1.25", "holds"]
    assert lines[-1].startswith("Every bound holds. (2 measurements, ")


@pytest.mark.parametrize(
    ("row", "word", "verdict"),
    [
        (BROKEN, "BROKEN", "Bounds broken: 1; undecided: 0."),
        (CAPPED, "undecided", "Bounds broken: 0; undecided: 1."),
    ],
)
def test_a_bound_that_is_broken_or_undecided(run, measured, row, word, verdict):
    measured(GOOD, row)
    result = run("reproduce", "theorems")
    assert result.exit_code == 1
    assert word in result.stdout
    assert verdict in result.stdout
    quiet = run("reproduce", "theorems", "--quiet")
    assert (quiet.exit_code, quiet.output) == (1, "")


def test_json(run, measured):
    measured(GOOD, BROKEN, CAPPED)
    result = run("reproduce", "theorems", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert told["holds"] is False
    assert told["rows"] == [asdict(GOOD), asdict(BROKEN), asdict(CAPPED)]


def test_the_theorems_hold(run):
    result = run("reproduce", "theorems", "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["holds"] is True
    assert {row["theorem"].split(",")[0] for row in told["rows"]} >= {
        "Novikoff's theorem",
        "Theorem 2.1",
        "Theorem 2.2",
        "Theorem 2.3",
    }
    for row in told["rows"]:
        assert row["ratio"] == pytest.approx(row["measured"] / row["bound"])


def test_reproduce_alone_shows_what_there_is(run):
    result = run("reproduce")
    assert result.exit_code == 0
    assert "theorems" in result.output
