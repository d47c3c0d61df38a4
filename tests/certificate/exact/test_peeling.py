"""Elimination of rows with a single entry gives the solution and the pivots of any other."""

import numpy as np
import pytest
from flint import fmpz_mat

from novikoff.certificate.exact.modular import independent_columns
from novikoff.certificate.exact.peeling import peel, solve


def sparse_integers(rng, shape):
    return rng.integers(-3, 4, shape) * (rng.random(shape) < 0.3)


def test_solves_as_flint_does():
    rng = np.random.default_rng(0)
    cores = []
    for _ in range(300):
        size = int(rng.integers(1, 8))
        matrix, right = sparse_integers(rng, (size, size)), sparse_integers(rng, (size, 3))
        matrix, right = matrix.tolist(), right.tolist()
        if not fmpz_mat(matrix).det():
            with pytest.raises(ZeroDivisionError):
                solve(matrix, right)
            continue
        expected = fmpz_mat(matrix).solve(fmpz_mat(right)).tolist()
        assert solve(matrix, right) == expected
        order, rows, _ = peel(np.array(matrix) != 0)
        cores.append((bool(order), bool(rows.size)))
    assert len(set(cores)) == 3


def test_finds_the_first_independent_columns():
    rng = np.random.default_rng(1)
    for _ in range(300):
        table = sparse_integers(rng, tuple(rng.integers(1, 8, 2)))
        ranks = [int(np.linalg.matrix_rank(table[:, :j])) for j in range(table.shape[1] + 1)]
        assert independent_columns(table.astype(float)) == np.flatnonzero(np.diff(ranks)).tolist()
