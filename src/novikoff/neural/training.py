"""Training by epochs, with batches of examples or of errors."""

import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from novikoff.neural.batches import ErrorBatches, Errors
from novikoff.neural.loss import BetaLoss
from novikoff.neural.network import MLP, outputs_of, predicted_classes

DIVERGED = "Training diverged: parameters became NaN or infinite; lower the learning rate."


class Epoch(NamedTuple):
    """One epoch in the history of a training.

    ``updates`` counts the steps since the start of training in which some loss was active. Of this
    epoch, ``backpropagated`` counts the examples whose gradient was computed, ``mistakes`` those of
    them that were misclassified at that time, and ``visited`` the evaluated examples (with batches
    of errors, some are evaluated twice). ``beta`` is the mean threshold after the epoch.
    """

    epoch: int
    updates: int
    mistakes: int
    visited: int
    backpropagated: int
    beta: float
    held_out_error: float | None
    seconds: float


@dataclass
class Training:
    """A network, its loss and optimiser, and the training examples.

    ``batch`` is a number of examples, or :class:`Errors`. ``average_from``: from this epoch on,
    the network that is validated and kept has the average of the parameters after each epoch.
    ``keep_best``: keep the network with the smallest error on the held-out examples instead of the
    last one.
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
    keep_best: bool = False

    def __post_init__(self) -> None:
        self.history: list[Epoch] = []
        self.steps = 0
        self.averaged: AveragedModel | None = None
        self.best: nn.Module | None = None
        self._batches: ErrorBatches | None = None
        if isinstance(self.batch, Errors):
            if not isinstance(self.loss, BetaLoss):
                raise ValueError("Batches of errors need a BetaLoss, which can be exactly zero.")
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
        return self._last if self.best is None else self.best

    @property
    def _last(self) -> nn.Module:
        return self.network if self.averaged is None else self.averaged.module

    @property
    def exhausted(self) -> bool:
        """Whether the last pass of batches of errors found no active loss."""
        return self._batches is not None and self._batches.exhausted

    def epoch(self) -> Epoch:
        """Train for one pass over the examples and append it to the history."""
        started = time.perf_counter()
        self.network.train()
        self.loss.train()
        mistakes = backpropagated = 0
        before = 0 if self._batches is None else self._batches.n_visited
        for inputs, targets in self._epoch_batches():
            outputs = self._step(inputs, targets)
            mistakes += int((predicted_classes(outputs) != _classes(targets)).sum())
            backpropagated += len(inputs)
            self.steps += 1
        self._check_parameters()
        number = len(self.history) + 1
        if self.average_from is not None and number >= self.average_from:
            if self.averaged is None:
                self.averaged = AveragedModel(self.network, use_buffers=False)
            self.averaged.update_parameters(self.network)
        beta, updates = 0.0, self.steps
        if isinstance(self.loss, BetaLoss):
            beta, updates = self.loss.beta.mean().item(), int(self.loss.clock.max())
        visited = len(self.inputs) if self._batches is None else self._batches.n_visited - before
        line = Epoch(
            epoch=number,
            updates=updates,
            mistakes=mistakes,
            visited=visited,
            backpropagated=backpropagated,
            beta=beta,
            held_out_error=self._held_out_error(),
            seconds=time.perf_counter() - started,
        )
        self.history.append(line)
        if self.keep_best and self.since_best == 0:
            self.best = copy.deepcopy(self._last)
        return line

    @property
    def since_best(self) -> int | None:
        """Epochs since the smallest error on the held-out examples; None without such examples."""
        errors = [line.held_out_error for line in self.history if line.held_out_error is not None]
        return len(errors) - 1 - errors.index(min(errors)) if errors else None

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
            if not bool(torch.isfinite(loss.detach())):
                raise ValueError(DIVERGED)
        loss.backward()
        self.optimizer.step()
        return outputs.detach()

    def _check_parameters(self) -> None:
        """Detect divergence in the last step of an epoch, after which no loss is computed."""
        if not all(bool(torch.isfinite(each).all()) for each in self.network.parameters()):
            raise ValueError(DIVERGED)

    def _held_out_error(self) -> float | None:
        if self.held_out is None:
            return None
        inputs, targets = self.held_out
        wrong = predicted_classes(outputs_of(self._last, inputs)) != _classes(targets)
        return float(wrong.double().mean())


def _classes(targets: Tensor) -> Tensor:
    """Return class indices; for a single output neuron, sign -1 is class 0 and +1 is class 1."""
    return (targets[:, 0] > 0).long() if targets.ndim == 2 else targets
