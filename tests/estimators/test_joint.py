"""Several classes together: one model with a score for each class, and one certificate."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff import Perceptron as AnyPerceptron
from novikoff import rules
from novikoff.certificate import Joint, Status
from novikoff.estimators.training import Training
from novikoff.run import Progress
from novikoff.theory import mistake_bound
from tests.estimators.problems import (
    ALL_RULES,
    ONLINE_RULES,
    UNIT_STEP_RULES,
    assert_proved,
    assert_same_model,
    refitted,
    three_classes,
    whole_numbers,
)
from tests.sample.kesler import joint_sample, virtual_rows
from tests.theorems.optimum import optimum

Perceptron = partial(AnyPerceptron, multi_class="joint")
# Its examples must lie in the unit ball with the lift.
RULES = {name: rule for name, rule in ALL_RULES.items() if name != "infinity"}
FORTRAN = np.asfortranarray


def small(n=60, *, seed=0):
    """Three clusters in the unit ball, for every rule; exact powers of two of the usual ones."""
    X, y = three_classes(n, seed=seed)
    return X / 32.0, y


def five_classes(n=100, d=4, *, seed=0):
    """Whole numbers from 0 to 15 in five classes that a joint model separates."""
    rng = np.random.default_rng(seed)
    W = rng.integers(-4, 5, size=(5, d))
    X = rng.integers(0, 16, size=(200 * n, d))
    scores = X @ W.T
    best = np.sort(scores, axis=1)
    clear = best[:, -1] - best[:, -2] >= 8
    X, codes = X[clear], scores.argmax(axis=1)[clear]
    labels = np.unique(codes)
    return X[:n].astype(np.float64), np.searchsorted(labels, codes[:n])


def test_shapes():
    X, y = three_classes()
    clf = Perceptron(random_state=0).fit(X, y)
    assert clf.coef_.shape == (3, 2)
    assert clf.intercept_.shape == (3,)
    assert isinstance(clf.margin_, float)
    assert isinstance(clf.margin_upper_bound_, float)
    assert clf.C_ == np.inf
    assert clf.decision_function(X).shape == (45, 3)
    assert clf.dual_coef_.shape == (3, len(clf.support_))
    assert clf.dual_coef_.dtype == np.int64
    assert all(isinstance(line, Progress) for line in clf.history_)
    assert clf.n_iter_ == clf.history_[-1].iteration
    assert clf.n_updates_ == clf.history_[-1].updates
    assert clf.solver_ == "MeanNorm"
    assert isinstance(clf.certificate_, Joint)
    assert clf.certificate_.classes == (0, 1, 2)
    assert clf.status_ is Status.CONVERGED
    assert bool(clf.certificate_)
    assert clf.score(X, y) == 1.0
    assert 0.0 < clf.margin_ <= clf.margin_upper_bound_
    assert_proved(clf, X, y)


def test_joint_is_the_default():
    X, y = three_classes()
    assert isinstance(AnyPerceptron().fit(X, y).certificate_, Joint)


@pytest.mark.parametrize("rule", RULES)
def test_two_classes_are_one_problem_either_way(rule):
    X, y = whole_numbers()
    fits = [
        AnyPerceptron(rule=RULES[rule], multi_class=how, random_state=0, max_iter=5000).fit(X, y)
        for how in ("joint", "ovr")
    ]
    assert_same_model(*fits)
    assert fits[0].certificate_ == fits[1].certificate_


@pytest.mark.parametrize("how", ["both", None, 3])
def test_an_unknown_way_is_refused(how):
    with pytest.raises(ValueError, match=r"multi_class=.* must be 'joint' or 'ovr'"):
        AnyPerceptron(multi_class=how).fit(*three_classes())


@pytest.mark.parametrize("C", [np.inf, 2.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("rule", ALL_RULES)
def test_every_rule(rule, fit_intercept, C):
    """The certificate holds, and the model is the sum of its support that dual_coef_ says."""
    X, y = small()
    how = dict(rule=ALL_RULES[rule], fit_intercept=fit_intercept, C=C, average=False)
    clf = Perceptron(**how, random_state=0, max_iter=5000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y)
    assert_proved(clf, X, y)
    assert clf.score(X, y) > 0.9
    made = clf.dual_coef_ @ (X[clf.support_] - clf.centre_)
    np.testing.assert_allclose(made, clf.coef_, rtol=1e-9, atol=1e-9 * np.abs(clf.coef_).max())
    np.testing.assert_allclose(clf.dual_coef_.sum(axis=0), 0.0, atol=1e-9)
    own = clf.dual_coef_[y[clf.support_], np.arange(len(clf.support_))]
    if clf.status_ in (Status.CONVERGED, Status.GAP_REACHED) and C == np.inf:
        assert clf.margin_ > 0.0
        if rule in UNIT_STEP_RULES and clf.status_ is Status.CONVERGED:
            assert own.sum() == clf.n_updates_


@pytest.mark.parametrize("how", [{}, {"C": 2.0}, {"fit_intercept": False}, {"average": True}])
@pytest.mark.parametrize("rule", UNIT_STEP_RULES)
def test_the_support_reproduces_the_model(rule, how):
    X, y = small(90, seed=1)
    clf = Perceptron(rule=UNIT_STEP_RULES[rule], random_state=3, max_iter=3000, **how).fit(X, y)
    assert clf.status_ in (Status.CONVERGED, Status.GAP_REACHED)
    if rule in ("classic", "min-over"):
        assert len(clf.support_) < len(y)
    again = refitted(clf, X, y)
    assert_same_model(again, clf)
    np.testing.assert_array_equal(again.dual_coef_, clf.dual_coef_)
    np.testing.assert_array_equal(again.support_, np.arange(len(clf.support_)))


@pytest.mark.parametrize("rule", ["classic", "scale-free", "dynamic", "min-over"])
@pytest.mark.parametrize(
    "store", [np.float32, np.uint8, np.int64, sparse.csr_matrix, np.asfortranarray]
)
def test_every_storage_gives_the_same_model(rule, store):
    X, y = five_classes()
    clf = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=5000)
    one = clone(clf).fit(X, y)
    other = clone(clf).fit(store(X), y)
    assert one.certificate_
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-9)
    assert one.n_updates_ == other.n_updates_
    assert other.certificate_.verify(X, y)
    np.testing.assert_array_equal(one.predict(X), other.predict(store(X)))


def test_separable_digits_in_few_passes():
    X, y = load_digits(return_X_y=True)
    clf = Perceptron(random_state=0).fit(X, y)
    assert clf.certificate_
    assert clf.score(X, y) == 1.0
    assert clf.n_iter_ < 100


def test_a_pair_of_classes_that_nothing_separates_decides():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(random_state=0).fit(X, y)
    assert clf.status_ is Status.NOT_SEPARABLE
    assert not clf.certificate_
    assert clf.certificate_.refutation.pair == (1, 2)
    assert clf.margin_upper_bound_ == 0.0
    assert clf.score(X, y) > 0.95
    assert_proved(clf, X, y)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
def test_equal_examples_of_two_classes_decide(store):
    X, y = three_classes()
    X, y = np.vstack([X, X[:1]]), np.append(y, 2)
    clf = Perceptron(random_state=0).fit(store(X), y)
    assert not clf.certificate_
    assert clf.certificate_.refutation.pair == (0, 2)
    assert_proved(clf, store(X), y)


def test_an_example_at_the_origin_decides_without_intercepts():
    X, y = three_classes()
    X[7] = 0.0
    clf = Perceptron(random_state=0, fit_intercept=False).fit(X, y)
    assert not clf.certificate_
    assert y[7] in clf.certificate_.refutation.pair
    assert_proved(clf, X, y)


def test_a_cycle_on_whole_numbers_decides():
    """Two diagonals of a square, and a class far away."""
    X = np.array([[0, 0], [1, 1], [0, 1], [1, 0], [9, 9], [9, 8]])
    clf = Perceptron(random_state=0).fit(X, [0, 0, 1, 1, 2, 2])
    assert not clf.certificate_
    assert clf.certificate_.refutation.pair == (0, 1)


def noisy(n=400, seed=0):
    """Four classes that overlap."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4
    return 0.7 * np.eye(4, 3)[y] + rng.standard_normal((n, 3)), y


def test_noisy_examples():
    X, y = noisy()
    clf = Perceptron(random_state=0, min_margin=0.05).fit(X, y)
    assert clf.status_ is Status.NO_SUCH_MARGIN
    assert clf.certificate_.upper < clf.certificate_.account.min_margin
    assert clf.n_iter_ >= 10
    assert_proved(clf, X, y)
    # A rule is better than chance on other examples, and its mean better than its last iterate.
    new, labels = noisy(4000, seed=1)
    last = clone(clf).set_params(average=False).fit(X, y)
    assert last.score(new, labels) < clf.score(new, labels)
    scores = [clone(clf).fit(*noisy(seed=seed)).score(new, labels) for seed in range(2, 10)]
    assert np.mean(scores) > 0.4


def test_the_soft_margin():
    X, y = noisy()
    clf = Perceptron(rule=rules.Dynamic(accuracy=0.1), C=0.5, random_state=0, max_iter=5000)
    clf.fit(X, y)
    soft = clf.certificate_.soft
    assert clf.status_ is Status.CONVERGED
    assert clf.C_ == soft.C == 0.5
    assert soft.dual <= soft.primal <= soft.dual / 0.8
    lower, upper = clf.history_[-1][3:5]
    assert (lower, upper) == (soft.dual, soft.primal)
    assert_proved(clf, X, y)


def test_class_weights_scale_the_steps_of_a_class():
    X, y = three_classes()
    labels = np.array(["x", "y", "z"])[y]
    clf = Perceptron(class_weight={"y": 4.0}, random_state=0).fit(X, labels)
    of_class = y[clf.support_]
    own = clf.dual_coef_[of_class, np.arange(len(of_class))]
    assert (own[of_class == 1] % 4.0 == 0.0).all()
    assert own[of_class == 1].any()
    assert clf.dual_coef_.dtype == np.float64
    counts = np.where(of_class == 1, own / 4.0, own)
    assert counts.sum() == clf.n_updates_
    assert_proved(clf, X, labels)
    balanced = Perceptron(class_weight="balanced", random_state=0).fit(X[:40], labels[:40])
    dictionary = {label: 40 / (3 * (labels[:40] == label).sum()) for label in "xyz"}
    assert_same_model(
        balanced, Perceptron(class_weight=dictionary, random_state=0).fit(X[:40], labels[:40])
    )


@pytest.mark.parametrize("random_state", range(3))
@pytest.mark.parametrize("rule", ["scale-free", "passive-aggressive", "min-over", "alma"])
def test_a_warm_start_goes_on(rule, random_state):
    X, y = five_classes(60)
    X = X / 32.0
    how = dict(rule=RULES[rule], random_state=random_state)
    whole = Perceptron(**how, max_iter=2000).fit(X, y)
    # Of twelve orders, none ends before the ninth pass.
    assert whole.n_iter_ > 5
    clf = Perceptron(**how, warm_start=True, max_iter=1)
    with pytest.warns(ConvergenceWarning):
        clf.fit(X, y)
    first = clf.n_updates_
    clf.set_params(max_iter=2000).fit(X, y)
    assert clf.status_ in (Status.CONVERGED, Status.GAP_REACHED)
    assert clf.n_updates_ > first
    assert_proved(clf, X, y)
    weights = clf.dual_coef_[y[clf.support_], np.arange(len(clf.support_))]
    if rule == "scale-free":
        assert weights.sum() == clf.n_updates_
    # On other data it starts anew.
    other = clone(clf).fit(X[::-1], y[::-1])
    clf.fit(X[::-1], y[::-1])
    assert_same_model(clf, other)


def test_a_warm_start_does_not_mix_the_two_ways():
    X, y = three_classes()
    clf = Perceptron(warm_start=True, random_state=0).fit(X, y)
    clf.set_params(multi_class="ovr").fit(X, y)
    assert_same_model(clf, AnyPerceptron(multi_class="ovr", random_state=0).fit(X, y))


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_nothing(n_jobs):
    X, y = noisy()
    one, other = (Perceptron(random_state=0, n_jobs=jobs).fit(X, y) for jobs in (None, n_jobs))
    assert_same_model(one, other)
    assert one.certificate_ == other.certificate_


def test_scaled_columns():
    X, y = five_classes()
    units = 10.0 ** np.arange(X.shape[1])
    clf = Perceptron(scale=True, random_state=0).fit(X * units, y)
    assert clf.certificate_
    assert clf.score(X * units, y) == 1.0
    assert_proved(clf, X * units, y)


def test_an_interrupted_fit_keeps_what_it_has():
    X, y = noisy()

    def interrupt(line):
        if line.iteration == 3:
            raise KeyboardInterrupt

    clf = Perceptron(random_state=0, min_margin=0.0).set_callbacks(interrupt)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert clf.status_ is Status.INTERRUPTED
    assert clf.n_iter_ == 3
    assert_proved(clf, X, y)


def test_limits_are_said():
    X, y = noisy()
    for limit, status in (
        ({"max_iter": 2}, Status.MAX_ITER),
        ({"max_updates": 30}, Status.MAX_UPDATES),
        ({"time_limit": 0.0}, Status.TIME_LIMIT),
    ):
        with pytest.warns(ConvergenceWarning, match="The run"):
            clf = Perceptron(random_state=0, **limit).fit(X, y)
        assert clf.status_ is status
        assert_proved(clf, X, y)


def test_verbose(capsys):
    Perceptron(random_state=0, verbose=1).fit(*three_classes())
    assert "pass 1:" in capsys.readouterr().err


@pytest.mark.parametrize("rule", ["scale-free", "passive-aggressive"])
@pytest.mark.parametrize("C", [np.inf, 0.5])
def test_stored_models_come_back(tmp_path, rule, C):
    X, y = three_classes()
    labels = np.array(["a", "b", "c"])[y]
    clf = Perceptron(rule=rule, C=C, random_state=0).fit(X, labels)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    read = novikoff.load(path)
    assert read.get_params() == clf.get_params()
    assert read.certificate_ == clf.certificate_
    for name in ("coef_", "intercept_", "support_", "dual_coef_", "centre_", "classes_"):
        mine, theirs = getattr(read, name), getattr(clf, name)
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    for name in ("margin_", "margin_upper_bound_", "history_", "solver_", "n_iter_", "C_"):
        assert getattr(read, name) == getattr(clf, name)
    np.testing.assert_array_equal(read.predict(X), clf.predict(X))


def test_a_stored_model_that_says_otherwise_is_refused(tmp_path):
    X, y = three_classes()
    clf = Perceptron(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="multi_class has changed since the fit"):
        novikoff.save(clf.set_params(multi_class="ovr"), tmp_path / "model.json")
    path = tmp_path / "model.json"
    novikoff.save(clf.set_params(multi_class="joint"), path)
    path.write_text(path.read_text().replace('"joint"', '"ovr"'))
    with pytest.raises(ValueError, match="multi_class is not what was certified"):
        novikoff.load(path)


@pytest.fixture
def first_as_centre(monkeypatch):
    """Let fits read examples relative to the first one, as online runs do."""
    sample = Training.sample
    monkeypatch.setattr(
        Training, "sample", lambda self, *, classes=None, **how: sample(self, **how)
    )


@pytest.mark.usefixtures("first_as_centre")
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("rule", sorted(set(ONLINE_RULES) - {"infinity"}))
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
def test_batches_are_one_plain_pass(rule, average, store):
    """The first batch fixes centre and lift, so it is everything once, in the order of rows."""
    X, y = small(60, seed=3)
    clf = Perceptron(rule=RULES[rule], average=average)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = clone(clf).set_params(shuffle=False, max_iter=1).fit(X, y)
    rows = store(X)
    online = clone(clf).partial_fit(rows, y, classes=[0, 1, 2])
    assert online.n_updates_ == fitted.n_updates_
    assert online.mistakes_ == fitted.history_[-1].mistakes
    assert isinstance(online.mistakes_, int)
    made = online.coef_ / np.linalg.norm(online.coef_)
    if average or fitted.certificate_.lower <= 0.0:
        expected = fitted.coef_ / np.linalg.norm(fitted.coef_)
        np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.usefixtures("first_as_centre")
@pytest.mark.parametrize("average", [False, True])
def test_a_fit_goes_on_online(average):
    X, y = noisy()
    clf = Perceptron(rule="classic", average=average, shuffle=False, max_iter=1, min_margin=0.0)
    with pytest.warns(ConvergenceWarning):
        clf.fit(X, y)
    once = Perceptron(rule="classic", average=average).partial_fit(X, y, classes=range(4))
    for _ in range(2):
        np.testing.assert_allclose(clf.coef_, once.coef_, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(clf.intercept_, once.intercept_, rtol=1e-9, atol=1e-9)
        clf.partial_fit(X[:50], y[:50])
        once.partial_fit(X[:50], y[:50])
    assert not hasattr(clf, "certificate_")


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_mistakes_on_any_sequence(fit_intercept):
    X, y = three_classes(60, seed=4)
    clf = Perceptron(rule="classic", fit_intercept=fit_intercept)
    clf.partial_fit(X, y, classes=[0, 1, 2])
    rng = np.random.default_rng(0)
    for _ in range(20):
        batch = rng.integers(len(X), size=rng.integers(1, 30))
        clf.partial_fit(X[batch], y[batch])
    sample = joint_sample(X, y, affine=fit_intercept)
    Z, _ = virtual_rows(sample, X)
    R = np.linalg.norm(Z, axis=1).max()
    assert clf.mistakes_ == clf.n_updates_ <= mistake_bound(R, optimum(Z).upper)
    assert clf.score(X, y) == 1.0


def test_a_bad_batch_changes_nothing():
    X, y = three_classes()
    clf = Perceptron().partial_fit(X, y, classes=[0, 1, 2])
    before = clf.coef_, clf.intercept_, clf.mistakes_
    bad = X.copy()
    bad[5, 0] = 1e200
    with pytest.raises(ValueError, match="overflow"):
        clf.partial_fit(bad, y)
    clf.partial_fit(X[:1], y[:1])
    again = Perceptron().partial_fit(X, y, classes=[0, 1, 2]).partial_fit(X[:1], y[:1])
    np.testing.assert_array_equal(clf.coef_, again.coef_)
    assert clf.mistakes_ == again.mistakes_ >= before[2]


def test_dense_and_sparse_batches_take_turns():
    X, y = three_classes()
    dense = Perceptron().partial_fit(X, y, classes=[0, 1, 2]).partial_fit(X, y)
    mixed = Perceptron().partial_fit(X, y, classes=[0, 1, 2])
    mixed.partial_fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(mixed.coef_, dense.coef_, rtol=1e-9)


def test_the_first_example_alone_makes_no_lift():
    X, y = three_classes()
    at_once = Perceptron().partial_fit(X, y, classes=[0, 1, 2])
    clf = Perceptron().partial_fit(X[:1], y[:1], classes=[0, 1, 2])
    clf.partial_fit(X[1:], y[1:])
    np.testing.assert_allclose(clf.coef_, at_once.coef_, rtol=1e-9)
    np.testing.assert_allclose(clf.intercept_, at_once.intercept_, rtol=1e-9)


def test_many_classes():
    """A regular polygon: as many classes as examples of each, all of them separable."""
    angles = 2 * np.pi * np.arange(12) / 12
    X = np.repeat(np.c_[np.cos(angles), np.sin(angles)], 3, axis=0)
    y = np.repeat(np.arange(12), 3)
    clf = Perceptron(random_state=0).fit(X, y)
    assert bool(clf.certificate_)
    assert clf.score(X, y) == 1.0


def test_a_line_of_classes_is_separable_jointly():
    """The class in the middle is not separable from the rest, but jointly all of them are."""
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    clf = Perceptron(random_state=0).fit(X, y)
    assert clf.certificate_
    assert clf.score(X, y) == 1.0
