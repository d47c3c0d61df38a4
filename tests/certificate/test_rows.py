"""Whatever the examples are stored in, they are the same examples."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import Perceptron
from novikoff.certificate import CertificateError, Status, certify_margin
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
    certificate = certify_margin(
        X,
        [1, -1],
        coef=[1.0, 0.0],
        affine=True,
        support=[0, 1],
        weights=[1, 1],
        status=Status.CONVERGED,
        positive=1,
        negative=0,
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
        certify_margin(X, [1, 1, -1], coef=[1, 1, 1], affine=True, status=Status.CONVERGED)
