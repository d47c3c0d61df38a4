"""Sums of kernel values in exact arithmetic."""

import numpy as np
from flint import fmpq

from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.feature_space.exact_table import exact_sums
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.table import KernelTable


def sums_of(distance, decide):
    X = check_matrix(np.array([[0.0], [distance]]))
    table = KernelTable.of(Kernel("rbf", gamma=1.0), X)
    row, column = np.array([1]), np.array([0])
    (found,) = exact_sums(table, row, column, np.array([-2.0]), decide=decide)
    return found


def test_values_of_examples_far_apart_have_few_digits():
    # exp(-1e12) as a rational number has more bits than there is memory.
    low, high = sums_of(1e6, decide=False)
    assert low < 0 < high < fmpq(1, 2**1100)
    assert int(high.q).bit_length() < 10_000


def test_a_sign_that_is_asked_for_is_known_however_small_the_value():
    low, high = sums_of(100.0, decide=True)
    assert low <= high < 0
    assert high > -fmpq(1, 2**4096)


def test_tangents_that_are_nearly_one_have_signs():
    """tanh(t) is 1 less 2/(exp(2t) + 1): the ones cancel exactly, and the smallest term decides."""
    X = check_matrix(np.array([[1.0], [10.0], [20.0], [30.0]]))
    table = KernelTable.of(Kernel("sigmoid", gamma=1.0, coef0=0.0), X)
    row, others = np.array([1]), np.array([2, 3])
    for coef, sign in [([-1.0, 1.0], 1), ([1.0, -1.0], -1), ([1.0, -1.5], -1)]:
        ((low, high),) = exact_sums(table, row, others, np.array(coef))
        assert (low if sign > 0 else -high) > 0
