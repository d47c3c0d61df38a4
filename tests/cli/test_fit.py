"""`novikoff fit`: what it prints, what it writes, how it ends."""

import inspect
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_matrix, save_npz

import novikoff
from novikoff import rules
from novikoff.certificate import Separation, Status
from novikoff.cli.fit import fit
from novikoff.data import read


def test_the_summary_tells_everything(run, fruit):
    result = run("fit", fruit, "--target", "kind", "--out", "m.json")
    assert result.exit_code == 0
    assert result.stderr == ""
    model = novikoff.load("m.json")
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines() if line[0] != " ")
    assert lines["Data"] == f"{fruit}: 50 examples, 2 features"
    assert lines["Classes"] == "kind: apple (25), banana (25)"
    assert lines["Verdict"] == str(model.certificate_).splitlines()[0]
    assert lines["Support"].startswith(f"{len(model.support_)} of 50 examples")
    assert lines["Updates"].startswith(f"{model.n_updates_} in ")
    assert lines["Errors"] == "0 of 50 examples (0 %)"
    assert "m.json" in lines["Model"]
    assert lines["Check"] == f"novikoff verify m.json {fruit}"
    low, high = (
        float(lines["Margin"].split()[0]),
        float(lines["Margin"].split(" to ")[1].split()[0]),
    )
    assert 0 < low <= model.margin_ <= model.margin_upper_bound_ <= high


def test_the_model_remembers_names_target_and_seed(run, fruit):
    assert run("fit", fruit, "-t", "kind", "--seed", 7).exit_code == 0
    model = novikoff.load("model.json")
    assert list(model.feature_names_in_) == ["x0", "x1"]
    assert model.about_ == {"data": "fruit.csv", "target": "kind"}
    assert model.random_state == 7
    assert isinstance(model.certificate_, Separation)


def test_a_position_is_remembered_as_the_name(run, fruit):
    run("fit", fruit, "--target", "-1")
    assert novikoff.load("model.json").about_["target"] == "kind"


def test_json_is_one_document(run, fruit):
    result = run("fit", fruit, "-t", "kind", "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    model = novikoff.load("model.json")
    assert told["separable"] is True
    assert told["certificate"] == "Separation"
    assert told["status"] == "CONVERGED"
    assert told["margin"] == model.margin_
    assert told["margin_upper_bound"] == model.margin_upper_bound_
    assert told["n_support"] == len(model.support_)
    assert told["training_errors"] == 0
    assert told["classes"] == ["apple", "banana"]


def test_quiet_prints_nothing_and_still_saves(run, fruit):
    result = run("fit", fruit, "-t", "kind", "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert Path("model.json").exists()


def test_more_than_two_classes(run, three):
    result = run("fit", three, "-t", "kind")
    assert result.exit_code == 0
    assert "Of 3 classes, each against the rest, 3 are separated" in result.stdout
    told = json.loads(run("fit", three, "-t", "kind", "--json").stdout)
    assert told["separable"] is True
    assert len(told["margin"]) == len(told["margin_upper_bound"]) == 3


def test_a_limit_is_one_clean_warning_and_no_failure(run, noisy):
    result = run("fit", noisy, "-t", "kind", "--max-iter", 3, "--min-margin", 0, "--quiet")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr.startswith(
        "novikoff: warning: The run stopped at its limit on full passes"
    )
    assert result.stderr.count("\n") == 1
    assert novikoff.load("model.json").status_ is Status.MAX_ITER


def test_noise_is_an_honest_inconclusive(run, noisy):
    result = run("fit", noisy, "-t", "kind", "--min-margin", 0.5)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "Inconclusive: no hyperplane with margin >= " in result.stdout
    assert novikoff.load("model.json").status_ is Status.NO_SUCH_MARGIN


def test_examples_that_no_hyperplane_separates(run, mixed):
    told = json.loads(run("fit", mixed, "-t", "kind", "--max-iter", 5, "--json", "-q").stdout)
    assert told["separable"] is False
    assert told["certificate"] == "NonSeparation"
    assert told["margin_upper_bound"] == 0.0
    assert told["training_errors"] >= 1


def test_a_soft_margin(run, mixed):
    result = run("fit", mixed, "-t", "kind", "--soft-margin", 0.5)
    assert result.exit_code == 0
    assert "Soft margin: " in result.stdout
    assert novikoff.load("model.json").soft_margin == 0.5


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--rule", "classic"], rules.Classic()),
        (["--rule-param", "printed=true"], rules.ScaleFree(printed=True)),
        (
            ["--rule", "margin", "--rule-param", "unit=absolute", "--rule-param", "beta=2"],
            rules.Margin(beta=2, unit="absolute"),
        ),
        (
            ["--rule", "passive-aggressive", "--rule-param", "C=inf", "--rule-param", "variant=2"],
            rules.PassiveAggressive(C=np.inf, variant=2),
        ),
    ],
)
def test_rules_and_their_parameters(run, fruit, arguments, rule):
    assert run("fit", fruit, "-t", "kind", *arguments).exit_code == 0
    assert repr(novikoff.load("model.json").rule) == repr(rule)


def test_no_intercept_and_limits_reach_the_estimator(run, fruit):
    run("fit", fruit, "-t", "kind", "--no-intercept", "--max-updates", 9, "--time-limit", 60)
    model = novikoff.load("model.json")
    assert (model.fit_intercept, model.max_updates, model.time_limit) == (False, 9, 60.0)
    assert model.n_updates_ <= 9


def test_the_defaults_are_the_estimators():
    ours = inspect.signature(fit).parameters
    theirs = inspect.signature(novikoff.Perceptron).parameters
    for name in ("rule", "soft_margin", "min_margin", "max_iter", "max_updates", "time_limit"):
        assert ours[name].default == theirs[name].default, name


def test_the_help_names_every_rule(run):
    text = " ".join(run("fit", "--help").output.replace("│", " ").split())
    for name in rules._BY_NAME:
        assert name in text


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
        fingerprints.add(novikoff.load("model.json").certificate_.fingerprint)
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


def test_an_interrupted_fit_saves_its_best_and_exits_1(run, noisy, monkeypatch):
    lines = []

    def interrupt(screen, line):
        lines.append(line)
        if len(lines) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("novikoff.cli.screen.Screen.progress", interrupt)
    result = run("fit", noisy, "-t", "kind", "--min-margin", 0)
    assert result.exit_code == 1
    assert "novikoff: interrupted: the best model so far was saved to model.json" in result.stderr
    assert novikoff.load("model.json").status_ is Status.INTERRUPTED
    assert run("verify", "model.json", noisy).exit_code == 0


def test_an_interruption_elsewhere_exits_130_and_writes_nothing(run, fruit, monkeypatch):
    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("novikoff.data.read", interrupt)
    result = run("fit", fruit, "-t", "kind")
    assert result.exit_code == 130
    assert result.stderr == "novikoff: interrupted: nothing was written\n"
    assert not Path("model.json").exists()


def test_an_old_model_is_replaced_and_another_file_is_not(run, refused, fruit):
    assert run("fit", fruit, "-t", "kind").exit_code == 0
    old = Path("model.json").read_text()
    assert run("fit", fruit, "-t", "kind", "--rule", "classic").exit_code == 0
    assert Path("model.json").read_text() != old
    Path("thesis.txt").write_text("years of work")
    assert "no novikoff model" in refused("fit", fruit, "-t", "kind", "-o", "thesis.txt")
    assert "that is an input" in refused("fit", fruit, "-t", "kind", "-o", fruit)
