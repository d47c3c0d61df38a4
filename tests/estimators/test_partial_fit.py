"""Learning online: each example once, centre and lift fixed by the first batch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from novikoff import Perceptron, rules
from novikoff.data import planted
from novikoff.run.plain import PlainRun
from tests.estimators.problems import (
    ALL_RULES,
    ONLINE_RULES,
    assert_same_model,
    noise,
    three_classes,
    whole_numbers,
)
from tests.theorems.optimum import optimum
from tests.theorems.promises import assert_at_most

RULES = sorted(set(ONLINE_RULES) - {"infinity"})
FIT_ONLY = (
    "certificate_",
    "status_",
    "margin_",
    "margin_upper_bound_",
    "support_",
    "dual_coef_",
    "history_",
    "n_iter_",
)


def in_batches(clf, X, y, cuts, classes=(0, 1)):
    for part in np.split(np.arange(len(y)), cuts):
        if len(part):
            clf.partial_fit(X[part], y[part], classes=list(classes))
    return clf


def lifted(X, signs, cuts, fit_intercept):
    """The signed examples as the run sees them; the first batch with two of them makes the lift."""
    if not fit_intercept:
        return X * signs[:, None]
    moved = X - X[0]
    batches = np.split(np.linalg.norm(moved, axis=1), cuts)
    lift = next((max(norms) for norms in batches if len(norms) and max(norms) > 0), 1.0)
    return np.hstack([moved, np.full((len(X), 1), lift)]) * signs[:, None]


def one_pass(Z, rule, radius):
    """The paper's loop, each example once: the weights after each update, and the mistakes.

    ALMA's weights are without the factors that bring w into the unit ball, as the compiled ones.
    """
    run, iterates, mistakes, factor = PlainRun(Z, np.ones(len(Z)), rule, affine=False), [], 0, 1.0
    run.state.radius2 = radius**2
    for i in range(len(Z)):
        margin = run.margin(i)
        if margin <= rule.threshold(run.state):
            total = run.state.total + rule.step(run.state, margin, run.norms2[i])
            run.update(i)
            factor *= run.state.total / total
            iterates.append(run.weights / factor)
            mistakes += margin <= 0
    return np.array(iterates), mistakes


@given(
    n=st.integers(1, 60),
    d=st.integers(1, 5),
    share=st.floats(0.05, 0.9),
    seed=st.integers(0, 2**32 - 1),
    rounds=st.integers(1, 200),
    fit_intercept=st.booleans(),
)
def test_mistakes_on_any_sequence(n, d, share, seed, rounds, fit_intercept):
    """At most (R / gamma)^2, in whatever order examples come and come again (Novikoff)."""
    rng = np.random.default_rng(seed)
    p = planted(n, d, share, intercept=fit_intercept, random_state=seed)
    sequence = rng.integers(n, size=rounds)
    X, signs = p.X[sequence], p.y[sequence]
    cuts = np.unique(rng.integers(1, rounds + 1, size=5))
    clf = Perceptron(rule="classic", fit_intercept=fit_intercept)
    in_batches(clf, X, signs, cuts, classes=(-1, 1))
    Z = lifted(X, signs, cuts, fit_intercept)
    best = optimum(Z)
    if best.lower > 0.0:
        R = np.linalg.norm(Z, axis=1).max()
        assert_at_most(clf.mistakes_, (R / best.lower) ** 2)
    assert clf.mistakes_ == clf.n_updates_ >= 1


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("rule", RULES)
def test_batches_are_one_plain_pass(rule, fit_intercept, average):
    """The paper's pseudo-code over examples with their lift written out: its last w or mean."""
    X, y = noise(80)
    signs = np.where(y == 1, 1.0, -1.0)
    Z = lifted(X, signs, [30], fit_intercept)
    radius = np.linalg.norm(Z[:30], axis=1).max()
    iterates, mistakes = one_pass(Z, ALL_RULES[rule], radius)
    clf = Perceptron(rule=ALL_RULES[rule], fit_intercept=fit_intercept, average=average)
    in_batches(clf, X, y, [30, 31, 50])
    assert clf.n_updates_ == len(iterates)
    assert clf.mistakes_ == mistakes
    w = (iterates.mean(axis=0) if average else iterates[-1]) @ Z
    np.testing.assert_allclose(clf.coef_[0], w[: X.shape[1]], rtol=1e-9)
    if fit_intercept:
        np.testing.assert_array_equal(clf.centre_, X[0])
        lift = abs(Z[0, -1])
        assert clf.intercept_[0] == pytest.approx(w[-1] * lift - w[:-1] @ X[0])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("how", [{}, {"fit_intercept": False}, {"C": 2.0}])
def test_batches_after_the_first_are_cut_at_will(rule, how):
    X, y = noise(80)
    for average in (False, True):
        clf = Perceptron(rule=ALL_RULES[rule], average=average, **how)
        one = in_batches(clone(clf), X, y, [20])
        for cuts in ([20, 21, 50, 79], range(20, 80)):
            other = in_batches(clone(clf), X, y, cuts)
            assert one.mistakes_ == other.mistakes_
            if average:
                # The same numbers, added up in another order.
                np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-11)
                np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-11)
            else:
                assert_same_model(one, other)


@pytest.mark.parametrize("average", [True, False])
def test_a_long_batch_keeps_growing_weights_in_range(average):
    """ALMA's vector grows with every update: one batch is many to it."""
    X, y = noise(40_000)
    clf = Perceptron(rule=rules.Alma(a=0.01), average=average)
    one = in_batches(clone(clf), X, y, [100])
    many = in_batches(clone(clf), X, y, range(100, 40_000, 700))
    assert one.n_updates_ == many.n_updates_ > 20_000
    assert np.isfinite(one.coef_).all()
    np.testing.assert_allclose(one.coef_, many.coef_, rtol=1e-9 if average else 0)


def test_centre_and_lift_are_those_of_the_first_batch():
    X, y = whole_numbers()
    clf = Perceptron().partial_fit(X[:10], y[:10], classes=[0, 1])
    centre = clf.centre_.copy()
    clf.partial_fit(1000.0 * X[10:], y[10:])
    np.testing.assert_array_equal(clf.centre_, centre)
    np.testing.assert_array_equal(centre, X[0])
    other = np.argmax(y[:10] != y[0])
    lift2 = ((X[other] - X[0]) ** 2).sum()
    at_centre = clf.decision_function(centre[None])[0] / lift2
    assert at_centre == pytest.approx(round(at_centre), abs=1e-6)


@pytest.mark.parametrize("rule", ["classic", "scale-free", "scale-free-4", "dynamic"])
def test_the_first_example_alone_makes_no_lift(rule):
    """Row by row it is the same run: the lift waits for an example that is not the centre."""
    X, y = noise(40)
    X, y = np.vstack([X[:1], X]), np.append(y[:1], y)
    for average in (False, True):
        clf = Perceptron(rule=ALL_RULES[rule], average=average)
        one, other = (in_batches(clone(clf), X, y, cuts) for cuts in ([3], range(1, 41)))
        assert one.mistakes_ == other.mistakes_
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-9)
        np.testing.assert_allclose(other.intercept_, one.intercept_, rtol=1e-9)


def test_one_class_and_one_row_at_a_time():
    X, y = whole_numbers()
    order = np.argsort(y, kind="stable")
    clf = Perceptron(rule="classic")
    for i in order:
        clf.partial_fit(X[[i]], y[[i]], classes=[0, 1])
    assert set(clf.predict(X)) <= {0, 1}
    assert clf.mistakes_ >= 2


def test_goes_on_after_a_fit():
    """From the last iterate of the fit, as if its examples had been shown before."""
    X, y = noise(80)
    for average in (True, False):
        clf = Perceptron(random_state=0, average=average, min_margin=0.3).fit(X[:60], y[:60])
        coef, updates = clf.coef_.copy(), clf.n_updates_
        clf.partial_fit(X[60:], y[60:])
        assert clf.n_updates_ > updates
        step = clf.coef_[0] - coef[0]
        assert step.any()
        if not average:
            used = np.where(y[60:] == 1, 1.0, -1.0)[:, None] * (X[60:] - clf.centre_)
            weights = np.linalg.lstsq(used.T, step, rcond=None)
            assert weights[1].size == 0 or weights[1][0] < 1e-16
    separated = Perceptron(random_state=0).fit(*whole_numbers())
    coef = separated.coef_.copy()
    separated.partial_fit(*whole_numbers())
    np.testing.assert_allclose(separated.coef_, coef, rtol=1e-12)
    assert separated.score(*whole_numbers()) == 1.0


def test_a_fit_and_its_average_go_on():
    """The mean over all iterates, those of the fit included."""
    X, y = noise(60)
    part = slice(40, 60)
    means, lasts = [], []
    for k in range(21):
        clf = Perceptron(random_state=0, average=True, min_margin=0.3).fit(X[:40], y[:40])
        last = Perceptron(random_state=0, average=False, min_margin=0.3).fit(X[:40], y[:40])
        updates = clf.n_updates_
        if k:
            clf.partial_fit(X[part][:k], y[part][:k])
            last.partial_fit(X[part][:k], y[part][:k])
        means.append((clf.n_updates_, clf.coef_[0]))
        lasts.append((last.n_updates_, last.coef_[0]))
    total = means[0][1] * updates
    for (before, _), (count, mean), (_, iterate) in zip(means, means[1:], lasts[1:], strict=False):
        if count > before:
            total = total + iterate
        np.testing.assert_allclose(mean, total / count, rtol=1e-9, atol=1e-12)


def test_claims_of_a_fit_are_gone():
    X, y = whole_numbers()
    clf = Perceptron(random_state=0).fit(X, y)
    assert all(hasattr(clf, name) for name in FIT_ONLY)
    assert not hasattr(clf, "mistakes_")
    clf.partial_fit(X, y)
    assert not any(hasattr(clf, name) for name in FIT_ONLY)
    assert clf.mistakes_ >= 0
    clf.fit(X, y)
    assert all(hasattr(clf, name) for name in FIT_ONLY)
    assert not hasattr(clf, "mistakes_")


@pytest.mark.parametrize("spoil", [np.nan, np.inf, -np.inf, 1e200, -1e308])
@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix])
@pytest.mark.parametrize("average", [True, False])
def test_a_bad_batch_changes_nothing(spoil, make, average):
    X, y = noise(60)
    clf = Perceptron(average=average).partial_fit(X[:30], y[:30], classes=[0, 1])
    twin = Perceptron(average=average).partial_fit(X[:30], y[:30], classes=[0, 1])
    coef, intercept = clf.coef_, clf.intercept_
    before = coef.copy(), intercept.copy(), clf.mistakes_, clf.n_updates_
    for row in (0, 15, 29):
        bad = X[30:].copy()
        bad[row, 2] = spoil
        # On whichever side it lies, one of the two labels makes it an error.
        for labels in (y[30:], np.where(np.arange(30) == row, 1 - y[30:], y[30:])):
            try:
                clf.partial_fit(make(bad), labels)
            except ValueError as error:
                assert "infinity" in str(error) or "overflow" in str(error) or "NaN" in str(error)
            else:
                assert np.isfinite(spoil), "a value that is no number was taken in"
                # Nothing overflowed: a huge example on its right side is only looked at.
                assert np.isfinite(clf.coef_).all()
                clf = Perceptron(average=average).partial_fit(X[:30], y[:30], classes=[0, 1])
                coef, intercept = clf.coef_, clf.intercept_
            np.testing.assert_array_equal(coef, before[0])
            np.testing.assert_array_equal(clf.coef_, before[0])
            np.testing.assert_array_equal(clf.intercept_, before[1])
            assert (clf.mistakes_, clf.n_updates_) == before[2:]
    assert_same_model(clf.partial_fit(X[30:], y[30:]), twin.partial_fit(X[30:], y[30:]))


def test_a_huge_example_on_the_wrong_side_is_refused():
    clf = Perceptron().partial_fit([[1.0], [-1.0]], [1, 0], classes=[0, 1])
    with pytest.raises(ValueError, match="infinity, or values whose squares overflow"):
        clf.partial_fit(np.array([[-1e200]]), [1])
    np.testing.assert_array_equal(clf.predict([[3.0], [-3.0]]), [1, 0])


def test_a_refused_batch_does_not_fix_the_lift():
    """It waits for the first batch that is taken in and holds more than the centre."""
    X, y = whole_numbers()
    clf, twin = (Perceptron().partial_fit(X[:1], y[:1], classes=[0, 1]) for _ in range(2))
    for batch, labels in ((1e6 * X[:5], [0, 1, 2, 0, 1]), (np.full((2, 5), 1e200), [0, 1])):
        with pytest.raises(ValueError, match=r"not among the classes|overflow"):
            clf.partial_fit(batch, labels)
    with pytest.raises(ValueError, match="not those of the first call"):
        clf.partial_fit(1e6 * X[:5], y[:5], classes=[0, 1, 2])
    assert_same_model(clf.partial_fit(X, y), twin.partial_fit(X, y))


@pytest.mark.parametrize("first", [True, False])
def test_masked_batches_are_refused(first):
    X, y = whole_numbers()
    clf = Perceptron()
    if not first:
        clf.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="X is a masked array"):
        clf.partial_fit(np.ma.masked_array(X, X > 14), y, classes=[0, 1])
    with pytest.raises(ValueError, match="y is a masked array"):
        clf.partial_fit(X, np.ma.masked_array(y, y == 1), classes=[0, 1])


def test_models_given_out_do_not_move():
    """What a caller holds of an earlier model stays what it was."""
    X, y = noise(60)
    clf = Perceptron().partial_fit(X[:30], y[:30], classes=[0, 1])
    coef, intercept = clf.coef_, clf.intercept_
    held = coef.copy(), intercept.copy()
    clf.partial_fit(X[30:], y[30:])
    assert (clf.coef_ != held[0]).any()
    np.testing.assert_array_equal(coef, held[0])
    np.testing.assert_array_equal(intercept, held[1])


def test_several_classes():
    X, y = three_classes(60)
    labels = np.array(["a", "b", "c"])[y]
    rest = Perceptron(rule="classic", multi_class="ovr")
    clf = in_batches(rest, X, labels, [1, 20], classes="cab")
    assert clf.classes_.tolist() == ["a", "b", "c"]
    assert clf.mistakes_.shape == (3,)
    assert clf.mistakes_.sum() == clf.n_updates_
    for k, label in enumerate("abc"):
        alone = in_batches(
            Perceptron(rule="classic"), X, labels == label, [1, 20], classes=(False, True)
        )
        np.testing.assert_array_equal(alone.coef_[0], clf.coef_[k])
        assert alone.mistakes_ == clf.mistakes_[k]


def test_a_class_that_has_not_come_yet():
    X, y = three_classes(60)
    clf = Perceptron().partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert clf.coef_.shape == (3, 2)
    clf.partial_fit(X, y)
    assert clf.score(X, y) > 0.6


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 2], "y has the label 2, which is not among the classes"),
        (["a", "b"], "y has the label 'a', which is not among the classes"),
        ([0.0, 0.5], "0.5, which is not among the classes|Unknown label type"),
        ([0.0, np.nan], "y has the label nan|Input y contains NaN"),
        ([None, 1], "another type than the classes|not among the classes"),
        ([0], "inconsistent numbers of samples"),
    ],
)
def test_labels_that_were_not_announced(labels, message):
    X = np.array([[1.0, 2.0], [2.0, 1.0]])
    for clf in (Perceptron(), Perceptron().partial_fit(X, [0, 1], classes=[0, 1])):
        with pytest.raises(ValueError, match=message):
            clf.partial_fit(X, labels, classes=[0, 1])


def test_what_the_first_call_needs():
    X, y = noise()
    with pytest.raises(ValueError, match="first call of partial_fit needs classes"):
        Perceptron().partial_fit(X, y)
    for few in ([], [0], [1, 1]):
        with pytest.raises(ValueError, match=r"classes=\[.*\] must hold at least two labels"):
            Perceptron().partial_fit(X, y, classes=few)
    clf = Perceptron().partial_fit(X, y, classes=[1, 0])
    clf.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="not those of the first call"):
        clf.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="has 3 features, but Perceptron is expecting 4"):
        clf.partial_fit(X[:, :3], y)
    with pytest.raises(ValueError, match="0 sample"):
        clf.partial_fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="max_iter=-1"):
        Perceptron(max_iter=-1).partial_fit(X, y, classes=[0, 1])


def test_min_over_must_see_all_examples():
    X, y = noise()
    message = r"MinOver\(\) must see all examples at once; use fit"
    with pytest.raises(ValueError, match=message):
        Perceptron(rule="min-over").partial_fit(X, y, classes=[0, 1])
    fitted = Perceptron(rule="min-over", min_margin=0.3).fit(X, y)
    with pytest.raises(ValueError, match=message):
        fitted.partial_fit(X, y)


@pytest.mark.parametrize("rule", ["passive-aggressive", "pa-1", "pa-2"])
def test_an_example_at_the_origin(rule):
    """No step moves it; it is a mistake each time it comes, and does no harm."""
    clf = Perceptron(rule=ALL_RULES[rule], fit_intercept=False)
    clf.partial_fit([[0.0, 0.0], [1.0, 2.0]], [0, 1], classes=[0, 1])
    clf.partial_fit([[0.0, 0.0]], [0])
    assert np.isfinite(clf.coef_).all()
    assert clf.predict([[1.0, 2.0]]) == [1]
    assert clf.mistakes_ == 3


def test_passive_aggressive_steps_land_on_margin_one():
    """Also with an intercept: the closed form has to count the lift's coordinate."""
    X, y = noise(40)
    for fit_intercept in (True, False):
        clf = Perceptron(rule="passive-aggressive", fit_intercept=fit_intercept)
        for i in range(40):
            before = clf.n_updates_ if i else 0
            clf.partial_fit(X[[i]], y[[i]], classes=[0, 1])
            if clf.n_updates_ > before:
                margin = (1 if y[i] == 1 else -1) * clf.decision_function(X[[i]])[0]
                assert margin == pytest.approx(1.0, rel=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("rule", [rules.Margin(), rules.ScaleFree(), rules.PassiveAggressive()])
def test_after_a_fit_each_class_goes_on_with_its_own_threshold(rule):
    # The first example of class 2 is farther away, so the lifts against the rest differ.
    X = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 50.0], [0.0, -10.0], [11.0, 1.0], [1.0, 52.0]])
    y = np.array([0, 1, 2, 0, 1, 2])
    labels = np.tile([0, 1, 2], 20)
    batch = X[labels] + np.random.default_rng(0).normal(size=(60, 2), scale=5.0)
    how = dict(rule=rule, shuffle=False, min_margin=0, max_iter=20)
    together = Perceptron(multi_class="ovr", **how).fit(X, y).partial_fit(batch, labels)
    for k in range(3):
        alone = Perceptron(**how).fit(X, y == k).partial_fit(batch, labels == k)
        np.testing.assert_array_equal(together.coef_[k], alone.coef_[0])
        assert together.intercept_[k] == alone.intercept_[0]
