"""What is printed is as true as what is claimed."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import (
    Account,
    Certifier,
    Inconclusive,
    Separation,
    Status,
    Undecided,
    Weighted,
)
from novikoff.certificate.wording import (
    at_least,
    at_most,
    digits_between,
    enumerated,
    format_bounds,
    in_full,
    percent,
)
from tests.certificate.strategies import cases, extreme, ordinary, priced, separated

finite = st.floats(allow_nan=False, allow_infinity=False)
LINE, Y = np.array([[0.3], [-0.7]]), ["in", "out"]


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


@given(finite, finite)
def test_bounds_are_rounded_outward(a, b):
    low, high = min(a, b), max(a, b)
    shown = format_bounds(low, high)
    assert Decimal(shown[0]) <= Decimal(low) <= Decimal(high) <= Decimal(shown[1])


@given(st.floats(0.0, 1.0) | st.floats(0.0, 1e300) | st.integers(0, 100).map(lambda k: k / 100))
def test_percentages_are_rounded_up_and_only_once(share):
    number, sign = percent(share).split()
    shown = Fraction(Decimal(number)) / 100
    assert sign == "%" and Fraction(share) <= shown <= Fraction(share) * Fraction(1101, 1000)


@given(finite)
def test_a_number_in_full_is_the_number(value):
    assert float(in_full(value)) == value


@pytest.mark.parametrize(
    ("value", "shown"), [(1.0, "1"), (0.1, "0.1"), (1e16, "1e+16"), (1.0000001, "1.0000001")]
)
def test_a_number_in_full_is_short(value, shown):
    assert in_full(value) == shown


def test_zero_has_no_sign():
    assert at_least(-0.0) == at_most(-0.0) == at_most(0.0) == "0"
    assert at_least(math.inf) == "inf" and at_least(-math.inf) == "-inf"


def test_a_row_of_parts():
    assert enumerated(["a", "b"]) == "a and b" and enumerated(["a", "b", "c"]) == "a, b and c"


NUMBER = r"(-?\d+(?:\.\d+)?(?:e[-+]\d+)?)"
any_case = st.one_of(cases(ordinary), separated(ordinary), cases(extreme), separated(extreme))


@given(case=any_case | priced(any_case))
def test_what_a_margin_says_of_itself_is_rounded_outward(case):
    made = case.hard(status=Status.MAX_ITER)
    for text in (made.sentences()[0], made.headline()):
        assert text.isprintable()
        for number in re.findall(rf"margin at least {NUMBER}", text):
            assert Decimal(number) <= Decimal(made.lower)
        for number in re.findall(rf"(?:more than|margin above) {NUMBER}", text):
            assert Decimal(number) >= Decimal(made.upper)
        for low, high in re.findall(rf"margin {NUMBER} to {NUMBER}", text):
            assert Decimal(low) <= Decimal(made.lower) <= Decimal(made.upper) <= Decimal(high)
        for gap in re.findall(rf"gap {NUMBER} %", text):
            assert Fraction(Decimal(gap)) / 100 >= made.gap
    if isinstance(made, Separation) and made.upper < math.inf:
        assert "gap" in made.headline() and "more than" in made.sentences()[0]
    elif isinstance(made, Inconclusive):
        errors = made.model.errors
        assert f"The model makes {errors} error" in made.sentences()[1]


@given(case=any_case | priced(any_case), C=st.sampled_from([1.0, 1.0000001, 1e-30, 1 / 3]))
def test_what_a_soft_margin_says_of_itself_is_rounded_outward(case, C):
    made = case.soft(C)
    text = made.sentences()[0]
    (number,) = re.findall(r"For C = (\S+) the", text)
    assert float(number) == C
    (high,) = re.findall(r"is at most (\S+),", text)
    (low,) = re.findall(rf"has less than {NUMBER}", text)
    assert Decimal(low) <= Decimal(made.dual) and Decimal(high) >= Decimal(made.primal)
    for low, high in re.findall(rf"objective {NUMBER} to {NUMBER}", made.headline()):
        assert Decimal(low) <= Decimal(made.dual) and Decimal(high) >= Decimal(made.primal)
    for gap in re.findall(rf"gap {NUMBER} %", text + made.headline()):
        assert Fraction(Decimal(gap)) / 100 >= made.gap


def example(coef=(1.0,), **account):
    usual = dict(asked="ScaleFree(c=1.0)", n_updates=1234)
    return Certifier.of(LINE, Y, positive="in", affine=True).hard(
        Account(**(usual | account)), coef=coef, intercept=0.1, proof=Weighted([0, 1], [1, 1])
    )


def test_a_separation_reads_well():
    assert str(example(status=Status.CONVERGED)) == (
        "Separable: the hyperplane separates the 2 examples with margin at least 0.3999, and no "
        "hyperplane has more than 0.5 (gap 21 %).\n"
        "Problem: 'in' against 'out': 2 examples with 1 feature, without weights; hyperplanes "
        "with an intercept.\n"
        "Run (not proved): ScaleFree(c=1.0): 1,234 updates. No example is violated: the rule has "
        "stopped by itself."
    )
    assert repr(example(status=Status.CONVERGED)) == (
        "<Separation: separable, margin 0.3999 to 0.5 (gap 21 %)>"
    )


def test_a_check_reads_well():
    named = example(status=Status.CONVERGED).named(target="where", feature_names=("position",))
    assert str(named.verify(LINE, Y)) == (
        "Verified: the hyperplane separates 'in' (1) from 'out' (1) with margin at least 0.3999, "
        "and no hyperplane has more than 0.5. All 2 examples take part, without weights; "
        "hyperplanes with an intercept. Names (not checked): target 'where'; feature 'position'."
    )


def test_what_is_inconclusive_says_what_is_known():
    text = str(example(coef=(-1.0,), status=Status.NO_SUCH_MARGIN, min_margin=0.50001))
    assert "no hyperplane has a margin above 0.5, so none has a margin of 0.50001." in text
    assert "No separator with the margin that was asked for (min_margin) exists: 0.50001." in text
    text = str(example(coef=(-1.0,), status=Status.MAX_ITER))
    assert text.startswith(
        "Inconclusive: it is neither proved that a hyperplane separates the 2 examples nor that "
        "none does; no hyperplane has a margin above 0.5.\nThe model makes 2 errors on the 2 "
        "examples.\n"
    )


def test_what_is_numerical_is_called_so():
    X, y = np.array([[0.0, 3.0], [2.0, 3.0], [1.0, 3.0 + 2.0**-40]]), [1, 1, -1]
    proof = Certifier.of(X, y, positive=1, affine=True).hard(
        Account(status=Status.PRECISION),
        coef=[0.0, 0.0],
        proof=Weighted([0, 1, 2], [1, 1, 2]),
        with_model=False,
    )
    assert str(proof).splitlines()[0] == (
        "Numerically not separable: no hyperplane has a margin above 4.548e-13 (that is at most "
        "2.3e-13 of the largest distance between examples)."
    )
    assert "2.3e-13 of the largest distance" in str(proof.verify(X, y))
    with pytest.raises(Undecided, match="undecided: no hyperplane has a margin"):
        bool(proof)


@pytest.mark.parametrize("status", Status)
def test_every_status_is_a_sentence(status):
    assert status.value.endswith(".") and status.value[0].isupper()
    assert status.at_limit == (
        status.name
        in {"PRECISION", "MAX_ITER", "MAX_UPDATES", "BUDGET", "TIME_LIMIT", "INTERRUPTED"}
    )
