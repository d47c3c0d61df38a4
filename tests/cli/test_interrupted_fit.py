"""Ctrl-C during `novikoff fit`: a model or one clear line, and never a success."""

from pathlib import Path

import pytest

import novikoff
from novikoff.certificate import Status


def interrupt(*_args, **_options):
    raise KeyboardInterrupt


@pytest.mark.parametrize("options", [[], ["--C", 1], ["--rule", "scale-free", "--min-margin", 0]])
def test_an_interrupted_fit_saves_its_best_and_exits_1(run, noisy, monkeypatch, options):
    monkeypatch.setattr("novikoff.cli.shared.screen.Screen.progress", interrupt)
    result = run("fit", noisy, "-t", "kind", *options)
    assert result.exit_code == 1
    last = result.stderr.splitlines()[-1]
    assert last == "novikoff: interrupted: the best model so far was saved to model.json"
    assert Status.INTERRUPTED.value in result.stdout
    assert novikoff.load("model.json").status_ is Status.INTERRUPTED
    assert run("verify", "model.json", noisy).exit_code == 0


def test_an_interruption_before_there_is_a_model(run, fruit, monkeypatch):
    monkeypatch.setattr("novikoff.MaxMargin.fit", interrupt)
    result = run("fit", fruit, "-t", "kind")
    assert result.exit_code == 130
    assert result.stderr == (
        "novikoff: interrupted: there was no model yet, and nothing was written\n"
    )
    assert not Path("model.json").exists()


def test_an_interruption_elsewhere_exits_130_and_writes_nothing(run, fruit, monkeypatch):
    monkeypatch.setattr("novikoff.data.read", interrupt)
    result = run("fit", fruit, "-t", "kind")
    assert result.exit_code == 130
    assert result.stderr == "novikoff: interrupted: nothing was written\n"
    assert not Path("model.json").exists()
