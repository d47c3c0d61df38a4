"""Weights of classes and of examples: what they do, and that a check needs them."""

import numpy as np
import pytest
from sklearn.utils import compute_class_weight

import novikoff
from novikoff.certificate import CertificateError, NonSeparation, Separation
from tests.checks.subjects import ESTIMATORS, MARGINS, assert_proved, assert_same_fit, make
from tests.estimators.problems import XOR, noise, three_classes, whole_numbers


def few_positives():
    X, y = whole_numbers()
    few = np.concatenate([np.flatnonzero(y == 1)[:7], np.flatnonzero(y == 0)])
    return X[few], np.array(["a", "b"])[y[few]]


@pytest.mark.parametrize("weight", [{}, {0: 1.0}, {0: 1, 1: 1}, {0: np.float32(1.0), 1: 1.0}])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_class_weights_of_one_change_nothing(name, weight):
    X, y = noise()
    how = dict(max_iter=20_000)
    plain, clf = make(name, **how).fit(X, y), make(name, class_weight=weight, **how).fit(X, y)
    np.testing.assert_array_equal(plain.coef_, clf.coef_)
    np.testing.assert_array_equal(plain.intercept_, clf.intercept_)
    assert type(plain.certificate_) is type(clf.certificate_)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.filterwarnings("ignore:The examples are separable, so .* had no effect:UserWarning")
def test_balanced_is_the_usual_formula(name, classes):
    X, y = few_positives()
    if classes == 3:
        X, y = three_classes()
        X, y = X[:30], np.array(["a", "b", "c"])[np.where(np.arange(30) < 20, y[:30], 1)]
    labels = np.unique(y)
    weight = compute_class_weight("balanced", classes=labels, y=y)
    against_the_rest = classes == 3 and name not in (*MARGINS, "with slack")
    how = {"multi_class": "ovr"} if against_the_rest else {}
    balanced = make(name, class_weight="balanced", **how).fit(X, y)
    assert_proved(balanced, X, y)
    if not against_the_rest:
        as_dict = dict(zip(labels, weight, strict=True))
        assert_same_fit(balanced, make(name, class_weight=as_dict).fit(X, y))
        assert weight.max() > 1.2 * weight.min()
    else:
        # Against the rest, the rest is balanced as one class.
        binary = make(name, class_weight="balanced").fit(X, y == "b")
        np.testing.assert_array_equal(binary.coef_[0], balanced.coef_[1])


@pytest.mark.parametrize("name", ["scale-free", "soft"])
def test_the_heavy_class_is_favoured_on_noise(name):
    X, y = noise(400)
    heavy = make(name, class_weight={0: 1.0, 1: 5.0}, max_iter=20_000).fit(X, y)
    light = make(name, class_weight={0: 5.0, 1: 1.0}, max_iter=20_000).fit(X, y)
    assert heavy.predict(X).mean() > 0.7
    assert light.predict(X).mean() < 0.3
    assert_proved(heavy, X, y)


@pytest.mark.parametrize("name", MARGINS)
def test_class_weights_belong_to_the_problem(name):
    """They are numbers of the certificate; without slack a perceptron's scale its steps alone."""
    X, y = noise()
    clf = make(name, class_weight={1: 3.0}).fit(X, y)
    assert clf.certificate_.problem.class_weights == (1.0, 3.0)
    assert not clf.certificate_.problem.weighted
    assert "with class weights" in str(clf.certificate_.verify(X, y))
    by_example = make(name).fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    np.testing.assert_allclose(clf.coef_, by_example.coef_, rtol=1e-9)
    steps = make("scale-free", class_weight={1: 3.0}).fit(X, y)
    assert steps.certificate_.problem.class_weights is None
    slack = make("with slack", class_weight={1: 3.0}).fit(X, y)
    assert slack.certificate_.problem.class_weights == (1.0, 3.0)


def weights_of(n, seed=0):
    weights = np.random.default_rng(seed).integers(0, 4, n).astype(float)
    weights[:2] = 0.5, 2.0
    return weights


@pytest.mark.parametrize("data", [noise, whole_numbers, three_classes])
@pytest.mark.parametrize("name", MARGINS)
@pytest.mark.filterwarnings("ignore:The examples are separable, so .* had no effect:UserWarning")
def test_a_weighted_fit_needs_its_weights_in_a_check(name, data, tmp_path):
    X, y = data()
    weights = weights_of(len(y))
    clf = make(name).fit(X, y, sample_weight=weights)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    assert str(weights[5:9].tolist())[1:-1] not in path.read_text(), "the weights were stored"
    for certificate in (clf.certificate_, novikoff.load(path).certificate_):
        assert certificate.problem.weighted
        verified = certificate.verify(X, y, sample_weight=weights)
        assert verified.n_taking_part == np.count_nonzero(weights)
        assert f"{verified.n_taking_part} of {len(y)} examples take part" in str(verified)
        for check in (True, False):
            with pytest.raises(CertificateError, match=r"weighted examples: .* \(sample_weight\)"):
                certificate.verify(X, y, check_fingerprint=check)
        for other in (weights[::-1], 2.0 * weights, np.where(weights == 0.0, 1.0, weights)):
            with pytest.raises(CertificateError, match="not the data"):
                certificate.verify(X, y, sample_weight=other)
        with pytest.raises(CertificateError, match="as many weights"):
            certificate.verify(X, y, sample_weight=weights[:-1])
    assert_proved(clf, X, y, sample_weight=weights)
    assert novikoff.verify(path, X, y, sample_weight=weights).counts == verified.counts


@pytest.mark.parametrize("name", MARGINS)
def test_other_weights_are_refused_by_the_arithmetic_too(name):
    X, y = noise()
    weights = weights_of(60)
    certificate = make(name, tol=1e-9).fit(X, y, sample_weight=weights).certificate_
    with pytest.raises(CertificateError, match=r"objective|bound|support|errors|margin"):
        certificate.verify(X, y, sample_weight=weights[::-1].copy(), check_fingerprint=False)


@pytest.mark.parametrize("ones", [np.ones(60), [1] * 60, np.ones(60, dtype=bool)])
@pytest.mark.parametrize("name", MARGINS)
def test_weights_of_one_are_none(name, ones):
    X, y = noise()
    clf, plain = make(name).fit(X, y, sample_weight=ones), make(name).fit(X, y)
    assert_same_fit(clf, plain)
    assert not clf.certificate_.problem.weighted
    plain.certificate_.verify(X, y, sample_weight=ones)
    with pytest.raises(CertificateError, match="without weights: leave sample_weight out"):
        plain.certificate_.verify(X, y, sample_weight=2.0 * np.ones(60))


@pytest.mark.parametrize(
    "same",
    [
        lambda weights: weights.tolist(),
        lambda weights: np.where(weights == 0.0, -0.0, weights),
        lambda weights: weights.astype(np.float32),
    ],
)
@pytest.mark.parametrize("name", MARGINS)
def test_equal_weights_are_the_same_weights(name, same):
    X, y = noise()
    weights = weights_of(60)
    clf = make(name).fit(X, y, sample_weight=weights)
    assert_same_fit(clf, make(name).fit(X, y, sample_weight=same(weights)))
    clf.certificate_.verify(X, y, sample_weight=same(weights))


@pytest.mark.parametrize("name", MARGINS)
def test_examples_of_weight_zero_take_no_part(name):
    """Not in the verdict, not in the errors; and the sentence says that they do not."""
    X, y = XOR
    weights = np.array([1.0, 0.0, 1.0, 1.0])
    clf = make(name).fit(X, y, sample_weight=weights)
    verified = assert_proved(clf, X, y, sample_weight=weights)
    assert verified.counts == (2, 1)
    assert "3 of 4 examples take part (the others have weight 0)" in str(verified)
    wrong = (clf.predict(X) != y)[weights > 0.0]
    assert verified.errors == wrong.sum()
    if name == "hard":
        assert isinstance(clf.certificate_, Separation)
        assert isinstance(make(name).fit(X, y).certificate_, NonSeparation)
        # Nobody is told that XOR is separable.
        with pytest.raises(CertificateError, match="weighted examples"):
            clf.certificate_.verify(X, y, check_fingerprint=False)
