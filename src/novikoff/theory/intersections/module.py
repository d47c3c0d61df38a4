"""A network of sign units as a module of PyTorch."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from novikoff.theory.intersections.network import Layer


class Sign(nn.Module):
    """+1 where the input is at least 0, -1 elsewhere; ``torch.sign`` would be 0 at 0."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the signs."""
        one = torch.ones((), dtype=inputs.dtype, device=inputs.device)
        return torch.where(inputs >= 0, one, -one)


def sign_module(layers: Sequence[Layer]) -> nn.Sequential:
    """Return linear layers with these weights and biases, each followed by the sign."""
    parts: list[nn.Module] = []
    for weights, biases in layers:
        linear = nn.Linear(weights.shape[1], weights.shape[0], dtype=torch.float64)
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(weights))
            linear.bias.copy_(torch.from_numpy(biases))
        parts += [linear, Sign()]
    return nn.Sequential(*parts)
