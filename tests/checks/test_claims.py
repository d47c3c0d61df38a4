"""What a fit claims is true of what it predicts: errors, margins, verdicts; and whom it names."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff import MaxMargin, Perceptron
from novikoff.certificate import (
    CertificateError,
    Inconclusive,
    NonSeparation,
    Separation,
    SoftOptimum,
    Status,
    Undecided,
)
from tests.checks.subjects import (
    ESTIMATORS,
    EVERYTHING,
    HARD,
    SOFT,
    assert_proved,
    assert_true,
    make,
)
from tests.estimators.problems import XOR, noise, three_classes, whole_numbers

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def check_claims(clf, X, y):
    verified = assert_proved(clf, X, y)
    assert_true(clf, X, y, verified)
    return verified


NEAR = st.integers(0, 4)


@given(
    d=st.integers(1, 3),
    base=st.sampled_from([1.0, 1.0 + 2.0**-52, 0.1, 1e6 / 3, 2.0**-30, -7.3]),
    steps=st.lists(st.tuples(NEAR, NEAR, NEAR, st.booleans()), min_size=2, max_size=12),
    classes=st.sampled_from([2, 2, 3]),
)
def test_errors_on_nearly_touching_examples(d, base, steps, classes):
    """Numbers that differ by a few units in the last place: there rounding decides a product."""
    X = np.full((len(steps), d), base)
    for row, (*ulps, _) in enumerate(steps):
        X[row] += np.array(ulps[:d]) * np.spacing(base)
    y = np.array([int(flag) for *_, flag in steps])
    y[:2] = 0, 1
    if classes == 3 and len(y) > 2:
        y[2] = 2
    for clf in (MaxMargin(), MaxMargin(C=10.0), Perceptron(random_state=0, max_iter=50)):
        check_claims(clf.fit(X, y), X, y)


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 6), scale=st.sampled_from([1.0, 1e-3, 1e8]))
def test_errors_where_examples_lie_on_the_hyperplane(seed, d, scale):
    """Midpoints between the classes, which a hyperplane of largest margin goes through."""
    rng = np.random.default_rng(seed)
    low, high = rng.standard_normal((2, d)) * scale
    middle = rng.standard_normal((6, d)) * scale
    X = np.vstack([low, high, (low + high) / 2, middle - middle.mean(axis=0) + (low + high) / 2])
    y = np.append([0, 1], rng.integers(0, 2, 7))
    for clf in (MaxMargin(), MaxMargin(C=1.0), Perceptron(random_state=0, max_iter=50)):
        check_claims(clf.fit(X, y), X, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_errors_are_those_of_predict(name, dtype):
    for X, y in (whole_numbers(), XOR, three_classes(), noise(40)):
        X = np.rint(np.abs(X) * 4).astype(dtype)
        verified = check_claims(make(name, max_iter=200).fit(X, y), X, y)
        n = len(y)
        errors = "1 error" if verified.errors == 1 else f"{verified.errors} errors"
        if verified.errors:
            assert f"The model makes {errors} on the {n} examples." in str(verified)
        assert f"All {n} examples take part, " in str(verified)
        assert verified.counts == tuple(np.bincount(y))
        for count, label in zip(verified.counts, verified.problem.classes, strict=True):
            assert f"{label} ({count})" in str(verified)


def test_a_score_of_zero_is_the_second_class():
    X, y = np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array(["no", "yes"])
    on_the_plane = np.array([[0.0, 0.0], [0.0, 7.0], [-0.0, -3.0]])
    for name in ESTIMATORS:
        clf = make(name, fit_intercept=False).fit(X, y)
        np.testing.assert_array_equal(clf.decision_function(on_the_plane), np.zeros(3))
        assert clf.predict(on_the_plane).tolist() == ["yes"] * 3
        assert clf.predict(np.array([[-1e-300, 0.0]])).tolist() == ["no"]


# Verdicts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", EVERYTHING)
def test_verdicts(name, fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept)
    clf = make(name, fit_intercept=fit_intercept).fit(X, y)
    table = np.array([*XOR[0], *-XOR[0]])
    not_separable = make(name, fit_intercept=fit_intercept).fit(table, np.tile(XOR[1], 2))
    for found, kind in ((clf, Separation), (not_separable, NonSeparation)):
        if name in SOFT:
            assert isinstance(found.certificate_, SoftOptimum)
            with pytest.raises(Undecided, match="says nothing on separability"):
                bool(found.certificate_)
        else:
            assert isinstance(found.certificate_, kind)
            assert bool(found.certificate_) == (kind is Separation)
    assert_proved(not_separable, table, np.tile(XOR[1], 2))
    if name == "is_separable":
        assert clf.status_ is Status.SEPARATED
        assert not_separable.certificate_.model is None
        assert assert_proved(not_separable, table, np.tile(XOR[1], 2)).errors is None


@pytest.mark.parametrize("name", EVERYTHING)
def test_equal_examples_with_opposite_labels(name):
    X, y = whole_numbers()
    X[7], y[7] = X[23], 1 - y[23]
    clf = make(name, max_iter=50).fit(X, y)
    assert_proved(clf, X, y)
    if name not in SOFT:
        assert sorted(clf.certificate_.support) == [7, 23]


def with_equal_hashes(monkeypatch, hashes):
    """Let different rows have equal hashes; equal ones have equal hashes in any case."""

    def collide(X):
        _, numbers = np.unique(X, axis=0, return_inverse=True)
        return hashes(numbers.astype(np.uint64))

    monkeypatch.setattr("novikoff.estimators.training.hash_rows", collide)


HASHES = {
    "all equal": np.zeros_like,
    "in pairs": lambda numbers: numbers // 2,
    "in two": lambda numbers: numbers % 2,
}


@pytest.mark.parametrize("hashes", HASHES)
@pytest.mark.parametrize("name", EVERYTHING)
def test_rows_with_equal_hashes_are_compared(name, hashes, monkeypatch):
    """Collisions can be constructed: they may cost time, never the verdict or the optimum."""
    contradiction, labels = whole_numbers()
    contradiction[7], labels[7] = contradiction[23], 1 - labels[23]
    weighted, y = whole_numbers()
    data = {
        "separable": whole_numbers(),
        "noise": noise(),
        "contradiction": (contradiction, labels),
        "repeated": (np.vstack([weighted, weighted[:20]]), np.append(y, y[:20])),
        "classes": three_classes(),
    }
    for X, y in data.values():
        plain = make(name, max_iter=3000).fit(X, y)
        with monkeypatch.context() as patch:
            with_equal_hashes(patch, HASHES[hashes])
            clf = make(name, max_iter=3000).fit(X, y)
        assert type(clf.certificate_) is type(plain.certificate_)
        assert clf.status_ is plain.status_
        clf.certificate_.verify(X, y, check_fingerprint=False)
        if name in HARD:
            assert bool_of(clf.certificate_) == bool_of(plain.certificate_)
        if name != "is_separable":
            np.testing.assert_allclose(clf.coef_, plain.coef_, rtol=1e-6)


def bool_of(certificate):
    try:
        return bool(certificate)
    except Undecided:
        return None


def test_equal_hashes_and_weights(monkeypatch):
    X, y = noise()
    weights = np.arange(60) % 4 + 0.5
    plain = MaxMargin(C=1.0).fit(X, y, sample_weight=weights)
    with_equal_hashes(monkeypatch, HASHES["all equal"])
    clf = MaxMargin(C=1.0).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(clf.coef_, plain.coef_, rtol=1e-6)
    assert clf.status_ is Status.GAP_REACHED


# Problems that are named -----------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERYTHING)
def test_a_certificate_is_of_its_own_data(name):
    X, y = whole_numbers()
    certificate = make(name).fit(X, y).certificate_
    moved = X.copy()
    moved[3, 1] += 1.0
    for data, labels in ((moved, y), (X[::-1], y[::-1]), (X, 1 - y)):
        with pytest.raises(CertificateError, match="not the data"):
            certificate.verify(data, labels)
    for data, labels in ((X[:-1], y[:-1]), (X[:, :-1], y)):
        size = f"the data has {len(data)} examples and {data.shape[1]} features"
        with pytest.raises(CertificateError, match=size):
            certificate.verify(data, labels)


@pytest.mark.parametrize("name", HARD)
def test_labels_turned_round_are_refused_by_the_arithmetic_too(name):
    X, y = whole_numbers()
    certificate = make(name).fit(X, y).certificate_
    with pytest.raises(CertificateError, match=r"margin|errors"):
        certificate.verify(X, 1 - y, check_fingerprint=False)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_call_verifies_a_model_a_certificate_or_a_file(name, tmp_path):
    X, y = noise()
    clf = make(name, max_iter=20_000).fit(X, y)
    novikoff.save(clf, tmp_path / "model.json")
    clf.certificate_.save(tmp_path / "certificate.json")
    found = clf.certificate_.verify(X, y)
    things = (clf, clf.certificate_, tmp_path / "model.json", str(tmp_path / "certificate.json"))
    for thing in things:
        assert novikoff.verify(thing, X, y) == found
    with pytest.raises(CertificateError, match="fit it first"):
        novikoff.verify(make(name), X, y)
    for attribute in ("coef_", "intercept_", "classes_"):
        kept = getattr(clf, attribute)
        setattr(clf, attribute, kept[::-1] if attribute == "classes_" else -kept)
        with pytest.raises(CertificateError, match=f"{attribute} is not what was certified"):
            novikoff.verify(clf, X, y)
        setattr(clf, attribute, kept)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_model_does_not_verify_with_margins_that_were_not_certified(name, n_classes):
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((30, 3)), np.arange(30) % n_classes
    clf = make(name, max_iter=200).fit(X, y)
    for attribute in ("margin_", "margin_upper_bound_", "C_"):
        kept = getattr(clf, attribute)
        setattr(clf, attribute, 99.0 if n_classes == 2 else np.full(3, 99.0))
        with pytest.raises(CertificateError, match=f"{attribute} is not what was certified"):
            novikoff.verify(clf, X, y)
        setattr(clf, attribute, kept)
    novikoff.verify(clf, X, y)


def test_a_gap_that_the_certificate_does_not_show_is_not_said_to_be_reached():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((60, 3)), np.arange(60) % 2
    X[:, 0] += 10.0 * y
    for offset in (0.0, 1e6, 1e8, 1e10):
        for tol in (1e-3, 1e-9, 1e-13):
            for C in (np.inf, 1.0):
                clf = MaxMargin(C=C, tol=tol).fit(X + offset, y)
                reached = clf.status_ is Status.GAP_REACHED
                assert reached or clf.status_ is Status.PRECISION
                assert (clf.certificate_.gap <= tol) == reached


def test_neighbouring_floats_are_no_success():
    X = np.array([[1e16], [1e16 + 2]])
    for name in [*HARD, "is_separable"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf = make(name).fit(X, [0, 1])
        verdict = clf.certificate_
        assert isinstance(verdict, Separation | Inconclusive)
        assert_proved(clf, X, [0, 1])
