"""Words that several tables share: safe to print, short, and true."""

import math
import shlex

import numpy as np
import pytest
from sklearn.datasets import load_iris

from novikoff import MaxMargin, is_separable
from novikoff.data import Table
from novikoff.report.describe import (
    accounts_of,
    class_rows,
    command,
    data_row,
    doubtful_classes,
    penalty,
    verdict,
)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def fits(iris):
    X, y = iris
    return {
        "separable": MaxMargin().fit(X, y == 0).certificate_,
        "soft instead": MaxMargin().fit(X, y == 1).certificate_,
        "soft": MaxMargin(C=2.0).fit(X, y == 1).certificate_,
        "classes": MaxMargin(multi_class="ovr").fit(X, y).certificate_,
        "jointly": MaxMargin(multi_class="joint").fit(X, y).certificate_,
        "no model": is_separable(X, y == 1),
    }


def test_verdicts(fits):
    expected = {
        "separable": True,
        "soft instead": False,
        "soft": None,
        "classes": False,
        "jointly": False,
        "no model": False,
    }
    assert {name: verdict(certificate) for name, certificate in fits.items()} == expected


def test_parts(fits):
    assert len(fits["classes"].parts) == 3
    assert fits["soft"].parts == (fits["soft"],)
    assert fits["jointly"].parts == (fits["jointly"],)


def test_penalties(fits):
    assert penalty(fits["separable"]) == math.inf
    assert penalty(fits["soft"]) == 2.0
    assert penalty(fits["soft instead"]) == fits["soft instead"].model.soft.C
    assert penalty(fits["jointly"]) == fits["jointly"].model.soft.C
    assert penalty(fits["no model"]) is None


def test_accounts(fits):
    for name in ("separable", "soft", "no model"):
        assert accounts_of(fits[name]) == [fits[name].account]
    instead = fits["soft instead"]
    assert accounts_of(instead) == [instead.account, instead.model.account]
    assert len(accounts_of(fits["classes"])) == 2


def test_data_and_classes_are_escaped(tmp_path):
    table = Table(np.zeros((3, 1)), np.array(["a\nb", "\x1b", "\x1b"]), None, "k\ti", np.ones(3))
    assert data_row(tmp_path / "x\x1b", table) == (
        "Data",
        rf"{tmp_path}/x\x1b: 3 examples, 1 feature",
    )
    assert class_rows(table) == [
        ("Classes", r"k\ti: '\x1b' (2) and 'a\nb' (1)"),
        ("Weights", "3 of 3 examples have a positive weight"),
    ]


def test_many_classes_are_counted():
    table = Table(np.zeros((20, 1)), np.arange(20))
    [(_, text)] = class_rows(table)
    assert text == "0 (1), 1 (1), 2 (1), 3 (1), 4 (1), 5 (1) and 14 more"


def test_a_command_can_be_copied():
    words = ["novikoff", "verify", "my model.json", "it's.csv"]
    assert shlex.split(command(*words)) == words
    assert command("a\x1bb\nc").isprintable()


def test_a_target_that_seems_to_be_a_quantity():
    def said(y, name="age"):
        return doubtful_classes(Table(np.zeros((len(y), 1)), np.asarray(y), ("x",), name))

    ages = [*range(20, 50), *range(25, 45)]
    assert (
        said(ages)
        == said(np.array(ages, dtype=float))
        == [
            "'age' has 30 different numbers in 50 examples, and each is taken for a class of its "
            "own: is it a quantity, which a classifier does not predict?"
        ]
    )
    assert said(ages, None)[0].startswith("the target has 30 different numbers")
    # Names, few numbers, numbers that occur often, and what is refused anyway.
    assert said([str(age) for age in ages]) == said(range(10)) == said(ages * 2) == []
    assert said([age + 0.5 for age in ages]) == []
