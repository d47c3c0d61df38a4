"""Passes that read four rows at a time agree with numpy, whatever the number of rows."""

import numpy as np
import pytest

from novikoff.compiled import blocks
from tests.compiled.problems import KINDS, rows_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", range(10))
def test_every_number_of_rows(kind, n):
    rows, X = rows_of(kind)
    rng = np.random.default_rng(n)
    order = rng.permutation(len(X))[:n]
    mine, v = X[order], rng.normal(size=X.shape[1])
    stiffness = rng.uniform(size=n)

    out = np.full(n, np.nan)
    blocks.products(rows, order, v, 0.5, out)
    np.testing.assert_allclose(out, mine @ v - 0.5, rtol=1e-13, atol=1e-13)

    centre = X[3]
    blocks.distances2(rows, order, centre, np.flatnonzero(centre), out)
    np.testing.assert_allclose(out, ((mine - centre) ** 2).sum(axis=1), rtol=1e-13)

    weights = rng.normal(size=(2, n))
    sums = np.ones((2, X.shape[1]))
    blocks.combinations(rows, order, weights, sums)
    np.testing.assert_allclose(sums, 1.0 + weights @ mine, rtol=1e-12, atol=1e-12)

    image = np.ones(X.shape[1])
    total = blocks.curvature(rows, order, stiffness, v, 0.25, out, image)
    np.testing.assert_allclose(out, mine @ v + 0.25, rtol=1e-13, atol=1e-13)
    assert total == pytest.approx(stiffness @ out)
    np.testing.assert_allclose(image, 1.0 + (stiffness * out) @ mine, rtol=1e-12, atol=1e-12)

    if kind != "csr":
        reach = np.full(X.shape[1], 0.5)
        blocks.reaches(rows, order, centre, reach)
        np.testing.assert_array_equal(reach, np.abs(mine - centre).max(axis=0, initial=0.5))

    roots = np.sqrt(stiffness)
    block = np.full((n, X.shape[1] + 1), np.nan)
    blocks.scaled(rows, order, centre, roots, block)
    np.testing.assert_allclose(block[:, :-1], roots[:, None] * (mine - centre), rtol=1e-15)
    assert np.isnan(block[:, -1]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_gives_the_same_numbers_wherever_it_stands(kind):
    rows, X = rows_of(kind, n=40, d=101)
    v = np.random.default_rng(1).normal(size=X.shape[1])
    order = np.arange(len(X))
    plain, moved = np.empty(len(X)), np.empty(len(X))
    for shift in range(1, len(X)):
        for out, ids in ((plain, order), (moved, np.roll(order, shift)[:-3])):
            blocks.products(rows, ids, v, 0.0, out[: len(ids)])
        np.testing.assert_array_equal(moved[: len(X) - 3], plain[np.roll(order, shift)[:-3]])
        for out, ids in ((plain, order), (moved, np.roll(order, shift)[:-3])):
            blocks.distances2(rows, ids, v, order[:0], out[: len(ids)])
        np.testing.assert_array_equal(moved[: len(X) - 3], plain[np.roll(order, shift)[:-3]])
