"""Independent columns modulo a prime, against the rank over the rationals."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.certificate.exact.modular import (
    PRIMES,
    _residues,
    independent_among,
    independent_columns,
)
from tests.certificate.strategies import extreme, ordinary

shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=5)


def exact_rank(table):
    ratios = [fmpq(*value.as_integer_ratio()) for value in table.ravel().tolist()]
    return fmpq_mat(*table.shape, ratios).rref()[1] if ratios else 0


@given(values=hnp.arrays(np.float64, st.integers(1, 5), elements=extreme | ordinary))
def test_a_float_has_the_residue_of_its_fraction(values):
    for value, residue in zip(values.tolist(), _residues(values).tolist(), strict=True):
        exact = Fraction(value)
        assert (residue * exact.denominator - exact.numerator) % PRIMES[0] == 0


@pytest.mark.parametrize("numbers", [ordinary, extreme], ids=["ordinary", "extreme"])
@given(data=st.data())
def test_the_columns_are_those_of_the_rational_matrix(numbers, data):
    table = data.draw(
        hnp.arrays(np.float64, shapes, elements=numbers | st.sampled_from([0.0, 1.0]))
    )
    if data.draw(st.booleans()) and table.shape[1] > 2:
        table[:, 1] = table[:, 0] * 0.5
    wanted = [
        j for j in range(table.shape[1]) if exact_rank(table[:, : j + 1]) > exact_rank(table[:, :j])
    ]
    assert independent_columns(table) == wanted


def test_columns_that_depend_modulo_the_prime_alone():
    matrix = [[1, 1], [1, 1 + PRIMES[0]]]
    assert [independent_among(matrix, 2, prime) for prime in PRIMES] == [[0], [0, 1], [0, 1]]
    assert independent_among([], 3, PRIMES[0]) == []
