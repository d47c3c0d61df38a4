"""Neural networks driven by the beta loss (section 3 of the paper); needs PyTorch.

The parts work in anybody's training loop: a loss that is zero once an output neuron is right by
more than beta, schedules that let beta grow with the number of updates, batches that wait for
errors, and a ReLU with a clock. :class:`MarginMLPClassifier` puts them together.
"""

try:
    from .batches import ErrorBatches, Errors
    from .classifier import MarginMLPClassifier
    from .clocked import ClockedReLU
    from .loss import BetaLoss
    from .schedules import Constant, Infinity, Power, ScaleFreeInfinity, Schedule
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ModuleNotFoundError(
        "novikoff.neural needs PyTorch; install it with: pip install 'novikoff[torch]'",
        name="torch",
    ) from None

__all__ = [
    "BetaLoss",
    "ClockedReLU",
    "Constant",
    "ErrorBatches",
    "Errors",
    "Infinity",
    "MarginMLPClassifier",
    "Power",
    "ScaleFreeInfinity",
    "Schedule",
]
