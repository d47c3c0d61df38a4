"""What every rule offers."""

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from sklearn.base import BaseEstimator

from novikoff.compiled.step import Specification

ROUNDING = 1e-9


class Rule(BaseEstimator, ABC):
    """A perceptron's rule: ``w <- w + step * z_i`` while some ``z_i . w <= threshold``.

    Rules are scikit-learn objects: they clone, and an estimator's search reaches their parameters
    as ``rule__alpha``.
    """

    pick: ClassVar[Literal["cyclic", "worst"]] = "cyclic"
    unit_steps: ClassVar[bool] = True

    @abstractmethod
    def specification(self, radius: float) -> Specification:
        """Return the rule as the compiled loop knows it, or raise what is wrong with it.

        Parameters
        ----------
        radius : float
            The largest norm among the examples as the rule sees them, lifts included.
        """

    @property
    def gap(self) -> float:
        """The relative gap between the bounds at which the run stops; 0: it never does."""
        return 0.0

    @property
    def uses_radius(self) -> bool:
        """Whether the largest norm enters the rule; its example then belongs to the support."""
        return False

    def update_bound(self, R: float, eps: float) -> float | None:
        """Return a proved bound on the number of updates, ``None`` where none is proved.

        Parameters
        ----------
        R : float
            The largest norm of an example.
        eps : float
            The optimum margin, or any lower bound on it.
        """
        _check_lengths(R, eps)
        return self._updates(R, eps)

    def margin_bound(self, R: float, eps: float) -> float | None:
        """Return a proved lower bound on the margin at exit, ``None`` where none is proved.

        Parameters
        ----------
        R : float
            The largest norm of an example.
        eps : float
            The optimum margin, or any lower bound on it.
        """
        _check_lengths(R, eps)
        return self._margin(R, eps)

    def _updates(self, R: float, eps: float) -> float | None:
        return None

    def _margin(self, R: float, eps: float) -> float | None:
        return None


def _check_lengths(R: float, eps: float) -> None:
    if not (0.0 < eps <= R * (1.0 + ROUNDING) and R < math.inf):
        raise ValueError(f"R={R!r} and eps={eps!r} must be lengths with 0 < eps <= R < inf.")


def check_interval(
    rule: Rule, name: str, low: float, high: float, *, closed: Literal["", "low", "high"] = ""
) -> float:
    """Return the parameter ``name`` of a rule, or raise if it lies outside the interval."""
    value = getattr(rule, name)
    try:
        inside = low < value < high
        inside |= (closed == "low" and value == low) or (closed == "high" and value == high)
    except TypeError:
        inside = False
    if not inside:
        left = "[" if closed == "low" else "("
        right = "]" if closed == "high" else ")"
        raise ValueError(
            f"{type(rule).__name__}: {name}={value!r} must be a number "
            f"in {left}{low}, {high}{right}."
        )
    return float(value)
