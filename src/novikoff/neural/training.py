"""Epochs of training, by batches of examples or of errors."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from .batches import ErrorBatches, Errors
from .loss import BetaLoss
from .network import MLP, chosen, outputs_of


class Epoch(NamedTuple):
    """One line of a training's history.

    ``mistakes`` counts the examples that were misclassified when they were visited;
    ``backpropagated`` those whose gradient was taken.
    """

    epoch: int
    updates: int
    mistakes: int
    visited: int
    backpropagated: int
    beta: float
    seconds: float
    held_out_error: float | None = None


@dataclass
class Training:
    """A network, its loss and optimiser, and the examples they see.

    ``batch`` is a number of examples, or :class:`Errors`. ``average_from``: from this epoch on,
    the mean of the parameters after each epoch is what is judged and kept.
    """

    network: MLP
    loss: nn.Module
    optimizer: torch.optim.Optimizer
    inputs: Tensor
    targets: Tensor
    batch: int | Errors
    generator: torch.Generator
    held_out: tuple[Tensor, Tensor] | None = None
    average_from: int | None = None

    def __post_init__(self) -> None:
        self.history: list[Epoch] = []
        self.updates = 0
        self.averaged: AveragedModel | None = None
        self._batches: ErrorBatches | None = None
        if isinstance(self.batch, Errors):
            if not isinstance(self.loss, BetaLoss):
                raise ValueError("Batches of errors need a BetaLoss, whose losses can be zero.")
            self._batches = ErrorBatches(
                self.inputs,
                self.targets,
                network=self.network,
                loss=self.loss,
                errors=self.batch.count,
                generator=self.generator,
            )

    @property
    def model(self) -> nn.Module:
        """The network to predict with."""
        return self.network if self.averaged is None else self.averaged.module

    @property
    def exhausted(self) -> bool:
        """Whether no loss is active any more."""
        return self._batches is not None and self._batches.exhausted

    def epoch(self) -> Epoch:
        """Visit every example once and return what happened."""
        started = time.perf_counter()
        self.network.train()
        self.loss.train()
        updates = mistakes = backpropagated = 0
        before = 0 if self._batches is None else self._batches.n_visited
        for inputs, targets in self._epoch_batches():
            outputs = self._step(inputs, targets)
            mistakes += int((chosen(outputs) != _classes(targets)).sum())
            backpropagated += len(inputs)
            updates += 1
        self.updates += updates
        number = len(self.history) + 1
        if self.average_from is not None and number >= self.average_from:
            if self.averaged is None:
                self.averaged = AveragedModel(self.network, use_buffers=False)
            self.averaged.update_parameters(self.network)
        beta = self.loss.beta.mean().item() if isinstance(self.loss, BetaLoss) else 0.0
        visited = len(self.inputs) if self._batches is None else self._batches.n_visited - before
        line = Epoch(
            epoch=number,
            updates=self.updates,
            mistakes=mistakes,
            visited=visited,
            backpropagated=backpropagated,
            beta=beta,
            seconds=time.perf_counter() - started,
            held_out_error=self._held_out_error(),
        )
        self.history.append(line)
        return line

    def _epoch_batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        if self._batches is not None:
            self._batches.max_passes = self._batches.passes + 1
            yield from self._batches
            return
        assert isinstance(self.batch, int)
        order = torch.randperm(len(self.inputs), generator=self.generator).to(self.inputs.device)
        for begin in range(0, len(order), self.batch):
            ids = order[begin : begin + self.batch]
            yield self.inputs[ids], self.targets[ids]

    def _step(self, inputs: Tensor, targets: Tensor) -> Tensor:
        self.optimizer.zero_grad(set_to_none=True)
        features = self.network.features(inputs)
        outputs: Tensor = self.network.head(features)
        if isinstance(self.loss, BetaLoss):
            loss = self.loss(outputs, targets, features=features)
        else:
            loss = self.loss(outputs, targets)
        loss.backward()
        self.optimizer.step()
        return outputs.detach()

    def _held_out_error(self) -> float | None:
        if self.held_out is None:
            return None
        inputs, targets = self.held_out
        wrong = chosen(outputs_of(self.model, inputs)) != _classes(targets)
        return float(wrong.double().mean())


def _classes(targets: Tensor) -> Tensor:
    """Return class indices; a sign -1 or +1 of the only neuron is class 0 or 1."""
    return (targets[:, 0] > 0).long() if targets.ndim == 2 else targets
