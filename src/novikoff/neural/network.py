"""The fully connected network, dropout, and evaluation of a network."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import sqrt
from typing import Any

import torch
from torch import Tensor, nn

from novikoff.neural.clocked import ClockedReLU
from novikoff.neural.schedules import Schedule


class MLP(nn.Module):
    """Linear layers with ReLUs between them; the outputs are pre-activations.

    Parameters
    ----------
    n_inputs : int
        Number of features.
    hidden : sequence of int
        Number of neurons in each hidden layer.
    n_outputs : int
        Number of output neurons.
    dropout : (float, float), default=(0.0, 0.0)
        Dropout probability of the inputs, and of the hidden neurons.
    clocks : Schedule, optional
        If given, use :class:`~novikoff.neural.ClockedReLU` with this schedule instead of ReLU.
    generator : torch.Generator, optional
        Source of the initial parameters and of dropout; by default PyTorch's global generator,
        which all threads share.
    """

    def __init__(
        self,
        n_inputs: int,
        hidden: Sequence[int],
        n_outputs: int,
        *,
        dropout: tuple[float, float] = (0.0, 0.0),
        clocks: Schedule | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        of_inputs, of_hidden = dropout
        layers: list[nn.Module] = [Dropout(of_inputs, generator)] if of_inputs > 0.0 else []
        width = n_inputs
        for size in hidden:
            layers.append(_linear(width, size, generator))
            layers.append(nn.ReLU() if clocks is None else ClockedReLU(size, clocks))
            if of_hidden > 0.0:
                layers.append(Dropout(of_hidden, generator))
            width = size
        self.body = nn.Sequential(*layers)
        self.head = _linear(width, n_outputs, generator)

    def features(self, inputs: Tensor) -> Tensor:
        """Return the inputs of the output neurons."""
        features: Tensor = self.body(inputs)
        return features

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the pre-activations of the output neurons."""
        outputs: Tensor = self.head(self.features(inputs))
        return outputs


class Dropout(nn.Module):
    """Dropout with its own random generator; a copy uses PyTorch's global generator."""

    def __init__(self, share: float, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.share = share
        self.generator = generator

    def forward(self, inputs: Tensor) -> Tensor:
        """Zero a random share of the inputs and scale up the others, in training mode."""
        if not self.training:
            return inputs
        # Drawn on the device of the generator, so that the result is the same on every device.
        # Comparing uniform numbers takes half the time of `torch.bernoulli`.
        device = inputs.device if self.generator is None else self.generator.device
        drawn = torch.rand(inputs.shape, generator=self.generator, device=device)
        return inputs * ((drawn >= self.share).to(inputs) / (1.0 - self.share))

    def extra_repr(self) -> str:
        """Return the dropout probability, for ``repr``."""
        return f"{self.share}"

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the generator, which cannot be copied."""
        return {**vars(self), "generator": None}


def _linear(n_inputs: int, n_outputs: int, generator: torch.Generator | None) -> nn.Linear:
    """Return a linear layer, initialised as PyTorch does but from ``generator``."""
    layer = nn.Linear(n_inputs, n_outputs, device="meta").to_empty(device="cpu")
    bound = 1.0 / sqrt(n_inputs)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.uniform_(-bound, bound, generator=generator)
    return layer


@contextmanager
def evaluating(network: nn.Module) -> Iterator[None]:
    """Put a network into evaluation mode, and restore the mode of every module on exit."""
    # Some modules may have been in evaluation mode before (frozen layers).
    were_training = [module for module in network.modules() if module.training]
    network.eval()
    try:
        yield
    finally:
        for module in were_training:
            module.training = True


@contextmanager
def default_modes() -> Iterator[None]:
    """Enable gradients and disable inference mode and autocast, whatever the caller has set."""
    with ExitStack() as modes:
        modes.enter_context(torch.inference_mode(False))
        modes.enter_context(torch.enable_grad())
        for kind in ("cpu", *(["cuda"] if torch.cuda.is_available() else [])):
            modes.enter_context(torch.autocast(kind, enabled=False))
        yield


@torch.no_grad()
def outputs_of(network: nn.Module, inputs: Tensor, *, chunk: int = 8192) -> Tensor:
    """Return the outputs of many examples, in evaluation mode."""
    with evaluating(network):
        parts = range(0, max(len(inputs), 1), chunk)
        return torch.cat([network(inputs[begin : begin + chunk]) for begin in parts])


def predicted_classes(outputs: Tensor) -> Tensor:
    """Return the class index of the largest output, or with a single output, of its sign."""
    if outputs.shape[-1] == 1:
        return (outputs[..., 0] >= 0.0).long()
    return outputs.argmax(dim=-1)
