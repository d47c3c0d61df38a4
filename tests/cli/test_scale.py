"""`--scale`: columns of different units, from a CSV file to a model that verifies and predicts."""

import json
from pathlib import Path

import numpy as np
import pandas
import pytest

import novikoff
from novikoff.certificate import NonSeparation
from tests.cli.conftest import write_csv
from tests.cli.test_fit import lines_of


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    """Two sexes that differ in a length; a mass in grams is far larger, and says little."""
    rng = np.random.default_rng(5)
    sex = np.arange(120) % 2
    length = 40.0 + 4.0 * sex + rng.normal(0.0, 1.6, 120)
    mass = 4000.0 + 40.0 * sex + rng.normal(0.0, 700.0, 120)
    X = np.column_stack([length.round(1), mass.round(-1), np.arange(1.0, 121.0), np.ones(120)])
    return write_csv(tmp_path / "birds.csv", X, np.array(["female", "male"])[sex].tolist())


def test_the_summary_says_what_to_do_and_then_is_content(run, birds):
    told = lines_of(run("fit", birds, "-t", "kind").stdout)
    assert told["Advice"].splitlines() == [
        "'x1' carries 99 % of the squared distance to the mean and outweighs the others: "
        "add --scale",
        "'x3' is constant",
        "'x2' looks like an identifier (whole numbers, all different): --drop x2 leaves it out",
    ]
    told = lines_of(run("fit", birds, "-t", "kind", "--scale", "--drop", "x2").stdout)
    assert told["Advice"] == "'x3' is constant"
    model = novikoff.load("model.json")
    assert model.scale is True
    assert isinstance(model.certificate_, NonSeparation)
    assert told["Proved"].endswith("Margins and objectives are in units of the scaled columns.")
    # The length alone, cut in the middle, is wrong of a normal tail: 10.6 % of the birds.
    assert int(told["Errors"].split()[0]) <= 0.15 * 120


def test_a_scaled_model_verifies_and_predicts_on_the_data_as_they_are(run, birds):
    for options in ([], ["--rule", "scale-free", "--max-iter", 30]):
        run("fit", birds, "-t", "kind", "--scale", "--json", *options)
        result = run("verify", "model.json", birds)
        assert result.exit_code == 0
        assert "columns divided by powers of two, from 2**0 to 2**" in result.stdout
        model = novikoff.load("model.json")
        table = novikoff.data.read(birds, target="kind")
        named = pandas.DataFrame(table.X, columns=table.feature_names)
        predicted = run("predict", "model.json", birds).stdout.split()
        assert predicted[-120:] == model.predict(named).tolist()


def test_for_machines(run, birds):
    told = json.loads(run("fit", birds, "-t", "kind", "--json").stdout)
    assert told["scaled"] is False
    assert told["columns"] == {
        "heaviest": "x1",
        "share": pytest.approx(0.996, abs=5e-3),
        "constant": ["x3"],
        "identifiers": ["x2"],
    }
    told = json.loads(run("fit", birds, "-t", "kind", "--scale", "--json").stdout)
    assert told["scaled"] is True
    assert told["columns"]["heaviest"] is None


def test_a_forged_exponent_is_found(run, birds):
    run("fit", birds, "-t", "kind", "--scale", "--C", 1)
    document = json.loads(Path("model.json").read_text())
    exponents = document["certificate"]["problem"]["exponents"]
    assert exponents == list(novikoff.load("model.json").certificate_.problem.exponents)
    for wrong in (exponents[0] + 1, exponents[0] - 1, 901, 0.5, None):
        exponents[0] = wrong
        Path("forged.json").write_text(json.dumps(document))
        result = run("verify", "forged.json", birds)
        assert result.exit_code != 0
        assert "Traceback" not in result.output


def test_separable(run, birds, fruit):
    for data, answer in ((birds, "no"), (fruit, "yes")):
        for options, scaled in ((["--scale"], True), (["--no-scale"], False), ([], False)):
            result = run("separable", data, "-t", "kind", *options, "--out", "proof.json")
            assert result.stdout.startswith(f"Separable  {answer}\n")
            problem = json.loads(Path("proof.json").read_text())["problem"]
            assert (problem.get("exponents") is not None) == scaled
            assert run("verify", "proof.json", data, "-t", "kind").exit_code == 0
            Path("proof.json").unlink()


@pytest.mark.parametrize("verb", [("fit",), ("separable", "--no-scale")])
def test_squares_that_overflow_name_the_option(run, refused, tmp_path, verb):
    verb, *options = verb
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 2))
    kinds = np.where(X.sum(axis=1) > 0.0, "a", "b").tolist()
    path = write_csv(tmp_path / "huge.csv", X * [1e250, 1.0], kinds)
    told = refused(verb, path, "-t", "kind", *options)
    assert "squares of the features overflow" in told
    assert "or add --scale" in told
    assert run(verb, path, "-t", "kind", "--scale").exit_code == 0


def test_separable_scales_columns_of_different_units_by_itself(run, birds):
    table = pandas.read_csv(birds)
    table["x1"] *= 10_000
    table.to_csv(birds, index=False)
    for options, scaled in ([], True), (["--no-scale"], False):
        run("separable", birds, "-t", "kind", *options, "--out", "proof.json")
        problem = json.loads(Path("proof.json").read_text())["problem"]
        assert (problem.get("exponents") is not None) == scaled
        assert run("verify", "proof.json", birds, "-t", "kind").exit_code == 0
        Path("proof.json").unlink()
