"""Matrices near the Hessian of the soft margin's primal that are easy to invert.

The Hessian is ``I + sum D_i x_i x_i^T`` over active examples, relative to the centre; where there
is an intercept, it has the last coordinate, in which every example is 1 and ``I`` is 0.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from novikoff.compiled import heavy as heavy_columns
from novikoff.compiled import hinge as compiled
from novikoff.maxmargin.coordinate.heavy import columns
from novikoff.maxmargin.heavy_columns import heaviest_columns
from novikoff.maxmargin.newton.hessian import Accumulated
from novikoff.maxmargin.passes import Ids, Part, Passes, Vector


class Preconditioner(Protocol):
    """The inverse of a matrix near the Hessian."""

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""


class Factored:
    """The Cholesky factor of the Hessian of the given examples.

    In single precision it takes half the time, and is near enough to the Hessian to precondition.
    ``accumulated`` are the sums of an earlier factor, which are brought up to date; where there are
    none, sparse examples are built in value by value, ``block`` rows at once.
    """

    def __init__(
        self,
        passes: Passes,
        ids: Ids,
        stiffness: Vector,
        *,
        precise: bool,
        block: int,
        accumulated: Accumulated | None = None,
    ) -> None:
        self.lower = accumulated is not None
        self.dtype: Any = np.float64 if precise else np.float32
        self.units = np.ones(passes.n_features + int(passes.sample.affine))
        self.units[passes.n_features :] = passes.sample.radius or 1.0

        def made() -> NDArray[Any]:
            if accumulated is None:
                return _scattered(passes, ids, stiffness, self.dtype, block)
            hessian = accumulated.matrix(ids, stiffness, self.dtype)
            diagonal, d = np.arange(len(hessian)), passes.n_features
            hessian[diagonal[:d], diagonal[:d]] += 1.0
            # Where no example is active, the intercept's coordinate has no curvature at all.
            if not len(ids):
                hessian[diagonal[d:], diagonal[d:]] = 1.0
            return hessian

        potrf, self.trsv = _routines(self.dtype)
        hessian = made()
        if not np.isfinite(hessian.diagonal()).all():
            self.dtype = np.float64
            potrf, self.trsv = _routines(self.dtype)
            hessian = made()
        diagonal = np.arange(len(hessian))
        # Where rounding makes the matrix indefinite, one nearby preconditions as well.
        lift = np.finfo(self.dtype).eps * hessian[diagonal, diagonal].max()
        self.factor, failed = potrf(hessian, lower=self.lower)
        while failed:
            hessian[diagonal, diagonal] += lift
            lift *= 10.0
            self.factor, failed = potrf(hessian, lower=self.lower)

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""
        v = v * self.units
        # Small numbers would underflow in single precision.
        length = float(np.abs(v).max()) or 1.0
        # Faster than potrs, which is made for many right sides.
        lower, solution = self.lower, (v / length).astype(self.dtype)
        for transposed in (not lower, lower):
            solution = self.trsv(
                self.factor, solution, lower=lower, trans=transposed, overwrite_x=1
            )
        return np.asarray(length * solution.astype(np.float64) * self.units)


def _routines(dtype: Any) -> tuple[Any, Any]:
    (trsv,) = get_blas_funcs(("trsv",), dtype=dtype)
    (potrf,) = get_lapack_funcs(("potrf",), dtype=dtype)
    return potrf, trsv


def _scattered(
    passes: Passes, ids: Ids, stiffness: Vector, dtype: Any, at_once: int
) -> NDArray[Any]:
    """Return the upper half of the Hessian of sparse examples, value by value."""
    sample, d = passes.sample, passes.n_features
    rows, _ = passes.gathered(ids, stiffness)
    gram = np.zeros((d + 1, d + 1))
    for begin in range(0, len(ids), at_once):
        passes.check()
        here = np.arange(begin, min(begin + at_once, len(ids)), dtype=np.int64)
        heavy_columns.gram(rows, here, stiffness[here], gram)
    root, hessian = sample.radius or 1.0, np.zeros((d + 1, d + 1), dtype=dtype)
    heavy_columns.centred(gram, sample.centre, root, hessian)
    width = d + int(sample.affine)
    # The intercept has no penalty; without examples it has no curvature at all.
    hessian[d, d] = root * root * gram[d, d] if len(ids) else 1.0
    # The lower half by rows is the upper one by columns, as LAPACK reads them.
    return hessian[:width, :width].T


class Heavy:
    """The Hessian in the heaviest columns and the intercept, and its diagonal in the others.

    A few hundred frequent words have most of the weight of texts, and are what makes conjugate
    gradients slow. ``values`` and ``most`` say how many: see ``heaviest_columns``.
    ``rows`` is a copy of the examples.
    """

    def __init__(
        self, passes: Passes, ids: Ids, stiffness: Vector, *, values: float, most: int
    ) -> None:
        sample, d = passes.sample, passes.n_features
        self.centre, self.n_features = sample.centre, d
        self.rows, moments = passes.gathered(ids, stiffness)
        self.curves = Diagonal(passes, stiffness, moments, np.zeros(d)).curves
        self.heavy = heaviest_columns(moments[1], values * len(self.rows.data), most)
        k = len(self.heavy)
        gram = np.zeros((k + 1, k + 1))
        chosen = columns(self.rows, self.heavy, d)
        heavy_columns.gram(chosen, np.arange(len(ids), dtype=np.int64), stiffness, gram)
        gram[np.arange(k), np.arange(k)] += 1.0
        # Without an intercept its coordinate is alone, and without examples it has no curvature.
        gram[k, :k] *= float(sample.affine)
        gram[k, k] = gram[k, k] or 1.0
        self.units = 1.0 / np.sqrt(gram.diagonal())
        gram *= self.units[:, None] * self.units
        potrf, self.trsv = _routines(np.float32)
        self.factor, failed = potrf(gram.T.astype(np.float32), lower=0)
        if failed:
            # Rounding: the diagonal, which is 1 in these units, preconditions as well as it can.
            self.factor = np.eye(k + 1, dtype=np.float32, order="F")

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""
        d, k = self.n_features, len(self.heavy)
        shift = float(v[d:].sum())
        # Relative to the origin, where rows are sparse.
        right = v[:d] + shift * self.centre
        block = self.units * np.append(right[self.heavy], shift)
        length = float(np.abs(block).max()) or 1.0
        short = self.trsv(self.factor, (block / length).astype(np.float32), lower=0, trans=1)
        short = self.trsv(self.factor, short, lower=0, overwrite_x=1)
        block = self.units * (length * short.astype(np.float64))
        solution = np.empty_like(v)
        solution[:d] = right / self.curves
        solution[self.heavy] = block[:k]
        solution[d:] = block[k] + self.centre @ solution[:d]
        return solution


class Diagonal:
    """The diagonal of the Hessian, taken where the mean of the active examples is the origin.

    There the intercept's coordinate is independent of the others. It is enough for sparse rows,
    whose columns have little to do with each other, and for a first step on dense ones.
    """

    def __init__(self, passes: Passes, stiffness: Vector, moments: Vector, origin: Vector) -> None:
        """Take the moments of the active rows about an origin: their sum and that of squares."""
        sample = passes.sample
        first, second = moments
        self.n_features = passes.n_features
        self.total = float(stiffness.sum()) or 1.0
        self.mean = np.zeros(self.n_features)
        if sample.affine:
            # The second moments about the mean; for sparse columns nothing cancels, and for dense
            # ones the centre is among the examples.
            second = np.maximum(second - first**2 / self.total, 0.0)
            self.mean = first / self.total + (origin - sample.centre)
        self.curves = 1.0 + second

    @classmethod
    def of(cls, passes: Passes, ids: Ids, stiffness: Vector) -> "Diagonal":
        """Return the diagonal of the given examples, by a pass over them."""
        sample = passes.sample
        moments = np.zeros((2, passes.n_features))
        origin = np.zeros_like(sample.centre) if sample.is_sparse else sample.centre

        def add(part: Part) -> Vector:
            rows, here, those = part
            sums = np.zeros((2, passes.n_features))
            compiled.moments(rows, here, stiffness[those], origin, sums[0], sums[1])
            return sums

        for sums in passes.each(add, ids):
            moments += sums
        return cls(passes, stiffness, moments, origin)

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""
        d, solution = self.n_features, np.empty_like(v)
        shift = v[d:].sum()
        solution[:d] = (v[:d] - shift * self.mean) / self.curves
        solution[d:] = shift / self.total - self.mean @ solution[:d]
        return solution
