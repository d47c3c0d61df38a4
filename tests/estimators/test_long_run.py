"""A perceptron that takes long says so while it runs."""

import logging

import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron
from novikoff.estimators import long_run


def fit_and_listen(monkeypatch, caplog, seconds, **parameters):
    monkeypatch.setattr(long_run, "LONG", seconds)
    X, y = load_wine(return_X_y=True)
    clf = Perceptron(random_state=0, max_iter=40, **parameters)
    with caplog.at_level(logging.WARNING, "novikoff"), pytest.warns(ConvergenceWarning):
        clf.fit(X, y == 1)
    return [record.getMessage() for record in caplog.records if "separator" in record.getMessage()]


def test_it_says_once_what_would_help(monkeypatch, caplog):
    (line,) = fit_and_listen(monkeypatch, caplog, 0.0)
    assert line.startswith("No separator after 1 of at most 40 passes. Set scale=True, or use Max")


def test_not_if_the_run_is_short_or_soft(monkeypatch, caplog):
    assert fit_and_listen(monkeypatch, caplog, 1e9) == []
    assert fit_and_listen(monkeypatch, caplog, 0.0, C=1.0) == []


@pytest.mark.parametrize("C", [float("inf"), 1.0])
def test_a_finite_C_is_advised_where_there_is_none(C):
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="ask less of the rule") as said:
        Perceptron(C=C, max_iter=2).fit(X, y == 1)
    assert ("finite C" in str(said[0].message)) is (C == float("inf"))
