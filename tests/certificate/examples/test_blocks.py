"""Whatever the examples are stored in, they are the same examples."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import Perceptron
from novikoff.certificate import Account, CertificateError, Certifier, Status, Weighted
from novikoff.certificate.exact.filter import combination
from novikoff.certificate.examples.blocks import take
from tests.estimators.problems import noise, whole_numbers

FORMATS = ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]


@pytest.mark.parametrize("make", [whole_numbers, noise])
@pytest.mark.parametrize("form", FORMATS)
def test_every_sparse_format_is_read(form, make):
    X, y = make()
    stored = sparse.csr_array(X).asformat(form)
    certificate = Perceptron(random_state=0).fit(sparse.csr_array(X), y).certificate_
    verified = certificate.verify(stored, y)
    assert verified == certificate.verify(X, y)
    assert Perceptron(random_state=0).fit(stored, y).certificate_ == certificate
    assert stored.format == form


def test_entries_in_parts_are_summed():
    """As a fit does it, which gets its rows from the same conversion."""
    row, column = np.array([0, 1, 1, 0]), np.array([0, 0, 0, 1])
    X = sparse.coo_array((np.array([3, -1, -2, 0], dtype=np.int8), (row, column)), shape=(2, 2))
    certificate = Certifier.of(X, [1, 0], positive=1, affine=True).hard(
        Account(status=Status.CONVERGED), coef=[1.0, 0.0], proof=Weighted([0, 1], [1, 1])
    )
    assert certificate.lower == certificate.upper == 3.0
    certificate.verify(X, [1, 0])
    certificate.verify(X.toarray(), [1, 0])
    certificate.verify(X.tocsc(), [1, 0])


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_a_damaged_matrix_is_refused(form):
    X = sparse.csr_array(np.eye(3)).asformat(form)
    X.indices[1] = 7
    with pytest.raises(CertificateError, match=f"the {form.upper()} matrix is damaged"):
        Certifier.of(X, [1, 1, -1], positive=1, affine=True)


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8", "int32"])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
@pytest.mark.parametrize("n", range(1, 10))
def test_rows_are_taken_in_the_order_asked_for(layout, dtype, n):
    """In place or not, all of them or some; and weighted sums read them four at a time."""
    rng = np.random.default_rng(n)
    X = layout(rng.integers(0, 9, size=(9, 4)).astype(dtype))
    rows = rng.permutation(9)[:n]
    weights = rng.integers(1, 9, size=n).astype(np.float64)
    (block,) = take(X, rows)
    np.testing.assert_array_equal(block.values, X[rows])
    total, magnitude = block.combine(-weights, 4)
    np.testing.assert_array_equal(total, -weights @ X[rows].astype(np.float64))
    np.testing.assert_array_equal(magnitude, -total)


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize("n", range(1, 10))
def test_a_row_that_is_not_finite_leaves_no_bound(bad, n):
    """Also where it is the last one, which is read again without weight."""
    X = np.ones((9, 2))
    X[n - 1, 1] = bad
    total, error = combination(take(X, np.arange(n)), np.ones(n), 2)
    assert (total[0], error[0] < 1e-12) == (n, True)
    assert error[1] == np.inf
