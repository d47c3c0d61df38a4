"""A multilayer perceptron trained with the beta loss, as a scikit-learn classifier."""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor

from novikoff.certificate.predictor import labels_of
from novikoff.estimators.labels import classes_of
from novikoff.estimators.linear import restore_on_error
from novikoff.neural.batches import Errors
from novikoff.neural.loss import BetaLoss
from novikoff.neural.network import MLP, default_modes, outputs_of
from novikoff.neural.options import check_options, device_of
from novikoff.neural.schedules import Schedule
from novikoff.neural.training import DIVERGED, Epoch, Training

DTYPES = [np.float64, np.float32]


class MarginMLPClassifier(ClassifierMixin, BaseEstimator):
    """A multilayer perceptron trained with the beta loss by stochastic gradient descent.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int, default=(100,)
        Number of neurons in each hidden layer.
    schedule : Schedule, optional
        Beta as a function of the number of updates; by default ``Constant(1.0)``, the hinge loss.
    batch : int or Errors, default=32
        Batch size: a number of examples, or a number of errors, as in ``Errors(32)``.
    learning_rate : float, default=0.1
        Step size of the gradient descent.
    momentum : float, default=0.0
        Momentum of the gradient descent, as in ``torch.optim.SGD``.
    dropout : (float, float), default=(0.0, 0.0)
        Dropout probability of the inputs, and of the hidden neurons.
    clocks : Schedule, optional
        If given, the hidden neurons are :class:`ClockedReLU` with this schedule instead of ReLU.
    average : float, optional
        If given, predict with the average of the parameters after each epoch, starting at epoch
        ``average * max_epochs``. A run that stops before that epoch is not averaged.
    max_epochs : int, default=200
        Maximum number of epochs.
    patience : int, default=10
        Stop after this many consecutive epochs in which no training example was misclassified at
        the time of its gradient step; with ``validation_fraction``, in which the validation error
        did not improve.
    validation_fraction : float, default=0.0
        Share of the examples held out for early stopping. If positive, the model with the smallest
        validation error is kept.
    random_state : int, RandomState or None, default=None
        Seed of the initial parameters, the order of the examples and dropout.
    device : "cpu", "cuda" or "auto", default="cpu"
        Where to compute; ``"auto"`` is CUDA if it is available.
    verbose : int, default=0
        If positive, show a progress bar on standard error.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    network_ : Module
        The trained network.
    loss_ : BetaLoss
        The loss with the clock as of the last epoch.
    history_ : list of Epoch
        Mistakes, updates, examples backpropagated and beta of every epoch.
    n_iter_ : int
        Number of epochs.
    n_updates_ : int
        Number of steps in which the loss of some example was active.
    stopped_ : str
        Why training ended: "no errors", "no active loss", "validation", "max_epochs" or
        "interrupted". Reaching ``max_epochs`` gives no warning: with dropout or a growing beta, no
        other stop need ever occur. After Ctrl-C the network trained so far is stored, if an epoch
        is complete, and KeyboardInterrupt is raised.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from novikoff.neural import MarginMLPClassifier, Power
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = MarginMLPClassifier(schedule=Power(0.1, 0.4), max_epochs=30, random_state=0)
    >>> clf.fit(X[:1000] / 16, y[:1000]).score(X[1000:] / 16, y[1000:]) > 0.9
    True
    """

    def __init__(
        self,
        *,
        hidden_layer_sizes: Sequence[int] = (100,),
        schedule: Schedule | None = None,
        batch: int | Errors = 32,
        learning_rate: float = 0.1,
        momentum: float = 0.0,
        dropout: tuple[float, float] = (0.0, 0.0),
        clocks: Schedule | None = None,
        average: float | None = None,
        max_epochs: int = 200,
        patience: int = 10,
        validation_fraction: float = 0.0,
        random_state: Any = None,
        device: Literal["cpu", "cuda", "auto"] = "cpu",
        verbose: int = 0,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.schedule = schedule
        self.batch = batch
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.dropout = dropout
        self.clocks = clocks
        self.average = average
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.device = device
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array of shape (n_examples, n_features)
            The examples. For float32 the network is trained in single precision, for every other
            dtype in double precision.
        y : array-like of shape (n_examples,)
            The labels.

        Returns
        -------
        MarginMLPClassifier
            The estimator itself.
        """
        with restore_on_error(self), default_modes():
            self._fit(X, y)
        if self.stopped_ == "interrupted":
            raise KeyboardInterrupt
        return self

    def _fit(self, X: Any, y: ArrayLike) -> None:
        check_options(self)
        X, labels = validate_data(self, X, y, dtype=DTYPES)
        self.classes_, codes = classes_of(labels)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        loss = BetaLoss(self.schedule).to(device_of(self.device))
        training = self._training(X, codes, loss, seed)
        self.stopped_ = self._train(training)
        if not bool(torch.isfinite(outputs_of(training.model, training.inputs)).all()):
            raise ValueError(DIVERGED)
        self.network_ = training.model.cpu().eval()
        self.loss_ = loss.cpu()
        self.history_ = training.history
        self.n_iter_ = len(training.history)
        self.n_updates_ = int(loss.clock.max())

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the outputs of the network.

        Parameters
        ----------
        X : array of shape (n_examples, n_features)
            The examples.

        Returns
        -------
        array of shape (n_examples,) or (n_examples, n_classes)
            With two classes, one output, positive for ``classes_[1]``; otherwise one output for
            each class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=DTYPES, reset=False)
        parameter = next(self.network_.parameters())
        with default_modes():
            scores: NDArray[Any] = outputs_of(self.network_, _tensor(X).to(parameter)).numpy()
        if not np.isfinite(scores).all():
            raise ValueError(
                f"The outputs overflow {parameter.dtype}: the values of X are too large."
            )
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each example.

        Parameters
        ----------
        X : array of shape (n_examples, n_features)
            The examples.

        Returns
        -------
        array of shape (n_examples,)
            The labels.
        """
        return labels_of(self.decision_function(X), self.classes_)

    def _training(
        self,
        X: NDArray[Any],
        codes: NDArray[Any],
        loss: BetaLoss,
        seed: int,
    ) -> Training:
        device = loss.clock.device
        n_outputs = len(self.classes_) if len(self.classes_) > 2 else 1
        generator = torch.Generator().manual_seed(seed)
        held_out = None
        if self.validation_fraction > 0.0:
            X, held_out_X, codes, held_out_codes = train_test_split(
                X,
                codes,
                test_size=self.validation_fraction,
                random_state=seed,
                stratify=self.classes_[codes],
            )
            held_out = _tensors(held_out_X, held_out_codes, n_outputs, device)
        inputs, targets = _tensors(X, codes, n_outputs, device)
        network = MLP(
            X.shape[1],
            self.hidden_layer_sizes,
            n_outputs,
            dropout=self.dropout,
            clocks=self.clocks,
            generator=generator,
        ).to(inputs)
        return Training(
            network=network,
            loss=loss,
            optimizer=torch.optim.SGD(
                network.parameters(), lr=self.learning_rate, momentum=self.momentum
            ),
            inputs=inputs,
            targets=targets,
            batch=self.batch if isinstance(self.batch, Errors) else int(self.batch),
            generator=generator,
            held_out=held_out,
            keep_best=True,
            average_from=None
            if self.average is None
            else max(1, int(self.average * self.max_epochs)),
        )

    def _train(self, training: Training) -> str:
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        with Progress(*columns, console=console, disable=not self.verbose) as bar:
            task = bar.add_task("training", total=self.max_epochs)
            without_mistakes = 0
            try:
                for _ in range(self.max_epochs):
                    line = training.epoch()
                    bar.update(task, advance=1, description=_progress(line))
                    if training.exhausted:
                        return "no active loss"
                    since_best = training.since_best
                    if since_best is not None and since_best >= self.patience:
                        return "validation"
                    without_mistakes = 0 if line.mistakes else without_mistakes + 1
                    if since_best is None and without_mistakes >= self.patience:
                        return "no errors"
            except KeyboardInterrupt:
                if not training.history:
                    raise
                return "interrupted"
        return "max_epochs"


def _tensor(X: NDArray[Any]) -> Tensor:
    # PyTorch has no read-only tensors: a read-only array is copied.
    return torch.as_tensor(np.require(X, requirements=["C", "W"]))


def _tensors(
    X: NDArray[Any], codes: NDArray[Any], n_outputs: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    inputs = _tensor(X).to(device)
    targets = torch.as_tensor(codes).to(device)
    return inputs, targets if n_outputs > 1 else (2 * targets - 1).unsqueeze(-1)


def _progress(line: Epoch) -> str:
    error = line.held_out_error
    validation = "" if error is None else f", validation error {error:.2%}"
    return f"epoch {line.epoch}: {line.mistakes} mistakes{validation}"
