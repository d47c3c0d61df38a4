"""`novikoff reproduce game`: the table of Claim 4.3, and its exit codes."""

import json

import pytest

import novikoff.reproduce
from novikoff.reproduce import Row

GOOD = Row("Claim 4.3", "loss <= 3 value", "vectors", 0.3, 0.12, 0.4, True)
BROKEN = Row("Claim 4.3", "loss <= 3 value", "spoilt", 0.3, 0.6, 2.0, False)


@pytest.fixture
def measured(monkeypatch):
    def set_rows(*rows):
        monkeypatch.setattr(novikoff.reproduce, "reproduce_game", lambda random_state: list(rows))

    return set_rows


def test_the_table(run, measured):
    measured(GOOD)
    done = run("reproduce", "game")
    assert done.exit_code == 0
    assert "loss <= 3 value" in done.stdout and "Every bound holds." in done.stdout


def test_a_broken_bound(run, measured):
    measured(GOOD, BROKEN)
    done = run("reproduce", "game", "--json")
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert document["holds"] is False and len(document["rows"]) == 2
