"""What a fitted perceptron shows: scores, margins, the history of its run."""

import itertools
import math

import numpy as np
import pytest
from scipy import sparse

from novikoff import Perceptron
from novikoff.certificate import NonSeparation, Status
from novikoff.data import planted
from tests.estimators.problems import ALL_RULES, noise, three_classes, whole_numbers


def test_scores_are_those_of_the_hyperplane():
    X, y = three_classes()
    clf = Perceptron(random_state=0).fit(X, y)
    for store in (np.array, sparse.csr_matrix, lambda X: X.astype(np.float32), np.asfortranarray):
        scores = clf.decision_function(store(X))
        np.testing.assert_allclose(scores, X @ clf.coef_.T + clf.intercept_, rtol=1e-5, atol=1e-3)
        np.testing.assert_array_equal(clf.predict(store(X)), scores.argmax(axis=1))
    assert clf.decision_function(X).dtype == np.float64
    whole, labels = whole_numbers()
    binary = Perceptron(random_state=0).fit(whole, labels)
    for kind in (np.uint8, np.int64, np.float32):
        np.testing.assert_array_equal(
            binary.decision_function(whole.astype(kind)), binary.decision_function(whole)
        )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("separable", [True, False])
def test_bounds_only_improve(rule, separable, fit_intercept):
    if separable:
        p = planted(60, 4, 0.05, radius=0.34, intercept=fit_intercept, random_state=0)
        X, y = p.X, p.y
    else:
        X, y = noise()
        X = X / 16.0
    clf = Perceptron(
        rule=ALL_RULES[rule],
        fit_intercept=fit_intercept,
        min_margin=0.01,
        max_iter=5000,
        max_updates=100_000,
        random_state=0,
    ).fit(X, y)
    history = clf.history_
    assert all(one.lower <= two.lower for one, two in itertools.pairwise(history[:-1]))
    assert all(one.upper >= two.upper for one, two in itertools.pairwise(history[:-1]))
    # The last line has the certificate's bounds, which are rounded outward.
    if len(history) > 1:
        # The model of a rule that has stopped by itself is the last iterate, not the widest one.
        if clf.status_ is Status.CONVERGED:
            assert history[-1].lower == clf.certificate_.lower > 0.0
        else:
            assert history[-2].lower <= history[-1].lower * (1 + 1e-9)
        assert history[-2].upper >= history[-1].upper * (1 - 1e-9)
    for name in ("iteration", "updates", "mistakes", "seconds"):
        column = [getattr(line, name) for line in history]
        assert column == sorted(column)
    assert history[-1].updates == clf.n_updates_
    # MinOver has seen nothing before its first update.
    first = 2 if rule == "min-over" else 1
    passes = [line.iteration for line in history]
    if isinstance(clf.certificate_, NonSeparation):
        # After the proof there are lines for some of the passes only.
        assert passes[:15] == list(range(first, 15 + first))
        assert passes[-1] == clf.n_iter_
    else:
        assert passes == list(range(first, clf.n_iter_ + 1))
    assert all(line.mistakes <= line.updates for line in history)
    assert clf.margin_upper_bound_ == history[-1].upper
    if separable and clf.status_ is Status.CONVERGED:
        assert clf.margin_ > 0.0
    if rule == "classic":
        assert history[-1].mistakes == clf.n_updates_


def test_bounds_of_the_history_are_bounds():
    """Of the homogeneous problem, where they are those of the examples themselves."""
    margin = 0.05
    p = planted(60, 4, margin, random_state=0)
    for rule in ("scale-free", "dynamic", "min-over"):
        clf = Perceptron(rule=rule, fit_intercept=False, random_state=0, max_iter=5000).fit(
            p.X, p.y
        )
        for line in clf.history_:
            assert line.lower <= margin * (1 + 1e-9)
            assert line.upper >= margin * (1 - 1e-9)
        assert clf.history_[-1].upper < 2 * margin


def test_margins_are_distances():
    p = planted(80, 3, 0.1, intercept=True, random_state=0)
    clf = Perceptron(random_state=0).fit(p.X, p.y)
    distances = p.y * clf.decision_function(p.X) / np.linalg.norm(clf.coef_)
    assert clf.margin_ == pytest.approx(distances.min(), rel=1e-9)
    assert clf.margin_ <= distances.min() * (1 + 1e-12)
    X, y = noise()
    clf = Perceptron(random_state=0).fit(X, y)
    distances = np.where(y == 1, 1, -1) * clf.decision_function(X) / np.linalg.norm(clf.coef_)
    assert clf.margin_ == pytest.approx(distances.min(), rel=1e-9)
    assert isinstance(clf.margin_, float)
    assert math.isfinite(clf.margin_upper_bound_)
