"""`novikoff fit --rule`: a perceptron, with the options that belong to it."""

import json

import numpy as np
import pytest

import novikoff
from novikoff import rules
from novikoff.certificate import Status

SCALE_FREE = ["-t", "kind", "--rule", "scale-free"]


def test_the_summary_of_a_perceptron(run, fruit):
    result = run("fit", fruit, *SCALE_FREE)
    assert result.exit_code == 0
    assert result.stderr == ""
    model = novikoff.load("model.json")
    assert isinstance(model, novikoff.Perceptron)
    assert f"Proved   {model.certificate_.sentences()[0]}\n" in result.stdout
    assert f"{len(model.support_)} of 50 examples carry the model" in result.stdout
    assert (
        f"Run      ScaleFree(c=1.0, printed=False): {model.n_updates_} updates. " in result.stdout
    )


def test_json_of_a_perceptron(run, fruit, mixed):
    told = json.loads(run("fit", fruit, *SCALE_FREE, "--json").stdout)
    model = novikoff.load("model.json")
    assert told["estimator"] == "Perceptron"
    assert told["run"]["status"] == "CONVERGED"
    assert told["gap"] == model.certificate_.gap
    assert told["C"] is None
    told = json.loads(run("fit", mixed, *SCALE_FREE, "--C", 2, "--json", "-q").stdout)
    soft = novikoff.load("model.json").certificate_
    assert told["C"] == 2.0
    assert (told["objective"], told["objective_lower_bound"]) == (soft.primal, soft.dual)


def test_a_soft_margin(run, mixed):
    result = run("fit", mixed, *SCALE_FREE, "--C", 2)
    assert result.exit_code == 0
    assert "Proved   For C = 2 the soft-margin objective of " in result.stdout
    model = novikoff.load("model.json")
    assert model.C == model.C_ == 2.0


def test_noise_is_an_honest_inconclusive(run, noisy):
    result = run("fit", noisy, *SCALE_FREE, "--min-margin", 0.5)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "Inconclusive: " in result.stdout
    assert "; no hyperplane has a margin above " in result.stdout
    assert novikoff.load("model.json").status_ is Status.NO_SUCH_MARGIN


def test_a_limit_is_one_clean_warning_and_no_failure(run, noisy):
    result = run("fit", noisy, *SCALE_FREE, "--max-iter", 3, "--min-margin", 0, "--quiet")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr.startswith(
        "novikoff: warning: The run stopped at its limit on full passes"
    )
    assert result.stderr.count("\n") == 1
    assert novikoff.load("model.json").status_ is Status.MAX_ITER


def test_examples_that_no_hyperplane_separates(run, mixed):
    told = json.loads(run("fit", mixed, *SCALE_FREE, "--max-iter", 5, "--json", "-q").stdout)
    assert told["separable"] is False
    assert told["certificate"] == "NonSeparation"
    assert told["margin_upper_bound"] == 0.0
    assert told["C"] is told["objective"] is None
    assert told["training_errors"] >= 1


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--rule", "classic"], rules.Classic()),
        (["--rule", "scale-free", "--rule-param", "printed=true"], rules.ScaleFree(printed=True)),
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


def test_options_reach_the_estimator(run, fruit):
    options = ["--no-intercept", "--max-updates", 9, "--time-limit", 60, "--seed", 7]
    run("fit", fruit, *SCALE_FREE, *options, "--min-margin", 0.01)
    model = novikoff.load("model.json")
    assert (model.fit_intercept, model.max_updates, model.time_limit) == (False, 9, 60.0)
    assert (model.random_state, model.min_margin) == (7, 0.01)
    assert model.n_updates_ <= 9


def test_without_a_seed_the_order_is_that_of_seed_0(run, fruit):
    run("fit", fruit, *SCALE_FREE)
    assert novikoff.load("model.json").random_state == 0


def test_the_help_names_every_rule(run):
    text = " ".join(run("fit", "--help").output.replace("│", " ").split())
    for name in rules._BY_NAME:
        assert name in text


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--rule-param", "alpha=1.5"),
        ("--min-margin", 0.1),
        ("--max-updates", 5),
        ("--seed", 0),
    ],
)
def test_options_of_a_perceptron_need_a_rule(refused, fruit, option, value):
    line = refused("fit", fruit, "-t", "kind", option, value)
    assert f"{option} is an option of the perceptron: add --rule (such as --rule mean-norm)" in line


@pytest.mark.parametrize(("option", "value"), [("--tol", 0.001)])
def test_options_of_the_largest_margin_refuse_a_rule(refused, fruit, option, value):
    line = refused("fit", fruit, "-t", "kind", "--rule", "classic", option, value)
    assert f"{option} is an option of the largest margin" in line
    assert f"leave out {option} or --rule classic" in line


def test_the_soft_margin_has_one_option(refused, fruit):
    assert "--soft-margin" in refused("fit", fruit, *SCALE_FREE, "--soft-margin", 0.5)


def test_options_are_judged_before_the_data_is_read(refused):
    assert "--seed is an option of the perceptron" in refused(
        "fit", "nowhere.csv", "-t", "kind", "--seed", 1
    )
