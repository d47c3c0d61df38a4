"""Labels of any type, in any container; and those that no certificate can speak of."""

import numpy as np
import pandas
import polars
import pytest

from novikoff.certificate import CertificateError
from tests.checks.subjects import ESTIMATORS, EVERYTHING, assert_proved, make
from tests.estimators.problems import three_classes, whole_numbers

LABELS = {
    "strings": np.array(["zebra", "ant", "mole"]),
    "objects": np.array(["zebra", "ant", "mole"], dtype=object),
    "strange strings": np.array(["ü \"'\\\n", "\x1b[2J", "None"]),
    "digits": np.array(["1", "0", "-1"]),
    "integers": np.array([7, -3, 2**40]),
    "int8": np.array([7, -3, 0], dtype=np.int8),
    "uint64": np.array([2**62, 0, 5], dtype=np.uint64),
    "floats": np.array([2.0, -1.0, 1e10]),
    "booleans": np.array([True, False]),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", ["scale-free", "hard", "soft", "is_separable"])
def test_labels_of_any_type(name, kind):
    labels = LABELS[kind]
    for pair in (labels[:2], labels):
        X, y = whole_numbers() if len(pair) == 2 else three_classes()
        clf = make(name).fit(X, pair[y])
        problem = clf.certificate_.problem
        assert problem.classes == tuple(np.sort(pair).tolist())
        assert list(map(type, problem.classes)) == list(map(type, np.sort(pair).tolist()))
        assert problem.positive == (problem.classes[1] if len(pair) == 2 else None)
        assert_proved(clf, X, pair[y].tolist())
        assert assert_proved(clf, X, pair[y]).counts == tuple(np.bincount(np.argsort(pair)[y]))
        if name == "is_separable":
            continue
        np.testing.assert_array_equal(clf.classes_, np.sort(pair))
        predicted = clf.predict(X)
        np.testing.assert_array_equal(predicted, pair[y])
        assert predicted.dtype == pair.dtype


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "objects": lambda y: np.array(y, dtype=object),
    "pandas": pandas.Series,
    "categories": lambda y: pandas.Series(y, dtype="category"),
    "string dtype": lambda y: pandas.Series(y, dtype="string"),
    "polars": polars.Series,
    "array": np.array,
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_labels_in_any_container(container):
    X, y = three_classes()
    labels = [["a", "b", "c"][k] for k in y]
    plain = make("scale-free").fit(X, np.array(labels))
    clf = make("scale-free").fit(X, CONTAINERS[container](labels))
    np.testing.assert_array_equal(clf.coef_, plain.coef_)
    assert clf.predict(X).tolist() == labels
    assert_proved(clf, X, CONTAINERS[container](labels))


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", EVERYTHING)
def test_labels_in_a_column(name, classes):
    """As one column of a table has them; scikit-learn's warning is all that differs."""
    X, y = three_classes() if classes == 3 else whole_numbers()
    clf, plain = make(name).fit(X, y[:, None]), make(name).fit(X, y)
    assert clf.certificate_ == plain.certificate_
    assert clf.certificate_.verify(X, y[:, None]) == clf.certificate_.verify(X, y)


REFUSED = {
    "one class": (np.ones(45, dtype=int), "only one class, 1; a classifier needs examples of two"),
    "one string": (["yes"] * 45, "only one class, 'yes'"),
    "too few": (np.arange(44) % 2, "inconsistent numbers of samples"),
    "two columns": (np.ones((45, 2)), "y should be a 1d array"),
    "continuous": (np.arange(45) + 0.5, "Unknown label type: continuous"),
    "a NaN": (np.where(np.arange(45) % 2, np.nan, 0.0), "contains NaN"),
    "a NaN among strings": (np.array(["a", "b", np.nan] * 15, dtype=object), "NaN"),
    "NA": (pandas.Series(["a", "b", None] * 15, dtype="string"), "missing labels"),
    "None": (["a", None, "b"] * 15, "a missing label in row 1"),
    "None among numbers": (np.array([0, 1, None] * 15, dtype=object), "a missing label in row 2"),
    "objects": (np.array([(), (1,), (2,)] * 15 + [None], dtype=object)[:-1], "type tuple"),
    "mixed": (np.array(["a", 1, 2] * 15, dtype=object), "cannot be compared; make them all str"),
    "bytes": ([b"a", b"b", b"c"] * 15, "cannot be compared; make them all strings"),
    "masked": (np.ma.array(np.arange(45) % 3, mask=np.arange(45) < 4), "y is a masked array"),
    "complex": (np.arange(45) % 2 + 0j, "Complex data not supported"),
    "infinite": (np.where(np.arange(45) % 2, np.inf, 0.0), "infinity"),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("name", ["scale-free", "hard", "is_separable"])
def test_labels_that_are_refused(name, what):
    """One line, from a fit and from a check."""
    X, y = three_classes()
    labels, message = REFUSED[what]
    with pytest.raises(ValueError, match=message) as error:
        make(name).fit(X, labels)
    assert "\n" not in str(error.value)
    certificate = make(name).fit(X, y).certificate_
    with pytest.raises(CertificateError) as refused:
        certificate.verify(X, labels, check_fingerprint=False)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("digits", [40, 4_000, 5_000])
@pytest.mark.parametrize("name", ["scale-free", "hard", "is_separable"])
def test_labels_of_thousands_of_digits(name, digits):
    """They are no fixed-width numbers; whoever takes them, nobody prints them all."""
    X, y = three_classes()
    for classes in (2, 3):
        labels = [10**digits + k if k < classes else 0 for k in y.tolist()]
        try:
            clf = make(name).fit(X, labels)
        except ValueError as error:
            assert len(str(error)) < 500
            assert "\n" not in str(error)
        else:
            assert len(str(assert_proved(clf, X, labels))) < 2_000
    certificate = make(name).fit(X, y).certificate_
    with pytest.raises(CertificateError) as error:
        certificate.verify(X, labels)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_label_that_is_new_to_a_check(name):
    X, y = three_classes()
    certificate = make(name).fit(X, y).certificate_
    wrong = y.copy()
    wrong[7] = 9
    for labels in (wrong, wrong.astype(str), wrong == 9, wrong.astype(float) + 0.25):
        with pytest.raises(CertificateError) as error:
            certificate.verify(X, labels, check_fingerprint=False)
        assert "\n" not in str(error.value)
