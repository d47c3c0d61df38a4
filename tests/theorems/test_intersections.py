"""Corollary 8.3 of *Perceptron Algorithm & The Hardness of Learning* (Livni): the networks.

An intersection of halfspaces of the cube is a network of sign units, and a union too; both are
compared with their definition on every point.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.theory.intersections import (
    SignNetwork,
    and_network,
    halfspace_mistake_bound,
    or_network,
    verify_on_cube,
)
from tests.theorems.promises import assert_at_most


@st.composite
def halfspaces(draw, most=12):
    """Integers with thresholds that the points reach: often exactly, which a half decides."""
    n, k = draw(st.integers(1, most)), draw(st.integers(1, 6))
    W = draw(st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=k, max_size=k))
    b = draw(st.lists(st.integers(-n, n // 2), min_size=k, max_size=k))
    return np.array(W), np.array(b)


def inside(W, b):
    """In every halfspace, by integer arithmetic and nothing else."""
    return lambda X: (X @ W.T > b).all(axis=1)


def in_some(W, b):
    return lambda X: (X @ W.T > b).any(axis=1)


@given(wb=halfspaces(), layers=st.integers(1, 4))
def test_the_networks_on_every_point(wb, layers):
    W, b = wb
    n, k = W.shape[1], len(b)
    conjunction = and_network(W, b, hidden_layers=layers)
    disjunction = or_network(W, b, hidden_layers=layers)
    assert len(conjunction.layers) == len(disjunction.layers) == layers + 1
    assert conjunction.layers[0][0].shape == (k, n)
    assert verify_on_cube(conjunction, inside(W, b), n)
    assert verify_on_cube(disjunction, in_some(W, b), n)


@given(wb=halfspaces())
def test_no_unit_is_ever_at_zero(wb):
    W, b = wb
    X = np.random.default_rng(0).choice([-1, 1], size=(200, W.shape[1]))
    for network in (and_network(W, b), or_network(W, b)):
        weights, biases = network.layers[0]
        assert (np.abs(X @ weights.T + biases) >= 0.5).all()
        assert (np.abs(network.decision_function(X)) >= 0.5).all()


@pytest.mark.parametrize("make", [and_network, or_network])
def test_twelve_dimensions_and_many_halfspaces(make):
    rng = np.random.default_rng(0)
    n, k = 12, 20
    W, b = rng.integers(-5, 6, size=(k, n)), rng.integers(-25, -10, size=k)
    b = b if make is and_network else -b
    truth = (inside if make is and_network else in_some)(W, b)
    check = verify_on_cube(make(W, b), truth, n)
    assert check and check.counterexample is None
    # Neither nowhere nor everywhere, or the comparison would show nothing.
    assert not verify_on_cube(make(W, b), lambda X: np.zeros(len(X), dtype=bool), n)
    assert not verify_on_cube(make(W, b), lambda X: np.ones(len(X), dtype=bool), n)


@settings(max_examples=15)
@given(wb=halfspaces(most=8), layers=st.integers(1, 3))
def test_the_module_of_pytorch(wb, layers):
    W, b = wb
    for network in (and_network(W, b, hidden_layers=layers), or_network(W, b)):
        module = network.to_torch()

        def predict(X, module=module):
            return module(torch.tensor(X, dtype=torch.float64)).numpy(force=True)[:, 0]

        assert verify_on_cube(predict, network.predict, W.shape[1])


def test_a_bias_that_is_wrong_is_found():
    """With the threshold of the conjunction moved by 2, one halfspace may fail."""
    W, b = np.eye(4, dtype=int), np.zeros(4, dtype=int)
    right = and_network(W, b)
    weights, biases = right.layers[-1]
    wrong = SignNetwork([right.layers[0], (weights, biases + 2)])
    check = verify_on_cube(wrong, inside(W, b), 4)
    assert not check
    assert check.n_differences == 4
    assert check.counterexample == (-1, 1, 1, 1)
    assert str(check) == (
        "The two differ on 4 of the 16 points of the cube in 4 dimensions, first at (-1, 1, 1, 1)."
    )
    # Any threshold between k - 2 and k is right.
    for shift in (-0.4, 0.5, 1.4):
        moved = SignNetwork([right.layers[0], (weights, biases + shift)])
        assert verify_on_cube(moved, right.predict, 4)


def test_a_large_cube_is_checked_in_blocks():
    seen = []

    def function(X):
        seen.append(len(X))
        return X[:, 0] == 1

    check = verify_on_cube(lambda X: np.where(X[:, -1] == 1, 1, -1), function, 16)
    assert sum(seen) == 2**16 and len(seen) > 1
    assert check.n_differences == 2**15
    assert check.counterexample == (-1,) * 15 + (1,)


def test_like_a_classifier_of_scikit_learn():
    network = and_network([[1, 1, 1]], [0])
    X = [[1, 1, -1], [-1, 1, -1]]
    assert network.predict(X).tolist() == [1, -1]
    assert network.score(X, [1, 1]) == 0.5
    assert network.classes_.tolist() == [-1, 1]
    assert network.n_features_in_ == 3
    assert repr(network) == "SignNetwork(3-1-1)"


@given(wb=halfspaces(most=6), seed=st.integers(0, 1000))
def test_a_single_halfspace_is_easy(wb, seed):
    """Any sequence of points: the mistakes of the perceptron on (x, 1) are few."""
    w, b = wb[0][0], int(wb[1][0])
    n = len(w)
    rng = np.random.default_rng(seed)
    v, mistakes = np.zeros(n + 1), 0
    for x in rng.choice([-1, 1], size=(400, n)):
        z = np.append(x, 1) * (1 if w @ x > b else -1)
        if z @ v <= 0:
            v += z
            mistakes += 1
    assert_at_most(mistakes, halfspace_mistake_bound(w, b))


def test_the_bound_of_a_halfspace_is_novikoffs():
    w, b = np.array([2, -1, 3]), 1
    X = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    z = np.column_stack([X, np.ones(8)]) * np.where(X @ w > b, 1, -1)[:, None]
    u = np.append(w, -b - 0.5)
    gamma = (z @ u).min() / np.linalg.norm(u)
    assert halfspace_mistake_bound(w, b) >= (np.linalg.norm(z, axis=1).max() / gamma) ** 2
    assert (z @ u).min() == 0.5
    assert halfspace_mistake_bound(w, b) == pytest.approx(4 * 4 * (14 + 2.25))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: and_network([[0.5]], [0]), "W must be integers"),
        (lambda: and_network([[1]], [0.5]), "b must be integers"),
        (lambda: and_network([[np.nan]], [0]), "W must be integers"),
        (lambda: and_network([["a"]], [0]), "W must be integers"),
        (lambda: or_network([[1, 2]], [0, 1]), "need one threshold for each row"),
        (lambda: or_network([1, 2], [0]), "need one threshold for each row"),
        (lambda: or_network(np.empty((0, 2)), []), "at least one row"),
        (lambda: and_network([[2**52]], [0]), "too large for sums that are exact"),
        (lambda: and_network([[1]], [0], hidden_layers=0), "hidden_layers=0 must be"),
        (lambda: and_network([[1]], [0]).predict([[1, 1]]), "the network has 1 inputs"),
        (lambda: and_network([[1]], [0]).predict([[np.nan]]), "NaN or infinity"),
        (lambda: SignNetwork([]), "at least one layer"),
        (lambda: SignNetwork([([[1], [1]], [0, 0])]), "one unit in the last"),
        (lambda: SignNetwork([([[1]], [0]), ([[1, 1]], [0])]), "follows 1 units"),
        (lambda: SignNetwork([([[1]], [0, 1])]), "1 units with biases of shape"),
        (lambda: verify_on_cube(np.sum, np.sum, 21), "n=21 must be an integer from 1 to 20"),
        (lambda: verify_on_cube(np.sum, np.sum, 0), "n=0 must be an integer from 1 to 20"),
        (lambda: verify_on_cube(np.sum, np.sum, 2), "one value for each of 4 points"),
        (lambda: verify_on_cube(lambda X: X[:, 0] * 2, np.sum, 2), "the values -1 and"),
        (lambda: halfspace_mistake_bound([0.5], 1), "W must be integers"),
    ],
)
def test_impossible_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
