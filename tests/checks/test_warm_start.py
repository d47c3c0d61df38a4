"""Going on from where the last fit stopped, on the same data; on other data starting anew."""

import copy
import gc
import pickle
import warnings
import weakref

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from tests.checks.subjects import (
    ESTIMATORS,
    HARD,
    MARGINS,
    PERCEPTRONS,
    RULES,
    UNIT_STEPS,
    assert_proved,
    make,
)
from tests.estimators.problems import assert_same_model, noise, three_classes, whole_numbers

# Those that end where no example is violated.
SATISFIED = [name for name in PERCEPTRONS if name != "min-over"]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def cut_short(name, **options):
    """A few passes of a search that is not at its end then."""
    how = dict(max_iter=3)
    how |= dict(tol=1e-9) if name in MARGINS else dict(min_margin=0.0, average=False)
    return make(name, **(how | options))


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("name", [*RULES, "with slack"])
def test_passes_in_parts_are_the_passes_of_one_run(name, average):
    # Which separating iterate is kept at a limit is known of the last part alone.
    for X, y in (noise(80), three_classes())[: 2 if name in PERCEPTRONS else 1]:
        whole = cut_short(name, max_iter=12, average=average).fit(X, y)
        parts = cut_short(name, max_iter=5, average=average, warm_start=True).fit(X, y)
        assert parts.n_updates_ <= whole.n_updates_
        parts.set_params(max_iter=3).fit(X, y).set_params(max_iter=4).fit(X, y)
        assert_same_model(parts, whole)
        for mine, theirs in zip(parts.dual_coef_, whole.dual_coef_, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert parts.n_iter_ <= 4
        assert_proved(parts, X, y)


@pytest.mark.parametrize("data", [whole_numbers, three_classes])
@pytest.mark.parametrize("name", SATISFIED)
def test_a_finished_run_has_nothing_to_add(name, data):
    X, y = data(120)
    clf = make(name, warm_start=True).fit(X, y)
    updates, coef = clf.n_updates_, clf.coef_.copy()
    clf.fit(X, y)
    assert clf.n_iter_ == 1
    assert clf.n_updates_ == updates
    np.testing.assert_array_equal(clf.coef_, coef)
    assert_proved(clf, X, y)


@pytest.mark.parametrize("data", [noise, whole_numbers, three_classes])
@pytest.mark.parametrize("name", MARGINS)
def test_an_optimum_is_found_again_with_less_work(name, data):
    X, y = data(120)
    clf = make(name, tol=1e-6, warm_start=True).fit(X, y)
    updates, coef, upper = clf.n_updates_, clf.coef_.copy(), clf.margin_upper_bound_
    clf.fit(X, y)
    assert clf.n_updates_ <= updates
    np.testing.assert_allclose(clf.coef_, coef, rtol=1e-3, atol=1e-4 * np.abs(coef).max())
    np.testing.assert_allclose(clf.margin_upper_bound_, upper, rtol=1e-5)
    assert_proved(clf, X, y)


@pytest.mark.parametrize("data", [noise, whole_numbers, three_classes])
@pytest.mark.parametrize("name", HARD)
def test_what_was_proved_of_the_same_data_is_kept(name, data):
    """Also where the next fit is shorter, or asks for something else."""
    X, y = data(60)
    clf = cut_short(name, warm_start=True)
    least = np.inf
    for passes in (1, 2, 9, 2, 1):
        clf.set_params(max_iter=passes).fit(X, y)
        assert np.all(clf.margin_upper_bound_ <= least)
        least = clf.margin_upper_bound_
        assert_proved(clf, X, y)
    if name in PERCEPTRONS:
        clf.set_params(rule="margin", max_iter=1).fit(X, y)
        assert np.all(clf.margin_upper_bound_ <= least)
        assert_proved(clf, X, y)


@pytest.mark.parametrize("name", HARD)
def test_what_was_proved_of_other_data_is_not_kept(name):
    X, y = noise(60)
    clf = cut_short(name, warm_start=True, max_iter=20).fit(X, y)
    X = X + y[:, None] * 100.0
    clf.fit(X, y)
    assert clf.margin_upper_bound_ > 10.0
    assert_proved(clf, X, y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_without_warm_start_a_fit_forgets(name):
    X, y = noise(200)
    clf = cut_short(name).fit(X, y)
    updates, coef = clf.n_updates_, clf.coef_.copy()
    assert clf.fit(X, y).n_updates_ == updates
    np.testing.assert_array_equal(clf.coef_, coef)


def changed(X, y, how):
    X, y = X.copy(), y.copy()
    if how == "example":
        X[5, 1] += 1e-9
    elif how == "label":
        y[5] = 1 - y[5]
    elif how == "order":
        X, y = X[::-1].copy(), y[::-1].copy()
    elif how == "fewer":
        X, y = X[:-7], y[:-7]
    return X, y


OPTIONS = {
    "intercept": {"fit_intercept": False},
    "slack": {"C": 2.0},
    "weights": {"class_weight": {0: 1.0, 1: 3.0}},
    "balanced": {"class_weight": "balanced"},
}


@pytest.mark.parametrize("change", ["example", "label", "order", "fewer", *OPTIONS])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_anything_else_starts_anew(name, change):
    """The weights of MaxMargin are a start on any data: they need not be those of the data."""
    X, y = noise(60)
    X, y = X[5:], y[5:]
    clf = cut_short(name, warm_start=True).fit(X, y)
    X, y = changed(X, y, change)
    options = OPTIONS.get(change, {})
    if name in MARGINS:
        options = dict(max_iter=1000) | options
    clf.set_params(**options).fit(X, y)
    assert_proved(clf, X, y)
    anew = cut_short(name, **options).fit(X, y)
    if name in PERCEPTRONS:
        np.testing.assert_array_equal(clf.coef_, anew.coef_)
        np.testing.assert_array_equal(clf.intercept_, anew.intercept_)
    else:
        # Where the optimum is the zero vector, only rounding is left of both.
        np.testing.assert_allclose(clf.coef_, anew.coef_, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("name", sorted(set(UNIT_STEPS) - {"infinity"}))
def test_equivalent_data_and_options_continue_a_run(name):
    """In another storage, with weights of one, or with a name for what was the default."""
    X, y = whole_numbers()
    X[0], y[0] = X[1], 1 - y[1]
    whole = cut_short(name, max_iter=6).fit(X, y)
    parts = cut_short(name, warm_start=True).fit(X, y)
    parts.set_params(class_weight={0: 1.0}, fit_intercept=np.True_)
    parts.fit(sparse.csr_matrix(X.astype(np.uint8)), y)
    np.testing.assert_array_equal(parts.coef_, whole.coef_)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_copy_goes_on_as_well(name, copied):
    X, y = noise()
    clf = cut_short(name, warm_start=True).fit(X, y)
    twin = copied(clf)
    if copied is copy.copy:
        # It shares what the run remembers, so only one of the two goes on.
        clf = copy.deepcopy(clf)
    np.testing.assert_array_equal(clf.fit(X, y).coef_, twin.fit(X, y).coef_)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_error_keeps_what_was_there(name):
    X, y = noise()
    clf = cut_short(name, warm_start=True).fit(X, y)
    twin = copy.deepcopy(clf)
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(np.full_like(X, np.nan), y)
    np.testing.assert_array_equal(clf.coef_, twin.coef_)
    np.testing.assert_array_equal(clf.fit(X, y).coef_, twin.fit(X, y).coef_)


@pytest.mark.parametrize("options", [{}, {"warm_start": True}])
@pytest.mark.parametrize("data", [noise, whole_numbers, three_classes])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fitted_model_does_not_hold_its_data(name, data, options):
    """Neither do the certificate, what a warm start goes on from, and learning online."""
    X, y = data()
    if name in PERCEPTRONS:
        options = options | dict(average=True)
    clf = make(name, max_iter=20_000, **options)
    mine = X.copy()
    reference = weakref.ref(mine)
    clf.fit(mine, y)
    owners = [array for array in arrays_in(clf) if np.shares_memory(array, mine)]
    assert not owners
    del mine
    if reference() is not None:
        gc.collect()
    assert reference() is None
    if name in PERCEPTRONS and name != "min-over":
        clf.partial_fit(X, y)
        assert not [array for array in arrays_in(clf) if np.shares_memory(array, X)]


def arrays_in(thing, seen=None):
    """All arrays that can be reached from an object."""
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, dict):
        for value in thing.values():
            yield from arrays_in(value, seen)
    elif isinstance(thing, list | tuple):
        for value in thing:
            yield from arrays_in(value, seen)
    elif hasattr(thing, "__dict__"):
        yield from arrays_in(vars(thing), seen)
