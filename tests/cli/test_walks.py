"""The first hour of a newcomer: five walks from a CSV file to a model, predictions and a proof."""

import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


def write(path, names, rows, delimiter=","):
    with Path(path).open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def lines_of(text):
    """The rows of a summary by their names."""
    rows, name = {}, None
    for line in text.splitlines():
        found = re.match(r"(\S+) +(.*)", line)
        if found and line[0] != " ":
            name = found[1]
            rows[name] = found[2]
        else:
            rows[name] += "\n" + line.strip()
    return rows


def command_in(text):
    """The words of the command that a message suggests, without the program."""
    return shlex.split(text[text.index("novikoff ", text.index("Try: ")) :])[1:]


@pytest.fixture
def passengers():
    """A table as people have it: names, words, dates, truth values, holes."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(60):
        woman = i % 2
        rows.append(
            [
                f"Passenger, no. {i}",
                "" if i == 7 else round(20 + 40 * rng.random(), 1),
                "female" if woman else "male",
                ["S", "C", "Q"][i % 3] if i not in (4, 9) else "NA",
                f"1912-0{1 + i % 4}-1{i % 10}",
                "true" if i % 5 else "false",
                "yes" if woman ^ (i == 12) else "no",
            ]
        )
    names = ["name", "age", "sex", "port", "born", "paid", "survived"]
    write("train.csv", names, rows)
    return names, rows


def test_mixed_columns_with_missing_values(run, refused, passengers):
    names, rows = passengers
    line = refused("fit", "train.csv", "--target", "survived")
    assert "column 'name' has 60 different texts in 60 rows, as identifiers do" in line
    assert "values are missing in 'age' (1), 'port' (2), the first in row 5" in line
    command = command_in(line)
    assert command == [
        *("fit", "train.csv", "--target", "survived"),
        *("--missing", "drop", "--drop", "name"),
    ]
    fitted = run(*command)
    assert fitted.exit_code == 0
    told = lines_of(fitted.stdout)
    assert told["Data"] == "train.csv: 57 examples, 8 features"
    assert told["Columns"].splitlines() == [
        "1 column of numbers",
        "'sex': words, 2 features of 0 and 1 (female and male)",
        "'port': words, 3 features of 0 and 1 (C, Q and S)",
        "'paid': 0 and 1",
        "'born': days since 1970-01-01",
    ]
    assert told["Missing"] == (
        "3 of 60 rows left out, because a value is missing: 'age' (1) and 'port' (2)"
    )
    assert run("verify", "model.json", "train.csv").exit_code == 0

    new = [row[:-1] for row in rows[:10]]
    new[1][3] = "Cherbourg"
    write("new.csv", names[:-1], new)
    result = run("predict", "model.json", "new.csv")
    assert result.exit_code == 0
    predicted = [row[0] for row in csv.reader(result.stdout.splitlines())]
    assert predicted[0] == "label" and len(predicted) == 11
    assert [i for i, label in enumerate(predicted[1:]) if not label] == [4, 7, 9]
    assert result.stderr == (
        "column 'port': a word the fit did not see, as 'Cherbourg', in 1 row; "
        "all its indicator columns are 0\n"
        "3 rows of 10 without a prediction: a value is missing\n"
    )


def test_missing_values_can_be_marked(run, passengers):
    options = ["--target", "survived", "--drop", "name", "--missing", "indicator"]
    told = lines_of(run("fit", "train.csv", *options).stdout)
    assert told["Data"] == "train.csv: 60 examples, 10 features"
    assert told["Missing"] == (
        "3 values read as 0, and marked by a feature of 0 and 1: 'age' (1) and 'port' (2)"
    )
    problem = json.loads(Path("model.json").read_text())["certificate"]["problem"]
    assert [n for n in problem["feature_names"] if n.endswith("is missing")] == [
        "age is missing",
        "port is missing",
    ]
    assert run("verify", "model.json", "train.csv").exit_code == 0
    assert len(run("predict", "model.json", "train.csv").stdout.splitlines()) == 61


def test_semicolons_and_decimal_commas(run, refused):
    rng = np.random.default_rng(1)
    X = np.round(rng.uniform(0, 10, (40, 2)), 2)
    y = np.where(X.sum(axis=1) > 10, "schwer", "leicht").tolist()
    rows = [
        [*(f"{v}".replace(".", ",") for v in row), label]
        for row, label in zip(X.tolist(), y, strict=True)
    ]
    write("messung.csv", ["Länge", "Breite", "Klasse"], rows, delimiter=";")
    line = refused("fit", "messung.csv", "--target", "Klasse")
    command = command_in(line)
    assert command == ["fit", "messung.csv", "--target", "Klasse", "--decimal", ","]
    fitted = run(*command)
    assert fitted.exit_code == 0
    assert lines_of(fitted.stdout)["Data"] == "messung.csv: 40 examples, 2 features"
    assert run("verify", "model.json", "messung.csv").exit_code == 0
    assert run("predict", "model.json", "messung.csv").stdout.splitlines() == ["label", *y]
    # A copy with decimal points is the same data.
    write("points.csv", ["Länge", "Breite", "Klasse"], [[*r, k] for r, k in zip(X, y, strict=True)])
    assert run("verify", "model.json", "points.csv", "--decimal", ".").exit_code == 0


def test_imbalanced_classes(run):
    rng = np.random.default_rng(2)
    rare = np.arange(2000) % 30 == 0
    X = rng.standard_normal((2000, 2)) + np.where(rare, 1.0, 0.0)[:, None]
    write(
        "rare.csv",
        ["a", "b", "ill"],
        [[*x, "ny"[r]] for x, r in zip(X, rare.astype(int), strict=True)],
    )
    options = ["fit", "rare.csv", "--target", "ill", "--C", 1]
    plain = run(*options)
    assert plain.exit_code == 0
    rate, names, no, yes = lines_of(plain.stdout)["Errors"].splitlines()
    assert rate == "67 of 2,000 examples (3.35 %)"
    assert [names.split(), no.split(), yes.split()] == [
        ["predicted", "as", "'n'", "'y'"],
        ["'n'", "1,933", "0"],
        ["'y'", "67", "0"],
    ]
    assert plain.stderr == (
        "novikoff: warning: 'y' is hardly ever predicted: 0 times, though 67 of 2,000 examples "
        "belong to it; try --class-weight balanced, which finds more of them and errs more often "
        "on the others\n"
    )
    balanced = run(*options, "--class-weight", "balanced", "--json")
    assert (balanced.exit_code, balanced.stderr) == (0, "")
    ill = json.loads(balanced.stdout)["by_class"][1]
    assert ill["class"] == "y" and ill["errors"] < 40 and ill["predicted"] > 100
    assert run("verify", "model.json", "rare.csv").exit_code == 0
    perceptron = ["--rule", "classic", "--max-iter", 5, "--class-weight", "balanced", "-q"]
    assert run(*options, *perceptron).exit_code == 0
    document = json.loads(Path("model.json").read_text())
    assert document["parameters"]["class_weight"] == "balanced"


def test_three_classes(run):
    rng = np.random.default_rng(3)
    codes = np.arange(90) % 3
    X = rng.standard_normal((90, 2)) + np.array([[0, 0], [3, 0], [1, 3]])[codes]
    write("abc.csv", ["x", "y", "kind"], [[*x, "abc"[k]] for x, k in zip(X, codes, strict=True)])
    fitted = run("fit", "abc.csv", "--target", "kind")
    assert fitted.exit_code == 0
    errors = lines_of(fitted.stdout)["Errors"].splitlines()
    assert len(errors) == 5 and errors[1].split()[2:] == ["'a'", "'b'", "'c'"]
    wrong = int(errors[0].split()[0])
    counts = np.array([line.split()[1:] for line in errors[2:]], dtype=int)
    assert counts.sum() - np.trace(counts) == wrong
    result = run("predict", "model.json", "abc.csv", "--target", "kind", "--scores")
    assert result.stdout.splitlines()[0] == "label,score a,score b,score c"
    assert result.stderr.startswith(f"{wrong} errors in 90 labelled examples")
    proof = run("separable", "abc.csv", "--target", "kind", "-o", "proof.json")
    check = shlex.split(lines_of(proof.stdout)["Check"])
    assert run(*check[1:]).exit_code == 0


def test_a_model_verified_on_another_machine(run, passengers, tmp_path):
    """With nothing but the model and the CSV file, in another folder and another process."""
    options = ["--target", "survived", "--drop", "name", "--missing", "drop"]
    assert run("fit", "train.csv", *options).exit_code == 0
    assert run("separable", "train.csv", *options, "-o", "proof.json").exit_code == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("model.json", "proof.json", "train.csv"):
        shutil.copy(name, elsewhere)
    for name in ("model.json", "proof.json"):
        checked = subprocess.run(
            [sys.executable, "-m", "novikoff", "verify", name, "train.csv"],
            cwd=elsewhere,
            capture_output=True,
            text=True,
            check=False,
        )
        assert checked.returncode == 0, checked.stderr
        assert "3 of 60 rows left out" in checked.stdout
    text = Path("train.csv").read_text()
    Path("train.csv").write_text(text.replace(",female,", ",male,", 1))
    assert run("verify", "model.json", "train.csv").exit_code == 1


def test_dates_with_the_day_first(run, refused):
    """The reading is stated, stored in the model, and repeated by predict and verify."""
    rows = [
        [f"{1 + i % 12:02}/{1 + i % 9:02}/2024", i, "no" if i < 20 else "yes"] for i in range(40)
    ]
    write("visits.csv", ["visit", "x", "back"], rows)
    line = refused("fit", "visits.csv", "--target", "back")
    assert "pass --dates day-first or --dates month-first" in line
    for order, shown in (("day-first", "day/month/year"), ("month-first", "month/day/year")):
        fitted = run("fit", "visits.csv", "--target", "back", "--dates", order)
        expected = f"'visit': days since 1970-01-01, read as {shown}"
        assert lines_of(fitted.stdout)["Columns"].splitlines()[-1] == expected
        assert run("verify", "model.json", "visits.csv").exit_code == 0
        result = run("predict", "model.json", "visits.csv", "--target", "back")
        assert result.stderr.startswith("0 errors in 40 labelled examples")
    assert "choose one of day-first" in refused(
        "fit", "visits.csv", "--target", "back", "--dates", "dmy"
    )
