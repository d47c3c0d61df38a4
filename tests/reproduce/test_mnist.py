"""The rows of Section 3, on the small digits that scikit-learn bundles."""

import csv
import json

import pytest
import torch
from sklearn.datasets import load_digits

from novikoff.neural import Constant, Errors, Power
from novikoff.reproduce import mnist as section3
from novikoff.reproduce.mnist import Row, rows, train, train_all
from novikoff.reproduce.mnist_report import summarised, write


@pytest.fixture
def digits():
    images, labels = load_digits(return_X_y=True)
    images = (images * 15).astype("uint8")
    seen = section3.examples(images[:1400], labels[:1400].astype("uint8"))
    return seen, section3.examples(images[1400:], labels[1400:].astype("uint8"))


def test_rows_of_the_figures():
    for hidden, best in ((800, 1.35), (300, 1.49)):
        found = rows(hidden)
        assert {row.hidden for row in found} == {hidden}
        assert [row for row in found if row.schedule == Constant(0.0)]
        assert [row for row in found if row.schedule == Constant(1.0)]
        assert [row for row in found if row.schedule is None]
        powers = [row for row in found if isinstance(row.schedule, Power)]
        assert len(powers) >= 2
        assert best in [row.paper for row in powers]
        assert len({row.name for row in found}) == len(found)


def test_training_is_a_function_of_the_seed(digits):
    row = Row("small", Power(0.1, 0.4), hidden=20, epochs=3)
    one, again, other = (train(row, seed, *digits) for seed in (0, 0, 1))
    assert [line[:6] for line in one.history] == [line[:6] for line in again.history]
    assert one.error == again.error
    assert [line[:6] for line in one.history] != [line[:6] for line in other.history]
    assert one.backpropagated == 3 * 1400
    assert 0.0 < one.error < 60.0


def test_every_kind_of_row_trains(digits):
    chosen = [
        Row("plain", Constant(1.0), hidden=30, epochs=8),
        Row("cross-entropy", None, hidden=30, epochs=8),
        Row(
            "parts",
            Power(0.1, 0.4),
            hidden=30,
            epochs=8,
            batch=Errors(16),
            dropout=(0.1, 0.1),
            clocks=Power(0.001, 0.25),
            average_from=4,
        ),
    ]
    found = list(train_all(chosen, [0, 1], *digits))
    assert {(result.row.name, result.seed) for result in found} == {
        (row.name, seed) for row in chosen for seed in (0, 1)
    }
    assert all(result.error < 40.0 for result in found)
    waited = [result for result in found if result.row.name == "parts"]
    assert all(result.backpropagated < 8 * 1400 for result in waited)


def test_a_row_ends_where_no_loss_is_active():
    x = torch.eye(3).repeat(5, 1)
    y = torch.arange(3).repeat(5)
    row = Row("easy", Constant(1.0), hidden=20, epochs=10_000, batch=Errors(4))
    result = train(row, 0, (x, y), (x, y))
    assert result.error == 0.0
    assert len(result.history) < 10_000
    assert result.history[-1].backpropagated == 0


def test_what_is_written(digits, tmp_path):
    chosen = [Row("one", Constant(1.0), hidden=5, epochs=2), Row("two", None, hidden=5, epochs=2)]
    found = list(train_all(chosen, [0, 1], *digits))
    lines = summarised(found)
    assert [line.row.name for line in lines] == ["one", "two"]
    errors = [result.error for result in found if result.row.name == "one"]
    assert lines[0].error == pytest.approx(sum(errors) / 2)
    assert lines[0].spread == pytest.approx(abs(errors[0] - errors[1]) / 2**0.5)
    epochs, asked = write(found, tmp_path / "new")
    table = list(csv.DictReader(epochs.read_text().splitlines()))
    assert len(table) == 2 * 2 * 2
    assert float(table[-1]["held_out_error"]) * 100 == pytest.approx(found[-1].error)
    document = json.loads(asked.read_text())
    assert document["seeds"] == [0, 1]
    assert document["rows"][0]["schedule"] == "Constant(beta=1.0)"
    assert document["rows"][1]["schedule"] == "cross-entropy"
