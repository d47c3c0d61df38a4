"""The measured theorems: what holds is computed, and what was cut short is said to be undecided."""

import numpy as np
import pytest

from novikoff import rules
from novikoff.data import planted
from novikoff.reproduce import Row, reproduce_theorems
from novikoff.reproduce.measurement import margin_row, row, updates_row
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of


def test_every_theorem_is_measured_and_holds():
    rows = reproduce_theorems(random_state=1)
    assert all(isinstance(r, Row) and r.holds is True for r in rows)
    assert all(r.ratio == pytest.approx(r.measured / r.bound) for r in rows)
    told = " ".join(f"{r.theorem} {r.statement}" for r in rows)
    for name in (
        "Novikoff's theorem",
        "any sequence",
        "With an intercept",
        "Theorem 2.1",
        "Theorem 2.2, Algorithm 3 as printed",
        "threshold c rho^2",
        "Theorem 2.3, Algorithm 4",
        "Appendix A",
        "is sharp",
        "combined",
    ):
        assert name in told
    for theorem in ("Theorem 2.1", "Theorem 2.2", "Theorem 2.3, Algorithm 4", "combined"):
        of = [r.statement for r in rows if theorem in r.theorem]
        assert any("updates <=" in s for s in of) and any("margin >=" in s for s in of)


def test_measured_counts():
    rows = reproduce_theorems()
    pair = [r.measured for r in rows if "999" in r.data]
    assert pair == [2_000_002, 2003, 5]
    sharp = [r.ratio for r in rows if "is sharp" in r.theorem]
    assert sharp == pytest.approx([0.486, 0.5526, 0.5600, 0.5903], abs=5e-5)


def test_the_seed_decides_the_data():
    assert reproduce_theorems(random_state=3, max_updates=200) == reproduce_theorems(
        random_state=np.random.RandomState(3), max_updates=200
    )
    assert reproduce_theorems(3, max_updates=200) != reproduce_theorems(4, max_updates=200)


def test_runs_cut_short_decide_nothing():
    rows = reproduce_theorems(max_updates=50)
    undecided = [r for r in rows if r.holds is None]
    assert {"Theorem 2.2, Algorithm 3 as printed", "Novikoff's theorem"} <= {
        r.theorem for r in undecided
    }
    assert all(r.measured == 50 for r in undecided if "updates" in r.statement)
    assert not any(r.holds is False for r in rows)


@pytest.fixture
def example():
    p = planted(100, 5, 0.05, random_state=0)
    return p, Sample.of(storage_of(p.X), p.y, affine=False)


def test_a_bound_that_is_exceeded_is_refuted_even_by_a_run_cut_short(example):
    _, sample = example
    cut = run(sample, rules.ScaleFree(), clock=Clock(Limits(max_updates=5)))
    assert cut.status.at_limit
    assert updates_row("", "", "", cut, 4.0).holds is False
    assert updates_row("", "", "", cut, 400.0).holds is None


def test_verdicts_are_computed(example):
    p, sample = example
    finished = run(sample, rules.ScaleFree())
    assert updates_row("", "", "", finished, finished.n_updates).holds is True
    assert updates_row("", "", "", finished, finished.n_updates - 1).holds is False
    assert margin_row("", "", "", finished, p, 0.001).holds is True
    assert margin_row("", "", "", finished, p, 0.0501).holds is False
    cut = run(sample, rules.ScaleFree(), clock=Clock(Limits(max_updates=5)))
    assert margin_row("", "", "", cut, p, 0.001).holds is None
    assert row("", "", "", 2.0, 3.0).holds is False
    with pytest.raises(ValueError, match="proves no such bound"):
        updates_row("", "", "", finished, rules.Alma().update_bound(1.0, 0.1))
