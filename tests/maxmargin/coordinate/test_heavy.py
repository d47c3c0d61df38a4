"""The preconditioner of faces: a matrix that is exact in some columns."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.compiled.rows import CSR
from novikoff.maxmargin.coordinate.heavy import Heavy

N, D = 40, 25


@pytest.mark.parametrize("pull", [0.0, 0.3])
@pytest.mark.parametrize("n_heavy", [1, 7, D])
def test_it_is_the_inverse_of_the_matrix_with_the_other_columns_on_the_diagonal(n_heavy, pull):
    rng = np.random.default_rng(n_heavy)
    X = sparse.random_array((N, D), density=0.3, format="csr", rng=rng)
    centre, heavy = rng.random(D), np.sort(rng.permutation(D)[:n_heavy])
    centred = X.toarray() - centre
    curves = (centred**2).sum(axis=1) + pull + 0.01
    columns = centred[:, heavy]
    rest = curves - (columns**2).sum(axis=1) - pull
    rows = CSR(X.data, X.indices.astype(np.int32), X.indptr.astype(np.int64))
    found = Heavy.of(rows, heavy, centre, pull, curves, np.full(N, 1e-3))
    matrix = np.diag(rest) + columns @ columns.T + pull
    v = rng.standard_normal(N)
    np.testing.assert_allclose(found.solve(matrix @ v), v, rtol=1e-8, atol=1e-8)
