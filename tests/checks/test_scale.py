"""scale=True: the fit of the columns divided by powers of two, stated in the units of the data."""

import functools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import novikoff
from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.certificate import CertificateError, Inconclusive, PerClass
from novikoff.estimators import ModelError
from novikoff.estimators.stored import from_document, to_document
from novikoff.sample.scale import column_exponents
from tests.checks.subjects import (
    ESTIMATORS,
    MARGINS,
    OTHER_RULES,
    UNIT_STEPS,
    assert_proved,
    assert_same_fit,
    assert_true,
    make,
)
from tests.estimators.problems import noise, three_classes, twisted, whole_numbers

UNITS = np.array([1.0, 16.0, 0.25, 3.0, 1000.0])
# In units of the largest norm, so that one rule, Infinity, has examples that it can take.
SUBJECTS = [*ESTIMATORS, *OTHER_RULES]


def separable():
    X, y = whole_numbers()
    return X * UNITS, y


def mixed_noise():
    X, y = noise(60, 5)
    return X * UNITS + 7.0 * UNITS, y


def several():
    X, y = three_classes()
    return np.column_stack([X * [1e-3, 2e5], np.full(len(X), 3.0)]), y


DATA = {"separable": separable, "noise": mixed_noise, "classes": several}


def fitted(name, X, y, **options):
    return make(name, max_iter=300, **options).fit(X, y)


@functools.cache
def scaled_fit(name, data):
    return fitted(name, *DATA[data](), scale=True)


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", SUBJECTS)
def test_the_fit_of_scaled_columns(name, data, fit_intercept):
    X, y = DATA[data]()
    e = column_exponents(X)
    assert len({*e.tolist()}) > 1
    for kind in (np.array, sparse.csr_matrix):
        clf = fitted(name, kind(X), y, scale=True, fit_intercept=fit_intercept)
        other = fitted(name, kind(X / 2.0**e), y, fit_intercept=fit_intercept)
        assert clf.certificate_.problem.exponents == tuple(e.tolist())
        np.testing.assert_array_equal(clf.coef_, other.coef_ / 2.0**e)
        np.testing.assert_array_equal(clf.intercept_, other.intercept_)
        for part in ("margin_", "margin_upper_bound_", "C_", "n_updates_", "n_iter_"):
            np.testing.assert_array_equal(getattr(clf, part), getattr(other, part))
        for part in ("support_", "dual_coef_"):
            assert str(getattr(clf, part)) == str(getattr(other, part))
        if name not in MARGINS:
            np.testing.assert_array_equal(clf.centre_, other.centre_ * 2.0**e)
        assert type(clf.certificate_) is type(other.certificate_)
        assert_true(clf, X, y, assert_proved(clf, kind(X), y))
        novikoff.verify(clf, kind(X), y)


@st.composite
def small(draw):
    n, d = draw(st.integers(2, 9)), draw(st.integers(1, 4))
    values = draw(st.lists(st.integers(-40, 40), min_size=n * d, max_size=n * d))
    powers = draw(st.lists(st.integers(-30, 30), min_size=d, max_size=d))
    return np.reshape(values, (n, d)) * 2.0 ** np.array(powers), np.arange(n) % 2


@given(small(), st.sampled_from([np.array, np.asfortranarray, sparse.csr_matrix]))
def test_the_fit_of_scaled_columns_on_any_data(problem, kind):
    X, y = problem
    e = column_exponents(X)
    for clf in (MaxMargin(), MaxMargin(C=2.0), Perceptron(random_state=0, max_iter=20)):
        one, other = clone(clf).set_params(scale=True), clf
        one.fit(kind(X), y)
        other.fit(kind(X / 2.0**e), y)
        np.testing.assert_array_equal(one.coef_, other.coef_ / 2.0**e)
        np.testing.assert_array_equal(one.intercept_, other.intercept_)
        np.testing.assert_array_equal(one.margin_, other.margin_)
        assert_true(one, X, y, assert_proved(one, kind(X), y))


STORED = {
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: X.astype(np.uint8),
    "int64": lambda X: X.astype(np.int64),
    "F order": np.asfortranarray,
    "CSR": sparse.csr_matrix,
    "CSR uint8": lambda X: sparse.csr_matrix(X.astype(np.uint8)),
    "CSR twisted": twisted,
    "CSC": sparse.csc_matrix,
}


@pytest.mark.parametrize("kind", STORED)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_storage(name, kind):
    X, y = whole_numbers()
    X *= [1.0, 16.0, 2.0, 8.0, 1.0]
    stored = STORED[kind](X)
    plain, other = (fitted(name, data, y, scale=True) for data in (X, stored))
    assert other.certificate_.problem == plain.certificate_.problem
    assert_proved(other, stored, y)
    plain.certificate_.verify(stored, y)
    if not sparse.issparse(stored) or name in UNIT_STEPS:
        assert_same_fit(plain, other)
    else:
        # The order of sums is another.
        np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-7)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_unit_of_a_column_does_not_matter(name, data):
    X, y = DATA[data]()
    powers = np.array([5, -7, 0, 60, -200])[: X.shape[1]]
    one = scaled_fit(name, data)
    other = fitted(name, X * 2.0**powers, y, scale=True)
    np.testing.assert_array_equal(other.coef_, one.coef_ / 2.0**powers)
    np.testing.assert_array_equal(other.intercept_, one.intercept_)
    np.testing.assert_array_equal(other.margin_, one.margin_)
    np.testing.assert_array_equal(other.predict(X * 2.0**powers), one.predict(X))


def test_scores_are_those_of_the_data():
    X, y = mixed_noise()
    clf = MaxMargin(scale=True).fit(X, y)
    exact = X @ clf.coef_[0] + clf.intercept_[0]
    np.testing.assert_allclose(clf.decision_function(X), exact, rtol=1e-9, atol=1e-12)


def test_examples_of_weight_zero_take_no_part():
    X, y = mixed_noise()
    far, weights = X.copy(), np.ones(len(y))
    far[:5] *= 1e6
    weights[:5] = 0.0
    clf = MaxMargin(C=1.0, scale=True).fit(far, y, weights)
    rest = MaxMargin(C=1.0, scale=True).fit(X[5:], y[5:])
    assert clf.certificate_.problem.exponents == rest.certificate_.problem.exponents
    np.testing.assert_allclose(clf.coef_, rest.coef_, rtol=1e-9)
    clf.certificate_.verify(far, y, sample_weight=weights)


def test_extreme_units():
    """Squares would overflow, or vanish, in the units of the data."""
    X, y = whole_numbers()
    X *= [2.0**800, 2.0**-800, 1.0, 2.0**300, 2.0**-300]
    for clf in (MaxMargin(scale=True), Perceptron(scale=True, random_state=0)):
        assert_proved(clf.fit(X, y), X, y)
        assert clf.score(X, y) == 1.0


def test_a_value_that_cannot_be_scaled_is_refused():
    X, y = separable()
    X[3, 1] = 5e-324
    for clf in (MaxMargin(scale=True), Perceptron(scale=True)):
        with pytest.raises(ValueError, match="row 3, column 1: 5e-324 divided by") as caught:
            clf.fit(X, y)
        assert "\n" not in str(caught.value)
        assert not hasattr(clf, "coef_")
    MaxMargin().fit(X, y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(bad):
    X, y = separable()
    X[3, 1] = bad
    for kind in (np.array, sparse.csr_matrix):
        with pytest.raises(ValueError, match="Input X contains"):
            MaxMargin(scale=True).fit(kind(X), y)


@pytest.mark.parametrize("bad", ["yes", 1, None])
def test_scale_is_true_or_false(bad):
    for clf in (MaxMargin(scale=bad), Perceptron(scale=bad)):
        with pytest.raises(ValueError, match=r"scale=.* must be True or False"):
            clf.fit(*separable())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_scaled_model_is_stored(name, tmp_path):
    X, y = separable()
    clf = scaled_fit(name, "separable")
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    read = novikoff.load(path)
    assert read.scale is True
    assert_same_fit(read, clf)
    assert novikoff.verify(path, X, y) == clf.certificate_.verify(X, y)
    document = json.loads(path.read_text())
    document["parameters"]["scale"] = False
    with pytest.raises(ModelError, match="scale is not what was certified"):
        from_document(document)
    changed = clone(clf).fit(X, y).set_params(scale=False)
    with pytest.raises(ValueError, match="scale has changed since the fit"):
        novikoff.save(changed, path)


def test_models_from_before_there_was_scale_are_read():
    clf = MaxMargin().fit(*separable())
    document = to_document(clf)
    del document["parameters"]["scale"]
    assert from_document(document).scale is False


def test_weights_beside_the_certificate_are_checked_in_scaled_columns():
    X, y = separable()
    clf = Perceptron(scale=True, random_state=0).fit(X, y)
    scaled = (X[clf.support_] - clf.centre_) / 2.0 ** column_exponents(X)
    np.testing.assert_allclose(
        clf.dual_coef_ @ scaled, clf.coef_[0] * 2.0 ** column_exponents(X), rtol=1e-12
    )
    clf.dual_coef_ = clf.dual_coef_ * 2
    with pytest.raises(CertificateError, match="do not make its coef_"):
        novikoff.verify(clf, X, y)


def test_there_is_no_partial_fit():
    X, y = separable()
    clf = Perceptron(scale=True)
    assert not hasattr(clf, "partial_fit")
    with pytest.raises(AttributeError, match=r"There is no partial_fit with scale=True"):
        clf.partial_fit(X, y, classes=[0, 1])
    clf.fit(X, y).set_params(scale=False)
    with pytest.raises(ValueError, match="fit it again first"):
        clf.partial_fit(X, y)
    assert hasattr(Perceptron(), "partial_fit")


@pytest.mark.parametrize("name", ["scale-free", "hard", "soft"])
def test_a_warm_start_in_other_units(name):
    """The weights of the examples may start it; what was proved of other units is not used."""
    X, y = mixed_noise()
    clf = make(name, warm_start=True).fit(X, y)
    clf.set_params(scale=True).fit(X, y)
    assert_proved(clf, X, y)
    again = make(name, scale=True).fit(X, y)
    assert clf.certificate_.problem == again.certificate_.problem
    np.testing.assert_allclose(clf.coef_, again.coef_, rtol=1e-5)
    # In the same units it goes on where it was.
    clf.fit(X, y)
    assert_proved(clf, X, y)


def test_a_start_in_other_units():
    X, y = separable()
    for start in (MaxMargin().fit(X, y), Perceptron(random_state=0).fit(X, y)):
        clf = MaxMargin(scale=True, tol=1e-6).fit(X, y, start=start)
        assert_proved(clf, X, y)
        wanted = MaxMargin(scale=True, tol=1e-6).fit(X, y)
        np.testing.assert_allclose(clf.margin_, wanted.margin_, rtol=2e-6)


@pytest.mark.parametrize("data", DATA)
def test_the_verdict_is_the_same(data):
    X, y = DATA[data]()
    plain, scaled = is_separable(X, y), is_separable(X, y, scale=True)
    assert bool(plain) == bool(scaled)
    scaled.verify(X, y)
    assert scaled.problem.exponents == tuple(column_exponents(X).tolist())


def test_several_classes_share_their_units():
    X, y = several()
    certificate = MaxMargin(scale=True, multi_class="ovr").fit(X, y).certificate_
    assert isinstance(certificate, PerClass)
    assert {part.problem.exponents for part in certificate.parts} == {certificate.problem.exponents}
    assert certificate.sentences()[-1].startswith("Margins and objectives are in units of")
    forged = certificate.to_dict()
    forged["problem"]["exponents"][0] += 1
    with pytest.raises(CertificateError):
        type(certificate).from_dict(forged).verify(X, y, check_fingerprint=False)


def test_the_support_alone_may_have_other_units():
    """As the docstring of ``support_`` says."""
    X, y = separable()
    clf = Perceptron(rule="classic", scale=True, shuffle=False).fit(X, y)
    part = column_exponents(X[clf.support_])
    again = clone(clf).fit(X[clf.support_], y[clf.support_])
    assert not isinstance(again.certificate_, Inconclusive)
    assert again.certificate_.problem.exponents == tuple(part.tolist())


def test_without_scale_nothing_is_copied():
    X, y = separable()
    clf = MaxMargin().fit(X, y)
    assert clf.certificate_.problem.exponents is None
    assert "scaled" not in str(clf.certificate_)
