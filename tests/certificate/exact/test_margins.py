"""The rows that exact arithmetic decided are named, not only counted."""

import numpy as np
import pytest

from novikoff.certificate.exact.hull import hull_point
from novikoff.certificate.exact.margins import margin_below
from tests.certificate.strategies import STORES, filter_first

X = np.array([[3.0, 0.0], [1.0, 1.0], [-1.0, 5.0], [-2.0, 0.0]])
SIGNS = np.array([1, 1, -1, -1], dtype=np.int8)
COEF = np.array([1.0, 0.0])


@pytest.mark.parametrize("store", STORES)
def test_a_margin_names_the_rows_that_may_attain_it(store):
    bound = margin_below(STORES[store](X), SIGNS, COEF, 0.0)
    assert (bound.value, bound.exact, bound.exact_rows.tolist()) == (1.0, True, [1, 2])
    some = np.array([True, False, False, True])
    assert margin_below(STORES[store](X), SIGNS, COEF, 0.0, some).exact_rows.tolist() == [3]
    with filter_first():
        bound = margin_below(STORES[store](X), SIGNS, COEF, 0.0)
    assert bound.exact_rows.dtype == np.int64 and bound.exact_rows.size == 0 < bound.value < 1.0


def test_no_hyperplane_needs_no_rows():
    bound = margin_below(X, SIGNS, np.zeros(2), 0.0)
    assert bound.value == -np.inf and bound.exact_rows.size == 0


@pytest.mark.parametrize("store", STORES)
def test_a_point_of_the_hull_names_the_rows_that_carry_weight(store):
    support, weights = np.array([3, 1, 0]), np.array([1, 2, 0])
    point = hull_point(STORES[store](X), SIGNS, support, weights, affine=True)
    assert point.exact and point.exact_rows.tolist() == [3, 1]
    with filter_first():
        point = hull_point(STORES[store](X), SIGNS, support, weights, affine=True)
    assert not point.exact and point.exact_rows.size == 0
