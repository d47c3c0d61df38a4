import numpy as np
import pytest

from novikoff.certificate import CertificateError, signs_of
from novikoff.certificate.examples.labels import plain_label


@pytest.mark.parametrize(
    ("y", "positive", "negative"),
    [
        (["cat", "dog", "cat"], "cat", "dog"),
        (np.array(["cat", "dog", "cat"], dtype=object), "cat", "dog"),
        ([1, 0, 1], 1, 0),
        ([1.0, 0.0, 1.0], 1, 0),
        ([True, False, True], True, False),
        ([True, False, True], 1, 0),
        (np.array([1, -1, 1], dtype=np.int8), None, None),
        (np.array([0.1, 0.2, 0.1], dtype=np.float32), 0.1, 0.2),
        (["a", "b", "a"], "a", None),
    ],
)
def test_signs(y, positive, negative):
    signs = signs_of(y, positive, negative)
    assert signs.dtype == np.int8 and signs.tolist() == [1, -1, 1]


def test_one_class_against_the_rest():
    assert signs_of([3, 1, 2, 3], 3).tolist() == [1, -1, -1, 1]


@pytest.mark.parametrize(
    ("y", "positive", "negative"),
    [
        (["cat", "cow"], "cat", "dog"),
        (["1", "0"], 1, 0),
        ([1, 0], "1", "0"),
        ([1, 0], None, None),
        ([1, 300], 1, 0),
        (np.array([1, "0"], dtype=object), 1, 0),
    ],
)
def test_unknown_labels_are_named(y, positive, negative):
    with pytest.raises(CertificateError, match=r"row [01] has the label"):
        signs_of(y, positive, negative)


def test_labels_are_one_column():
    with pytest.raises(CertificateError, match="one column"):
        signs_of([[1, 1], [0, 0]], 1, 0)
    assert signs_of([[1], [0]], 1, 0).tolist() == [1, -1]


@pytest.mark.parametrize("label", [(1, 2), [1], float("nan"), float("inf"), b"a", 1j])
def test_what_json_cannot_hold_is_no_label(label):
    with pytest.raises(CertificateError, match="label must be"):
        plain_label(label)


@pytest.mark.parametrize(
    ("label", "plain"),
    [(np.int8(3), 3), (np.float32(0.5), 0.5), (np.bool_(True), True), (None, None)],
)
def test_labels_become_plain(label, plain):
    assert plain_label(label) == plain and type(plain_label(label)) is type(plain)
