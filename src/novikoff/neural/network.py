"""The fully connected network that is trained."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import sqrt
from typing import Any

import torch
from torch import Tensor, nn

from novikoff.neural.clocked import ClockedReLU
from novikoff.neural.schedules import Schedule


class MLP(nn.Module):
    """Linear layers with ReLUs between them; what comes out are pre-activations.

    Parameters
    ----------
    n_inputs : int
        The number of features.
    hidden : sequence of int
        The number of neurons of each hidden layer.
    n_outputs : int
        The number of output neurons.
    dropout : (float, float), default=(0.0, 0.0)
        The share of inputs, and of hidden neurons, that training leaves out.
    clocks : Schedule, optional
        Give the hidden neurons clocks: :class:`~novikoff.neural.ClockedReLU`.
    generator : torch.Generator, optional
        Where initial parameters and dropout come from; by default PyTorch's own, which all
        threads share.
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
        found: Tensor = self.body(inputs)
        return found

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the pre-activations of the output neurons."""
        outputs: Tensor = self.head(self.features(inputs))
        return outputs


class Dropout(nn.Module):
    """Dropout that draws from a generator of its own; a copy draws from PyTorch's."""

    def __init__(self, share: float, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.share = share
        self.generator = generator

    def forward(self, inputs: Tensor) -> Tensor:
        """Leave out a share of the inputs, and scale the others up, while training."""
        if not self.training:
            return inputs
        # Drawn where the generator is, so that it is the same on every device; and by comparison,
        # which takes half the time of Bernoulli's distribution.
        device = inputs.device if self.generator is None else self.generator.device
        drawn = torch.rand(inputs.shape, generator=self.generator, device=device)
        return inputs * ((drawn >= self.share).to(inputs) / (1.0 - self.share))

    def extra_repr(self) -> str:
        """Return the share that is left out."""
        return f"{self.share}"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the generator, which cannot be copied."""
        return {**vars(self), "generator": None}


def _linear(n_inputs: int, n_outputs: int, generator: torch.Generator | None) -> nn.Linear:
    """Return PyTorch's linear layer, as it draws one, but from a generator."""
    layer = nn.Linear(n_inputs, n_outputs, device="meta").to_empty(device="cpu")
    reach = 1.0 / sqrt(n_inputs)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.uniform_(-reach, reach, generator=generator)
    return layer


@contextmanager
def evaluating(network: nn.Module) -> Iterator[None]:
    """Put a network into evaluation mode for a while."""
    # Each module has a mode of its own: some may be frozen.
    were_training = [module for module in network.modules() if module.training]
    network.eval()
    try:
        yield
    finally:
        for module in were_training:
            module.training = True


@contextmanager
def own_modes() -> Iterator[None]:
    """Take gradients in full precision, whatever modes the caller is in."""
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


def chosen(outputs: Tensor) -> Tensor:
    """Return the class of each example: the largest output, or the sign of the only one."""
    if outputs.shape[-1] == 1:
        return (outputs[..., 0] >= 0.0).long()
    return outputs.argmax(dim=-1)
