"""No text from a file reaches a terminal with power over it."""

import ast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate.escape import escaped, format_label, printable, quoted

HOSTILE = [
    "\x1b[2J\x1b[1;31mVerified\x1b[0m",
    "two\nlines\r\nand\x0bmore",
    "\x00\x07\x08\x7f\x9b0m",
    "\u202egnp.exe\u2066\u200b\ufeff",
    "\u2028\u2029\x85",
    "\udc80\ud800",
    "\U000e0041\xa0\xad",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_escaped(text):
    for shown in (escaped(text), printable(text), quoted(text)):
        assert shown.isprintable() and len(shown.splitlines()) == 1
        assert "\\" in shown
        shown.encode()


@pytest.mark.parametrize("text", ["", "a b", "größe", "日本", "‖w‖²", "it's"])
def test_ordinary_texts_are_left_alone(text):
    assert escaped(text) == printable(text) == text


@given(text=st.text(max_size=60))
def test_different_texts_look_different(text):
    """Nothing is lost: Python reads the quoted text back."""
    assert ast.literal_eval(quoted(text, limit=10_000)) == text


@given(text=st.text(), limit=st.integers(1, 30))
def test_the_limit_is_kept(text, limit):
    shown = printable(text, limit)
    assert len(shown) <= limit
    if shown.endswith("…") and len(text) > 0:
        whole = printable(text, limit=10_000)
        assert whole == shown or (whole.startswith(shown[:-1]) and len(whole) > limit)
    else:
        assert shown == printable(text, limit=10_000)


def test_a_long_text_is_cut_between_escapes():
    assert printable("\x1b" * 100, limit=10) == "\\x1b\\x1b…"
    assert printable("a" * 81) == "a" * 79 + "…"
    assert printable("a" * 80) == "a" * 80
    assert printable("a" * 10**8, limit=4) == "aaa…"


def test_a_label_is_one_printable_line():
    class Loud:
        def __repr__(self):
            return "a\nb\x1b"

    assert format_label(Loud()) == "a\\nb\\x1b"
    assert format_label((10**5000,)) == "a tuple"
    assert format_label(10**5000) == "an integer of 16610 bits"
    assert format_label(np.array([1, 2])) == "array([1, 2])"


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("3", "'3'"),
        (3, "3"),
        (3.0, "3.0"),
        (True, "True"),
        ("True", "'True'"),
        (np.int8(3), "3"),
        (np.str_("3"), "'3'"),
        (np.float32(0.5), "0.5"),
        (None, "None"),
    ],
)
def test_labels_of_different_types_look_different(label, shown):
    assert format_label(label) == shown
