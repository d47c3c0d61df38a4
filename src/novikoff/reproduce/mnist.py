"""Section 3 of the paper on MNIST: its rows, trained and measured here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from joblib import Parallel, delayed
from numpy.typing import NDArray
from torch import Tensor, nn

from novikoff.data import load_mnist
from novikoff.neural.batches import Errors
from novikoff.neural.loss import BetaLoss
from novikoff.neural.network import MLP
from novikoff.neural.schedules import Constant, Power, Schedule
from novikoff.neural.training import Epoch, Training

Examples = tuple[Tensor, Tensor]
Arrays = tuple[NDArray[np.float32], NDArray[np.int64]]


@dataclass(frozen=True)
class Row:
    """A row of the table: how a network is trained, and the paper's error in percent.

    ``schedule=None`` is cross-entropy.
    """

    name: str
    schedule: Schedule | None
    paper: float | str | None = None
    hidden: int = 800
    learning_rate: float = 0.1
    momentum: float = 0.0
    batch: int | Errors = 32
    epochs: int = 40
    dropout: tuple[float, float] = (0.0, 0.0)
    clocks: Schedule | None = None
    average_from: int | None = None


@dataclass(frozen=True)
class Result:
    """The result of training a row with one seed."""

    row: Row
    seed: int
    history: list[Epoch] = field(repr=False)

    @property
    def error(self) -> float:
        """The error after the last epoch, in percent."""
        last = self.history[-1].held_out_error
        return float("nan") if last is None else 100.0 * last

    @property
    def backpropagated(self) -> int:
        """How many gradients of single examples were computed."""
        return sum(line.backpropagated for line in self.history)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return sum(line.seconds for line in self.history)


def rows(hidden: int) -> list[Row]:
    """Return the rows of Figure 1 (800 hidden neurons) or Figure 2 (300).

    The exponents and learning rates are what was best on a part of the training set that was held
    out (``benchmarks/neural_search.py``). The paper's best figure is compared with the best of
    them; which exponent it belongs to cannot be read in our copy.
    """
    base = Row("", None, hidden=hidden)
    slow = replace(base, learning_rate=0.05)
    if hidden == 300:
        return [
            replace(base, name="beta = 0", schedule=Constant(0.0)),
            replace(base, name="beta = 1", schedule=Constant(1.0)),
            replace(base, name="beta ~ t^0.4", schedule=Power(0.1, 0.4), paper=1.49),
            replace(slow, name="beta ~ t^0.9", schedule=Power(0.003, 0.9)),
            replace(base, name="cross-entropy"),
        ]
    return [
        replace(base, name="beta = 0", schedule=Constant(0.0), paper="no convergence"),
        replace(base, name="beta = 1", schedule=Constant(1.0), paper=1.50),
        replace(base, name="beta ~ t^0.4", schedule=Power(0.1, 0.4), paper=1.35),
        replace(slow, name="beta ~ t^0.9", schedule=Power(0.003, 0.9), paper=1.44),
        replace(base, name="cross-entropy", paper=1.60),
    ]


def examples(images: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Examples:
    """Return pixels between 0 and 1, and class indices."""
    pixels = torch.as_tensor(images.reshape(len(images), -1).astype(np.float32) / 255.0)
    return pixels, torch.as_tensor(labels.astype(np.int64))


def train(row: Row, seed: int, seen: Examples, held_out: Examples) -> Result:
    """Train a row on the examples seen, and measure it on the others after every epoch."""
    n_classes = int(seen[1].max()) + 1
    network = MLP(
        seen[0].shape[1],
        (row.hidden,),
        n_classes,
        dropout=row.dropout,
        clocks=row.clocks,
        generator=torch.Generator().manual_seed(seed),
    )
    training = Training(
        network=network,
        loss=nn.CrossEntropyLoss() if row.schedule is None else BetaLoss(row.schedule),
        optimizer=torch.optim.SGD(
            network.parameters(), lr=row.learning_rate, momentum=row.momentum
        ),
        inputs=seen[0],
        targets=seen[1],
        batch=row.batch,
        generator=torch.Generator().manual_seed(seed),
        held_out=held_out,
        average_from=row.average_from,
    )
    while len(training.history) < row.epochs and not training.exhausted:
        training.epoch()
    return Result(row, seed, training.history)


def train_all(
    chosen: Sequence[Row], seeds: Sequence[int], seen: Examples, held_out: Examples, jobs: int = 1
) -> Iterator[Result]:
    """Train every row with every seed, and yield the results in the order in which they end."""
    # Processes share arrays, not tensors; PyTorch has no read-only tensors, hence copy on write.
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", mmap_mode="c")
    arrays = [(X.numpy(), y.numpy()) for X, y in (seen, held_out)]
    found: Iterator[Result] = parallel(
        delayed(_train)(row, seed, *arrays) for seed in seeds for row in chosen
    )
    yield from found


def _train(row: Row, seed: int, seen: Arrays, held_out: Arrays) -> Result:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        examples = [(torch.from_numpy(X), torch.from_numpy(y)) for X, y in (seen, held_out)]
        return train(row, seed, *examples)
    finally:
        torch.set_num_threads(threads)


def load_examples() -> tuple[Examples, Examples]:
    """Return the training and the test set of MNIST."""
    mnist = load_mnist()
    return examples(mnist.X_train, mnist.y_train), examples(mnist.X_test, mnist.y_test)
