"""Streams of examples: what is counted is what a perceptron does, and bounds that fail are told."""

import numpy as np
import pytest

from novikoff.reproduce import online, reproduce_online
from novikoff.reproduce.online import draw


@pytest.fixture(scope="module")
def rows():
    return reproduce_online(random_state=1, rounds=600)


def of(rows, stream):
    return [row for row in rows if row.stream.startswith(stream)]


def test_every_bound_holds_at_every_checkpoint(rows):
    assert all(row.holds for row in rows)
    assert len({(row.stream, row.statement) for row in rows}) == 6
    for row in rows:
        assert row.mistakes <= min(row.rounds, row.bound * (1 + 1e-9))
    assert [row.rounds for row in of(rows, "orthogonal")] == [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 600
    ]  # fmt: skip


def test_mistakes_and_bounds_only_grow(rows):
    for stream, statement in {(row.stream, row.statement) for row in rows}:
        mine = [row for row in rows if (row.stream, row.statement) == (stream, statement)]
        assert (np.diff([row.mistakes for row in mine]) >= 0).all()
        assert (np.diff([row.bound for row in mine]) >= -1e-9).all()


def test_adversaries_make_mistakes_in_every_round(rows):
    for stream in ("the same examples", "made by an adversary", "orthogonal"):
        assert all(row.mistakes == row.rounds for row in of(rows, stream))
    # The one that makes its examples gets all but one of the mistakes that the bound allows.
    last = of(rows, "made by an adversary")[-1]
    assert last.mistakes == 399 and last.bound == pytest.approx(400.0)
    for row in of(rows, "orthogonal"):
        assert row.bound == pytest.approx(row.mistakes)
    random, worst = of(rows, "margin 0.05")[-1], of(rows, "the same examples")[-1]
    assert random.mistakes < worst.mistakes < random.bound


def test_a_broken_bound_is_told(monkeypatch):
    monkeypatch.setattr(online, "_bound", lambda stream, Z, mistaken: 0.5 * len(Z))
    rows = reproduce_online(rounds=50)
    assert {row.holds for row in of(rows, "orthogonal")} == {False}
    assert of(rows, "margin 0.05")[-1].holds


def test_the_seed_decides_the_streams():
    assert reproduce_online(3, rounds=60) == reproduce_online(3, rounds=60)
    assert reproduce_online(3, rounds=60) != reproduce_online(4, rounds=60)


def test_one_round():
    assert all(row.rounds == row.mistakes == 1 for row in reproduce_online(rounds=1))
    with pytest.raises(ValueError, match="rounds=0 must be a positive integer"):
        reproduce_online(rounds=0)


def test_curves(rows, tmp_path):
    draw(rows, tmp_path / "curves.SVG")
    assert [path.name for path in tmp_path.iterdir()] == ["curves.SVG"]
    assert "made by an adversary" in (tmp_path / "curves.SVG").read_text()
