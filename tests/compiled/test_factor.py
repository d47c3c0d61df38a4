"""The updated factor of a corral against numpy.linalg, from the Gram matrix and from vectors."""

import numpy as np
import pytest

from novikoff.compiled import factor
from novikoff.compiled.factor import VectorCorral, dot, fill, subtract
from tests.compiled.problems import corral_of, for_python, with_candidates

affine_minimiser, append, remove, solve_halves = map(
    for_python, (factor.affine_minimiser, factor.append, factor.remove, factor.solve_halves)
)

FORMS = pytest.mark.parametrize("form", ["gram", "vectors"])
CLASSES = pytest.mark.parametrize("n_classes", [1, 2])


def check(corral, k, K, vectors):
    """The factor, the halves and the basis are those of the first k members."""
    members = corral.members[:k]
    L = np.tril(corral.factor[:k, :k])
    np.testing.assert_allclose(L @ L.T, K[np.ix_(members, members)], atol=1e-12)
    assert (np.diag(L) > 0).all()
    indicators = corral.classes[members] == np.arange(len(corral.halves))[:, None]
    np.testing.assert_allclose(L @ corral.halves[:, :k].T, indicators.T, atol=1e-12)
    if isinstance(corral, VectorCorral):
        basis = corral.basis[:k]
        np.testing.assert_allclose(basis @ basis.T, np.eye(k), atol=1e-13)
        np.testing.assert_allclose(L @ basis, vectors[members], atol=1e-13)


@FORMS
@CLASSES
@pytest.mark.parametrize("seed", range(5))
def test_members_join_and_leave(form, n_classes, seed):
    corral, K, vectors = corral_of(form, n_classes, seed)
    rng = np.random.default_rng(seed)
    k, inside, turns = 0, [], np.empty((2, len(corral.members)))
    for _ in range(60):
        outside = np.setdiff1d(np.arange(len(K)), inside)
        if len(outside) and (k == 0 or rng.uniform() < 0.6):
            i = int(rng.choice(outside))
            assert append(corral, k, i)
            corral.weights[k] = float(i)
            inside.append(i)
            k += 1
        else:
            p = int(rng.integers(k))
            remove(corral, k, p, *turns)
            del inside[p]
            k -= 1
            # As after a removal in a descent, which brings the halves up to date.
            corral.halves[:, p:k] = np.linalg.solve(
                np.tril(corral.factor[:k, :k]),
                (corral.classes[inside] == np.arange(n_classes)[:, None]).T.astype(float),
            ).T[:, p:]
        assert corral.members[:k].tolist() == inside
        assert corral.weights[:k].tolist() == inside
        check(corral, k, K, vectors)


@FORMS
@CLASSES
@pytest.mark.parametrize("unit", [0.25, 1.0])
def test_removals_leave_halves_to_be_solved_again(form, n_classes, unit):
    corral, K, vectors = corral_of(form, n_classes, seed=7, unit=unit)
    k = fill(corral, 0, np.arange(10), np.empty(10, dtype=np.bool_))
    remove(corral, k, 3, *np.empty((2, k)))
    corral.halves[:, 3:] = np.nan
    solve_halves(corral, 3, k - 1)
    check(corral, k - 1, K, vectors)


@FORMS
@CLASSES
def test_a_batch_after_another_is_one_batch(form, n_classes):
    corral, K, vectors = corral_of(form, n_classes)
    once, _, _ = corral_of(form, n_classes)
    taken = np.zeros(9, dtype=np.bool_)
    positions = np.array([5, 1, 8, 0, 11, 3, 2, 9, 6])
    k = fill(corral, 0, positions[:4], taken[:4])
    k = fill(corral, k, positions[4:], taken[4:])
    assert k == 9 and taken.all()
    check(corral, k, K, vectors)
    assert fill(once, 0, positions, np.empty(9, dtype=np.bool_)) == 9
    for one, other in zip(corral, once, strict=True):
        np.testing.assert_array_equal(one, other)


@FORMS
@CLASSES
def test_affinely_dependent_members_are_refused(form, n_classes):
    corral, _, vectors = corral_of(form, n_classes)
    # An affine combination of two members of a class, for which K would be singular.
    a, b = np.flatnonzero(corral.classes == 0)[:2]
    between = 0.25 * vectors[a] + 0.75 * vectors[b]
    changed = np.vstack([vectors, between, vectors[a]])
    classes = np.append(corral.classes, [0, 0])
    corral = with_candidates(corral, changed, classes)
    taken = np.empty(5, dtype=np.bool_)
    k = fill(corral, 0, np.array([a, b, len(vectors), len(vectors) + 1, a]), taken)
    assert k == 2
    assert taken.tolist() == [True, True, False, False, False]
    check(corral, 2, changed @ changed.T, changed)


@FORMS
@CLASSES
@pytest.mark.parametrize("k", [2, 5, 11])
def test_the_affine_minimiser_is_that_of_least_squares(form, n_classes, k):
    corral, _, vectors = corral_of(form, n_classes, seed=k)
    # One of each class first.
    first = [int(np.flatnonzero(corral.classes == c)[0]) for c in range(n_classes)]
    chosen = np.array([*first, *(i for i in range(12) if i not in first)])[:k]
    assert fill(corral, 0, chosen, np.empty(k, dtype=np.bool_)) == k
    found = np.full(k, np.nan)
    affine_minimiser(corral, k, found)
    members = corral.members[:k]
    Z, mine = vectors[members, :-2], corral.classes[members]
    sides = (mine == np.arange(n_classes)[:, None]).astype(float)
    np.testing.assert_allclose(sides @ found, np.ones(n_classes), atol=1e-12)
    # Lagrange: the gradient is constant in each class.
    system = np.block([[Z @ Z.T, sides.T], [sides, np.zeros((n_classes, n_classes))]])
    right = np.concatenate([np.zeros(k), np.ones(n_classes)])
    np.testing.assert_allclose(found, np.linalg.solve(system, right)[:k], rtol=1e-9, atol=1e-11)


def test_vectors_resolve_what_the_gram_matrix_rounds_away():
    # Two members of a class that differ by 1e-9: their Gram matrix is singular to rounding.
    Z = np.array([[1.0, 0.0, 0.0], [1.0, 1e-9, 0.0], [-1.0, 0.0, 1e-9]])
    results = {}
    for form in ("gram", "vectors"):
        corral, _, _ = corral_of(form, 1, n=3, d=3)
        vectors = np.hstack([Z, np.ones((3, 1)), np.zeros((3, 1))])
        corral = with_candidates(corral, vectors, np.zeros(3, dtype=np.int64))
        results[form] = fill(corral, 0, np.arange(3), np.empty(3, dtype=np.bool_))
    assert results == {"gram": 2, "vectors": 3}


def test_dot_and_subtract_read_as_far_as_told():
    x, y = np.arange(1.0, 6.0), np.array([2.0, 0.5, np.nan, np.nan, np.nan])
    assert dot(x, y, 2) == 3.0
    assert dot(x, y, 0) == 0.0
    part = x[:2].copy()
    subtract(part, 2.0, y)
    assert part.tolist() == [-3.0, 1.0]
