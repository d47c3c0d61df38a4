"""Products of slices are exact, or they decline."""

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.certificate import CertificateError
from novikoff.certificate.exact import slices
from novikoff.certificate.exact.slices import (
    ROUNDED,
    Slices,
    exact_product,
    rounded_product,
    rounded_products,
    sum_of_squares,
)
from tests.certificate.strategies import extreme, ordinary


@pytest.fixture(
    params=["in slices", "in arrays of integers", "in integers"], autouse=True, scope="module"
)
def few(request):
    """Let few values be computed in the way of many, too."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "in integers":
            patch.setattr(slices, "_VERY_FEW", 0)
        if request.param == "in slices":
            patch.setattr(slices, "_FEW_VALUES", 0)
        yield


shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6)


def check(matrix, product, vector):
    integers, exponent = product
    scale = Fraction(2) ** exponent
    for row, found in zip(matrix.tolist(), integers.tolist(), strict=True):
        terms = (Fraction(a) * Fraction(b) for a, b in zip(row, vector, strict=True))
        assert found * scale == sum(terms, Fraction(0))


@pytest.mark.parametrize("numbers", [ordinary, extreme], ids=["ordinary", "extreme"])
@given(data=st.data())
def test_products_with_floats(numbers, data):
    matrix = data.draw(hnp.arrays(np.float64, shapes, elements=numbers))
    vector = data.draw(hnp.arrays(np.float64, matrix.shape[1], elements=numbers))
    check(matrix, exact_product(matrix, vector), vector.tolist())


@pytest.mark.parametrize("numbers", [ordinary, extreme], ids=["ordinary", "extreme"])
@given(data=st.data())
def test_rounded_products(numbers, data):
    matrix = data.draw(hnp.arrays(np.float64, shapes, elements=numbers))
    vector = data.draw(hnp.arrays(np.float64, matrix.shape[1], elements=numbers))
    # What cancels: all but the last terms are there twice, with both signs.
    matrix = np.hstack([matrix, matrix[:, :-1]])
    other = np.nextafter(vector[:-1], 0.0) if data.draw(st.booleans()) else vector[:-1]
    vector = np.r_[vector, -other]
    terms = [
        [Fraction(a) * Fraction(b) for a, b in zip(row, vector.tolist(), strict=True)]
        for row in matrix.tolist()
    ]
    exact = [sum(each, Fraction(0)) for each in terms]
    try:
        rounded = rounded_product(matrix, vector)
    except CertificateError:
        sizes = [abs(a) for a in exact if a]
        assert min(sizes) < 2.0**-899 or max(sizes) > 2.0**899
        return
    for a, b in zip(exact, rounded.tolist(), strict=True):
        assert abs(a - Fraction(b)) <= Fraction(ROUNDED) * abs(a)


def test_rounded_products_of_many_slices():
    rng = np.random.default_rng(0)
    # Digits of 200 bits on either side, of both signs, whose sums cancel to a few bits.
    matrix = np.ldexp(rng.normal(size=(500, 6)), rng.integers(-120, 1, (500, 6)))
    vector = np.ldexp(rng.normal(size=6), rng.integers(-120, 1, 6))
    wide = np.column_stack([matrix, matrix[:, ::-1], np.ldexp(1.0, rng.integers(-200, -50, 500))])
    weights = np.r_[vector, -vector[::-1], rng.choice([-1.0, 1.0])]
    assert Slices.of(wide) is not None and Slices.of(weights) is not None
    found = rounded_product(wide, weights)
    assert np.array_equal(found, wide[:, -1] * weights[-1])


@pytest.mark.parametrize("piece", [1, 1 << 16])
@pytest.mark.parametrize("numbers", [ordinary, extreme], ids=["ordinary", "extreme"])
@given(data=st.data())
def test_several_rounded_products(piece, numbers, data):
    """Of columns that occur several times, with coefficients that nearly cancel."""
    matrix = data.draw(hnp.arrays(np.float64, shapes, elements=numbers))
    combinations = []
    for _ in range(data.draw(st.integers(1, 3))):
        places = np.array(data.draw(st.lists(st.integers(0, matrix.shape[1] - 1), min_size=1)))
        coefs = data.draw(hnp.arrays(np.float64, len(places), elements=numbers))
        again = np.nextafter(coefs, 0.0) if data.draw(st.booleans()) else coefs[::-1]
        combinations.append((np.r_[places, places], np.r_[coefs, -again]))
    exact = [
        [
            sum((Fraction(row[j]) * Fraction(v) for j, v in zip(*pair, strict=True)), Fraction(0))
            for pair in [(places.tolist(), coefs.tolist()) for places, coefs in combinations]
        ]
        for row in matrix.tolist()
    ]
    with mock.patch.object(slices, "_PIECE", piece):
        try:
            found = rounded_products(matrix, combinations)
        except CertificateError:
            sizes = [abs(a) for row in exact for a in row if a]
            assert min(sizes) < 2.0**-899 or max(sizes) > 2.0**899
            return
    for row, rounded in zip(exact, found.tolist(), strict=True):
        for a, b in zip(row, rounded, strict=True):
            assert abs(a - Fraction(b)) <= Fraction(ROUNDED) * abs(a)


def test_several_rounded_products_with_slices_of_their_own():
    """Combinations of different lengths, and one too long for slices."""
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(50, 4))
    one = (np.array([3, 0]), np.array([1.0, 2.0**-30]))
    two = (np.array([1, 2, 1]), np.array([1.0, 1.0 / 3.0, -1.0]))
    long = (np.array([0, 1]), np.array([2.0**300, 2.0**-300]))
    for combinations in ([one, two], [two, long, one]):
        found = rounded_products(matrix, combinations)
        alone = [rounded_product(matrix[:, places], coefs) for places, coefs in combinations]
        np.testing.assert_allclose(found, np.column_stack(alone), rtol=2.0 * ROUNDED, atol=0.0)


@given(hnp.arrays(np.float64, st.integers(0, 6), elements=ordinary | extreme))
def test_sums_of_squares(values):
    squares = sum_of_squares(values)
    assert Fraction(int(squares.p), int(squares.q)) == sum(
        (Fraction(v) ** 2 for v in values.tolist()), Fraction(0)
    )


@given(data=st.data(), dtype=st.sampled_from([np.uint8, np.float32, np.float64]))
def test_products_with_integers(data, dtype):
    matrix = data.draw(hnp.arrays(np.uint8, shapes)).astype(dtype)
    lengths = st.integers(-(2**200), 2**200) | st.integers(-(2**16), 2**16)
    integers = data.draw(st.lists(lengths, min_size=matrix.shape[1], max_size=matrix.shape[1]))
    vector = np.array(integers, dtype=object)
    for whole in (matrix, matrix / 3.0, np.where(matrix == 1, 1e-300, matrix)):
        check(whole.astype(np.float64), exact_product(whole, vector), integers)


def test_the_longest_sums_of_the_largest_slices():
    n = 1 << 21
    largest = np.full(n, 2.0**16 - 1.0)
    assert exact_product(largest[None], largest) == ([n * (2**16 - 1) ** 2], 0)
    # One more goes through Python's integers.
    integers, exponent = exact_product(np.ones((1, n + 1)), np.ones(n + 1))
    assert integers[0] * 2**exponent == n + 1


def test_numbers_of_very_different_size_are_left_to_integers():
    assert Slices.of(np.array([1.0, 1e-300])) is None
    assert Slices.of(np.array([1e300, 5e-324])) is None
    assert Slices.of(np.array([5e-324])) is None
    assert Slices.of(np.array([1.0, 1e-60])) is not None


def test_a_product_with_nothing_is_zero():
    product, _ = slices.exact_product(np.empty((3, 0)), np.empty(0))
    assert product.tolist() == [0, 0, 0]
