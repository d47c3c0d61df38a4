"""Least squared hinges without a penalty, from a hyperplane nearby, by Newton's method.

The gradient of ``½ Σ c_i max(0, 1 - z_i·w)²`` is ``-Σ λ_i z_i`` with the weights ``λ_i`` of
:mod:`novikoff.certificate.exact.violations`, and its Hessian the sum of ``c_i z_i z_iᵀ`` over the
examples that have weight. One factor of the Hessian serves many steps, since few examples gain or
lose weight near the optimum: each step costs two passes, and the error falls by the share of the
Hessian that these examples make up.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate import Certifier, Slacks
from novikoff.certificate.exact.columns import Replaced
from novikoff.certificate.exact.violations import Violations, slacks_of, touching
from novikoff.run.hinge_hessian import Hessian, Products

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

STEPS = 40
"""Most steps. Dense 20,000 x 3,000 with 10 % noise takes 20 to its rounding errors."""

FACTORS = 12
"""Most factors of a Hessian. One-hot 2,775 x 1,386 with 5 % noise takes 9."""

STEPS_OF_HESSIAN = 1.0 / 120.0
"""A Hessian takes as long as so many steps for each column: 3.8 s and 0.15 s on dense 20,000 x
3,000. It is computed again where that is less than the steps to come, at the rate of the last one.
"""

STEPS_OF_FACTOR = 1.0 / 250.0
"""Of sparse data, a step for so many multiplications of the factor and each value: 45 ms and 1.3 on
11,333 x 1,386 with 318,235 values."""

HELD = 1e-4
"""Examples whose slack is above minus so much are part of the Hessian: those that are on the margin
at the optimum lose their weight by rounding, and then nothing holds a direction that only they
have."""

FAST = 0.5
"""A step that leaves more of the gradient, when little was left, shows what rounding allows."""

ENOUGH = 0.5
"""Where fewer examples violate the margin, for each column, something may separate the examples.
Columns that depend on others do not count, and are not known yet: among groups of letters 1,509
examples in 1,613 columns prove it."""

FADING = 0.75
"""Where there are fewer than columns and the squared slacks fall to a smaller share, too. Of cores
of groups of letters that have a proof, 0.77 and more are left; hashed texts, 6,078 x 2,048, that
are nearly separable take 0.4 s longer without."""

TRIALS = 4
"""Most lengths of a step that are tried."""

SEARCH = 30
"""Most iterations of a line search, each of which takes much less time than a pass."""

SHORT = 0.25
"""A step of that length shows that examples far beyond the margin stand in its way."""

DAMPING = (1e-6, 10.0, 3.0)
"""The ridge is then this, and so many times more after each short step, and less after whole ones.
Groups of letters, 11,159 x 3,754, take seconds longer without. Three others took much the same time
with 1e-8 and with factors of 100 or 3."""


@dataclass(frozen=True)
class Plane:
    """A hyperplane and what violates its margin: the weights, and the gradient as their sum."""

    slacks: Slacks
    violations: Violations
    value: float

    @classmethod
    def of(cls, certifier: Certifier, slacks: Slacks, replaced: Replaced) -> "Plane":
        """Compute the slacks."""
        examples, affine = certifier.examples, certifier.problem.affine
        violations = slacks.violations(examples, affine=affine, replaced=replaced)
        costs = costs_of(certifier, violations)
        value = float(violations.weights @ (violations.weights / costs))
        return cls(slacks, violations, value)

    def gradient(self, columns: Ids, least: Vector | float = 0.0) -> float:
        """Return the largest entry of the gradient, in units of its rounding errors.

        These are ``least`` at least.
        """
        error = np.maximum(self.violations.error, least)[columns]
        return float((np.abs(self.violations.total[columns]) / error).max(initial=0.0))

    def held(self, certifier: Certifier) -> Violations:
        """Return the examples that violate the margin, or are not far beyond."""
        near = replace(self.slacks, threshold=-HELD)
        return near.violations(
            certifier.examples,
            affine=certifier.problem.affine,
            replaced=self.violations.replaced,
        )

    def moved(self, columns: Ids, step: Vector) -> Slacks:
        """Return the hyperplane after a step in these columns."""
        n_features = self.slacks.coef.size
        whole = np.zeros(n_features + 1)
        whole[columns] = step
        coef, intercept = self.slacks.coef + whole[:-1], self.slacks.intercept + whole[-1]
        return replace(self.slacks, coef=coef, intercept=float(intercept))


def least_hinges(
    certifier: Certifier,
    slacks: Slacks,
    replaced: Replaced,
    columns: Ids,
    *,
    nearly: float = 1.0,
    by_rows: bool = True,
    products: Products | None = None,
    check: Callable[[], None] = lambda: None,
) -> Slacks:
    """Return a hyperplane with less squared hinges, the least if that is soon found.

    Only the coefficients of these columns change; the column after the last is the intercept. It
    ends where the gradient is a rounding error, or ``nearly`` times that and no longer falls fast.
    With ``by_rows`` dense rows are factored where their Gram matrix may be too rough.
    ``products`` are those of an earlier search with the same replaced columns. ``check`` is called
    before each step, and raises to end the search.
    """
    products = Products() if products is None else products
    worth = _worth(certifier.examples.X, columns.size)
    is_sparse = sparse.issparse(certifier.examples.X)
    first = plane = Plane.of(certifier, replace(slacks, threshold=0.0), replaced)
    # Slacks near 1 are rounded as much as their sums: where they vanish, that is left.
    least = plane.violations.error
    hessian, factors, ratio, own, damping = None, 0, 0.0, False, 0.0
    for _ in range(STEPS):
        check()
        before = plane.gradient(columns, least)
        done = before < 1.0 or (before < nearly and own and ratio > FAST)
        if done or _may_separate(plane, first):
            break
        own = hessian is None or (_is_slow(before, ratio, worth) and factors < FACTORS)
        if own:
            held = plane.held(certifier)
            gram = products.of(held, columns, certifier.examples.costs)
            hessian = Hessian.of(gram, hessian, damping)
            factors += 1
            if not is_sparse and (hessian is None or (by_rows and hessian.is_rough)):
                hessian = Hessian.of_rows(held, columns, costs_of(certifier, held)) or hessian
        if hessian is None:
            break
        after, length = _downhill(certifier, plane, replaced, columns, hessian)
        # Where dense columns nearly depend on others, a ridge holds back what leads to the optimum.
        if own and is_sparse:
            damping = _damped(damping, length)
        ratio = np.inf if after is None else after.gradient(columns, least) / before
        if after is not None:
            plane = after
        # Examples that have gained weight may hold a direction in which no others do.
        if ratio >= 1.0 and (factors == FACTORS or (own and after is None)):
            break
    return plane.slacks


def _may_separate(plane: Plane, first: Plane) -> bool:
    """Whether so few examples are left, beside those at first, that something may separate them."""
    violations = plane.violations
    share = violations.rows.size / max(1, violations.columns.size)
    return share < ENOUGH or (share < 1.0 and plane.value < FADING * first.value)


def _downhill(
    certifier: Certifier, plane: Plane, replaced: Replaced, columns: Ids, hessian: Hessian
) -> tuple[Plane | None, float]:
    """Take a step, or part of it, and return its length.

    ``None`` where the hinges do not become less.
    """
    step = hessian.solve(plane.violations.total[columns])
    length = 1.0
    for _ in range(TRIALS):
        after = Plane.of(certifier, plane.moved(columns, length * step), replaced)
        if after.value <= plane.value * (1.0 + 1e-12):
            return after, length
        if length < 1.0:
            length /= 2.0
        else:
            length = _length(certifier, plane, replaced, columns, step)
    return None, length


def _length(
    certifier: Certifier, plane: Plane, replaced: Replaced, columns: Ids, step: Vector
) -> float:
    """Return how many such steps make the hinges least: 1 where no example gains or loses weight.

    The derivative of the sum is increasing and piecewise linear, so that Newton's method ends after
    few iterations, each of which keeps or halves the interval that has the zero.
    """
    examples = certifier.examples
    origin = replace(plane.slacks, coef=np.zeros_like(plane.slacks.coef), intercept=0.0)
    along = replace(plane, slacks=origin).moved(columns, step)
    now, then = (
        slacks_of(examples.X, examples.signs, None, each.coef, each.intercept, replaced)
        for each in (plane.slacks, along)
    )
    change = 1.0 - then
    costs = np.ones(change.size) if examples.costs is None else examples.costs.copy()
    if plane.slacks.without.size:
        costs[touching(examples.X, np.arange(change.size), plane.slacks.without)] = 0.0
    low, high, length = 0.0, 1.0, 0.5
    for _ in range(SEARCH):
        slacks = now - length * change
        weighted = np.where(slacks > 0.0, costs * change, 0.0)
        slope, curvature = -float(weighted @ slacks), float(weighted @ change)
        low, high = (length, high) if slope < 0.0 else (low, length)
        if not curvature > 0.0:
            break
        before, length = length, length - slope / curvature
        if not low < length < high:
            length = (low + high) / 2.0
        if abs(length - before) <= 1e-9 * before:
            break
    return length


def _damped(damping: float, length: float) -> float:
    """Return the ridge of the next Hessian, from that of the last one and the length of its step.

    The method of Levenberg and Marquardt.
    """
    first, more, less = DAMPING
    if length < SHORT:
        return max(first, more * damping)
    if length == 1.0:
        damping /= less
    return damping if damping >= first else 0.0


def _worth(X: Any, n_columns: int) -> float:
    """How many steps take as long as a Hessian in so many columns."""
    steps = STEPS_OF_HESSIAN * n_columns
    if not sparse.issparse(X):
        return steps
    return max(steps, STEPS_OF_FACTOR * float(n_columns) ** 3 / max(1, int(X.nnz)))


def _is_slow(gradient: float, ratio: float, worth: float) -> bool:
    """Whether the steps to come, each leaving this share of the gradient, are more than so many.

    For two steps a Hessian is not worth it, whatever the shape.
    """
    if ratio >= 1.0:
        return True
    to_come = np.log(gradient) / -np.log(max(ratio, 1e-300))
    return bool(to_come > max(2.0, worth))


def costs_of(certifier: Certifier, violations: Violations) -> Vector:
    """Return how often the examples with weight count."""
    costs = certifier.examples.costs
    return np.ones(violations.rows.size) if costs is None else costs[violations.rows]
