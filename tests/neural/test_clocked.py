"""A ReLU with clocks."""

import pytest
import torch

from novikoff.neural import ClockedReLU, Constant, Power, ScaleFreeInfinity


def test_translates_by_beta():
    inputs = torch.tensor([[-1.0, 0.5, 2.0]])
    assert ClockedReLU(3, Constant(1.0))(inputs).tolist() == [[0.0, 0.0, 1.0]]
    assert ClockedReLU(3, Constant(1.0), sign=1)(inputs).tolist() == [[0.0, 1.5, 3.0]]
    assert ClockedReLU(3, Constant(0.0))(inputs).tolist() == torch.relu(inputs).tolist()


def test_a_clock_counts_what_its_neuron_took_part_in():
    layer = ClockedReLU(3, Power(1.0, 0.5))
    inputs = torch.tensor([[-1.0, 5.0, -1.0], [-1.0, 5.0, 9.0]])
    layer(inputs)
    assert layer.clock.tolist() == [0, 1, 1]
    layer(inputs)
    with torch.no_grad():
        layer(inputs)
    layer.eval()
    assert layer(inputs)[1].tolist() == pytest.approx([0.0, 5.0 - 2**0.5, 9.0 - 2**0.5])
    assert layer.clock.tolist() == [0, 2, 2]
    other = ClockedReLU(3, Power(1.0, 0.5))
    other.load_state_dict(layer.state_dict())
    assert other.clock.tolist() == [0, 2, 2]


def test_gradients():
    layer = ClockedReLU(4, Constant(0.3)).double().eval()
    inputs = torch.randn(5, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert torch.autograd.gradcheck(layer, inputs.requires_grad_())


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="norms"):
        ClockedReLU(2, ScaleFreeInfinity())
    with pytest.raises(ValueError, match="sign"):
        ClockedReLU(2, sign=0)
    with pytest.raises(ValueError, match="do not fit 2 neurons"):
        ClockedReLU(2)(torch.zeros(3, 3))
