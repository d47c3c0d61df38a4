"""The method of multipliers with Newton's method, whatever a model is stored as.

The squared hinge of several classes has a kink where two wrong classes tie, and the hinge another
where it begins, so the method of multipliers goes around them: weights near those of the optimum
make it smooth (:mod:`novikoff.compiled.joint_newton`), Newton's method finds the minimum, and the
weights found there are the next ones. R. T. Rockafellar, "Augmented Lagrangians and applications of
the proximal point algorithm in convex programming", Mathematics of Operations Research 1 (1976).
Without slack it is the same method, with squared violations of the margin in place of hinges.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from novikoff.compiled import joint_newton as compiled
from novikoff.compiled.joint_newton import Loss
from novikoff.maxmargin.joint.bounds import signed
from novikoff.maxmargin.joint.problem import Ids, Vector
from novikoff.maxmargin.joint.settings import NewtonSettings


class Space(ABC):
    """Examples, and what Newton's method asks of models of them.

    A model is an array with a column for each class, whose last row are the intercepts, if there
    are some. ``stiff`` are the factors of the hinges, the units of the weights.
    """

    codes: Ids
    stiff: Vector
    affine: bool

    @abstractmethod
    def scores(self, model: Vector) -> Vector:
        """Return the scores of the examples, a column for each class."""

    @abstractmethod
    def gradient(self, model: Vector, scores: Vector, shares: Vector) -> Any:
        """Return the gradient of ``|W|^2 - sum shares . scores``, in a form of its own."""

    @abstractmethod
    def shortfall(self, gradient: Any) -> float:
        """Return by how much the dual falls short for it: a quarter of its squared length."""

    @abstractmethod
    def direction(
        self, gradient: Any, weights: Vector, rho: float, loss: Loss, enough: float
    ) -> Vector | None:
        """Return Newton's direction, or ``None`` where rounding prevents it.

        ``enough`` is the shortfall that suffices, for those who solve by approximation.
        """

    @abstractmethod
    def slope(self, gradient: Any, direction: Vector, speeds: Vector) -> float:
        """Return the derivative along a direction that changes scores by ``speeds``."""

    @abstractmethod
    def product(self, first: Vector, second: Vector, scores: Vector) -> float:
        """Return the inner product of the vectors of two models, the second with these scores."""


class Multipliers:
    """Minima with the hinges made smooth, and the count of the steps to them.

    Parameters
    ----------
    loss : Loss
        The hinge, its square, or no slack at all.
    tick : callable
        Called before every step.
    settings : NewtonSettings
        Smoothing and accuracies.
    most_steps : int
        How many steps there are at most.
    patient : bool
        Whether to go on where steps are short, with the hinges made smoother.
    """

    def __init__(
        self,
        loss: Loss,
        tick: Callable[[], None],
        settings: NewtonSettings,
        *,
        most_steps: int,
        patient: bool = True,
    ) -> None:
        self.loss, self.patient, self.tick, self.settings = loss, patient, tick, settings
        self.most_steps = most_steps
        self.rho = settings.rho if loss.squared else settings.hinge_rho
        self.softest = self.rho
        self.steps = self.short_steps = 0
        self.model: Vector = np.empty((0, 0))
        """The model of the last step."""

    @property
    def gave_up(self) -> bool:
        """Whether too many steps were short, for a search that is not patient."""
        return not self.patient and self.short_steps >= self.settings.patience

    @property
    def is_over(self) -> bool:
        """Whether there were too many steps, or too many short ones."""
        return self.gave_up or self.steps >= self.most_steps

    def sharpen(self, before: int) -> None:
        """Make the hinges less smooth after a minimum that took few steps, from ``before`` on."""
        if self.steps == before:
            # The model stays, and only the weights are corrected: that, too, has an end.
            self.tick()
            self.steps += 1
        if self.steps - before <= self.settings.few_steps:
            self.rho = max(self.settings.least_rho, self.settings.sharpen * self.rho)

    def limit(self, stiffness: float, *, at_once: bool) -> None:
        """Say how stiff the hinges are, which is how smooth they are made at most, or at once."""
        self.softest = max(self.rho, self.settings.softest * stiffness)
        if at_once:
            self.rho = self.softest

    def _softened(self) -> bool:
        """Make the hinges smoother where steps were short; tell whether that was so."""
        settings = self.settings
        enough = settings.soft_patience if self.loss.squared else settings.patience
        if self.short_steps < enough or not self.patient or self.rho >= self.softest:
            return False
        self.short_steps = 0
        self.rho = min(self.softest, settings.soften * self.rho)
        return True

    def weigh(self, space: Space, scores: Vector, near: Vector) -> tuple[float, Vector]:
        """Return the smooth sum of hinges, and its weights, in units of hinges."""
        weights = np.empty_like(near)
        value, _ = compiled.weigh(
            scores, scores, 0.0, space.codes, space.stiff, near, self.rho, self.loss, weights
        )
        return value, weights

    def minimum(
        self, space: Space, model: Vector, near: Vector, tol: float, gap: float
    ) -> tuple[Vector, Vector]:
        """Return the model that is the smooth minimum near weights, and its own weights.

        ``gap`` is the absolute gap at hand; the minimum is found to a share of it, or of ``tol``.
        """
        settings, codes, stiff = self.settings, space.codes, space.stiff
        self.model, scores = model, space.scores(model)
        value, weights = self.weigh(space, scores, near)
        while True:
            gradient = space.gradient(model, scores, signed(weights * stiff[:, None], codes))
            objective = space.product(model, model, scores) + value
            # The dual falls short by the squared length of the gradient, not by what a step gains.
            enough = max(tol * objective, 0.01 * min(objective, gap))
            enough *= settings.enough
            if space.shortfall(gradient) <= enough:
                return model, weights
            self.tick()
            direction = space.direction(gradient, weights, self.rho, self.loss, enough)
            if direction is None:
                return model, weights
            speeds = space.scores(direction)
            slope0 = space.slope(gradient, direction, speeds)
            if not -inf < slope0 < 0.0:
                return model, weights
            self.steps += 1
            along = 2.0 * space.product(model, direction, speeds)
            curve = 2.0 * space.product(direction, direction, speeds)
            low, high, length = (0.0, slope0), (inf, 0.0), 1.0
            for _ in range(settings.line_steps):
                value, slope = compiled.weigh(
                    scores, speeds, length, codes, stiff, near, self.rho, self.loss, weights
                )
                slope += along + length * curve
                if abs(slope) <= settings.slope * -slope0:
                    break
                if slope > 0.0:
                    high = length, slope
                else:
                    low = length, slope
                length = _between(low, high)
            else:
                length = low[0]
                value, weights = self.weigh(space, scores + length * speeds, near)
            self.model = model = model + length * direction
            scores += length * speeds
            self.short_steps += length < settings.short_step
            if self.is_over:
                return model, weights
            if self._softened():
                value, weights = self.weigh(space, scores, near)


def _between(low: tuple[float, float], high: tuple[float, float]) -> float:
    """Return a length between two with slopes of either sign: where a straight slope is zero."""
    if high[0] == inf:
        return 2.0 * low[0]
    share = low[1] / (low[1] - high[1])
    return low[0] + min(max(share, 0.05), 0.95) * (high[0] - low[0])
