"""Neural networks driven by the beta loss (section 3 of the paper); needs PyTorch.

The parts work in anybody's training loop: a loss that is zero once an output neuron is right by
more than beta, schedules that let beta grow with the number of updates, batches that wait for
errors, and a ReLU with a clock. :class:`MarginMLPClassifier` puts them together.
"""

try:
    from novikoff.neural.batches import ErrorBatches, Errors
    from novikoff.neural.classifier import MarginMLPClassifier
    from novikoff.neural.clocked import ClockedReLU
    from novikoff.neural.loss import BetaLoss
    from novikoff.neural.schedules import Constant, Infinity, Power, ScaleFreeInfinity, Schedule
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
