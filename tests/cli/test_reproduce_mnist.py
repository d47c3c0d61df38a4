"""`novikoff reproduce mnist`, with the small digits that scikit-learn bundles in MNIST's place."""

import json

import pytest
from sklearn.datasets import load_digits

from novikoff.neural import mnist as section3
from novikoff.neural.mnist import rows


@pytest.fixture
def digits():
    images, labels = load_digits(return_X_y=True)
    images, labels = (images * 15).astype("uint8"), labels.astype("uint8")
    return (
        section3.examples(images[:500], labels[:500]),
        section3.examples(images[1400:], labels[1400:]),
    )


@pytest.mark.parametrize("hidden", [800, 300])
def test_the_command(run, digits, monkeypatch, hidden, tmp_path):
    monkeypatch.setattr(section3, "load_examples", lambda: digits)
    options = ["--quick", "--seeds", 1, "--jobs", 1, "--hidden", hidden, "--out", tmp_path / "out"]
    result = run("reproduce", "mnist", *options)
    assert result.exit_code == 0
    assert "beta = 1" in result.stdout
    assert f"{1.49 if hidden == 300 else 1.35} %" in result.stdout
    assert (tmp_path / "out" / "epochs.csv").exists()
    assert (tmp_path / "out" / "configuration.json").exists()
    told = json.loads(run("reproduce", "mnist", *options, "--json").stdout)
    assert told["quick"] is True
    assert len(told["rows"]) == len(rows(hidden))


def test_other_sizes_are_refused(run):
    result = run("reproduce", "mnist", "--hidden", 100)
    assert result.exit_code == 2
    assert "800" in result.stderr
