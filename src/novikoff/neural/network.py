"""The fully connected network that is trained."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .clocked import ClockedReLU
from .schedules import Schedule


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
    """

    def __init__(
        self,
        n_inputs: int,
        hidden: Sequence[int],
        n_outputs: int,
        *,
        dropout: tuple[float, float] = (0.0, 0.0),
        clocks: Schedule | None = None,
    ) -> None:
        super().__init__()
        of_inputs, of_hidden = dropout
        layers: list[nn.Module] = [nn.Dropout(of_inputs)] if of_inputs > 0.0 else []
        width = n_inputs
        for size in hidden:
            layers.append(nn.Linear(width, size))
            layers.append(nn.ReLU() if clocks is None else ClockedReLU(size, clocks))
            if of_hidden > 0.0:
                layers.append(nn.Dropout(of_hidden))
            width = size
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, n_outputs)

    def features(self, inputs: Tensor) -> Tensor:
        """Return the inputs of the output neurons."""
        found: Tensor = self.body(inputs)
        return found

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the pre-activations of the output neurons."""
        outputs: Tensor = self.head(self.features(inputs))
        return outputs


@torch.no_grad()
def outputs_of(network: nn.Module, inputs: Tensor, *, chunk: int = 8192) -> Tensor:
    """Return the outputs of many examples, in evaluation mode."""
    was_training = network.training
    network.eval()
    try:
        parts = range(0, max(len(inputs), 1), chunk)
        return torch.cat([network(inputs[begin : begin + chunk]) for begin in parts])
    finally:
        network.train(was_training)


def chosen(outputs: Tensor) -> Tensor:
    """Return the class of each example: the largest output, or the sign of the only one."""
    if outputs.shape[-1] == 1:
        return (outputs[..., 0] >= 0.0).long()
    return outputs.argmax(dim=-1)
