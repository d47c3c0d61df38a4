"""What a Gram matrix proves of slacks is true in fractions, and what is forged is refused."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.certificate import CertificateError
from novikoff.certificate.exact.columns import Relation
from novikoff.certificate.exact.gram import NOT_DEFINITE, Gram, least_eigenvalue
from novikoff.certificate.exact.vanishing import kept_columns, largest_change
from tests.certificate import truth
from tests.certificate.exact.test_vanishing import (
    accepts,
    dummies,
    is_true,
    near_optimum,
    noisy,
    problems,
    separable,
    violations_of,
)
from tests.certificate.strategies import ARITHMETIC, STORES, more_examples, stores


def exact_change(X, violations, support, relations=()):
    """The largest change of a slack, as a share of it, in fractions."""
    columns = kept_columns(violations, relations)
    rows, weights = violations.rows.tolist(), violations.weights.tolist()
    found = truth.spread(
        X, violations.signs, rows, weights, list(support), columns, violations.affine
    )
    changes = [abs(a / Fraction(b) - 1) for a, b in zip(found, weights, strict=True)]
    return float(max(changes))


@more_examples(3)
@given(problem=problems(), store=stores, seed=st.integers(0, 2**32), data=st.data())
def test_what_is_accepted_is_true(problem, store, seed, data):
    X, signs, affine, scale = problem
    rng = np.random.default_rng(seed)
    noise = data.draw(st.sampled_from([0.0, 1e-9, 1e-3, 0.1]))
    w, b = near_optimum(rng, X / scale, signs, affine, noise)
    arithmetic = data.draw(st.sampled_from(["exact", "exact blocks"]))
    with ARITHMETIC[arithmetic]():
        try:
            found = violations_of(STORES[store](X), signs, w / scale, b, affine=affine)
        except CertificateError as error:
            assert "overflows" in str(error)
            return
        least = found.columns.size + 1
        for size in range(least, found.rows.size + 1):
            support = rng.permutation(found.rows)[:size]
            if accepts(found, support):
                assert is_true(X, found, support)


def nearly_degenerate(rng):
    """Columns that nearly depend on each other, by anything from a rounding error to a tenth."""
    d, n = int(rng.integers(2, 5)), int(rng.integers(12, 30))
    X = rng.integers(-3, 4, (n, d)).astype(np.float64)
    near = 10.0 ** rng.integers(-16, 0)
    X[:, -1] = X[:, 0] + (X[:, 1] if d > 2 else 1.0) + near * rng.integers(-1, 2, n)
    return X, rng.choice([1, -1], n).astype(np.int8)


def test_nearly_degenerate_columns_against_fractions():
    rng = np.random.default_rng(0)
    accepted = refused = close = 0
    for _ in range(3000):
        X, signs = nearly_degenerate(rng)
        affine = bool(rng.integers(2))
        w, b = near_optimum(rng, X, signs, affine, 10.0 ** rng.integers(-14, 0))
        found = violations_of(X, signs, w, b, affine=affine)
        if found.rows.size <= found.columns.size or not found.columns.size:
            continue
        size = int(rng.integers(found.columns.size + 1, found.rows.size + 1))
        support = rng.permutation(found.rows)[:size]
        if not accepts(found, support):
            refused += 1
            continue
        exact, bound = exact_change(X, found, support), largest_change(found, support)
        assert exact <= bound and is_true(X, found, support)
        accepted += 1
        close += exact > 0.01 * bound
    assert accepted > 500 and refused > 500 and close > 20


def test_separable_examples_are_never_refuted():
    rng = np.random.default_rng(1)
    tried = 0
    for _ in range(1500):
        X, signs = separable(rng)
        scale = float(np.abs(X).max()) or 1.0
        w, b = near_optimum(rng, X / scale, signs, True, 0.0)
        shrunk = rng.choice([0.0, 0.5, 0.999, 1.0])
        stored = X if rng.integers(2) else sparse.csr_array(X)
        try:
            found = violations_of(stored, signs, shrunk * w / scale, shrunk * b)
        except CertificateError:
            continue
        if found.rows.size <= found.columns.size:
            continue
        relations = [Relation(rng.permutation(X.shape[1] + 1)[:2], rng.choice([1.0, -1.0], 2))]
        assert not accepts(found, found.rows)
        assert not accepts(found, found.rows, relations)
        tried += 1
    assert tried > 500


@pytest.mark.parametrize("store", STORES)
def test_dependent_columns_need_their_relations(store):
    rng = np.random.default_rng(2)
    X, signs = dummies(rng, 200), rng.choice([1, -1], 200).astype(np.int8)
    w, b = near_optimum(rng, X, signs, True, 1e-9)
    found = violations_of(STORES[store](X), signs, w, b)
    relations = (
        Relation(np.array([5, 0, 1, 2]), np.array([-1.0, 1.0, 1.0, 1.0])),
        Relation(np.array([4, 3, 0, 1, 2]), np.array([2.0, 2.0, -2.0, -2.0, -2.0])),
    )
    assert accepts(found, found.rows, relations)
    assert is_true(X, found, found.rows, relations)
    for forged in (
        (),
        relations[:1],
        (*relations, relations[0]),
        (relations[0], Relation(np.array([4, 3]), np.array([1.0, 1.0]))),
        (*relations, Relation(np.array([3, 0]), np.array([1.0, -1.0]))),
    ):
        assert not accepts(found, found.rows, forged)
    X[found.rows[-1], 0] += 2.0**-52
    moved = violations_of(STORES[store](X), signs, w, b)
    assert not accepts(moved, found.rows, relations)


def test_hyperplanes_far_from_the_optimum_prove_nothing():
    rng = np.random.default_rng(3)
    X, signs = noisy(rng, 400, 5)
    w, b = near_optimum(rng, X, signs, True, 0.0)
    found = violations_of(X, signs, w, b)
    assert largest_change(found, found.rows) < 1e-4
    far = violations_of(X, signs, w + 30.0, b)
    assert not accepts(far, far.rows)
    twice = np.append(found.rows, found.rows[0])
    with pytest.raises(CertificateError, match="twice"):
        largest_change(found, twice)
    outside = np.flatnonzero(~np.isin(np.arange(400), found.rows))[:1]
    for rows in (np.append(found.rows, outside), np.append(found.rows, 400)):
        assert not accepts(found, np.sort(rows))


@pytest.mark.parametrize("size", [1e-150, 1e150, 1e-250, 1e250])
def test_sizes(size):
    rng = np.random.default_rng(4)
    X, signs = noisy(rng, 200, 3)
    w, b = near_optimum(rng, X, signs, True, 1e-9)
    found = violations_of(X * size, signs, w / size, b)
    assert accepts(found, found.rows) and is_true(X * size, found, found.rows)


def test_columns_that_a_support_does_not_have():
    rng = np.random.default_rng(5)
    X, signs = noisy(rng, 200, 3)
    X[:, 2] *= np.arange(200) % 10 == 0
    w, b = near_optimum(rng, X, signs, True, 1e-9)
    found = violations_of(X, signs, w, b)
    assert accepts(found, found.rows)
    with pytest.raises(CertificateError, match=NOT_DEFINITE):
        largest_change(found, found.rows[X[found.rows, 2] == 0.0])


def test_replaced_columns_are_left_to_a_basis():
    rng = np.random.default_rng(6)
    X, signs = noisy(rng, 200, 3)
    X[:, 2] = X[:, 0] + X[:, 1]
    remainder = Relation(np.array([2, 0, 1]), np.array([1.0, -1.0, -1.0]) * 2.0**52)
    w, b = near_optimum(rng, X[:, :2], signs, True, 1e-9)
    found = violations_of(X, signs, np.append(w, 0.0), b, remainders=(remainder,))
    with pytest.raises(CertificateError, match="replaced features"):
        largest_change(found, found.rows)


def test_sparse_and_dense_products_agree():
    rng = np.random.default_rng(7)
    X, signs = 1.0 * (rng.random((300, 200)) < 0.01), rng.choice([1, -1], 300).astype(np.int8)
    dense, thin = (
        violations_of(of(X), signs, np.zeros(200)) for of in (np.array, sparse.csr_array)
    )
    places, columns = np.arange(0, 300, 2), np.append(np.flatnonzero(X[::2].any(axis=0)), 200)
    first, second = (Gram.of(each, places, columns) for each in (dense, thin))
    # Sums of powers of two are exact; where zeros are not counted, each has fewer terms.
    assert (first.error > second.error)[:-1].all() and (second.error > 0.0).all()
    scale = np.ldexp(1.0, second.exponents - first.exponents)
    assert np.array_equal(first.values, second.values * scale * scale[:, None])


def test_eigenvalues_are_bounded_from_below():
    rng = np.random.default_rng(8)
    for _ in range(200):
        d = int(rng.integers(1, 30))
        A = rng.normal(size=(d + 3, d)) * 10.0 ** rng.uniform(-3, 0, d)
        G = A.T @ A
        least = np.linalg.eigvalsh(G)[0]
        bound = least_eigenvalue(G, 0.9 * least)
        assert 0.89 * least < bound < least * 0.9 + 1e-12
        with pytest.raises(CertificateError):
            least_eigenvalue(G, 1.1 * least + 1e-10)
