"""A perceptron that takes long says so while it runs; one that units lead astray, at its end."""

import logging

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from novikoff import Perceptron
from novikoff.certificate import Status
from novikoff.estimators import perceptron_advice


def fit_and_listen(monkeypatch, caplog, seconds, **parameters):
    monkeypatch.setattr(perceptron_advice, "LONG", seconds)
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


class TestUnits:
    """Columns of different units lead a perceptron astray that ends by its own account."""

    def test_where_no_separator_was_found_it_says_so(self):
        X, y = load_breast_cancer(return_X_y=True)
        with pytest.warns(ConvergenceWarning) as said:
            clf = Perceptron(random_state=0).fit(X, y)
        assert clf.status_ is Status.NO_SUCH_MARGIN
        (only,) = said
        assert "column 23 spans more than 100 times as much as column" in str(only.message)
        assert str(only.message).endswith(": set scale=True, or use MaxMargin.")

    def test_columns_have_their_names(self):
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        with pytest.warns(ConvergenceWarning, match="'worst area' spans more than 100 times"):
            Perceptron(random_state=0).fit(X, y)

    def test_a_limit_has_its_own_word(self):
        X, y = load_breast_cancer(return_X_y=True)
        with pytest.warns(ConvergenceWarning) as said:
            Perceptron(max_iter=3, random_state=0).fit(X, y)
        (only,) = said
        assert "max_iter" in str(only.message)

    @pytest.mark.parametrize("how", ["scaled", "sparse", "separable", "one unit", "no weight"])
    def test_otherwise_it_does_not(self, how):
        """The tests turn warnings into errors."""
        X, y = load_breast_cancer(return_X_y=True)
        weights = None
        if how == "sparse":
            X = csr_array(X)
        elif how == "separable":
            X[:, 0] = 1e6 * y
        elif how == "one unit":
            X = StandardScaler().fit_transform(X) + 5.0
            y = y ^ (np.random.default_rng(0).random(len(y)) < 0.1)
        elif how == "no weight":
            rows = np.random.default_rng(0).standard_normal((len(X) - 1, X.shape[1]))
            X, y = np.r_[rows, [[1e9] * 30]], np.random.default_rng(1).integers(0, 2, len(X))
            X[-1, ::2] = 0.0
            weights = np.r_[np.ones(len(rows)), 0.0]
        Perceptron(scale=how == "scaled", random_state=0).fit(X, y, weights)
