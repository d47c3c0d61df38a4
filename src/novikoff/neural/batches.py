"""Mini-batches of a fixed number of errors (the paper's footnote on the loss)."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import torch
from torch import Tensor, nn

from novikoff.neural.loss import BetaLoss
from novikoff.neural.network import evaluating
from novikoff.neural.schedules import check_whole

# Examples are evaluated in chunks: at first this many for each error that is still missing, later
# as many as the observed rate of errors suggests, and at most MAX_CHUNK.
FIRST_CHUNK = 4
MAX_CHUNK = 4096


@dataclass(frozen=True)
class Errors:
    """A batch size in errors instead of examples, for :class:`MarginMLPClassifier`.

    An error is an example at which the loss is active.

    Parameters
    ----------
    count : int, default=32
        Number of errors in each batch.
    """

    count: int = 32

    def __post_init__(self) -> None:
        check_whole("count", self.count)


class ErrorBatches:
    """Mini-batches of the examples at which the loss is active.

    A pass evaluates the examples in random order, without gradients, until ``errors`` of them have
    an active loss; these form a batch. The parameters may change after each batch, not while one is
    collected. The active examples left at the end of a pass form a smaller batch. Iteration stops
    when a whole pass has found no active example, and after ``max_passes``. Only the examples in
    batches need gradients. The network is evaluated in evaluation mode, without dropout: an error
    is an error of the network that predicts.

    Parameters
    ----------
    inputs, targets : tensors
        The examples.
    network : Module
        Maps inputs to outputs.
    loss : BetaLoss
        Decides which outputs are active.
    errors : int, default=32
        Number of active examples in a batch.
    max_passes : int, optional
        Maximum number of passes.
    generator : torch.Generator, optional
        Source of the random order.

    Attributes
    ----------
    n_visited : int
        Number of evaluations so far. Examples evaluated together with the last error of a batch,
        but after it, are evaluated again with the new parameters.
    n_yielded : int
        Number of examples in batches so far.
    passes : int
        Number of whole passes so far.
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
            raise ValueError(
                f"inputs and targets must have the same length, not {len(inputs)} and "
                f"{len(targets)}."
            )
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
        self._error_rate = 1.0 / FIRST_CHUNK

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield batches until a pass finds no active example, or up to ``max_passes``."""
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
        batch = order[:0]
        while len(order):
            missing = self.errors - len(batch)
            chunk = order[: min(int(missing / self._error_rate) + 1, MAX_CHUNK)]
            found = torch.nonzero(self._active(chunk)).flatten()[:missing]
            # The examples after the last error of a full batch are evaluated again, with the
            # parameters that follow from it.
            full = len(found) == missing
            done = int(found[-1]) + 1 if full else len(chunk)
            self.n_visited += len(chunk)
            rate = 0.5 * self._error_rate + 0.5 * len(found) / done
            self._error_rate = max(rate, self.errors / 1e5)
            batch, order = torch.cat([batch, chunk[found]]), order[done:]
            if full or (len(batch) and not len(order)):
                self.n_yielded += len(batch)
                yield self.inputs[batch], self.targets[batch]
                batch = batch[:0]

    @torch.no_grad()
    def _active(self, ids: Tensor) -> Tensor:
        """Return a mask of the examples with an active output."""
        with evaluating(self.network):
            outputs = self.network(self.inputs[ids])
        short = self.loss.shortfalls(outputs, self.targets[ids])
        return (short >= 0.0).reshape(len(ids), -1).any(dim=1)
