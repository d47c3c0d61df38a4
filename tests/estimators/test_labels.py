"""Which labels are taken for classes without asking scikit-learn, which takes as long as a fit."""

import numpy as np
import pytest

from novikoff.estimators import labels


def refuse(y):
    raise ValueError("asked")


@pytest.mark.parametrize(
    "values", [[0, 1], [True, False], ["a", "b"], [-1.0, 1.0], [0.0, 1.0, 2.0], [-(2.0**52), 3.0]]
)
def test_plain_labels_are_classes(monkeypatch, values):
    expected = labels.classes_of(np.array(values * 3))
    monkeypatch.setattr(labels, "check_classification_targets", refuse)
    classes, codes = labels.classes_of(np.array(values * 3))
    np.testing.assert_array_equal(classes, np.sort(values))
    np.testing.assert_array_equal(classes[codes], values * 3)
    np.testing.assert_array_equal(codes, expected[1])


@pytest.mark.parametrize(
    "values", [[0.0, 0.5], [0.0, 2.0**60], [0.0, np.nan], [0.0, np.inf], [b"a", b"b"]]
)
def test_scikit_learn_is_asked_about_others(monkeypatch, values):
    monkeypatch.setattr(labels, "check_classification_targets", refuse)
    with pytest.raises(ValueError, match="asked"):
        labels.classes_of(np.array(values * 3))


def test_scikit_learn_is_asked_about_floats_that_hardly_repeat(monkeypatch):
    monkeypatch.setattr(labels, "check_classification_targets", refuse)
    with pytest.raises(ValueError, match="asked"):
        labels.classes_of(np.arange(6.0))
