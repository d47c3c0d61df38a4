"""What may be asked of a :class:`MarginMLPClassifier`."""

from collections.abc import Sequence
from math import inf
from numbers import Real
from typing import Any

import torch

from novikoff.neural.batches import Errors
from novikoff.neural.schedules import check_schedule, check_whole


def check_options(asked: Any) -> None:
    """Raise what is wrong with the parameters, by name.

    Parameters
    ----------
    asked : MarginMLPClassifier
        The estimator.
    """
    sizes = asked.hidden_layer_sizes
    if not isinstance(sizes, Sequence) or isinstance(sizes, str | bytes):
        raise ValueError(f"hidden_layer_sizes={sizes!r} must be a sequence of whole numbers.")
    for size in sizes:
        check_whole("each of hidden_layer_sizes", size)
    if not isinstance(asked.batch, Errors):
        check_whole("batch, if it is not Errors(...),", asked.batch)
    check_whole("max_epochs", asked.max_epochs)
    check_whole("patience", asked.patience)
    rate = asked.learning_rate
    if not _is_number(rate) or not 0.0 < rate < inf:
        raise ValueError(f"learning_rate={rate!r} must be a positive number.")
    if not isinstance(asked.dropout, Sequence) or len(asked.dropout) != 2:
        raise ValueError(
            f"dropout={asked.dropout!r} must be two shares: of inputs and of hidden neurons."
        )
    shares = {
        "momentum": asked.momentum,
        "validation_fraction": asked.validation_fraction,
        "dropout of inputs": asked.dropout[0],
        "dropout of hidden neurons": asked.dropout[1],
        "average": 0.0 if asked.average is None else asked.average,
    }
    for name, share in shares.items():
        if not _is_number(share) or not 0.0 <= share < 1.0:
            raise ValueError(f"{name}={share!r} must be at least 0 and less than 1.")
    for name in ("schedule", "clocks"):
        schedule = getattr(asked, name)
        if schedule is not None:
            check_schedule(name, schedule)
    if asked.device not in ("cpu", "cuda", "auto"):
        raise ValueError(f"device={asked.device!r} must be 'cpu', 'cuda' or 'auto'.")


def device_of(name: str) -> torch.device:
    """Return the device of that name; "auto" is CUDA if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device='cuda', but PyTorch finds no CUDA here; use 'cpu' or 'auto'.")
    return torch.device(name)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
