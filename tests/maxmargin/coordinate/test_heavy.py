"""The preconditioner of faces: a matrix that is exact in some columns."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.compiled.rows import CSR
from novikoff.maxmargin.coordinate.heavy import Heavy

N, D = 40, 25


def built(rng, n_heavy, pull):
    """A preconditioner and its matrix."""
    X = sparse.random_array((N, D), density=0.3, format="csr", rng=rng)
    centre, heavy = rng.random(D), np.sort(rng.permutation(D)[:n_heavy])
    centred = X.toarray() - centre
    curves = (centred**2).sum(axis=1) + pull + 0.01
    columns = centred[:, heavy]
    rest = curves - (columns**2).sum(axis=1) - pull
    rows = CSR(X.data, X.indices.astype(np.int32), X.indptr.astype(np.int64))
    found = Heavy.of(rows, heavy, centre, pull, curves, np.full(N, 1e-3))
    return found, np.diag(rest) + columns @ columns.T + pull


def is_near(found, v, matrix):
    """Whether a solution is as near as single precision allows; that of the factor."""
    return np.linalg.norm(found - v) <= 1e-6 * np.linalg.cond(matrix) * np.linalg.norm(v)


@pytest.mark.parametrize("pull", [0.0, 0.3])
@pytest.mark.parametrize("n_heavy", [1, 7, D])
def test_it_is_the_inverse_of_the_matrix_with_the_other_columns_on_the_diagonal(n_heavy, pull):
    rng = np.random.default_rng(n_heavy)
    found, matrix = built(rng, n_heavy, pull)
    v = rng.standard_normal(N)
    assert is_near(found.solve(matrix @ v), v, matrix)


@pytest.mark.parametrize("pull", [0.0, 0.3])
@pytest.mark.parametrize("n_heavy", [1, 7, D])
def test_rows_are_left_out(n_heavy, pull):
    rng = np.random.default_rng(n_heavy)
    found, matrix = built(rng, n_heavy, pull)
    left = np.arange(N) % 3 > 0
    assert found.drop(np.flatnonzero(~left), 0.0)
    v = np.where(left, rng.standard_normal(N), 0.0)
    image = np.where(left, matrix @ v, rng.standard_normal(N))
    assert is_near(found.solve(image), v, matrix)


def test_before_the_factor_is_made_again_the_inverse_is_only_larger():
    rng = np.random.default_rng(0)
    (stale, _), (fresh, _) = (built(np.random.default_rng(5), 7, 0.3) for _ in range(2))
    dropped = np.arange(0, N, 3)
    assert stale.drop(dropped, 1.0) and fresh.drop(dropped, 0.0)
    assert stale.dropped == len(dropped) and fresh.dropped == 0
    for _ in range(20):
        v = rng.standard_normal(N)
        old, new = stale.solve(v), fresh.solve(v)
        assert not old[dropped].any() and not new[dropped].any()
        assert v @ old >= v @ new * (1.0 - 1e-5) > 0.0
