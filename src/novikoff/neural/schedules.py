"""How large beta is, as a function of the number of updates so far."""

from dataclasses import dataclass
from math import inf, nan
from numbers import Integral, Real
from typing import ClassVar, Protocol

import torch
from torch import Tensor


class Schedule(Protocol):
    """The threshold of a loss or a neuron.

    ``needs_norms``: whether beta is in units of the largest squared norm ``rho2`` of a neuron's
    input among the updates so far.
    """

    needs_norms: ClassVar[bool]

    def __call__(self, t: Tensor, rho2: Tensor) -> Tensor:
        """Return beta after ``t`` updates, for clocks of any shape, in float64."""


@dataclass(frozen=True)
class Constant:
    """The same beta always: 0 is the perceptron, 1 the hinge loss.

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
        Between 0 and 1: the closer to 1, the larger the margin that a neuron is driven to.

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
        What beta is multiplied by: the algorithm adds examples as they are, and a network's
        weights grow by the learning rate over the batch instead.

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

    ``rho`` is the largest norm of the neuron's input among the updates so far, whose scale drifts
    as the layers below learn; the loss takes these inputs as ``features=``.

    Parameters
    ----------
    alpha : float, default=1.5
        Strictly between 1 and 2.
    scale : float, default=1.0
        What beta is multiplied by. In units of examples that are added as they are; for a network
        whose steps are ``learning_rate`` times a mean over ``batch`` examples, give
        ``learning_rate / batch`` and an ``alpha`` near 1: hidden layers answer to a larger beta
        with larger features, and these make beta larger again.
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
    """Return ``((t + 1) ** alpha - t ** alpha - 1) / 2`` where the powers cancel little."""
    times = t.double()
    # (t + 1)^a - t^a = t^a ((1 + 1/t)^a - 1)
    grown = times**alpha * torch.expm1(alpha * torch.log1p(1.0 / times.clamp(min=1.0)))
    return torch.where(times > 0.0, (grown - 1.0) / 2.0, torch.zeros_like(times))


def check_schedule(name: str, value: object) -> None:
    """Raise what is wrong with a schedule."""
    if isinstance(value, type) or not callable(value) or not hasattr(value, "needs_norms"):
        raise ValueError(f"{name}={value!r} must be a schedule, like Power(0.1, 0.4).")


def check_whole(name: str, value: object) -> None:
    """Raise what is wrong with a number of things."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 1:
        raise ValueError(f"{name}={value!r} must be a whole number, at least 1.")


def _check(name: str, value: float, least: float, most: float, *, strictly: bool = False) -> None:
    where = f"between {least:g} and {most:g}" if most < inf else f"at least {least:g}, finite"
    message = f"{name}={value!r} must be a number {where}{', exclusive' if strictly else ''}."
    try:
        number = float(value) if isinstance(value, Real) else nan
    except OverflowError:
        number = inf
    inside = least < number < most if strictly else least <= number <= most
    if not inside or number == inf:
        raise ValueError(message)
