"""The normal equations with exclusive columns eliminated, beside dense linear algebra."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.maxmargin.interior.normal import Exclusive, Normal


def rows_of(seed, n=60, levels=(7, 4, 3), extra=2):
    """Indicators of factors, a few other columns, one that is empty, and rows of zeros."""
    rng = np.random.default_rng(seed)
    factors = [np.eye(count)[rng.integers(0, count, n)] for count in levels]
    others = rng.standard_normal((n, extra)) * (rng.random((n, extra)) < 0.5)
    X = np.column_stack([*factors, np.zeros(n), others])
    X[rng.random(n) < 0.1] = 0.0
    return sparse.csr_matrix(X[:, rng.permutation(X.shape[1])])


@pytest.mark.parametrize("seed", range(5))
def test_no_two_exclusive_columns_meet_in_a_row(seed):
    rows = rows_of(seed)
    exclusive = Exclusive(rows)
    chosen = np.unique(exclusive.own[exclusive.own >= 0])
    present = rows.toarray() != 0.0
    assert present[:, chosen].sum(axis=1).max() == 1
    assert (present[:, chosen].any(axis=1) == (exclusive.own >= 0)).all()
    for row, own in enumerate(exclusive.own):
        assert own < 0 or present[row, own]
    left = np.setdiff1d(np.flatnonzero(present.any(axis=0)), chosen)
    np.testing.assert_array_equal(exclusive.others, left)
    # Each of the others meets one that was chosen.
    assert all(present[np.ix_(present[:, j], chosen)].any() for j in left)


def test_levels_of_the_largest_factor_are_eliminated():
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.permutation(400) % 80, rng.permutation(400) % 5])
    rows = sparse.csr_matrix(np.hstack([np.eye(80)[codes[:, 0]], np.eye(5)[codes[:, 1]]]))
    np.testing.assert_array_equal(Exclusive(rows).others, np.arange(80, 85))


def test_all_levels_of_one_of_several_equal_factors_are_eliminated():
    codes = np.random.default_rng(0).integers(0, 50, (2000, 3))
    rows = sparse.csr_matrix(np.hstack([np.eye(50)[code] for code in codes.T]))
    assert len(Exclusive(rows).others) == 100


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("levels", [(7, 4, 3), (40, 30)], ids=["most meet", "few meet"])
@pytest.mark.parametrize("seed", range(5))
def test_solutions_are_those_of_the_whole_matrix(seed, levels, affine):
    rows = rows_of(seed, levels=levels)
    rng = np.random.default_rng(seed)
    stiffness = rng.lognormal(0.0, 3.0, rows.shape[0])
    normal = Normal(Exclusive(rows), affine)
    z = np.column_stack([rows.toarray(), np.ones(rows.shape[0])])
    whole = z.T @ (stiffness[:, None] * z)
    whole[np.diag_indices(rows.shape[1])] += 1.0
    right = rng.standard_normal(rows.shape[1] + 1)
    assert normal.prepare(stiffness)
    w, offset = normal.solve(right[:-1], right[-1])
    if not affine:
        np.testing.assert_allclose(w, np.linalg.solve(whole[:-1, :-1], right[:-1]), rtol=1e-8)
        assert offset == 0.0
        return
    expected = np.linalg.solve(whole, right)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(np.append(w, offset), expected, rtol=1e-7, atol=1e-9 * scale)


def test_it_can_be_prepared_again():
    rows = rows_of(0)
    first, second = np.random.default_rng(1).lognormal(size=(2, rows.shape[0]))
    normal, right = Normal(Exclusive(rows), True), np.arange(rows.shape[1]) - 3.0
    normal.prepare(first)
    before = normal.solve(right, 1.0)[0]
    normal.prepare(second)
    normal.prepare(first)
    np.testing.assert_array_equal(normal.solve(right, 1.0)[0], before)
