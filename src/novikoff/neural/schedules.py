"""Schedules: beta as a function of the number of updates so far."""

from dataclasses import dataclass
from math import inf, nan
from numbers import Integral, Real
from typing import ClassVar, Protocol

import torch
from torch import Tensor


class Schedule(Protocol):
    """The threshold beta of a loss or a neuron.

    ``needs_norms``: whether beta depends on ``rho2``, the largest squared norm of a neuron's input
    among the updates so far.
    """

    needs_norms: ClassVar[bool]

    def __call__(self, t: Tensor, rho2: Tensor) -> Tensor:
        """Return beta after ``t`` updates, for clocks of any shape, in float64."""


@dataclass(frozen=True)
class Constant:
    """A constant beta: 0 gives the perceptron loss, 1 the hinge loss.

    Parameters
    ----------
    beta : float, default=1.0
        The threshold.

    Examples
    --------
    >>> import torch
    >>> from novikoff.neural import Constant
    >>> Constant(0.5)(torch.tensor([0, 10]), torch.tensor(0.0)).tolist()
    [0.5, 0.5]
    """

    beta: float = 1.0
    needs_norms: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check("beta", self.beta, 0.0, inf)

    def __call__(self, t: Tensor, rho2: Tensor) -> Tensor:
        """Return beta."""
        return torch.full_like(t, self.beta, dtype=torch.float64)


@dataclass(frozen=True)
class Power:
    """``scale * t ** exponent``: sub-linear growth, as the analysis of Algorithm 4 suggests.

    Parameters
    ----------
    scale : float, default=1.0
        Beta after the first update.
    exponent : float, default=0.5
        Between 0 and 1. The closer to 1, the larger the margin that training enforces.

    Examples
    --------
    >>> import torch
    >>> from novikoff.neural import Power
    >>> Power(0.1, 0.5)(torch.tensor([0, 1, 100]), torch.tensor(0.0)).tolist()
    [0.0, 0.1, 1.0]
    """

    scale: float = 1.0
    exponent: float = 0.5
    needs_norms: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check("scale", self.scale, 0.0, inf)
        _check("exponent", self.exponent, 0.0, 1.0)

    def __call__(self, t: Tensor, rho2: Tensor) -> Tensor:
        """Return ``scale * t ** exponent``."""
        return self.scale * t.double() ** self.exponent


@dataclass(frozen=True)
class Infinity:
    """Algorithm 4: ``b_t = ((t + 1) ** alpha - t ** alpha - 1) / 2``.

    Parameters
    ----------
    alpha : float, default=1.5
        Strictly between 1 and 2.
    scale : float, default=1.0
        Factor of beta. Algorithm 4 adds examples with step 1; in a network, a step adds
        ``learning_rate / batch`` times each example.

    Examples
    --------
    >>> import torch
    >>> from novikoff.neural import Infinity
    >>> Infinity(1.5)(torch.tensor([0, 1]), torch.tensor(0.0))
    tensor([0.0000, 0.4142], dtype=torch.float64)
    """

    alpha: float = 1.5
    scale: float = 1.0
    needs_norms: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check("alpha", self.alpha, 1.0, 2.0, strictly=True)
        _check("scale", self.scale, 0.0, inf)

    def __call__(self, t: Tensor, rho2: Tensor) -> Tensor:
        """Return ``scale * b_t``."""
        return self.scale * infinity(t, self.alpha)


@dataclass(frozen=True)
class ScaleFreeInfinity:
    """Algorithms 3 and 4 combined: ``rho ** 2 * b_t``.

    ``rho`` is the largest norm of the neuron's input among the updates so far; the scale of these
    inputs drifts as the layers below learn. The loss takes them as ``features=``.

    Parameters
    ----------
    alpha : float, default=1.5
        Strictly between 1 and 2.
    scale : float, default=1.0
        Factor of beta; 1 is right for steps that add whole examples. For a network whose steps are
        ``learning_rate`` times the mean over ``batch`` examples, use ``learning_rate / batch`` and
        an ``alpha`` near 1, since a larger beta makes the hidden layers produce larger features,
        which increase beta further.
    """

    alpha: float = 1.5
    scale: float = 1.0
    needs_norms: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check("alpha", self.alpha, 1.0, 2.0, strictly=True)
        _check("scale", self.scale, 0.0, inf)

    def __call__(self, t: Tensor, rho2: Tensor) -> Tensor:
        """Return ``scale * rho2 * b_t``."""
        return self.scale * rho2.double() * infinity(t, self.alpha)


def infinity(t: Tensor, alpha: float) -> Tensor:
    """Return ``((t + 1) ** alpha - t ** alpha - 1) / 2``, computed without cancellation."""
    times = t.double()
    # (t + 1)^a - t^a = t^a ((1 + 1/t)^a - 1)
    difference = times**alpha * torch.expm1(alpha * torch.log1p(1.0 / times.clamp(min=1.0)))
    return torch.where(times > 0.0, (difference - 1.0) / 2.0, torch.zeros_like(times))


def check_schedule(name: str, value: object) -> None:
    """Raise ValueError unless ``value`` is a schedule."""
    if isinstance(value, type) or not callable(value) or not hasattr(value, "needs_norms"):
        raise ValueError(f"{name}={value!r} must be a schedule, like Power(0.1, 0.4).")


def check_whole(name: str, value: object, *, also: str = "") -> None:
    """Raise ValueError unless ``value`` is a whole number of at least 1.

    ``also`` names in the message what else the caller accepts.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 1:
        end = f", {also}" if also else ""
        raise ValueError(f"{name}={value!r} must be a whole number of at least 1{end}.")


def _check(name: str, value: float, least: float, most: float, *, strictly: bool = False) -> None:
    """Raise ValueError unless ``value`` is finite and between the limits."""
    between = f"a number {'strictly ' if strictly else ''}between {least:g} and {most:g}"
    required = between if most < inf else f"a finite number of at least {least:g}"
    message = f"{name}={value!r} must be {required}."
    try:
        number = float(value) if isinstance(value, Real) else nan
    except OverflowError:
        number = inf
    inside = least < number < most if strictly else least <= number <= most
    if not inside or number == inf:
        raise ValueError(message)
