"""`novikoff predict`: labels in the order of the rows, columns by name."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import novikoff
from novikoff.data import read


@pytest.fixture
def model(run, fruit):
    assert run("fit", fruit, "-t", "kind", "-q").exit_code == 0
    return Path("model.json")


@pytest.fixture
def truth(fruit):
    return read(fruit, "kind")


def test_one_label_to_a_line(run, model, fruit, truth):
    result = run("predict", model, fruit)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == ["label", *truth.y.tolist()]
    result = run("predict", model, fruit, "--no-header")
    assert result.stdout.splitlines() == truth.y.tolist()


def test_columns_are_found_by_name(run, model, truth):
    lines = [f"{b!r},text,{a!r}" for a, b in truth.X.tolist()]
    Path("new.csv").write_text("\n".join(["x1,note,x0", *lines]) + "\n")
    assert run("predict", model, "new.csv").stdout.splitlines()[1:] == truth.y.tolist()


def test_scores_follow_the_labels(run, model, fruit, truth):
    names, *lines = run("predict", model, fruit, "--scores").stdout.splitlines()
    assert names == "label,score apple,score banana"
    rows = [line.split(",") for line in lines]
    scores = np.array([float(score) for *_, score in rows])
    assert [label for label, *_ in rows] == truth.y.tolist()
    assert np.array_equal(scores, [-float(score) for _, score, _ in rows])
    loaded = novikoff.load(model)
    del loaded.feature_names_in_
    assert np.array_equal(scores, loaded.decision_function(truth.X))


def test_one_score_for_each_class(run, three):
    run("fit", three, "-t", "kind", "-q")
    names, line, *_ = run("predict", "model.json", three, "--scores").stdout.splitlines()
    assert names == "label,score a,score b,score c"
    first = line.split(",")
    assert first[0] == "a"
    assert np.argmax([float(score) for score in first[1:]]) == 0
    assert len(first) == 4


def test_to_a_file(run, model, fruit, truth):
    result = run("predict", model, fruit, "--out", "labels.csv")
    assert (result.exit_code, result.output) == (0, "")
    assert Path("labels.csv").read_text().splitlines() == ["label", *truth.y.tolist()]


def test_known_labels_are_compared(run, model, mixed):
    result = run("predict", model, mixed, "--target", "kind")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 52
    assert result.stderr == "1 error in 51 labelled examples (1.96 %)\n"
    assert run("predict", model, mixed, "--target", "kind", "-q").stderr == ""


def test_json(run, model, mixed):
    told = json.loads(run("predict", model, mixed, "-t", "kind", "--scores", "--json").stdout)
    assert told["errors"] == 1
    assert len(told["predictions"]) == len(told["scores"]) == 51
    largest = np.argmax(told["scores"], axis=1)
    assert told["predictions"] == [told["classes"][place] for place in largest]
    assert told["classes"] == ["apple", "banana"]
    told = json.loads(run("predict", model, mixed, "--json", "-o", "labels.csv").stdout)
    assert told == {"out": "labels.csv", "n_examples": 51}


def test_numbers_without_names(run, model, truth):
    np.save("new.npy", truth.X)
    assert run("predict", model, "new.npy").stdout.splitlines()[1:] == truth.y.tolist()


def test_a_csv_file_without_names(run, refused, model, truth):
    lines = [f"{a!r},{b!r}" for a, b in truth.X.tolist()]
    Path("bare.csv").write_text("\n".join(lines) + "\n")
    assert "pass --no-header" in refused("predict", model, "bare.csv")
    result = run("predict", model, "bare.csv", "--no-header")
    assert result.stdout.splitlines() == truth.y.tolist()


def test_the_labels_of_a_libsvm_file_may_be_fillers(run, truth):
    signs = np.where(truth.y == "banana", 1, -1)
    dump_svmlight_file(truth.X, signs, "train.libsvm", zero_based=False)
    dump_svmlight_file(truth.X, np.zeros(50), "new.libsvm", zero_based=False)
    assert run("fit", "train.libsvm", "-q").exit_code == 0
    known, new = (run("predict", "model.json", f) for f in ("train.libsvm", "new.libsvm"))
    assert known.stdout == new.stdout == "label\n" + "".join(f"{s}\n" for s in signs)
    assert known.stderr == "0 errors in 50 labelled examples (0 %)\n"
    assert new.stderr == ""


def test_labels_the_model_has_never_seen(refused, model, fruit):
    fruit.write_text(fruit.read_text().replace("banana", "cherry"))
    line = refused("predict", model, fruit, "--target", "kind")
    assert "row 26: the model has never seen the label 'cherry'" in line


def test_columns_that_are_missing_or_too_many(refused, model):
    Path("less.csv").write_text("x0\n1.0\n")
    assert "no column 'x1'" in refused("predict", model, "less.csv")
    np.save("wide.npy", np.zeros((3, 5)))
    assert "5 features where 2 are expected" in refused("predict", model, "wide.npy")


def test_inputs_are_never_overwritten(refused, model, fruit):
    assert "that is an input" in refused("predict", model, fruit, "--out", fruit)
    assert "that is an input" in refused("predict", model, fruit, "--out", model)


def test_a_damaged_model(refused, model, fruit):
    model.write_text(model.read_text()[:-20])
    assert "model.json" in refused("predict", model, fruit)
