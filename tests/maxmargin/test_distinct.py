"""Equal examples become one, and only equal ones."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin
from novikoff.certificate import Separation, row_hashes
from novikoff.maxmargin import Distinct
from novikoff.sample import Sample, storage_of
from tests.certificate.examples.collisions import colliding_rows

STORES = [np.asarray, np.asfortranarray, sparse.csr_array]


def distinct(X, signs, hashes=None, costs=None, order=None):
    order = None if order is None else np.asarray(order)
    sample = Sample.of(storage_of(X), np.asarray(signs, dtype=np.int8), order=order)
    return Distinct.of(sample, row_hashes(X) if hashes is None else hashes, costs)


@pytest.mark.parametrize("store", STORES)
def test_one_stands_for_equal_examples_of_one_label(store):
    X = store(np.array([[1.0, 2.0], [3.0, 0.0], [1.0, 2.0], [1.0, 2.0], [3.0, 0.0]]))
    found = distinct(X, [1, 1, 1, -1, 1], costs=np.array([1.0, 2.0, 4.0, 8.0, 16.0]))
    assert found.first.tolist() == [0, 1, 0, 3, 1]
    assert found.sample.order.tolist() == [0, 1, 3]
    assert found.costs.tolist() == [5.0, 18.0, 0.0, 8.0, 0.0]
    later = distinct(X, [1, 1, 1, -1, 1], order=[4, 2, 0, 3])
    assert later.first.tolist() == [2, 1, 2, 3, 4] and later.sample.order.tolist() == [4, 2, 3]


@pytest.mark.parametrize("store", STORES)
def test_equal_hashes_do_not_make_examples_equal(store):
    X = np.array([[1.0, 2.0], [3.0, 0.0], [1.0, 2.0], [5.0, 5.0]])
    found = distinct(store(X), [1, 1, 1, -1], np.zeros(4, dtype=np.uint64))
    assert found.first.tolist() == [0, 1, 0, 3] and found.sample.order.tolist() == [0, 1, 3]
    assert distinct(store(X[[0, 1, 3]]), [1, 1, -1], np.zeros(3, dtype=np.uint64)).first is None
    # Against the keys of the hash itself.
    assert distinct(store(colliding_rows()), [1, 1, -1]).first is None


def test_a_collision_does_not_keep_a_fit_from_separating():
    """With the second example taken for the first, the plane in the middle misses it."""
    rows = colliding_rows()
    X = np.vstack([rows[:2], rows[1] + 0.25 * (rows[1] - rows[0])])
    hashes = row_hashes(X)
    assert hashes[0] == hashes[1] != hashes[2]
    model = MaxMargin(tol=1e-3).fit(X, [0, 0, 1])
    assert isinstance(model.certificate_, Separation)
    model.certificate_.verify(X, [0, 0, 1])
