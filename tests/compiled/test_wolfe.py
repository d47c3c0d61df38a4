"""Wolfe's descent against quadratic programming, from the Gram matrix and from vectors."""

import numpy as np
import pytest
from scipy.optimize import minimize

from novikoff.compiled.factor import fill
from novikoff.compiled.wolfe import EXHAUSTED, FULL, SATISFIED, descend
from tests.compiled.problems import corral_of

FORMS = pytest.mark.parametrize("form", ["gram", "vectors"])
CLASSES = pytest.mark.parametrize("n_classes", [1, 2])


def begun(form, n_classes, seed, room=40, n=40, d=8, shift=0.0):
    """Candidates, and a corral of one of each class."""
    corral, _, vectors = corral_of(form, n_classes, seed, n=n, d=d, room=room, shift=shift)
    first = np.array([np.flatnonzero(corral.classes == c)[0] for c in range(n_classes)])
    k = fill(corral, 0, first, np.empty(len(first), dtype=np.bool_))
    corral.weights[:k] = 1.0
    return corral, k, vectors


def least_norm(Z, classes):
    """The least norm over the simplices, by a general method."""
    n, n_classes = len(Z), classes.max() + 1
    sides = (classes == np.arange(n_classes)[:, None]).astype(float)
    found = minimize(
        lambda a: 0.5 * (a @ Z) @ (a @ Z),
        sides.T @ (1.0 / sides.sum(axis=1)),
        jac=lambda a: Z @ (a @ Z),
        bounds=[(0.0, None)] * n,
        constraints={"type": "eq", "fun": lambda a: sides @ a - 1.0, "jac": lambda a: sides},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert found.success
    return np.linalg.norm(found.x @ Z)


@FORMS
@CLASSES
@pytest.mark.parametrize("seed", range(4))
def test_the_point_is_of_least_norm(form, n_classes, seed):
    # In so few dimensions two classes overlap; one is moved away from the origin.
    corral, k, vectors = begun(form, n_classes, seed, shift=2.0 - n_classes)
    Z = vectors[:, :-2]
    ended, k, steps = descend(corral, k, 1e-12, 1e-9, 1000)
    assert ended == SATISFIED
    assert 0 < steps < 1000
    members, weights = corral.members[:k], corral.weights[:k]
    assert (weights > 0).all()
    assert len(set(members.tolist())) == k
    for c in range(n_classes):
        assert weights[corral.classes[members] == c].sum() == pytest.approx(1.0, abs=1e-12)
    point = weights @ Z[members]
    norm = np.linalg.norm(point)
    assert norm == pytest.approx(least_norm(Z, corral.classes), rel=1e-5, abs=1e-7)
    if form == "vectors":
        np.testing.assert_allclose(corral.point, point, atol=1e-12)
    # No candidate is deeper than the members of its class.
    for c in range(n_classes):
        mine = corral.classes == c
        level = (Z[members] @ point)[corral.classes[members] == c].max()
        assert (Z[mine] @ point).min() >= level - 1e-9


@FORMS
@CLASSES
def test_bursts_of_steps_lead_to_the_same_point(form, n_classes):
    corral, k, vectors = begun(form, n_classes, seed=1, n=60, d=30, room=60)
    ended, k, steps = descend(corral, k, 1e-10, 0.0, 2)
    assert (ended, steps) == (EXHAUSTED, 2)
    while ended == EXHAUSTED:
        ended, k, steps = descend(corral, k, 1e-10, 0.0, 2)
    assert ended == SATISFIED
    whole, size, _ = begun(form, n_classes, seed=1, n=60, d=30, room=60)
    ended, size, _ = descend(whole, size, 1e-10, 0.0, 1000)
    assert ended == SATISFIED
    one, other = (c.weights[:m] @ vectors[c.members[:m]] for c, m in ((corral, k), (whole, size)))
    np.testing.assert_allclose(one, other, atol=1e-9)


@FORMS
def test_a_full_corral_says_so(form):
    corral, k, _ = begun(form, 2, seed=1, n=60, d=30, room=4)
    ended, k, _ = descend(corral, k, 1e-10, 0.0, 1000)
    assert ended == FULL
    assert k == 4


@FORMS
def test_a_point_at_zero_ends_it(form):
    corral, k, _ = begun(form, 2, seed=0, n=40, d=2)
    ended, _, _ = descend(corral, k, 1e-10, 1e-6, 1000)
    assert ended == SATISFIED


@pytest.mark.parametrize("seed", range(3))
def test_the_point_is_known_better_than_its_weights(seed):
    # It is 2e-10 long, and an ulp of a weight moves it by 1e-16: products with members, of length
    # 1, would be off by far more than the squared length.
    height = 1e-10
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    Z = np.array([[1, height, 0.3], [-0.7, height, 0.1], [0.2, height, -0.9]])
    Z = np.vstack([Z, Z * [-0.8, 1.0, -0.9]]) @ rotation
    classes = np.repeat([0, 1], 3)
    corral, _, _ = corral_of("vectors", 2, n=6, d=3)
    axes = (classes[:, None] == np.arange(2)).astype(float)
    corral = corral._replace(vectors=np.hstack([Z, axes]), classes=classes)
    k = fill(corral, 0, np.array([0, 3]), np.empty(2, dtype=np.bool_))
    corral.weights[:k] = 1.0
    ended, k, _ = descend(corral, k, 1e-6, 0.0, 1000)
    assert ended == SATISFIED
    assert k == 4
    point, members = corral.point, corral.members[:k]
    assert np.linalg.norm(point) == pytest.approx(2 * height, rel=1e-4)
    products = Z[members] @ point
    for c in (0, 1):
        mine = products[classes[members] == c]
        assert np.ptp(mine) <= 1e-5 * height**2
