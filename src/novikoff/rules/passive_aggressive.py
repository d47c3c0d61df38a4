"""The passive-aggressive rules PA, PA-I and PA-II."""

import math
from typing import Literal

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State, check_interval


class PassiveAggressive(Rule):
    """Step to ``z . w = 1``, or towards it, on examples with hinge loss of at least ``tolerance``.

    The step is ``loss / |z|^2`` (PA), ``min(C, loss / |z|^2)`` (PA-I) or
    ``loss / (|z|^2 + 1 / (2 C))`` (PA-II); the norm is that of the lifted example, so that a step
    of PA reaches loss 0 with an intercept as well. PA on separable data makes at most
    ``R^2 / (tolerance eps)^2`` updates and reaches a margin of at least
    ``(1 - tolerance) eps / 2``. For finite C no bound is proved.

    Parameters
    ----------
    C : float, default=inf
        The aggressiveness, a limit on single steps, as in the literature on these rules; infinity
        is PA. It is not the ``C`` of the estimators, the penalty on squared margin violations,
        which belongs to the problem that is solved and not to the rule.
    variant : {1, 2}, default=1
        PA-I or PA-II, for finite C.
    tolerance : float, default=0.1
        An example is violated while its loss is at least this; in (0, 1].

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.PassiveAggressive().margin_bound(R=1.0, eps=0.2)
    0.09...
    """

    unit_steps = False

    def __init__(self, *, C: float = math.inf, variant: Literal[1, 2] = 1, tolerance: float = 0.1):
        self.C = C
        self.variant = variant
        self.tolerance = tolerance

    def threshold(self, state: State) -> float:
        """Return ``1 - tolerance``."""
        return 1.0 - self.tolerance

    def step(self, state: State, margin: float, norm2: float) -> float:
        """Return ``loss / |z|^2``, at most C (PA-I), or ``loss / (|z|^2 + 1 / (2 C))`` (PA-II)."""
        cap = self.C if self.variant == 1 else math.inf
        ridge = 1.0 / (2.0 * self.C) if self.variant == 2 else 0.0
        # At the origin no step changes the margin of the example; any step will do.
        return min(cap, (1.0 - margin) / (norm2 + ridge or 1.0))

    def specification(self, radius: float) -> Specification:
        """Return the threshold ``1 - tolerance`` with the aggressive step."""
        C = check_interval(self, "C", 0.0, math.inf, closed="high")
        if self.variant not in (1, 2):
            raise ValueError(f"PassiveAggressive: variant={self.variant!r} must be 1 or 2.")
        return Specification(
            scale=1.0,
            patience=math.inf,
            constant=1.0 - self._tolerance(),
            aggressive=True,
            cap=C if self.variant == 1 else math.inf,
            ridge=0.5 / C if self.variant == 2 else 0.0,
        )

    def _updates(self, R: float, eps: float) -> float | None:
        """Return ``R^2 / (tolerance eps)^2`` for PA, otherwise ``None``."""
        return (R / (self._tolerance() * eps)) ** 2 if self.C == math.inf else None

    def _margin(self, R: float, eps: float) -> float | None:
        """Return ``(1 - tolerance) eps / 2`` for PA, otherwise ``None``."""
        return (1.0 - self._tolerance()) * eps / 2 if self.C == math.inf else None

    def _tolerance(self) -> float:
        return check_interval(self, "tolerance", 0.0, 1.0, closed="high")
