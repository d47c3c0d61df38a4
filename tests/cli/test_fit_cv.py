"""``novikoff fit --C auto`` and ``--cv``: the C that predicts best, and how well that is."""

import json

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import novikoff
from novikoff import MaxMargin, MaxMarginCV
from tests.cli.conftest import write_csv
from tests.cli.test_fit import lines_of


def read(path):
    table = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding=None)
    names = table.dtype.names
    X = np.column_stack([table[name] for name in names[:-1]]).astype(float)
    return X, table[names[-1]]


@pytest.fixture
def barely(tmp_path):
    """Separable, but with a margin that few examples decide."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 40))
    y = X[:, :2].sum(axis=1) + 0.5 * rng.standard_normal(120) > 0
    return write_csv(tmp_path / "barely.csv", X[:60], np.where(y, "yes", "no")[:60].tolist())


def test_auto_is_the_model_of_cross_validation(run, noisy):
    result = run("fit", noisy, "-t", "kind", "--C", "auto")
    assert result.exit_code == 0
    assert result.stderr == ""
    X, y = read(noisy)
    expected = MaxMarginCV().fit(X, y)
    model = novikoff.load("model.json")
    assert type(model) is MaxMargin
    assert model.C == expected.C_
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    chosen, *table, hard = lines_of(result.stdout)["C"].splitlines()
    assert chosen == f"{expected.C_:.3g}, chosen by cross-validation in 5 folds:"
    errors = 100 * (1 - expected.scores_.mean(axis=0))
    assert table[0] == f"C = {expected.Cs_[0]:.3g}: {errors[0]:.1f} % errors on examples held out"
    assert table[-1] == "C = inf (the hard margin): not scored"
    assert len(table) == len(expected.Cs_)
    assert hard == ("The hard margin has no score: not every fold was separated within few passes.")
    assert run("verify", "model.json", noisy).exit_code == 0


def test_auto_says_when_the_hard_margin_predicts_worse(run, barely):
    told = lines_of(run("fit", barely, "-t", "kind", "--C", "auto").stdout)["C"].splitlines()
    expected = MaxMarginCV().fit(*read(barely))
    errors = 100 * (1 - expected.scores_.mean(axis=0))
    assert errors[-1] > errors.min()
    assert told[-1] == (
        f"The hard margin would have predicted worse: {errors[-1]:.1f} % "
        f"against {errors.min():.1f} %."
    )


def test_auto_where_everything_predicts_as_well(run, fruit):
    told = lines_of(run("fit", fruit, "-t", "kind", "--C", "auto").stdout)["C"].splitlines()
    assert told[-1] == "The hard margin would have predicted as well."


def test_the_choice_as_json(run, noisy):
    told = json.loads(run("fit", noisy, "-t", "kind", "--C", "auto", "--json").stdout)
    choice = told["choice_of_C"]
    assert told["C"] == choice["Cs"][int(np.argmin(choice["errors"][:-1]))]
    assert choice["errors"][-1] is None
    assert choice["n_folds"] == 5
    plain = json.loads(run("fit", noisy, "-t", "kind", "--json").stdout)
    assert plain["choice_of_C"] is plain["validation"] is None


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (["--C", 0.01], MaxMargin(C=0.01)),
        ([], MaxMargin()),
        (["--C", "auto"], MaxMarginCV(cv=4)),
        (["--rule", "classic", "--max-iter", 5], None),
    ],
)
def test_the_error_on_examples_held_out(run, noisy, options, asked):
    result = run("fit", noisy, "-t", "kind", "--cv", 4, "--json", *options)
    assert result.exit_code == 0
    told = json.loads(result.stdout)["validation"]
    assert len(told["errors"]) == 4
    if asked is not None:
        errors = 1 - cross_val_score(asked, *read(noisy), cv=4)
        np.testing.assert_allclose(told["errors"], errors, atol=1e-12)
        assert told["mean"] == pytest.approx(errors.mean())
        assert told["standard_error"] == pytest.approx(errors.std(ddof=1) / 2)


def test_the_error_in_words(run, noisy):
    told = lines_of(run("fit", noisy, "-t", "kind", "--C", 1, "--cv", 3).stdout)
    errors = 100 * (1 - cross_val_score(MaxMargin(C=1.0), *read(noisy), cv=3))
    assert told["Predicts"] == (
        f"{errors.mean():.1f} % errors on examples held out, standard error "
        f"{errors.std(ddof=1) / 3**0.5:.1f} % (3 folds)"
    )


def test_what_is_refused(run, noisy):
    for options, words in (
        (["--C", "much"], "--C much: give a number, inf or auto"),
        (["--C", "auto", "--rule", "classic"], "--C auto is an option of the largest margin"),
        (["--cv", 1], "--cv"),
    ):
        result = run("fit", noisy, "-t", "kind", *options)
        assert result.exit_code == 2
        assert words in result.stderr


def test_a_class_smaller_than_the_folds(run, tmp_path):
    rng = np.random.default_rng(0)
    path = write_csv(tmp_path / "few.csv", rng.standard_normal((23, 2)), ["a"] * 3 + ["b"] * 20)
    result = run("fit", path, "-t", "kind", "--C", "auto")
    assert result.exit_code == 0
    assert "the class 'a' has only 3 examples: 3 folds instead of 5" in result.stderr.lower()
    one = write_csv(tmp_path / "one.csv", rng.standard_normal((21, 2)), ["a"] + ["b"] * 20)
    result = run("fit", one, "-t", "kind", "--C", "auto")
    assert result.exit_code == 2
    assert "only one example" in result.stderr
