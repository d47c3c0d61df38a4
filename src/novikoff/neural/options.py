"""Validation of the parameters of :class:`MarginMLPClassifier`."""

from collections.abc import Sequence
from math import inf
from numbers import Real
from typing import Any

import torch

from novikoff.neural.batches import Errors
from novikoff.neural.schedules import check_schedule, check_whole


def check_options(estimator: Any) -> None:
    """Raise ValueError, naming the parameter, if a parameter of the estimator is invalid.

    Parameters
    ----------
    estimator : MarginMLPClassifier
        The estimator.
    """
    sizes = estimator.hidden_layer_sizes
    if not isinstance(sizes, Sequence) or isinstance(sizes, str | bytes):
        raise ValueError(f"hidden_layer_sizes={sizes!r} must be a sequence of whole numbers.")
    for size in sizes:
        check_whole("each of hidden_layer_sizes", size)
    if not isinstance(estimator.batch, Errors):
        check_whole("batch", estimator.batch, also="or Errors(...)")
    check_whole("max_epochs", estimator.max_epochs)
    check_whole("patience", estimator.patience)
    rate = estimator.learning_rate
    if not _is_number(rate) or not 0.0 < rate < inf:
        raise ValueError(f"learning_rate={rate!r} must be a positive number.")
    if not isinstance(estimator.dropout, Sequence) or len(estimator.dropout) != 2:
        raise ValueError(
            f"dropout={estimator.dropout!r} must be two probabilities: of the inputs and of the "
            "hidden neurons."
        )
    shares = {
        "momentum": estimator.momentum,
        "validation_fraction": estimator.validation_fraction,
        "dropout of inputs": estimator.dropout[0],
        "dropout of hidden neurons": estimator.dropout[1],
        "average": 0.0 if estimator.average is None else estimator.average,
    }
    for name, share in shares.items():
        if not _is_number(share) or not 0.0 <= share < 1.0:
            raise ValueError(f"{name}={share!r} must be at least 0 and less than 1.")
    for name in ("schedule", "clocks"):
        schedule = getattr(estimator, name)
        if schedule is not None:
            check_schedule(name, schedule)
    if estimator.device not in ("cpu", "cuda", "auto"):
        raise ValueError(f"device={estimator.device!r} must be 'cpu', 'cuda' or 'auto'.")


def device_of(name: str) -> torch.device:
    """Return the device of that name; "auto" is CUDA if it is available."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device='cuda', but CUDA is not available; use 'cpu' or 'auto'.")
    return torch.device(name)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
