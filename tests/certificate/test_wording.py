"""What is printed is as true as what is claimed."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import Status, Undecided, certify_margin
from novikoff.certificate.wording import at_least, at_most, digits_between

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, st.integers(2, 17))
def test_numbers_are_rounded_outward(value, digits):
    low, high = Decimal(at_least(value, digits)), Decimal(at_most(value, digits))
    assert low <= Decimal(value) <= high
    assert high - low <= abs(Decimal(value)) * Decimal(10) ** (1 - digits) * Decimal("1.001")


@given(finite, finite)
def test_numbers_that_differ_are_shown_to_differ(a, b):
    low, high = min(a, b), max(a, b)
    digits = digits_between(low, high)
    assert 4 <= digits <= 17
    if digits < 17 and low != high and math.isfinite(high - low):
        assert at_most(low, digits) != at_least(high, digits) or digits == 4


def example(coef=(1.0,), **other):
    return certify_margin(
        np.array([[0.3], [-0.7]]),
        [1, -1],
        coef=coef,
        intercept=0.1,
        affine=True,
        support=[0, 1],
        weights=[1, 1],
        asked="ScaleFree(c=1.0)",
        n_updates=1234,
        **other,
    )


def test_a_separation_reads_well():
    assert str(example(status=Status.CONVERGED)) == (
        "Separable: the hyperplane returned has margin at least 0.3999, and no hyperplane has "
        "more than 0.5 (gap 21 %).\n"
        "2 of 2 examples carry the upper bound.\n"
        "ScaleFree(c=1.0): 1,234 updates. No example is violated: the rule has stopped by itself."
    )
    assert repr(example(status=Status.CONVERGED)) == (
        "<Separation: 0.3999 <= margin <= 0.5, 2 examples>"
    )


def test_what_is_inconclusive_says_what_is_known():
    text = str(example(coef=(-1.0,), status=Status.NO_SUCH_MARGIN, excluded_margin=0.5001))
    assert "no hyperplane with margin >= 0.5001 separates the examples" in text
    assert "No separator with the margin that was asked for exists." in text
    text = str(example(coef=(-1.0,), status=Status.MAX_ITER))
    assert "neither separated the examples nor proved" in text
    assert "no hyperplane has margin above 0.5" in text


def test_what_is_numerical_is_called_so():
    X = np.array([[0.0, 3.0], [2.0, 3.0], [1.0, 3.0 + 2.0**-40]])
    proof = certify_margin(
        X,
        [1, 1, -1],
        coef=None,
        affine=True,
        support=[0, 1, 2],
        weights=[1, 1, 2],
        status=Status.PRECISION,
    )
    assert str(proof).splitlines()[0] == (
        "Numerically not separable: no hyperplane has margin above 4.548e-13 (that is at most "
        "2.3e-13 of the largest distance between examples)."
    )
    assert "2.3e-13 of the largest distance" in str(proof.verify(X, [1, 1, -1]))
    with pytest.raises(Undecided, match="undecided: no hyperplane has margin"):
        bool(proof)


@pytest.mark.parametrize("status", Status)
def test_every_status_is_a_sentence(status):
    assert status.value.endswith(".") and status.value[0].isupper()
    assert status.at_limit == (
        status.name in {"PRECISION", "MAX_ITER", "MAX_UPDATES", "TIME_LIMIT", "INTERRUPTED"}
    )
