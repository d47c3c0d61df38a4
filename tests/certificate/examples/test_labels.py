import datetime
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import CertificateError
from novikoff.certificate.examples.labels import (
    check_classes,
    codes_of,
    plain_label,
    signs_against,
)

HUGE = 10**4000


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["cat", "cow"], ["cat", "dog"]),
        (["1", "0"], [1, 0]),
        ([1, 0], ["1", "0"]),
        ([1, 300], [1, 0]),
        (np.array([1, "0"], dtype=object), [1, 0]),
    ],
)
def test_labels_of_other_classes_are_named(y, classes):
    with pytest.raises(CertificateError, match=r"row [01] has the label"):
        codes_of(y, classes)


def test_labels_are_one_column():
    with pytest.raises(CertificateError, match="one column"):
        codes_of([[1, 1], [0, 0]], [1, 0])
    assert codes_of([[1], [0]], [0, 1]).tolist() == [1, 0]


@pytest.mark.parametrize(
    "label", [(1, 2), [1], float("nan"), float("inf"), b"a", 1j, [HUGE * HUGE], datetime.date.min]
)
def test_what_json_cannot_hold_is_no_label(label):
    with pytest.raises(CertificateError, match="label must be"):
        plain_label(label)


@pytest.mark.parametrize(
    ("label", "plain"),
    [(np.int8(3), 3), (np.float32(0.5), 0.5), (np.bool_(True), True), (None, None)],
)
def test_labels_become_plain(label, plain):
    assert plain_label(label) == plain and type(plain_label(label)) is type(plain)


@pytest.mark.parametrize("label", [HUGE, -HUGE, 1 << 64, -(1 << 63) - 1])
def test_integers_beyond_64_bits_are_no_labels(label):
    with pytest.raises(CertificateError, match="at most 64 bits") as caught:
        plain_label(label)
    assert len(str(caught.value)) < 100
    assert plain_label((1 << 64) - 1) == (1 << 64) - 1


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "c", "b"], ["a", "b", "c"]),
        (np.array(["b", "a", "c", "b"], dtype=object), ["a", "b", "c"]),
        (np.array(["b", "a", "c", "b"], dtype=np.dtypes.StringDType()), ["a", "b", "c"]),
        (pd.Series(["b", "a", "c", "b"]), ["a", "b", "c"]),
        (pd.Series(["b", "a", "c", "b"], dtype="category"), ["a", "b", "c"]),
        (pd.Series([7, 3, 9, 7], dtype="Int64"), [3, 7, 9]),
        ([["b"], ["a"], ["c"], ["b"]], ["a", "b", "c"]),
        ([7, 3, 9, 7], [3, 7, 9]),
        ([7, -3, 9, 7], [-3, 7.0, 9]),
        (np.array([7, 3, 9, 7], dtype=np.uint8), [3, 7, 9]),
        (np.array([7, 3, 9, 7], dtype=">i4"), [3, 7, 9]),
        (np.array([7.5, 3, 9, 7.5]), [3, 7.5, 9]),
        (np.array([7.5, 3, 9, 7.5], dtype=np.float16), [3, 7.5, 9]),
        (np.array([7.5, 3, 9, 7.5], dtype=np.longdouble), [3, 7.5, 9]),
        (np.array([1, "b", 2.5, 1], dtype=object), ["b", True, 2.5]),
        (np.array([2**64 - 1, 0, 5, 2**64 - 1], dtype=np.uint64), [0, 2**64 - 1, 5]),
        ([2**63, 0, -1, 2**63], [0, 2**63, -1]),
        (np.array(["b\0", "", "b", "b\0"], dtype=object), ["", "b\0", "b"]),
    ],
)
def test_codes(y, classes):
    codes = codes_of(y, classes)
    assert codes.dtype == np.int64 and codes.tolist() == [1, 0, 2, 1]
    assert signs_against(codes, 2).tolist() == [-1, -1, 1, -1]


def test_codes_of_booleans():
    for y in ([True, False, True], [1, 0, 1], [1.0, 0.0, 1.0]):
        assert codes_of(np.array(y), [False, True]).tolist() == [1, 0, 1]
        assert codes_of(np.array(y), [1.0, 0]).tolist() == [0, 1, 0]


labels = st.one_of(
    st.integers(-3, 3),
    st.integers(-(2**63), 2**64 - 1),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.5, 1.0, -2.0, 2.0**53, 2**53 + 1, 2.0**63, 2**63 + 1]),
    st.text(max_size=2),
)


@given(data=st.data(), classes=st.lists(labels, min_size=2, max_size=5, unique=True))
def test_a_label_is_that_of_the_class_it_equals(data, classes):
    rest = data.draw(st.lists(st.sampled_from(classes) | labels, max_size=5))
    every = data.draw(st.permutations(classes)) + rest
    for y in (np.array(every, dtype=object), np.asarray(every)):
        # numpy turns some lists into floats or strings: then these are the labels.
        wanted = [next((k for k, c in enumerate(classes) if c == v), -1) for v in y.tolist()]
        if -1 in wanted or len(set(wanted)) < len(classes):
            with pytest.raises(CertificateError, match=r"row|no example has the label") as caught:
                codes_of(y, classes)
            assert str(caught.value).isprintable()
        else:
            assert codes_of(y, classes).tolist() == wanted


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([], "two classes or more, not 0"),
        (["a"], "two classes or more, not 1"),
        (["a", None], "not None"),
        ([1, True], "equal labels, 1 and True"),
        ([1, 2, 1.0], "equal labels, 1 and 1.0"),
        (["a", "a"], "equal labels"),
        (["a", math.nan], "finite"),
        (["a", HUGE], "at most 64 bits"),
        (["a", ("b",)], "a label must be"),
    ],
)
def test_classes_that_are_none(classes, message):
    with pytest.raises(CertificateError, match=message) as caught:
        check_classes(classes)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 200


def test_equal_numbers_of_different_types_are_one_class():
    assert check_classes([np.float32(0.5), "a", np.int8(2)]) == (0.5, "a", 2)
    assert check_classes(["1", 1]) == ("1", 1)


@pytest.mark.parametrize(
    "y",
    [
        [1.0, math.nan, 2.0],
        np.array([1, None, 2], dtype=object),
        np.array([1, math.nan, 2], dtype=object),
        np.array([1, pd.NA, 2], dtype=object),
        np.array([1, pd.NaT, 2], dtype=object),
        np.array([1, np.datetime64("NaT"), 2], dtype=object),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series([1.0, None, 2.0]),
    ],
)
def test_missing_labels_are_refused(y):
    with pytest.raises(CertificateError, match="row 1 has the missing label"):
        codes_of(y, [1, 2])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 2, 3], "row 2 has the label 3; the classes are 1, 2"),
        (["1", "2"], "row 0 has the label '1'; the classes are 1, 2"),
        ([1, 1], "no example has the label 2"),
        ([], "no example has the label 1"),
        ([1, HUGE], "row 1 has the label an integer of 13288 bits"),
        ([1, "2\n\x1b[31m"], r"row 1 has the label '2\\n"),
        (np.array([1, "2\n\x1b[31m\u202e"], dtype=object), r"'2\\n\\x1b\[31m\\u202e'"),
        (np.array([1, "x" * 10**6], dtype=object), "x…"),
        (np.array([1, [2], 2], dtype=object), r"row 1 has the label \[2\]"),
        ([[1, 2], [1, 2]], "one column"),
        ([[1], [1, 2]], "different lengths"),
        (3, "one column"),
        (np.array([b"1", b"2"]), "strings or numbers"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "strings or numbers"),
        (np.array([1j, 2.0]), "strings or numbers"),
        (np.ma.array([1, 2], mask=[False, True]), "masked"),
        (np.array([1, 1 + np.longdouble(2) ** -60], dtype=np.longdouble), "row 1 has"),
        (np.array([1, Fraction(3, 2)], dtype=object), "row 1 has the label Fraction"),
    ],
)
def test_labels_that_are_none(y, message):
    with pytest.raises(CertificateError, match=message) as caught:
        codes_of(y, [1, 2])
    assert str(caught.value).isprintable() and len(str(caught.value)) < 200


def test_many_classes_are_not_all_listed():
    with pytest.raises(CertificateError, match=r"8, 9 and 90 more$"):
        codes_of([-1, 3], range(100))


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([2**63 + 5, 2**63, -1], (2**63, -1)),
        ([2**53 + 1, 2**53, 0.5], (2**53, 0.5)),
        ([1, "1", "2"], ("1", "2")),
        (["a\0", "a", "b"], ("a", "b")),
    ],
)
def test_a_label_in_a_list_is_not_what_numpy_makes_of_it(y, classes):
    with pytest.raises(CertificateError, match="row 0 has the label"):
        codes_of(y, classes)
    assert codes_of([y[1], *y[1:]], classes).tolist() == [0, 0, 1]
