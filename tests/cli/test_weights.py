"""Weights of examples: a column of the data, part of the problem, never stored."""

import json
from pathlib import Path

import numpy as np
import pytest

import novikoff
from novikoff.data import read


@pytest.fixture
def weighted(noisy):
    """Noisy examples with a column of weights, some of them zero."""
    lines = noisy.read_text().splitlines()
    weights = np.random.default_rng(4).choice([0, 0.5, 1, 2], len(lines) - 1)
    rows = [f"{line},{weight}" for line, weight in zip(lines[1:], weights, strict=True)]
    Path("weighted.csv").write_text("\n".join([f"{lines[0]},w", *rows]) + "\n")
    return Path("weighted.csv")


FIT = ["-t", "kind", "--weights", "w", "--C", 0.5]


def test_weights_are_those_of_the_estimator(run, weighted):
    result = run("fit", weighted, *FIT)
    assert result.exit_code == 0
    table = read(weighted, "kind", weights="w")
    some = int((table.weights > 0).sum())
    assert f"Weights  {some} of 400 examples have a positive weight" in result.stdout
    assert f"Check    novikoff verify model.json {weighted} --weights w" in result.stdout
    model = novikoff.load("model.json")
    expected = novikoff.MaxMargin(C=0.5).fit(table.X, table.y, table.weights)
    assert np.array_equal(model.coef_, expected.coef_)
    assert list(model.feature_names_in_) == ["x0", "x1", "x2"]
    wrong = (expected.predict(table.X) != table.y) & (table.weights > 0)
    assert f"Errors   {wrong.sum()} of {some} examples" in result.stdout


def test_a_weighted_claim_needs_its_weights(run, refused, weighted):
    run("fit", weighted, *FIT, "-q")
    line = refused("verify", "model.json", weighted)
    assert "the certificate is of weighted examples" in line
    assert "--weights" in line
    result = run("verify", "model.json", weighted, "--weights", "w")
    assert result.exit_code == 0
    some = int((read(weighted, "kind", weights="w").weights > 0).sum())
    assert (
        f"{some} of 400 examples take part, with weights of their own; hyperplanes" in result.stdout
    )
    told = json.loads(run("verify", "model.json", weighted, "--weights", "w", "--json").stdout)
    assert told["weighted"] is True
    assert told["n_taking_part"] == sum(told["counts"]) == some


def test_other_weights_are_other_data(run, weighted):
    run("fit", weighted, *FIT, "-q")
    text = weighted.read_text()
    weighted.write_text(text.replace(",0.5\n", ",0.25\n"))
    assert run("verify", "model.json", weighted, "--weights", "w").exit_code == 1
    # Weights of zero would take the examples out that make the claim false.
    weighted.write_text(text.replace(",2.0\n", ",0.0\n"))
    result = run("verify", "model.json", weighted, "--weights", "w", "--no-fingerprint")
    assert result.exit_code == 1


def test_a_claim_without_weights_takes_none(run, refused, weighted):
    run("fit", weighted, "-t", "kind", "--C", 0.5, "--drop", "w", "-q")
    assert "leave out --weights" in refused("verify", "model.json", weighted, "--weights", "w")
    assert run("verify", "model.json", weighted).exit_code == 0


def test_weights_of_one_are_no_weights(run, weighted):
    lines = weighted.read_text().splitlines()
    ones = [line.rsplit(",", 1)[0] + ",1" for line in lines[1:]]
    weighted.write_text("\n".join([lines[0], *ones]) + "\n")
    run("fit", weighted, *FIT, "-q")
    assert run("verify", "model.json", weighted).exit_code == 0
    assert run("verify", "model.json", weighted, "--weights", "w").exit_code == 0


@pytest.mark.parametrize(
    ("column", "cause"),
    [("v", "no column 'v'"), ("kind", "is the target and the weights"), ("x0", "negative")],
)
def test_columns_that_are_no_weights(refused, weighted, column, cause):
    assert cause in refused("fit", weighted, "-t", "kind", "--weights", column)


def test_weights_of_a_perceptron(run, weighted):
    run("fit", weighted, *FIT, "--rule", "classic", "--max-iter", 50, "-q")
    table = read(weighted, "kind", weights="w")
    how = dict(rule="classic", C=0.5, max_iter=50, random_state=0)
    expected = novikoff.Perceptron(**how).fit(table.X, table.y, table.weights)
    np.testing.assert_array_equal(novikoff.load("model.json").coef_, expected.coef_)
    assert run("verify", "model.json", weighted, "--weights", "w").exit_code == 0


def test_sha256_of_weighted_examples(run, weighted):
    run("fit", weighted, *FIT, "-q", "--sha256")
    result = run("verify", "model.json", weighted, "--weights", "w", "--sha256")
    assert result.exit_code == 0
    assert "SHA-256 matches" in result.stdout
