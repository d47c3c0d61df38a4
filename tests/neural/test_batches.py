"""Batches of errors: what they hold, when they end, and the theorem for a single neuron."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from novikoff import MaxMargin
from novikoff.neural import BetaLoss, Constant, ErrorBatches


def separable(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    w = rng.normal(size=d)
    X += 0.2 * np.sign(X @ w)[:, None] * w / np.linalg.norm(w)
    return X, np.where(X @ w > 0, 1, -1)


def trained(X, y, beta, errors, *, reduction):
    neuron = nn.Linear(X.shape[1], 1, bias=False, dtype=torch.float64)
    nn.init.zeros_(neuron.weight)
    loss = BetaLoss(Constant(beta), reduction=reduction)
    optimizer = torch.optim.SGD(neuron.parameters(), lr=1.0)
    batches = ErrorBatches(
        torch.tensor(X),
        torch.tensor(y)[:, None],
        network=neuron,
        loss=loss,
        errors=errors,
        generator=torch.Generator().manual_seed(0),
    )
    sizes = []
    for inputs, targets in batches:
        with torch.no_grad():
            assert (targets * neuron(inputs) <= beta).all()
        sizes.append(len(inputs))
        optimizer.zero_grad()
        loss(neuron(inputs), targets).backward()
        optimizer.step()
    return neuron.weight.detach().numpy()[0], batches, sizes, loss


@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0, 5.0]), st.integers(1, 8))
def test_the_theorem_of_a_single_neuron(seed, beta, errors):
    X, y = separable(seed)
    optimum = MaxMargin(fit_intercept=False, tol=1e-9).fit(X, y)
    eps, R = optimum.margin_, np.linalg.norm(X, axis=1).max()
    for reduction in ("sum", "mean"):
        w, batches, sizes, loss = trained(X, y, beta, errors, reduction=reduction)
        assert batches.exhausted
        assert (y * (X @ w) > beta).all()
        assert int(loss.clock) == len(sizes)
        assert max(sizes) <= errors
        if reduction == "mean":
            assert len(sizes) <= (2 * beta + R**2) / eps**2
            margin = (y * (X @ w)).min() / np.linalg.norm(w)
            assert margin >= beta * eps / (2 * beta + R**2)
        else:
            # Also where steps at the end of a pass hold fewer errors than were waited for:
            # eps^2 E^2 <= |w|^2 <= sum_s (b_s^2 R^2 + 2 beta b_s) <= (B R^2 + 2 beta) E.
            assert sum(sizes) <= (errors * R**2 + 2 * beta) / eps**2


def test_batches_hold_so_many_errors():
    X, y = separable(1, n=300)
    _, batches, sizes, _ = trained(X, y, 1.0, 4, reduction="mean")
    assert sizes.count(4) >= len(sizes) - batches.passes
    assert batches.n_yielded == sum(sizes)
    assert batches.n_visited >= 300 * (batches.passes - 1)


def test_ends_at_once_where_nothing_is_active():
    x, y = torch.eye(3), torch.tensor([0, 1, 2])
    network = nn.Linear(3, 3)
    with torch.no_grad():
        network.weight.copy_(20 * torch.eye(3))
        network.bias.fill_(-5.0)
    batches = ErrorBatches(x, y, network=network, loss=BetaLoss(), errors=2)
    assert list(batches) == []
    assert batches.exhausted
    assert batches.passes == 1


def test_passes_are_limited():
    x, y = torch.tensor([[1.0], [1.0]]), torch.tensor([[1], [-1]])
    network = nn.Linear(1, 1)
    nn.init.zeros_(network.weight)
    nn.init.zeros_(network.bias)
    batches = ErrorBatches(x, y, network=network, loss=BetaLoss(), errors=8, max_passes=3)
    assert [len(inputs) for inputs, _ in batches] == [2, 2, 2]
    assert not batches.exhausted


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="same length, not 3 and 2"):
        ErrorBatches(torch.zeros(3, 1), torch.zeros(2), network=nn.Linear(1, 1), loss=BetaLoss())
    with pytest.raises(ValueError, match="count"):
        ErrorBatches(
            torch.zeros(1, 1), torch.ones(1, 1), network=nn.Linear(1, 1), loss=BetaLoss(), errors=0
        )
