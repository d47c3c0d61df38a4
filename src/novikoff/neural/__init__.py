"""Neural networks trained with the beta loss; needs PyTorch.

Section 3 of *On the Perceptron's Compression*. Each part works in any PyTorch training loop: a loss
that is zero once an output neuron is correct by more than beta, schedules that increase beta with
the number of updates, mini-batches of a fixed number of errors, and a ReLU with a clock for each
neuron. :class:`MarginMLPClassifier` combines them.
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
        "novikoff.neural needs PyTorch; install it with: pip install torch (in a checkout of "
        "novikoff: pip install -c constraints.txt '.[torch]')",
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
