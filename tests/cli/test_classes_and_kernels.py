"""Several classes, together or each against the rest, and kernels: fit, verify, predict."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import novikoff
from novikoff.certificate import Joint, PerClass
from tests.cli.conftest import write_csv
from tests.cli.test_fit import lines_of


@pytest.fixture
def irises(tmp_path):
    X, y = load_iris(return_X_y=True)
    return write_csv(tmp_path / "irises.csv", X, np.array(["s", "c", "v"])[y].tolist())


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ([], Joint),
        (["--multi-class", "ovr"], PerClass),
        (["--rule", "classic", "--max-iter", 30], Joint),
        (["--rule", "classic", "--max-iter", 30, "--multi-class", "ovr"], PerClass),
        (["--kernel", "rbf"], Joint),
        (["--kernel", "poly", "--degree", 2, "--coef0", 1, "--gamma", 0.5], Joint),
        (["--kernel", "rbf", "--rule", "classic"], Joint),
        (["--kernel", "rbf", "--multi-class", "ovr"], PerClass),
        (["--kernel", "rbf", "--rule", "classic", "--multi-class", "ovr"], PerClass),
    ],
)
def test_from_the_file_to_the_labels(run, irises, options, kind):
    told = lines_of(run("fit", irises, "-t", "kind", *options).stdout)
    n_errors = int(told["Errors"].split()[0])
    assert n_errors <= 15
    certificate = novikoff.load("model.json").certificate_
    assert isinstance(certificate, kind)
    assert run("verify", "model.json", irises).exit_code == 0
    predicted = run("predict", "model.json", irises).stdout.split()[1:]
    y = np.array(["s", "c", "v"])[load_iris().target]
    assert np.count_nonzero(np.array(predicted) != y) == n_errors


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--multi-class", "all"], "joint or ovr"),
        (["--kernel", "cosine"], "--kernel cosine: there are linear, rbf"),
        (["--gamma", 1], "--gamma is an option of a kernel"),
        (["--kernel", "rbf", "--gamma", "wide"], "--gamma wide: give a number"),
        (["--cache-size", 100], "--cache-size is an option of a kernel"),
        (["--kernel", "rbf", "--C", "auto"], "--C auto is for the linear kernel"),
    ],
)
def test_refusals(refused, irises, options, said):
    assert said in refused("fit", irises, "-t", "kind", *options)


@pytest.mark.parametrize(
    ("options", "cure"),
    [
        ([], "with --C"),
        (["--multi-class", "ovr"], "with --C"),
        (["--kernel", "rbf", "--C", 1], "with --gamma"),
        (["--kernel", "rbf", "--C", 1, "--gamma", 1], "--multi-class ovr"),
        (["--class-weight", "balanced"], "fit without it"),
        (["--C", "auto"], "with --C"),
        (["--rule", "classic", "--scale"], "--scale: "),
    ],
)
def test_the_cure_for_a_missing_bound_is_an_option_of_the_command(run, irises, options, cure):
    said = lines_of(run("fit", irises, "-t", "kind", *options).stdout)["Risk"]
    assert cure in said
    assert "=" not in said


def test_a_cure_that_no_option_is(run, irises):
    said = lines_of(run("fit", irises, "-t", "kind", "--rule", "classic").stdout)["Risk"]
    assert "in Python, fix them with average=True" in said
