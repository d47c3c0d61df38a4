"""Least squared hinges without a penalty, from a hyperplane nearby, by Newton's method.

The gradient of ``½ Σ c_i max(0, 1 - z_i·w)²`` is ``-Σ λ_i z_i`` with the weights ``λ_i`` of
:mod:`novikoff.certificate.exact.violations`, and its Hessian the sum of ``c_i z_i z_iᵀ`` over the
examples that have weight. One factor of the Hessian serves many steps, since few examples gain or
lose weight near the optimum: each step costs two passes, and the error falls by the share of the
Hessian that these examples make up.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from novikoff.certificate import Certifier, Slacks
from novikoff.certificate.exact.columns import Replaced
from novikoff.certificate.exact.violations import Violations, slacks_of, touching
from novikoff.compiled import heavy as compiled
from novikoff.compiled.rows import CSR

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

RIDGES = (1e-14, 1e-11, 1e-8)
"""Added to the diagonal of the Hessian, scaled to 1, until it has a factor."""

ROUGH = 2.0**-15
"""With a smaller pivot of a Gram matrix of dense columns, the factor is taken from the rows."""

CHANGED = 0.25
"""Where a larger share of the examples come and go, a Gram matrix is computed again. Not varied:
from step to step it is some thousandths, and where examples are left out 0.1."""

FADED = 2.0**-20
"""So is it where so little of a column is left that much of it may be rounding."""

SINGULAR = 2.0**-50
"""A pivot that small, times the number of columns, may be a rounding error."""

_STRIPE = 1 << 22
"""Values of the examples that are converted at a time."""


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
    products: "Products | None" = None,
) -> Slacks:
    """Return a hyperplane with less squared hinges, the least if that is soon found.

    Only the coefficients of these columns change; the column after the last is the intercept. It
    ends where the gradient is a rounding error, or ``nearly`` times that and no longer falls fast.
    With ``by_rows`` dense rows are factored where their Gram matrix may be too rough.
    ``products`` are those of an earlier search with the same replaced columns.
    """
    products = Products() if products is None else products
    worth = _worth(certifier.examples.X, columns.size)
    is_sparse = sparse.issparse(certifier.examples.X)
    first = plane = Plane.of(certifier, replace(slacks, threshold=0.0), replaced)
    # Slacks near 1 are rounded as much as their sums: where they vanish, that is left.
    least = plane.violations.error
    hessian, factors, ratio, own, damping = None, 0, 0.0, False, 0.0
    for _ in range(STEPS):
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
    certifier: Certifier, plane: Plane, replaced: Replaced, columns: Ids, hessian: "Hessian"
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


@dataclass(frozen=True)
class Hessian:
    """The Hessian in some columns: its Cholesky factor, for columns scaled to length 1."""

    factor: Vector
    scale: Vector
    ridge: float

    @classmethod
    def of(
        cls, gram: Vector, before: "Hessian | None" = None, damping: float = 0.0
    ) -> "Hessian | None":
        """Factor the Gram matrix of the columns, in place; ``None`` where it is singular.

        With the ridge ``damping``; if that is 0, with none, or a small one that is no smaller than
        one ``before``.
        """
        with np.errstate(all="ignore"):
            # Columns that no example with weight has stay as they are.
            lengths = np.sqrt(np.diagonal(gram))
            scale = 1.0 / np.where(lengths == 0.0, 1.0, lengths)
            gram *= scale
            gram *= scale[:, None]
        if not np.isfinite(gram).all():
            return None
        least = 0.0 if before is None else min(before.ridge, RIDGES[-1])
        for ridge in [damping] if damping else [each for each in RIDGES if each >= least]:
            gram[np.diag_indices_from(gram)] = 1.0 + ridge
            # The lower half in rows is the upper half in columns, as LAPACK reads it.
            factor, info = linalg.lapack.dpotrf(gram.T, lower=False, clean=False)
            # Where columns depend on others, a pivot is the ridge, or its rounding error.
            regular = SINGULAR * len(gram)
            if not info and (ridge >= RIDGES[-1] or np.diagonal(factor).min() ** 2 > regular):
                return cls(factor, scale, ridge)
        return None

    @classmethod
    def of_rows(cls, violations: Violations, columns: Ids, costs: Vector) -> "Hessian | None":
        """From the dense rows themselves, by reflections; ``None`` where it is singular.

        This takes a few times as long; the Gram matrix has lost what is less than the root of a
        rounding error.
        """
        size = columns.size
        lengths = np.zeros(size)
        for table in _tables(violations, columns, costs):
            lengths = np.hypot(lengths, np.linalg.norm(table, axis=0))
        scale = 1.0 / np.where(lengths == 0.0, 1.0, lengths)
        # Columns that no example with weight has stay as they are.
        factor = np.eye(size)[lengths == 0.0]
        for table in _tables(violations, columns, costs):
            rows = np.vstack([factor, table * scale])
            (factor,) = linalg.qr(rows, mode="r", overwrite_a=True, check_finite=False)
            factor = factor[:size]
        if len(factor) < size or not np.abs(np.diagonal(factor)).min() > SINGULAR * size:
            return None
        return cls(factor, scale, 0.0)

    @property
    def is_rough(self) -> bool:
        """Whether a Gram matrix may have lost what tells columns apart."""
        return bool(np.diagonal(self.factor).min() < ROUGH)

    def solve(self, right: Vector) -> Vector:
        """Return the Newton step for a negative gradient."""
        step: Vector = linalg.cho_solve((self.factor, False), right * self.scale)
        return step * self.scale


class Products:
    """The Gram matrix of columns over examples: from step to step only few of these change."""

    def __init__(self) -> None:
        self._columns = self._rows = np.empty(0, dtype=np.int64)
        self._values = np.empty((0, 0))
        self._first = np.empty(0)

    def of(self, violations: Violations, columns: Ids, costs: Vector | None) -> Vector:
        """Return that of the examples that violate a margin: its lower half, a copy.

        Rows are multiplied by the roots of their costs.
        """
        rows = violations.rows
        with np.errstate(all="ignore"):
            come = np.setdiff1d(rows, self._rows, assume_unique=True)
            gone = np.setdiff1d(self._rows, rows, assume_unique=True)
            if come.size + gone.size > CHANGED * rows.size or not self._restrict(columns):
                return self._anew(violations, columns, costs)
            for some, sign in ((come, 1.0), (gone, -1.0)):
                if some.size:
                    self._values += sign * _gram(replace(violations, rows=some), columns, costs)
            self._rows = rows
            # What is left of a column that most of its examples have lost is rounded.
            if (np.diagonal(self._values) < FADED * self._first).any():
                return self._anew(violations, columns, costs)
        return self._values.copy()

    def _anew(self, violations: Violations, columns: Ids, costs: Vector | None) -> Vector:
        self._rows, self._columns = violations.rows, columns
        self._values = _gram(violations, columns, costs)
        self._first = np.diagonal(self._values).copy()
        return self._values.copy()

    def _restrict(self, columns: Ids) -> bool:
        """Leave out columns that are not asked for; whether all others are there."""
        if not np.array_equal(columns, self._columns):
            kept = np.isin(self._columns, columns)
            if not np.array_equal(self._columns[kept], columns):
                return False
            self._columns, self._first = columns, self._first[kept]
            self._values = self._values[np.ix_(kept, kept)]
        return True


def _gram(violations: Violations, columns: Ids, costs: Vector | None) -> Vector:
    """The Gram matrix of the columns, with rows times the roots of their costs: its lower half."""
    X, size = violations.X, columns.size
    costs = np.ones(violations.rows.size) if costs is None else costs[violations.rows]
    if sparse.issparse(X):
        return _sparse_gram(violations, columns, costs)
    gram = np.zeros((size, size))
    for table in _tables(violations, columns, costs):
        gram += table.T @ table
    return gram


def _tables(violations: Violations, columns: Ids, costs: Vector) -> Iterator[Vector]:
    """The columns of dense rows, times the roots of their costs."""
    step = max(1, _STRIPE // columns.size)
    for first in range(0, violations.rows.size, step):
        part = slice(first, min(first + step, violations.rows.size))
        table = violations.table(np.arange(part.start, part.stop), columns)
        table *= np.sqrt(costs[part])[:, None]
        yield table


def _sparse_gram(violations: Violations, columns: Ids, costs: Vector) -> Vector:
    """The same of sparse rows: columns of the matrix itself stay sparse, the others are dense."""
    X, size = violations.X, columns.size
    own = (columns < X.shape[1]) & ~np.isin(columns, violations.replaced.columns)
    matrix = sparse.csr_array(X[violations.rows])
    if not np.array_equal(columns[own], np.arange(X.shape[1])):
        matrix = matrix[:, columns[own]]
    matrix = matrix.astype(np.float64)
    matrix.sum_duplicates()
    half = np.zeros((matrix.shape[1] + 1,) * 2)
    rows = CSR(matrix.data, matrix.indices, matrix.indptr)
    compiled.gram(rows, np.arange(matrix.shape[0]), costs, half)
    if own[:-1].all() and columns[-1] == X.shape[1]:
        # The last column is that of the intercept.
        return half
    gram = np.zeros((size, size))
    others = violations.table(np.arange(violations.rows.size), columns[~own])
    weighted = others * costs[:, None]
    gram[np.ix_(own, own)] = half[:-1, :-1]
    gram[np.ix_(own, ~own)] = matrix.T @ weighted
    gram[np.ix_(~own, own)] = gram[np.ix_(own, ~own)].T
    gram[np.ix_(~own, ~own)] = others.T @ weighted
    return gram


def costs_of(certifier: Certifier, violations: Violations) -> Vector:
    """Return how often the examples with weight count."""
    costs = certifier.examples.costs
    return np.ones(violations.rows.size) if costs is None else costs[violations.rows]
