"""The pseudo-code of the paper, in plain Python, for small arrays; it yields every update.

::

    w = 0
    while some example has z . w <= threshold:
        w = w + step * z

Meant for teaching and for pictures, and the reference that the tests compare the compiled loop
with. The two share the formulas of the rules and no code.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_X_y

from novikoff.rules import Rule, named
from novikoff.rules.base import State
from novikoff.sample.lift import lift_of


class Update(NamedTuple):
    """One update of a run that :func:`trace` follows.

    Attributes
    ----------
    t : int
        The number of updates, this one included.
    examples : tuple of int
        The rows updated on: one, or for MinOver with an intercept a pair, one of each class.
    margin : float
        ``z . w`` before the update; for a pair, half of ``w . (p - q)``.
    threshold : float
        What the margin did not exceed.
    w : array of shape (n_features,)
        The normal vector after the update.
    intercept : float
        The hyperplane is ``w . x + intercept = 0``.
    lower : float
        The margin of this hyperplane on the examples visited, negative where it errs; minus
        infinity for ``w = 0``.
    upper : float
        What the weights prove: no hyperplane has a larger margin. Infinite before both classes
        were updated on, if there is an intercept.
    """

    t: int
    examples: tuple[int, ...]
    margin: float
    threshold: float
    w: NDArray[np.float64]
    intercept: float
    lower: float
    upper: float


class PlainRun:
    """A perceptron on a small array: ``z = y (x - centre, c)``, the last coordinate of w times c.

    Slack gives each example one more coordinate of its own, whose square is ``slack2``.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        signs: NDArray[Any],
        rule: Rule,
        *,
        affine: bool = True,
        slack2: float = 0.0,
        order: Sequence[int] | NDArray[np.int64] | None = None,
    ) -> None:
        self.rule, self.signs, self.affine, self.slack2 = rule, signs, affine, slack2
        self.order = np.arange(len(X)) if order is None else np.asarray(order)
        self.centre = X[self.order[0]] if affine else np.zeros(X.shape[1])
        self.X = X - self.centre
        distances2 = np.einsum("ij,ij->i", self.X, self.X)
        longest = int(self.order[np.argmax(distances2[self.order])])
        self.lift2 = lift_of(distances2, self.order, signs, longest)[0] if affine else 0.0
        self.norms2 = distances2 + self.lift2 + slack2
        self.pairs = affine and rule.pick == "worst"
        self.weights = np.zeros(len(X))
        self.w = np.zeros(X.shape[1])
        self.offset = 0.0
        self.state = State(radius2=float(self.norms2[self.order].max()))

    def margins(self) -> NDArray[np.float64]:
        """Return ``z . w`` of all examples."""
        margins = self.signs * (self.X @ self.w + self.offset) + self.slack2 * self.weights
        return np.asarray(margins, dtype=np.float64)

    def margin(self, i: int) -> float:
        """Return ``z . w`` of one example."""
        product = self.X[i] @ self.w + self.offset
        return float(self.signs[i] * product + self.slack2 * self.weights[i])

    def worst(self) -> tuple[int, ...]:
        """Return the example of least margin; in pairs, that of each class."""
        margins, order = self.margins(), self.order
        sides = [self.signs[order] > 0, self.signs[order] < 0] if self.pairs else [slice(None)]
        return tuple(int(order[side][np.argmin(margins[order[side]])]) for side in sides)

    def update(self, *examples: int) -> Update:
        """Add one example, or a pair, to w."""
        margins = [self.margin(i) for i in examples]
        threshold = self.rule.threshold(self.state)
        for i in examples:
            margin, norm2 = self.margin(i), float(self.norms2[i])
            tau = self.rule.step(self.state, margin, norm2)
            self.weights[i] += tau
            self.w = self.w + tau * self.signs[i] * self.X[i]
            self.offset += tau * float(self.signs[i]) * self.lift2
            self.state.advance(threshold, tau, margin, norm2)
        if self.rule.unit_ball and self.state.norm2 > 1.0:
            self.scale(1.0 / math.sqrt(self.state.norm2))
        offset = self.place()
        return Update(
            self.state.t,
            examples,
            sum(margins) / len(margins),
            threshold,
            self.w,
            offset - float(self.w @ self.centre),
            *self.bounds(),
        )

    def scale(self, factor: float) -> None:
        """Multiply w, and the weights that make it, by a factor."""
        self.w = factor * self.w
        self.offset *= factor
        self.weights *= factor
        self.state.scale(factor)

    def place(self) -> float:
        """Return the offset at the centre; in pairs, midway between the worst of each class."""
        if not self.pairs:
            return self.offset
        positive, negative = (self.margin(i) for i in self.worst())
        return (negative - positive) / 2.0

    def bounds(self) -> tuple[float, float]:
        """Return the margin of the hyperplane, and the upper bound that the weights prove."""
        length = math.sqrt(self.w @ self.w + self.slack2 * (self.weights @ self.weights))
        least = np.mean([self.margin(i) for i in self.worst()])
        lower = float(least) / length if length > 0.0 else -math.inf
        if not self.affine:
            return lower, length / self.state.total
        # Half the distance of the two weighted class means.
        positive = self.signs > 0
        totals = np.where(positive, self.weights[positive].sum(), self.weights[~positive].sum())
        if not totals.all():
            return lower, math.inf
        shares = self.weights / totals
        difference = (shares * self.signs) @ self.X
        return lower, math.sqrt(difference @ difference + self.slack2 * (shares @ shares)) / 2.0

    def cyclic(self, max_updates: int) -> Iterator[Update]:
        """Visit the examples in order, again and again, and update on the violated ones."""
        satisfied = 0
        for i in cycle(self.order.tolist()):
            if self.margin(i) > self.rule.threshold(self.state):
                satisfied += 1
                if satisfied == len(self.order):
                    return
            elif self.state.t >= max_updates:
                return
            else:
                satisfied = 0
                yield self.update(i)

    def worst_first(self, max_updates: int) -> Iterator[Update]:
        """Update on what is worst until the best two bounds meet (MinOver)."""
        lower, upper = -math.inf, math.inf
        while lower < (1.0 - self.rule.gap) * upper:
            worst = self.worst()
            if self.state.t + len(worst) > max_updates:
                return
            update = self.update(*worst)
            lower, upper = max(lower, update.lower), min(upper, update.upper)
            yield update


def trace(
    X: ArrayLike,
    y: ArrayLike,
    *,
    rule: str | Rule = "mean-norm",
    fit_intercept: bool = True,
    C: float = math.inf,
    max_updates: int = 1000,
    order: ArrayLike | None = None,
) -> Iterator[Update]:
    """Run a perceptron in plain Python on a small array, and yield every update.

    What :class:`~novikoff.Perceptron` computes, as the paper prints it: for teaching, pictures and
    experiments. It reads the examples relative to the first one (as the estimator does with
    ``schedule="compress"``; otherwise that takes a median of the first ones), and visits them in
    order until none is violated (without the estimator's cheap passes over near-violated examples
    in between), MinOver always the worst. It stops silently at ``max_updates``.

    Parameters
    ----------
    X : array-like of shape (n_examples, n_features)
        The examples; no sparse matrix.
    y : array-like of shape (n_examples,)
        Their labels, of two classes; the second in sorted order is the positive one.
    rule : str or Rule, default="mean-norm"
        When an example is violated and how far to step, as in :class:`~novikoff.Perceptron`.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.
    C : float, default=inf
        The penalty on squared margin violations, as in LinearSVC; ``inf`` is the hard margin. With
        a finite C, ``margin``, ``lower`` and ``upper`` are those of the examples with a coordinate
        of slack each.
    max_updates : int, default=1000
        Where to stop.
    order : array-like of int, optional
        The rows in the order of visits; by default that of ``X``. With an intercept, the first is
        the point that all are read relative to.

    Returns
    -------
    iterator of Update

    Examples
    --------
    >>> from novikoff.run import trace
    >>> X, y = [[1, 3], [3, 1], [2, 0]], ["up", "down", "down"]
    >>> for step in trace(X, y, rule="classic", fit_intercept=False):
    ...     print(step.t, step.examples, step.w, f"{step.lower:.2f} {step.upper:.2f}")
    1 (0,) [1. 3.] -1.90 3.16
    2 (1,) [-2.  2.] 1.41 1.41
    """
    rule = named(rule)
    examples, labels = check_X_y(X, y, dtype=np.float64)
    signs = _signs(labels)
    if not (isinstance(C, int | float | np.number) and C > 0):
        raise ValueError(f"C={C!r} must be a positive number; inf is the hard margin.")
    if not isinstance(max_updates, int | np.integer) or max_updates < 0:
        raise ValueError(f"max_updates={max_updates!r} must be a whole number, 0 or more.")
    rows = np.arange(len(examples)) if order is None else np.asarray(order)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not rows.size:
        raise ValueError("order must be a sequence of row numbers.")
    if rows.min() < 0 or rows.max() >= len(examples):
        raise ValueError(f"order refers to rows that do not exist; there are {len(examples)}.")
    with np.errstate(over="ignore", invalid="ignore"):
        run = PlainRun(
            examples, signs, rule, affine=bool(fit_intercept), slack2=0.5 / C, order=rows
        )
    if not np.isfinite(run.norms2).all():
        raise ValueError(
            "The squares of the features overflow; divide the features by their largest magnitude."
        )
    if run.pairs and len(np.unique(signs[rows])) < 2:
        raise ValueError("order must visit examples of both classes.")
    rule.specification(run.state.radius)  # Raises what is wrong with the parameters of the rule.
    pick = run.worst_first if rule.pick == "worst" else run.cyclic
    return pick(int(max_updates))


def _signs(y: NDArray[Any]) -> NDArray[np.int64]:
    try:
        classes = np.unique(y)
    except TypeError:
        raise ValueError("The labels are of types that cannot be compared.") from None
    if len(classes) != 2:
        raise ValueError(f"y must have two classes, and has {len(classes)}.")
    return np.where(y == classes[1], 1, -1)
