"""`novikoff fit`: what it prints, what it writes, how it ends."""

import inspect
import json
import re
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_matrix, save_npz

import novikoff
from novikoff.certificate import NonSeparation, Separation, SoftOptimum, Status
from novikoff.cli.fit import fit
from novikoff.data import read


def lines_of(text):
    """What the summary says, by the name of each row; lines of one row are joined."""
    rows = {}
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        if name:
            key, rows[name] = name, rest.strip()
        else:
            rows[key] += "\n" + line.strip()
    return rows


def numbers_in(text):
    return [float(word) for word in re.findall(r"-?\d[\d.]*(?:e[-+]?\d+)?", text)]


def test_the_summary_tells_everything(run, fruit):
    result = run("fit", fruit, "--target", "kind", "--out", "m.json")
    assert result.exit_code == 0
    assert result.stderr == ""
    model = novikoff.load("m.json")
    assert isinstance(model, novikoff.MaxMargin)
    told = lines_of(result.stdout)
    assert told["Data"] == f"{fruit}: 50 examples, 2 features"
    assert told["Classes"] == "kind: 'apple' (25) and 'banana' (25)"
    assert told["Proved"].splitlines() == model.certificate_.sentences()
    _, low, high, gap = numbers_in(told["Proved"])
    assert 0 < low <= model.margin_ <= model.margin_upper_bound_ <= high
    assert model.certificate_.gap <= gap / 100 <= 1e-3
    assert told["Support"] == f"{len(model.support_)} of 50 examples carry the model"
    assert told["Errors"] == "0 of 50 examples (0 %)"
    account, passes = told["Run"].splitlines()
    assert account == str(model.certificate_.account)
    assert passes.startswith(f"{model.n_iter_} full pass")
    assert passes.endswith(f"solver: {model.solver_}")
    assert told["Saved"].startswith("m.json")
    assert told["Check"] == f"novikoff verify m.json {fruit}"
    assert list(told) == [
        *("Data", "Classes", "Proved", "Support", "Errors", "Risk"),
        *("Run", "Saved", "Time", "Check"),
    ]


def test_where_nothing_separates_the_model_is_a_soft_margin(run, mixed):
    result = run("fit", mixed, "-t", "kind")
    assert result.exit_code == 0
    assert result.stderr == ""
    model = novikoff.load("model.json")
    told = lines_of(result.stdout)
    proof = model.certificate_
    assert isinstance(proof, NonSeparation)
    assert told["Proved"].splitlines() == proof.sentences()
    soft = proof.model.soft
    assert model.C_ == soft.C
    assert told["C"] == "from the variances of the columns; --C auto finds one by cross-validation"
    search, of_model, _ = told["Run"].splitlines()
    assert search == str(proof.account)
    assert of_model == str(proof.model_account)
    assert soft.gap <= 1e-3
    assert int(told["Errors"].split()[0]) == proof.model.errors >= 1


def test_a_penalty_on_margin_violations(run, fruit, mixed):
    told = lines_of(run("fit", mixed, "-t", "kind", "--C", 2).stdout)
    model = novikoff.load("model.json")
    assert (model.C, model.C_) == (2.0, 2.0)
    assert isinstance(model.certificate_, SoftOptimum)
    assert told["Proved"].startswith("For C = 2 the soft-margin objective of the model is at most ")
    _, objective, bound, gap = numbers_in(told["Proved"])[:4]
    soft = model.certificate_.soft
    assert bound <= soft.dual <= soft.primal <= objective
    assert soft.gap <= gap / 100 <= 1e-3
    assert "C" not in told
    told = lines_of(run("fit", fruit, "-t", "kind", "--C", 100).stdout)
    assert "It separates the 50 examples, with margin at least " in told["Proved"]


def test_training_errors_are_the_certificates(run, mixed, between, monkeypatch):
    """They are proved, not predicted by the command."""
    monkeypatch.setattr("novikoff.MaxMargin.predict", lambda clf, X: clf.classes_[[0] * len(X)])
    for data in (mixed, between):
        told = json.loads(run("fit", data, "-t", "kind", "--json").stdout)
        certificate = novikoff.load("model.json").certificate_
        owner = certificate if data is between else certificate.model
        assert told["training_errors"] == owner.errors


def test_options_reach_the_estimator(run, fruit):
    options = ["--no-intercept", "--tol", 0.25, "--max-iter", 9, "--time-limit", 60]
    assert run("fit", fruit, "-t", "kind", *options).exit_code == 0
    model = novikoff.load("model.json")
    assert (model.C, model.fit_intercept, model.tol) == (np.inf, False, 0.25)
    assert (model.max_iter, model.time_limit) == (9, 60.0)
    assert model.intercept_[0] == 0.0


def test_the_model_remembers_names_and_target(run, fruit):
    assert run("fit", fruit, "-t", "kind").exit_code == 0
    model = novikoff.load("model.json")
    assert list(model.feature_names_in_) == ["x0", "x1"]
    assert model.about_ == {"data": "fruit.csv", "target": "kind"}
    assert isinstance(model.certificate_, Separation)
    problem = model.certificate_.problem
    assert (problem.target, problem.feature_names) == ("kind", ("x0", "x1"))


def test_a_position_is_remembered_as_the_name(run, fruit):
    run("fit", fruit, "--target", "-1")
    assert novikoff.load("model.json").about_["target"] == "kind"


def test_json_is_one_document(run, fruit):
    result = run("fit", fruit, "-t", "kind", "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    model = novikoff.load("model.json")
    assert told["estimator"] == "MaxMargin"
    assert told["separable"] is True
    assert told["certificate"] == "Separation"
    assert told["run"]["status"] == told["run"]["of_model"]["status"] == "GAP_REACHED"
    assert told["run"]["tol"] == 0.001
    assert told["run"]["solver"] == model.solver_
    assert told["margin"] == model.margin_
    assert told["margin_upper_bound"] == model.margin_upper_bound_
    assert told["gap"] == model.certificate_.gap
    assert told["C"] is told["objective"] is told["objective_gap"] is None
    assert told["n_support"] == len(model.support_)
    assert told["training_errors"] == 0
    assert told["classes"] == ["apple", "banana"]


def test_json_of_a_soft_margin(run, mixed):
    for options in ([], ["--C", 0.3]):
        told = json.loads(run("fit", mixed, "-t", "kind", "--json", *options).stdout)
        model = novikoff.load("model.json")
        soft = model.certificate_.model.soft
        assert told["C"] == model.C_ == soft.C
        assert told["objective"] == soft.primal
        assert told["objective_lower_bound"] == soft.dual
        assert told["objective_gap"] == soft.gap
        assert told["run"]["status"] == model.status_.name
        assert told["run"]["of_model"]["status"] == "GAP_REACHED"
        assert told["separable"] is (None if options else False)
        assert told["training_errors"] >= 1


def test_quiet_prints_nothing_and_still_saves(run, fruit):
    result = run("fit", fruit, "-t", "kind", "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert Path("model.json").exists()


def test_classes_together(run, three):
    result = run("fit", three, "-t", "kind")
    assert result.exit_code == 0
    model = novikoff.load("model.json")
    proved = lines_of(result.stdout)["Proved"].splitlines()
    assert proved == model.certificate_.sentences()
    assert proved[0].startswith("Separable: the model separates all 3 classes of the 60 examples ")
    low, high = numbers_in(proved[0])[2:4]
    assert low <= model.margin_ <= model.margin_upper_bound_ <= high
    told = json.loads(run("fit", three, "-t", "kind", "--json").stdout)
    assert told["separable"] is True
    assert told["margin"] == model.margin_


def test_more_than_two_classes(run, three):
    three = [three, "--multi-class", "ovr"]
    result = run("fit", *three, "-t", "kind")
    assert result.exit_code == 0
    model = novikoff.load("model.json")
    proved = lines_of(result.stdout)["Proved"].splitlines()
    assert proved == model.certificate_.sentences()
    assert proved[0] == "Of 3 classes, each against the rest, 3 are separable."
    for k, label in enumerate("abc"):
        assert proved[k + 1].startswith(f"'{label}': separable, margin ")
        low, high = numbers_in(proved[k + 1])[:2]
        assert low <= model.margin_[k] <= model.margin_upper_bound_[k] <= high
    told = json.loads(run("fit", *three, "-t", "kind", "--json").stdout)
    assert told["separable"] is True
    assert len(told["margin"]) == len(told["margin_upper_bound"]) == len(told["gap"]) == 3
    assert told["C"] == [None] * 3


def test_classes_of_which_one_lies_between_the_others(run, between):
    between = [between, "--multi-class", "ovr"]
    result = run("fit", *between, "-t", "kind")
    assert result.exit_code == 0
    model = novikoff.load("model.json")
    proved = lines_of(result.stdout)["Proved"].splitlines()
    assert proved == model.certificate_.sentences()
    assert proved[0] == (
        "Of 3 classes, each against the rest, 2 are separable and 1 is proved not to be separable."
    )
    assert proved[2].startswith("'b': not separable, ")
    soft = model.certificate_.certificates[1].model.soft
    told = json.loads(run("fit", *between, "-t", "kind", "--json").stdout)
    assert told["separable"] is False
    assert told["C"] == [None, soft.C, None]
    assert told["objective_lower_bound"] == [None, soft.dual, None]
    assert told["gap"][1] is None
    proved = lines_of(run("fit", *between, "-t", "kind", "--C", 1).stdout)["Proved"]
    assert proved.count("soft margin, C = 1, objective ") == 3


@pytest.mark.parametrize(
    ("limit", "status"), [("--max-iter", Status.MAX_ITER), ("--time-limit", Status.TIME_LIMIT)]
)
def test_a_limit_is_one_clean_warning_and_no_failure(run, noisy, limit, status):
    result = run("fit", noisy, "-t", "kind", limit, 1 if limit == "--max-iter" else 1e-9)
    assert result.exit_code == 0
    assert "Inconclusive: " in lines_of(result.stdout)["Proved"]
    assert result.stderr.startswith(f"novikoff: warning: {status.value[:-1]}")
    assert result.stderr.count("\n") == 1
    assert novikoff.load("model.json").status_ is status
    assert run("verify", "model.json", noisy).exit_code == 0


def test_noise_is_proved_to_be_noise(run, noisy):
    result = run("fit", noisy, "-t", "kind", "-q")
    assert (result.exit_code, result.stdout) == (0, "")
    model = novikoff.load("model.json")
    assert isinstance(model.certificate_, NonSeparation)
    assert model.certificate_.model.soft.gap <= 1e-3


def test_shown_defaults_are_the_estimators():
    """What was not given is left to the estimator; the help must not say otherwise."""
    hints = get_type_hints(fit, include_extras=True)
    names = {novikoff.MaxMargin: ("C", "tol"), novikoff.Perceptron: ("C", "min_margin")}
    for estimator, own in names.items():
        theirs = inspect.signature(estimator).parameters
        for name in own:
            assert float(hints[name].__metadata__[0].show_default) == theirs[name].default, name
        assert (
            inspect.signature(fit).parameters["time_limit"].default == theirs["time_limit"].default
        )
    assert inspect.signature(fit).parameters["max_iter"].default is None
    limits = hints["max_iter"].__metadata__[0].help
    for estimator in (novikoff.MaxMargin, novikoff.MaxMarginCV, novikoff.Perceptron):
        assert f"{inspect.signature(estimator).parameters['max_iter'].default:,}" in limits


def test_every_format_gives_the_same_model(run, fruit):
    table = read(fruit, "kind")
    X, signs = table.X, np.where(table.y == "banana", 1, -1)
    columns = {"x0": X[:, 0], "x1": X[:, 1], "kind": signs}
    pq.write_table(pa.table(columns), "f.parquet")
    Path("f.csv").write_text(
        "x0,x1,kind\n"
        + "".join(f"{a!r},{b!r},{s}\n" for (a, b), s in zip(X.tolist(), signs, strict=True))
    )
    np.savez("f.npz", X=X, y=signs)
    np.save("f.npy", np.column_stack([X, signs]))
    save_npz("sparse.npz", csr_matrix(np.column_stack([X, signs])))
    Path("f.libsvm").write_text(
        "".join(f"{s} 1:{a!r} 2:{b!r}\n" for (a, b), s in zip(X.tolist(), signs, strict=True))
    )
    fingerprints = set()
    for file, *options in (
        ("f.parquet", "-t", "kind"),
        ("f.csv", "-t", "kind"),
        ("f.npz",),
        ("f.npy", "-t", -1),
        ("sparse.npz", "-t", 2),
        ("f.libsvm",),
    ):
        result = run("fit", file, *options)
        assert result.exit_code == 0, result.output
        fingerprints.add(novikoff.load("model.json").certificate_.problem.fingerprint)
        assert run("verify", "model.json", file).exit_code == 0
    assert len(fingerprints) == 1


def test_a_file_without_names_is_read_again_the_same_way(run, fruit):
    lines = fruit.read_text().splitlines()[1:]
    Path("bare.csv").write_text("".join(f"{i},{line}\n" for i, line in enumerate(lines)))
    assert run("fit", "bare.csv", "-t", -1, "--no-header", "--drop", 0).exit_code == 0
    model = novikoff.load("model.json")
    assert model.n_features_in_ == 2
    assert model.about_ == {"data": "bare.csv", "target": "-1", "drop": "0", "header": "no"}
    assert run("verify", "model.json", "bare.csv").exit_code == 0


def test_an_ending_that_tells_nothing_needs_a_format(run, refused, fruit):
    fruit.rename("fruit.dat")
    assert "--format" in refused("fit", "fruit.dat", "-t", "kind")
    assert run("fit", "fruit.dat", "-t", "kind", "--format", "csv").exit_code == 0


def test_an_old_model_is_replaced_and_another_file_is_not(run, refused, fruit):
    assert run("fit", fruit, "-t", "kind").exit_code == 0
    old = Path("model.json").read_text()
    assert run("fit", fruit, "-t", "kind", "--C", 1).exit_code == 0
    assert Path("model.json").read_text() != old
    Path("thesis.txt").write_text("years of work")
    assert "not a novikoff model" in refused("fit", fruit, "-t", "kind", "-o", "thesis.txt")
    assert "that is an input" in refused("fit", fruit, "-t", "kind", "-o", fruit)


def test_the_loss_of_the_soft_margin(run, fruit):
    result = run("fit", fruit, "--target", "kind", "--C", "0.1", "--loss", "hinge", "-o", "m.json")
    assert result.exit_code == 0
    assert "For C = 0.1 and the hinge loss" in " ".join(result.stdout.split())
    assert novikoff.load("m.json").certificate_.soft.loss == "hinge"
    checked = run("verify", "m.json", fruit)
    assert checked.exit_code == 0
    assert "and the hinge loss" in " ".join(checked.stdout.split())
    assert "C = 0.1, hinge loss" in checked.stdout
    result = run("fit", fruit, "--target", "kind", "--loss", "log", "-o", "n.json")
    assert result.exit_code == 2
    assert "loss='log' must be 'squared_hinge' or 'hinge'" in result.stderr
    result = run("fit", fruit, "--target", "kind", "--rule", "classic", "--loss", "hinge")
    assert result.exit_code == 2
    assert "--loss is an option of the largest margin" in result.stderr


@pytest.mark.parametrize("verb", ["fit", "separable"])
def test_a_target_that_seems_to_be_a_quantity(run, verb):
    rows = "".join(f"{k % 7},{k * k % 11},{20 + k % 12}\n" for k in range(24))
    Path("ages.csv").write_text(f"a,b,age\n{rows}")
    result = run(verb, "ages.csv", "--target", "age", "--quiet")
    assert result.exit_code == 0
    assert "'age' has 12 different numbers in 24 examples" in result.stderr
