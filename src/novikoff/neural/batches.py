"""Batches that wait for errors (the paper's footnote to the loss)."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import torch
from torch import Tensor, nn

from novikoff.neural.loss import BetaLoss
from novikoff.neural.network import evaluating
from novikoff.neural.schedules import check_whole

# The first look is at this many examples for each error waited for; then as many as it takes.
FIRST_LOOK = 4
LARGEST_LOOK = 4096


@dataclass(frozen=True)
class Errors:
    """A batch size in errors instead of examples, for :class:`MarginMLPClassifier`.

    Parameters
    ----------
    count : int, default=32
        How many errors a step waits for.
    """

    count: int = 32

    def __post_init__(self) -> None:
        check_whole("count", self.count)


class ErrorBatches:
    """Batches of examples at which the loss is active, collected at frozen parameters.

    A pass visits the examples in random order, without gradients, until ``errors`` of them have
    an active loss; these make a batch, after which parameters may change. What is left at the end
    of a pass makes a smaller batch. Iteration ends by itself when a whole pass has found no active
    example, and at ``max_passes``. Only the examples of batches need gradients. The network is
    looked at in evaluation mode: an error is one of the network that predicts, whatever dropout
    would leave of it.

    Parameters
    ----------
    inputs, targets : tensors
        The examples.
    network : Module
        Maps inputs to outputs.
    loss : BetaLoss
        Says which outputs are active.
    errors : int, default=32
        How many active examples make a batch.
    max_passes : int, optional
        The limit on passes.
    generator : torch.Generator, optional
        Where the order of visits comes from.

    Attributes
    ----------
    n_visited, n_yielded : int
        Examples looked at (those after the last error waited for are looked at again), and
        examples in batches, so far.
    passes : int
        Whole passes so far.
    exhausted : bool
        Whether the last pass found no active example.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from novikoff.neural import BetaLoss, Constant, ErrorBatches
    >>> _ = torch.manual_seed(0)
    >>> x = torch.tensor([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]])
    >>> y = torch.tensor([[1], [1], [-1]])
    >>> neuron, loss = nn.Linear(2, 1), BetaLoss(Constant(1.0))
    >>> optimizer = torch.optim.SGD(neuron.parameters(), lr=1.0)
    >>> batches = ErrorBatches(x, y, network=neuron, loss=loss, errors=1)
    >>> for inputs, targets in batches:
    ...     optimizer.zero_grad()
    ...     loss(neuron(inputs), targets).backward()
    ...     optimizer.step()
    >>> batches.exhausted, bool((y * neuron(x) > 1).all())
    (True, True)
    """

    def __init__(
        self,
        inputs: Tensor,
        targets: Tensor,
        *,
        network: nn.Module,
        loss: BetaLoss,
        errors: int = 32,
        max_passes: int | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        if len(inputs) != len(targets):
            raise ValueError(f"{len(inputs)} examples need as many targets, not {len(targets)}.")
        self.inputs = inputs
        self.targets = targets
        self.network = network
        self.loss = loss
        self.errors = Errors(errors).count
        if max_passes is not None and max_passes != 0:
            check_whole("max_passes", max_passes)
        self.max_passes = max_passes
        self.generator = generator
        self.n_visited = 0
        self.n_yielded = 0
        self.passes = 0
        self.exhausted = False
        self._rate = 1.0 / FIRST_LOOK

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Go on until a pass has found nothing, or there were enough passes."""
        most = inf if self.max_passes is None else self.max_passes
        while self.passes < most:
            found = self.n_yielded
            yield from self._pass()
            self.passes += 1
            self.exhausted = self.n_yielded == found
            if self.exhausted:
                return

    def _pass(self) -> Iterator[tuple[Tensor, Tensor]]:
        order = torch.randperm(len(self.inputs), generator=self.generator)
        order = order.to(self.inputs.device)
        waiting = order[:0]
        while len(order):
            missing = self.errors - len(waiting)
            look = order[: min(int(missing / self._rate) + 1, LARGEST_LOOK)]
            places = torch.nonzero(self._active(look)).flatten()[:missing]
            # Beyond the last error waited for, examples are to be seen with new parameters.
            full = len(places) == missing
            seen = int(places[-1]) + 1 if full else len(look)
            self.n_visited += len(look)
            self._rate = max(0.5 * self._rate + 0.5 * len(places) / seen, self.errors / 1e5)
            waiting, order = torch.cat([waiting, look[places]]), order[seen:]
            if full or (len(waiting) and not len(order)):
                self.n_yielded += len(waiting)
                yield self.inputs[waiting], self.targets[waiting]
                waiting = waiting[:0]

    @torch.no_grad()
    def _active(self, ids: Tensor) -> Tensor:
        """Return which of the examples have an active output."""
        with evaluating(self.network):
            outputs = self.network(self.inputs[ids])
        short = self.loss.shortfalls(outputs, self.targets[ids])
        return (short >= 0.0).reshape(len(ids), -1).any(dim=1)
