"""`novikoff reproduce mnist`, with the small digits that scikit-learn bundles in MNIST's place."""

import csv
import json
import sys

import pytest
from sklearn.datasets import load_digits

import novikoff
from novikoff.cli import reproduce_mnist
from novikoff.data import DataError
from novikoff.reproduce import mnist as section3
from novikoff.reproduce.mnist import rows


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
    monkeypatch.setattr(reproduce_mnist, "QUICK_EXAMPLES", 100)
    options = ["--quick", "--seeds", 2, "--jobs", 1, "--hidden", hidden, "--out", tmp_path / "out"]
    result = run("reproduce", "mnist", *options)
    assert result.exit_code == 0
    assert "beta = 1" in result.stdout
    assert f"{1.49 if hidden == 300 else 1.35} %" in result.stdout
    assert (tmp_path / "out" / "curves.png").exists()
    assert (tmp_path / "out" / "configuration.json").exists()
    with (tmp_path / "out" / "epochs.csv").open() as file:
        lines = list(csv.DictReader(file))
    expected = [
        (row.name, seed, epoch) for row in rows(hidden) for seed in (0, 1) for epoch in (1, 2)
    ]
    assert [(line["row"], int(line["seed"]), int(line["epoch"])) for line in lines] == expected
    assert {line["visited"] for line in lines} == {"100"}
    told = json.loads(run("reproduce", "mnist", *options, "--json").stdout)
    assert told["quick"] is True
    assert len(told["rows"]) == len(rows(hidden))


def test_other_sizes_are_refused(run):
    result = run("reproduce", "mnist", "--hidden", 100)
    assert result.exit_code == 2
    assert "800" in result.stderr


def test_the_directory_is_tried_first(run, digits, monkeypatch, tmp_path):
    monkeypatch.setattr(section3, "load_examples", lambda: digits)
    monkeypatch.setattr(section3, "train_all", lambda *_: pytest.fail("it was not"))
    (tmp_path / "file").touch()
    result = run("reproduce", "mnist", "--quick", "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert "--out" in result.stderr and result.stderr.count("\n") == 1


def test_ctrl_c_keeps_what_was_trained(run, digits, monkeypatch, tmp_path):
    monkeypatch.setattr(section3, "load_examples", lambda: digits)
    train_all = section3.train_all

    def interrupted(*asked):
        yield next(train_all(*asked))
        raise KeyboardInterrupt

    monkeypatch.setattr(section3, "train_all", interrupted)
    result = run("reproduce", "mnist", "--quick", "--jobs", 1, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "1 of 25 networks" in result.stderr
    assert (tmp_path / "out" / "epochs.csv").read_text().count("\n") == 3


def test_without_data_or_pytorch_there_is_one_line(run, monkeypatch):
    def nothing():
        raise DataError("MNIST cannot be had")

    monkeypatch.setattr(section3, "load_examples", nothing)
    result = run("reproduce", "mnist")
    assert result.exit_code == 2
    assert "cannot be had" in result.stderr and result.stderr.count("\n") == 1
    monkeypatch.setitem(sys.modules, "torch", None)
    of_torch = ("novikoff.neural", "novikoff.reproduce.mnist")
    for name in [name for name in sys.modules if name.startswith(of_torch)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(novikoff, "neural", raising=False)
    result = run("reproduce", "mnist")
    assert result.exit_code == 2
    assert "pip install torch" in result.stderr and result.stderr.count("\n") == 1


def test_without_matplotlib_there_are_no_curves(run, digits, monkeypatch, tmp_path):
    monkeypatch.setattr(section3, "load_examples", lambda: digits)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    options = ["--quick", "--seeds", 1, "--jobs", 1, "--out", tmp_path / "out"]
    result = run("reproduce", "mnist", *options)
    assert result.exit_code == 0
    assert "novikoff[plot]" in result.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "configuration.json",
        "epochs.csv",
    ]
