"""The stop that is a proof: no separator with the margin that was asked for exists."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import Perceptron
from novikoff.certificate import Inconclusive, Separation, Status
from novikoff.data import planted
from novikoff.run import search
from tests.estimators.problems import ALL_RULES, assert_proved, noise, three_classes
from tests.theorems.optimum import affine_optimum, optimum

SEEDS = st.integers(0, 2**32 - 1)


def reference(X, y, affine):
    """The optimum margin and R, as the estimator means them: homogeneous or affine."""
    signs = np.where(y == y.max(), 1.0, -1.0)
    return affine_optimum(X, signs) if affine else optimum(X * signs[:, None]).upper


@given(
    n=st.integers(4, 30),
    d=st.integers(1, 4),
    seed=SEEDS,
    noisy=st.booleans(),
    min_margin=st.floats(1e-3, 0.6),
    fit_intercept=st.booleans(),
    rule=st.sampled_from(sorted(set(ALL_RULES) - {"infinity", "margin-absolute"})),
    shift=st.sampled_from([0.0, 0.0, 1e3]),
)
def test_what_is_excluded_does_not_exist(n, d, seed, noisy, min_margin, fit_intercept, rule, shift):
    rng = np.random.default_rng(seed)
    if noisy:
        X, y = rng.standard_normal((n, d)), rng.permutation(np.arange(n) % 2)
    else:
        p = planted(n, d, rng.uniform(0.05, 0.5), intercept=fit_intercept, random_state=seed)
        X, y = p.X, p.y
    X = X + (shift if fit_intercept else 0.0)
    clf = Perceptron(
        rule=ALL_RULES[rule],
        fit_intercept=fit_intercept,
        min_margin=min_margin,
        random_state=seed,
        max_iter=5000,
    )
    with warnings.catch_warnings():
        # A limit says nothing here; what is claimed is looked at all the same.
        warnings.filterwarnings("ignore", message="The run stopped at its limit")
        clf.fit(X, y)
    assert_proved(clf, X, y)
    best = reference(X, y, fit_intercept)
    centre = clf.centre_ if fit_intercept else np.zeros(d)
    R = np.linalg.norm(X - centre, axis=1).max()
    assert clf.margin_upper_bound_ >= best * (1 - 1e-9)
    asked = clf.certificate_.account.min_margin
    if clf.status_ is Status.NO_SUCH_MARGIN:
        assert best < min_margin * R
        assert asked == pytest.approx(min_margin * R, rel=1e-12)
        assert best <= clf.certificate_.upper * (1 + 1e-9)
        assert clf.certificate_.upper < asked


@pytest.mark.parametrize("store", [np.array, np.asfortranarray, sparse.csr_matrix])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_noise_ends_without_a_warning(store, fit_intercept):
    X, y = noise(2000, 20)
    for seed in range(5):
        clf = Perceptron(random_state=seed, fit_intercept=fit_intercept).fit(store(X), y)
        assert clf.status_ is Status.NO_SUCH_MARGIN
        R = np.linalg.norm(X - clf.centre_, axis=1).max()
        assert clf.certificate_.account.min_margin == pytest.approx(1e-3 * R, rel=1e-12)
        assert "no hyperplane" in str(clf.certificate_)
        assert_proved(clf, store(X), y)


def test_zero_switches_it_off():
    X, y = noise()
    clf = Perceptron(random_state=0, min_margin=0.0, max_iter=3000)
    with pytest.warns(UserWarning, match=r"limit on full passes \(max_iter\)"):
        clf.fit(X, y)
    assert clf.status_ is Status.MAX_ITER
    assert clf.n_iter_ == 3000
    # Long after the default would have ended the run.
    assert clf.margin_upper_bound_ < 1e-4


def test_a_separator_below_the_margin_is_still_a_separation():
    """The run may exclude what it looked for and hold a smaller separator all the same."""
    p = planted(200, 3, 0.05, intercept=True, random_state=0)
    clf = Perceptron(random_state=0, min_margin=0.2).fit(p.X, p.y)
    assert clf.status_ in (Status.NO_SUCH_MARGIN, Status.CONVERGED)
    errors = (clf.predict(p.X) != p.y).sum()
    assert isinstance(clf.certificate_, Separation if errors == 0 else Inconclusive)
    if errors == 0:
        assert bool(clf.certificate_)


def test_a_margin_that_is_there_is_never_excluded():
    for seed in range(10):
        p = planted(100, 4, 0.1, intercept=True, random_state=seed)
        clf = Perceptron(random_state=seed, min_margin=0.1 / 2.0 - 1e-6).fit(p.X, p.y)
        assert clf.status_ is Status.CONVERGED
        assert bool(clf.certificate_)


def test_bounds_beside_the_excluded_margin(monkeypatch):
    """Upper bounds next to the margin that was asked for, to the last bit: claimed only if true."""
    # Without the proof that nothing separates the examples, which would come first.
    monkeypatch.setattr(search, "PATIENCE", 10_000)
    X = np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 1.0], [2.0, -0.3]])
    y = np.array([0, 0, 1, 1])
    plain = Perceptron(random_state=0, shuffle=False, min_margin=0.0, max_iter=40, average=False)
    with pytest.warns(UserWarning, match="max_iter"):
        plain.fit(X, y)
    R = np.linalg.norm(X - X[0], axis=1).max()
    claimed = 0
    for line in plain.history_[2:]:
        share = line.upper / R
        for _ in range(4):
            clf = Perceptron(shuffle=False, min_margin=share).fit(X, y)
            share = np.nextafter(share, 1.0)
            if clf.status_ is Status.NO_SUCH_MARGIN:
                claimed += 1
                assert clf.certificate_.upper < clf.certificate_.account.min_margin
                clf.certificate_.verify(X, y)
    assert claimed > 50


def test_each_class_excludes_on_its_own():
    X, y = three_classes()
    y = y.copy()
    y[:10] = np.random.default_rng(0).permutation(y[:10])
    clf = Perceptron(random_state=4, multi_class="ovr").fit(X, y)
    accounts = [part.account for part in clf.certificate_.certificates]
    R = np.linalg.norm(X - clf.centre_, axis=1).max()
    assert any(account.status is Status.NO_SUCH_MARGIN for account in accounts)
    for account in accounts:
        if account.status is not Status.NOT_SEPARABLE:
            assert account.min_margin == pytest.approx(1e-3 * R, rel=1e-12)
    assert_proved(clf, X, y)


def test_the_soft_margin_has_no_such_stop():
    """The slack lift separates everything, so a bound on its margin says nothing of the data."""
    X, y = noise()
    clf = Perceptron(C=0.125, min_margin=0.9, random_state=0).fit(X, y)
    assert clf.status_ is Status.CONVERGED
