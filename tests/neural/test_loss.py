"""The beta loss: its values, gradients, clock and conventions."""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from novikoff.neural import BetaLoss, Constant, Infinity, Power, ScaleFreeInfinity


def reference(outputs, classes, beta):
    signs = np.where(np.arange(outputs.shape[-1]) == classes[..., None], 1.0, -1.0)
    return np.maximum(0.0, beta - signs * outputs)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.integers(2, 5),
    st.floats(0, 3),
    st.integers(0, 2**32 - 1),
)
def test_equals_the_formula_for_any_shape(shape, n_classes, beta, seed):
    rng = np.random.default_rng(seed)
    outputs = rng.normal(size=(*shape, n_classes))
    classes = rng.integers(0, n_classes, size=shape)
    expected = reference(outputs, classes, beta)
    for reduction, value in (
        ("none", expected),
        ("sum", expected.sum()),
        ("mean", expected.sum() / np.prod(shape)),
    ):
        loss = BetaLoss(Constant(beta), reduction=reduction)
        found = loss(torch.tensor(outputs), torch.tensor(classes))
        np.testing.assert_allclose(found.numpy(), value, rtol=1e-12)


def test_signs_are_targets_too():
    outputs = torch.tensor([[0.5, -2.0], [3.0, 0.0]])
    by_class = BetaLoss()(outputs, torch.tensor([0, 1]))
    assert BetaLoss()(outputs, torch.tensor([[1, -1], [-1, 1]])) == by_class
    one = BetaLoss(reduction="none")(torch.tensor([[0.5], [-0.5]]), torch.tensor([1, -1]))
    assert one.tolist() == [[0.5], [0.5]]


def test_beta_one_is_the_hinge_loss():
    outputs = torch.randn(50, 7, generator=torch.Generator().manual_seed(0))
    classes = torch.arange(50) % 7
    signs = torch.where(torch.arange(7) == classes[:, None], 1, -1)
    hinge = nn.functional.hinge_embedding_loss(
        outputs * signs, -torch.ones(50, 7), margin=1.0, reduction="sum"
    )
    assert BetaLoss(Constant(1.0), reduction="sum")(outputs, classes) == pytest.approx(hinge.item())


@pytest.mark.parametrize("schedule", [Constant(0.0), Constant(0.7), Power(0.3, 0.5), Infinity()])
def test_gradients_away_from_kinks(schedule):
    draw = torch.Generator().manual_seed(1)
    loss = BetaLoss(schedule)
    loss.clock += 5
    loss.eval()
    outputs = torch.randn(6, 4, generator=draw, dtype=torch.float64)
    classes = torch.randint(0, 4, (6,), generator=draw)
    assert (loss.shortfalls(outputs, classes).abs() > 1e-3).all()
    assert torch.autograd.gradcheck(lambda o: loss(o, classes), outputs.requires_grad_())


def test_active_at_equality():
    for beta in (0.0, 1.0):
        outputs = torch.full((1, 2), 0.0, requires_grad=True)
        shifted = outputs + torch.tensor([[beta, -beta]])
        BetaLoss(Constant(beta), reduction="sum")(shifted, torch.tensor([0])).backward()
        assert outputs.grad.tolist() == [[-1.0, 1.0]]


@pytest.mark.parametrize("seed", range(10))
def test_beta_zero_is_algorithm_1_update_by_update(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(12, 3)).astype(float)
    y = np.where(X @ rng.normal(size=3) > 0, 1, -1).astype(np.int8)
    neuron = nn.Linear(3, 1, bias=False, dtype=torch.float64)
    nn.init.zeros_(neuron.weight)
    loss, optimizer = BetaLoss(Constant(0.0)), torch.optim.SGD(neuron.parameters(), lr=1.0)
    w, updates = np.zeros(3), 0
    for _ in range(50):
        for x, sign in zip(X, y, strict=True):
            optimizer.zero_grad()
            loss(neuron(torch.tensor(x[None])), torch.tensor([[sign]])).backward()
            optimizer.step()
            if sign * (w @ x) <= 0:
                w, updates = w + sign * x, updates + 1
            np.testing.assert_array_equal(neuron.weight.detach().numpy()[0], w)
    assert int(loss.clock) == updates >= 1


@pytest.mark.parametrize("alpha", [1.3, 1.7])
def test_the_combined_schedule_is_the_combined_rule(alpha):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4)) * rng.uniform(0.1, 10, size=(20, 1))
    y = np.where(X[:, 0] > 0, 1, -1)
    neuron = nn.Linear(4, 1, bias=False, dtype=torch.float64)
    nn.init.zeros_(neuron.weight)
    loss = BetaLoss(ScaleFreeInfinity(alpha))
    optimizer = torch.optim.SGD(neuron.parameters(), lr=1.0)
    w, t, rho2 = np.zeros(4), 0, 0.0
    for x, sign in zip(np.tile(X, (20, 1)), np.tile(y, 20), strict=True):
        optimizer.zero_grad()
        row = torch.tensor(x[None])
        loss(neuron(row), torch.tensor([[sign]]), features=row).backward()
        optimizer.step()
        if sign * (w @ x) <= rho2 * ((t + 1) ** alpha - t**alpha - 1) / 2:
            w, t, rho2 = w + sign * x, t + 1, max(rho2, x @ x)
        np.testing.assert_allclose(neuron.weight.detach().numpy()[0], w, rtol=1e-9)
    assert int(loss.clock) == t > 20
    assert float(loss.rho2) == pytest.approx(rho2)


def test_the_clock_counts_updates_only():
    loss = BetaLoss(Power(1.0, 0.5))
    wrong, right = torch.tensor([[-5.0, 5.0]]), torch.tensor([[50.0, -50.0]])
    target = torch.tensor([0])
    loss(wrong, target)
    assert int(loss.clock) == 1
    loss(right, target)
    with torch.no_grad():
        loss(wrong, target)
    loss.eval()
    loss(wrong, target)
    assert int(loss.clock) == 1
    loss.train()
    loss(wrong, target)
    assert int(loss.clock) == 2
    assert float(loss.beta) == pytest.approx(2**0.5)


@pytest.mark.parametrize("schedule", [Constant(1.0), ScaleFreeInfinity()])
def test_an_empty_batch_is_no_update(schedule):
    loss = BetaLoss(schedule)
    assert loss(torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64)) == 0.0
    assert int(loss.clock) == 0


def test_every_neuron_may_have_a_clock():
    loss = BetaLoss(Power(1.0, 0.5), per_neuron=True, n_outputs=3)
    outputs = torch.tensor([[5.0, 5.0, -5.0], [5.0, -5.0, -5.0]])
    loss(outputs, torch.tensor([0, 0]))
    assert loss.clock.tolist() == [0, 1, 0]
    loss(outputs, torch.tensor([2, 0]))
    assert loss.clock.tolist() == [1, 2, 1]
    assert loss.beta.tolist() == pytest.approx([1.0, 2**0.5, 1.0])


def test_norms_are_those_of_the_active_examples():
    loss = BetaLoss(ScaleFreeInfinity(), per_neuron=True, n_outputs=2)
    features = torch.tensor([[3.0, 4.0], [6.0, 8.0]])
    loss(torch.tensor([[5.0, 5.0], [5.0, -5.0]]), torch.tensor([0, 0]), features=features)
    assert loss.rho2.tolist() == [0.0, 25.0]
    with pytest.raises(ValueError, match="features="):
        loss(torch.zeros(1, 2), torch.tensor([0]))


@pytest.mark.parametrize(
    ("outputs", "targets", "message"),
    [
        (torch.tensor([[float("nan"), 0.0]]), torch.tensor([0]), "NaN"),
        (torch.tensor([[float("-inf"), 0.0]]), torch.tensor([0]), "infinity"),
        (torch.zeros(2, 3), torch.tensor([0, 3]), "between 0 and 2; found 0 and 3"),
        (torch.zeros(2, 3), torch.tensor([-1, 0]), "between 0 and 2"),
        (torch.zeros(2, 3), torch.tensor([0.0, 1.0]), "whole numbers"),
        (torch.zeros(2, 3), torch.tensor([0, 1, 2]), "do not fit"),
        (torch.zeros(2, 3), torch.zeros(2, 3), r"\+1 and -1"),
        (torch.zeros(2, 1), torch.tensor([0, 1]), r"\+1 and -1"),
    ],
)
def test_bad_input_is_named(outputs, targets, message):
    loss = BetaLoss()
    with pytest.raises(ValueError, match=message):
        loss(outputs, targets)
    assert int(loss.clock) == 0


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="reduction"):
        BetaLoss(reduction="average")
    with pytest.raises(ValueError, match="n_outputs"):
        BetaLoss(per_neuron=True)


def test_the_clock_is_part_of_the_state():
    loss = BetaLoss(Power(1.0, 0.5))
    loss(torch.zeros(1, 2), torch.tensor([0]))
    other = BetaLoss(Power(1.0, 0.5))
    other.load_state_dict(copy.deepcopy(loss.state_dict()))
    assert int(other.clock) == 1
    assert "Power" in repr(other)
