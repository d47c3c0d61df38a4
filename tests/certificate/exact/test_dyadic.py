import math
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.certificate import CertificateError
from novikoff.certificate.exact.dyadic import (
    Dyadic,
    ceil_float,
    ceil_sqrt,
    floor_float,
    floor_sqrt,
    of_float,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
close = st.builds(math.ldexp, st.integers(-(2**53), 2**53).map(float), st.integers(-40, 20))
fractions = st.one_of(
    st.fractions(),
    st.builds(lambda f, k: Fraction(f) * Fraction(2) ** k, finite, st.integers(-1200, 1200)),
    finite.map(Fraction),
)


def flint(q):
    return fmpq(q.numerator, q.denominator)


@given(hnp.arrays(np.float64, st.integers(0, 6), elements=finite | close))
def test_floats_are_kept_exactly(values):
    exact = Dyadic.of(values)
    scale = Fraction(2) ** exact.exponent
    assert [int(i) * scale for i in exact.integers] == [Fraction(float(v)) for v in values]
    assert all(abs(int(i)) < 2**exact.bits for i in exact.integers if i)


@given(hnp.arrays(st.sampled_from([np.int64, np.uint64, np.uint8]), st.integers(0, 5)))
def test_integers_are_kept_exactly(values):
    assert [int(i) for i in Dyadic.of(values).integers] == [int(v) for v in values]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(CertificateError, match="NaN or infinite"):
        Dyadic.of(np.array([1.0, bad]))


@given(fractions)
def test_rounding_is_to_the_next_float_on_the_safe_side(q):
    down, up = floor_float(flint(q)), ceil_float(flint(q))
    assert down == -math.inf or Fraction(down) <= q
    assert up == math.inf or Fraction(up) >= q
    if down == up:
        assert Fraction(down) == q
    else:
        assert math.nextafter(down, math.inf) == up


near_squares = st.builds(
    lambda f, off: abs(Fraction(f) ** 2 + off * Fraction(1, 10**60)), close, st.integers(-1, 1)
)


@given(fractions.map(abs) | near_squares)
def test_the_root_is_rounded_to_the_next_float_on_the_safe_side(q):
    down, up = floor_sqrt(flint(q)), ceil_sqrt(flint(q))
    assert Fraction(down) ** 2 <= q
    assert up == math.inf or Fraction(up) ** 2 >= q
    if down == up:
        assert Fraction(down) ** 2 == q
    else:
        assert math.nextafter(down, math.inf) == up


def test_zero_has_no_sign():
    for rounded in (floor_float, ceil_float, floor_sqrt, ceil_sqrt):
        assert math.copysign(1.0, rounded(fmpq(0))) == 1.0


@given(finite)
def test_a_float_is_its_own_rounding(x):
    assert floor_float(of_float(x)) == x == ceil_float(of_float(x))
    square = of_float(x) ** 2
    assert floor_sqrt(square) == abs(x) == ceil_sqrt(square)
