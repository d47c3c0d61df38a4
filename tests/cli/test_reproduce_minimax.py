"""`novikoff reproduce minimax`: measured risks beside the bound; 1 where one is below it."""

import json
from dataclasses import asdict, replace

import pytest

import novikoff.reproduce
from novikoff.reproduce import Risk

GOOD = Risk("Perceptron", 10, 5, 50, 0.0697, 0.0698, 0.0723, 0.0047, True, True)
WORSE = Risk("3 nearest neighbours", 10, 5, 50, 0.0697, 0.0698, 0.13, 0.006, False, True)
BROKEN = replace(GOOD, n=5, d=20, measured=0.01, holds=False)


@pytest.fixture
def measured(monkeypatch):
    def set_rows(*rows):
        asked = []

        def reproduce_minimax(random_state, draws):
            asked.append((random_state, draws))
            return list(rows)

        monkeypatch.setattr(novikoff.reproduce, "reproduce_minimax", reproduce_minimax)
        return asked

    return set_rows


def test_risks_as_the_theorem_says(run, measured):
    asked = measured(GOOD, WORSE)
    result = run("reproduce", "minimax", "--seed", 5, "--draws", 50)
    assert result.exit_code == 0
    assert asked == [(5, 50)]
    lines = result.stdout.splitlines()
    assert lines[0].startswith("10 examples in 5 dimensions: risk at least 0.0697; 0.0698 for")
    assert " ".join(lines[1].split()) == "Perceptron 0.0723 ± 0.0047 right on its examples"
    assert " ".join(lines[2].split()) == "3 nearest neighbours 0.1300 ± 0.0060 errs on its examples"
    assert lines[-1].startswith("Every risk is as the theorem says")


def test_a_risk_below_the_bound(run, measured):
    measured(GOOD, BROKEN)
    result = run("reproduce", "minimax")
    assert result.exit_code == 1
    assert "BROKEN" in result.stdout
    assert "SOME RISK IS TOO SMALL" in result.stdout
    quiet = run("reproduce", "minimax", "--quiet")
    assert (quiet.exit_code, quiet.output) == (1, "")


def test_json(run, measured):
    measured(GOOD, BROKEN)
    result = run("reproduce", "minimax", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert told["holds"] is False
    assert told["rows"] == [asdict(GOOD), asdict(BROKEN)]


def test_measured_here(run):
    result = run("reproduce", "minimax", "--draws", 10, "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert {row["learner"] for row in told["rows"]} == {
        "Perceptron",
        "MaxMargin",
        "decision tree",
        "3 nearest neighbours",
    }


def test_one_draw_has_no_standard_error(refused):
    assert "--draws" in refused("reproduce", "minimax", "--draws", 1)
