"""Edited models: none verifies with a claim that is false, or as something that it is not."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def edited(run, fruit):
    """Fit, edit the certificate, and verify by the arithmetic alone."""

    def edit_and_verify(change, data=fruit, options=()):
        assert run("fit", data, "-t", "kind", *options, "-q").exit_code == 0
        edit(Path("model.json"), change)
        return run("verify", "model.json", data, "--no-fingerprint")

    return edit_and_verify


def edit(path, change):
    document = json.loads(path.read_text())
    change(document["certificate"])
    path.write_text(json.dumps(document))


def raise_the_margin(certificate):
    certificate["model"]["margin"] *= 1.00001
    certificate["upper"] *= 1.00001


def lower_the_bound(certificate):
    certificate["upper"] = certificate["model"]["margin"]
    certificate["model"]["margin"] *= 0.999


def move_a_weight(certificate):
    support = certificate["support"]
    n_examples = certificate["problem"]["n_examples"]
    support[0] = next(i for i in range(n_examples) if i not in support)


def turn_the_hyperplane(certificate):
    certificate["model"]["coef"][0] *= 1.5


def shift_the_hyperplane(certificate):
    certificate["model"]["intercept"] += 1e-3


@pytest.mark.parametrize(
    "change",
    [
        raise_the_margin,
        lower_the_bound,
        move_a_weight,
        turn_the_hyperplane,
        shift_the_hyperplane,
    ],
)
def test_an_edited_separation_is_not_verified(edited, change):
    result = edited(change)
    assert result.exit_code == 1
    assert result.stdout.startswith("Not verified  ")
    assert result.stderr == ""


def negate(certificate):
    model = certificate["model"]
    model["coef"] = [-value for value in model["coef"]]
    model["intercept"] = -model["intercept"]


PERCEPTRON = ["--rule", "scale-free", "--max-iter", 3]


@pytest.mark.parametrize("options", [[], ["--C", 1], PERCEPTRON, [*PERCEPTRON, "--C", 1]])
def test_a_negated_model_is_not_verified(edited, mixed, options):
    """Its proof that nothing separates the examples stays true; its claims on the model do not."""
    result = edited(negate, mixed, options)
    assert result.exit_code == 1


@pytest.mark.parametrize("options", [PERCEPTRON, []])
def test_a_bad_model_verifies_only_with_its_own_count_of_errors(run, edited, mixed, options):
    def replace_the_model(certificate):
        model = certificate["model"]
        model |= {"coef": [0.0, 0.0], "intercept": 1.0, "margin": None, "errors": 0}
        model |= {"soft": None, "account": None}

    result = edited(replace_the_model, mixed, options)
    # The examples that the model says make its hyperplane belong to another.
    assert result.exit_code in (1, 2)
    alone = json.loads(Path("model.json").read_text())["certificate"]
    Path("certificate.json").write_text(json.dumps(alone))
    result = run("verify", "certificate.json", mixed, "-t", "kind")
    assert result.exit_code == 1
    assert "the hyperplane makes 25 errors on the examples, not 0" in result.stdout
    alone["model"]["errors"] = 25
    Path("certificate.json").write_text(json.dumps(alone))
    result = run("verify", "certificate.json", mixed, "-t", "kind")
    assert result.exit_code == 0
    assert "The model makes 25 errors on the 51 examples." in result.stdout


def praise_the_objective(soft):
    soft["primal"] *= 0.999
    soft["dual"] *= 0.9985


def raise_the_dual(soft):
    soft["dual"] *= 1.0005
    soft["primal"] *= 1.001


def weigh_another(soft):
    soft["weights"][0] *= 1.5


def lower_C(soft):
    soft["C"] *= 0.5


@pytest.mark.parametrize("change", [praise_the_objective, raise_the_dual, weigh_another, lower_C])
def test_an_edited_soft_model_is_not_verified(edited, mixed, between, change):
    """The proof that nothing separates the examples stays true: the claims on the model fail."""
    result = edited(lambda certificate: change(certificate["model"]["soft"]), mixed)
    assert result.exit_code == 1
    result = edited(
        lambda c: change(c["certificates"][1]["model"]["soft"]), between, ("--multi-class", "ovr")
    )
    assert result.exit_code == 1
    assert result.stdout.startswith("Not verified  class 'b': ")


def test_a_positive_class_that_does_not_occur(edited, run):
    """No certificate speaks of a class without examples, which anything would separate."""
    Path("xor.csv").write_text("x,z,kind\n0,0,a\n1,1,a\n0,1,b\n1,0,b\n")

    result = edited(lambda c: c["problem"].update(classes=["a", "c"], positive="c"), "xor.csv")
    assert result.exit_code == 1
    assert "'c'" in result.stdout
    # A model has one hyperplane for two classes, or one for each.
    result = edited(lambda c: c["problem"].update(classes=["a", "b", "c"], positive="c"), "xor.csv")
    assert result.exit_code == 2


@pytest.mark.parametrize(
    "change",
    [
        {"status": "GAP_REACHED", "tol": 1e-300},
        {"status": "NO_SUCH_MARGIN"},
        {"status": "NOT_SEPARABLE"},
    ],
)
def test_an_account_that_contradicts_the_bounds_is_refused(run, refused, fruit, change):
    run("fit", fruit, "-t", "kind", "-q", "--tol", 0.5)
    edit(Path("model.json"), lambda certificate: certificate["account"].update(change))
    assert change["status"] in refused("verify", "model.json", fruit)
    assert change["status"] in refused("predict", "model.json", fruit)


@pytest.mark.parametrize(
    "change", [{"margin": 1.0, "errors": 3}, {"margin": 1e9}, {"margin": None}]
)
def test_numbers_that_contradict_each_other_are_refused(run, refused, fruit, change):
    run("fit", fruit, "-t", "kind", "-q")
    edit(Path("model.json"), lambda certificate: certificate["model"].update(change))
    refused("verify", "model.json", fruit)
