"""What a user meets in passing: statuses in sentences, parameters of rules, errors that help."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from novikoff import MaxMargin, Perceptron, rules
from tests.estimators.problems import noise, three_classes, whole_numbers


def test_a_status_prints_as_its_sentence():
    X, y = whole_numbers()
    clf = MaxMargin().fit(X, y)
    assert str(clf.status_) == "The bounds are as close as was asked for."
    assert f"{clf.status_}" == clf.status_.value


def test_a_grid_search_over_a_parameter_of_a_rule_that_is_given_by_name():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(rule="margin", random_state=0)
    search = GridSearchCV(clf, {"rule__beta": [0.5, 1.0]}, cv=3, error_score="raise")
    search.fit(X, y == 0)
    assert search.best_params_["rule__beta"] in (0.5, 1.0)
    assert isinstance(search.best_estimator_.rule, rules.Margin)
    assert clf.rule == "margin"


def test_a_parameter_that_the_named_rule_does_not_have_is_named():
    with pytest.raises(ValueError, match=r"'beta' for .*ScaleFree.*'c', 'printed'"):
        Perceptron(rule="scale-free").set_params(rule__beta=1.0)
    clf = Perceptron().set_params(rule="margin", rule__beta=2.0)
    assert clf.rule.beta == 2.0


@pytest.mark.parametrize(
    "clf", [MaxMargin(), MaxMargin(C=1.0), Perceptron(random_state=0), Perceptron(C=0.1)]
)
def test_the_last_line_of_the_history_has_the_bounds_of_the_certificate(clf):
    X, y = whole_numbers()
    line = clf.fit(X, y).history_[-1]
    if np.isinf(clf.C):
        assert (line.lower, line.upper) == (clf.margin_, clf.margin_upper_bound_)
    else:
        soft = clf.certificate_.model.soft
        assert (line.lower, line.upper) == (soft.dual, soft.primal)


def test_the_last_line_of_the_history_where_nothing_separates():
    X, y = noise()
    line = Perceptron(random_state=0).fit(X, y).history_[-1]
    assert line.lower == -np.inf
    clf = MaxMargin().fit(X, y)
    soft = clf.certificate_.model.soft
    assert clf.history_[-1][3:5] == (soft.dual, soft.primal)
    many = MaxMargin(multi_class="ovr").fit(*three_classes())
    for history, margin in zip(many.history_, many.margin_, strict=True):
        assert history[-1].lower == margin
    together = MaxMargin().fit(*three_classes())
    assert together.history_[-1][3:5] == (together.margin_, together.margin_upper_bound_)


@pytest.mark.parametrize("estimator", [MaxMargin, Perceptron])
@pytest.mark.parametrize("wrong", ["x", 3, [1.0, 2.0]])
def test_a_wrong_class_weight_is_refused_in_words_of_the_estimator(estimator, wrong):
    X, y = whole_numbers()
    with pytest.raises(ValueError, match=r"^class_weight=.* must be 'balanced', None, or a dict"):
        estimator(class_weight=wrong).fit(X, y)


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_passes_are_at_most_max_iter(max_iter):
    X, y = noise()
    clf = MaxMargin(max_iter=max_iter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y)
    assert clf.n_iter_ <= max_iter


def test_without_pytorch_a_command_is_named_that_installs_it():
    script = "import sys; sys.modules['torch'] = None; import novikoff.neural"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120
    )
    last = done.stderr.splitlines()[-1]
    assert "pip install torch" in last
    assert "pip install -c constraints.txt '.[torch]'" in last


def test_a_perceptron_that_cannot_end_says_what_would_help():
    """Of a table with a column of large numbers, which is separable by a small margin."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = X[:, 0] + X[:, 1] > 0
    X[:, 0] += np.where(y, 0.1, -0.1)
    X[:, 2] *= 1000.0
    clf = Perceptron(random_state=0, min_margin=1e-9)
    with pytest.warns(ConvergenceWarning, match="[Ss]cal.* or use MaxMargin"):
        clf.fit(X, y)
    assert bool(MaxMargin().fit(X, y).certificate_)
