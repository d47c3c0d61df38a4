"""Polytopes given by inequalities; linear programs are solved by HiGHS.

An answer of HiGHS is not trusted. Its point is moved towards an interior point until it satisfies
every inequality, and its dual solution ``y >= 0`` bounds the support function by weak duality:
``u.x = y.Ax + r.x <= y.b + r.x`` with the residual ``r = u - A'y``, where ``r.x`` is at most
``r.x0 + |r|_1 R`` if every point of the polytope is within ``R`` of ``x0`` in each coordinate.
Such an ``R`` follows from nonnegative ``Y_j`` with ``A'Y_j`` close to the axis ``e_j`` (and to
``-e_j``) in the same way: ``R <= Y_j.(b - A x0) + |r_j|_1 R`` for the largest of them.
"""

from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import nearest_float, of_float
from novikoff.geometry.bodies.base import (
    LARGEST,
    Body,
    Exact,
    Extreme,
    Vector,
    as_matrix,
    as_vector,
    is_finite_vector,
)
from novikoff.geometry.exact import rational
from novikoff.geometry.rounding import dot_above, error_of, norm_above, up

_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
_ACTIVE = 1e-8
"""A constraint with less slack, relative to the size of the polytope, counts as active."""
_FLAT = 1e-9
"""A polytope that holds no ball of this radius, relative to its size, has no interior."""
_ROUNDS = 3
"""How often the centre is sought, each time around the last one."""
_EMPTY = "Polytope is empty: no point satisfies all inequalities."


class Polytope(Body):
    """The bounded set ``{x : A @ x <= b}``.

    Parameters
    ----------
    A : array-like of shape (m, dimension)
        The normals of the half-spaces.
    b : array-like of shape (m,)
        Their offsets.

    Raises
    ------
    ValueError
        If no point satisfies all inequalities, or if they do not bound the set.

    Examples
    --------
    >>> from novikoff.geometry import Polytope
    >>> triangle = Polytope([[-1.0, 0.0], [0.0, -1.0], [1.0, 1.0]], [0.0, 0.0, 1.0])
    >>> triangle.support([2.0, 1.0]).round(9)
    array([1., 0.])
    """

    def __init__(self, A: ArrayLike, b: ArrayLike) -> None:
        self.A = as_matrix(A, "Polytope: A")
        self.b = as_vector(b, "Polytope: b")
        if len(self.A) != len(self.b):
            raise ValueError(f"Polytope: A has {len(self.A)} rows and b {len(self.b)} values.")
        self.dimension = self.A.shape[1]
        # Powers of two bring the rows to one size without rounding.
        largest = np.abs(self.A).max(axis=1)
        self._powers = np.ldexp(1.0, -np.frexp(np.where(largest > 0.0, largest, 1.0))[1])
        with np.errstate(over="ignore", under="ignore"):
            self._rows = self.A * self._powers[:, None]
            self._bounds = self.b * self._powers
            exact = (self._bounds / self._powers == self.b).all()
        if not exact or np.abs(self._bounds).max() > LARGEST:
            raise ValueError("Polytope: b is too large or too small beside A; rescale a row.")
        self._positive = self._bounded()
        self._inner, self._depth, self._unit = self._centre()
        self._is_solid = self._depth > _FLAT * self.radius and bool((self._slacks[0] > 0.0).all())
        if not self._is_solid:
            # No point is known to satisfy all inequalities before a vertex exactly does.
            self.exact_point(self._repaired(self._inner)[2])

    def _bounded(self) -> Vector:
        """Return positive weights with which the normals combine to zero, or raise."""
        m = len(self._rows)
        found = linprog(
            np.ones(m), A_eq=self._rows.T, b_eq=np.zeros(self.dimension), bounds=(1.0, None)
        )
        rank = int(np.linalg.matrix_rank(self._rows))
        if found.status == 0 and rank == self.dimension:
            return np.asarray(found.x)
        self._centre()
        raise ValueError("Polytope is unbounded: it contains a ray, so no distance is certified.")

    def _centre(self) -> tuple[Vector, float, float]:
        """Return the centre of the largest ball inside, its radius, and a unit of length.

        The radius may be negative: by so much an empty polytope misses. HiGHS has absolute
        tolerances, so that the problem is solved again around the centre, in units of its slack.
        """
        norms = np.linalg.norm(self._rows, axis=1)
        if (self._bounds[norms == 0.0] < 0.0).any():
            raise ValueError(_EMPTY)
        cost = np.zeros(self.dimension + 1)
        cost[-1] = -1.0
        inner, radius, slack = np.zeros(self.dimension), 0.0, self._bounds
        unit = _power(float(np.abs(slack).max()))
        for _ in range(_ROUNDS):
            found = linprog(
                cost,
                A_ub=np.column_stack([self._rows, norms]),
                b_ub=slack / unit,
                bounds=[*((None, None),) * self.dimension, (None, 1e3)],
            )
            if found.status != 0:
                raise ValueError(f"Polytope: HiGHS could not find a point of it: {found.message}")
            inner, radius = inner + unit * found.x[:-1], unit * float(found.x[-1])
            slack = self._bounds - self._rows @ inner
            across = np.abs(slack[norms > 0.0]) / norms[norms > 0.0]
            unit = _power(max(float(np.median(across)), abs(radius)))
        if radius < -_FLAT * float(across.max()):
            raise ValueError(_EMPTY)
        return inner, radius, unit

    @cached_property
    def _slacks(self) -> tuple[Vector, Vector]:
        """Bounds from below and from above on the slack of the inner point."""
        slack = self._bounds - self._rows @ self._inner
        moduli = np.abs(self._bounds) + np.abs(self._rows) @ np.abs(self._inner)
        error = 2.0 * error_of(moduli, self.dimension + 1)
        return slack - error, slack + error

    @cached_property
    def radius(self) -> float:
        """A proved bound on the difference of any point from the inner one in a coordinate."""
        inverse = np.linalg.pinv(self._rows).T
        most, worst = 0.0, 0.0
        for j in range(self.dimension):
            for sign in (1.0, -1.0):
                y = sign * inverse[:, j]
                y = y + self._positive * max(0.0, float((-y / self._positive).max()))
                axis = np.zeros(self.dimension)
                axis[j] = sign
                y, residual = self._residual(axis, np.maximum(y, 0.0))
                most = max(most, dot_above(y, self._slacks[1]))
                worst = max(worst, residual)
        if worst >= 0.5:
            raise ValueError("Polytope: its normals are too nearly dependent to bound it.")
        return up(most / (1.0 - 2.0 * worst))

    def _residual(self, direction: Vector, y: Vector) -> tuple[Vector, float]:
        """Return ``y`` and a bound on the sum of the moduli of ``direction - A'y``."""
        rest = direction - y @ self._rows
        moduli = np.abs(direction) + y @ np.abs(self._rows)
        error = 2.0 * error_of(moduli, len(y) + 1)
        total = float((np.abs(rest) + error).sum())
        return y, up(total + error_of(total, self.dimension))

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        return norm_above(np.abs(self._inner) + self.radius)

    def _solve(self, direction: Vector) -> tuple[Vector, Vector]:
        """Return the extreme point and the dual solution that HiGHS finds."""
        size = float(np.abs(direction).max())
        found = linprog(
            -direction / size,
            A_ub=self._rows,
            b_ub=(self._bounds - self._rows @ self._inner) / self._unit,
            bounds=(None, None),
            method="highs-ds",
            options=_OPTIONS,
        )
        if found.status != 0:
            raise ValueError(f"Polytope: HiGHS could not solve a linear program: {found.message}")
        y = np.maximum(-found.ineqlin.marginals, 0.0)
        return self._inner + self._unit * np.asarray(found.x), size * y

    def extreme(self, direction: Vector) -> Extreme:
        """Solve a linear program, and repair its answer."""
        if not direction.any():
            point, error, label = self._repaired(self._inner)
            return Extreme(point, error, 0.0, label)
        x, y = self._solve(direction)
        y, residual = self._residual(direction, y)
        value = dot_above(direction, self._inner) + dot_above(y, self._slacks[1])
        value = up(up(value) + up(residual * self.radius))
        point, error, label = self._repaired(x)
        return Extreme(point, error, value, label)

    def _repaired(self, x: Vector) -> tuple[Vector, float, Any]:
        """Return a point that satisfies all inequalities; of a flat polytope, an exact vertex."""
        if self._is_solid:
            over = np.maximum(self._excess(x, 4.0), 0.0)
            theta = float((over / (over + self._slacks[0])).max())
            point = x
            while theta < 1.0:
                point = x + theta * (self._inner - x)
                if (self._excess(point, 1.0) <= 0.0).all():
                    return point, 0.0, point
                theta = max(2.0 * theta, 2.0**-52)
            return self._inner, 0.0, self._inner
        rows = self._basis(x, np.zeros(len(self.b)))
        try:
            exact = self.exact_point(rows)
        except CertificateError:
            raise ValueError(
                "Polytope is empty, or so thin that floating-point numbers find no point of it."
            ) from None
        floats, error = rational.float_vector(exact)
        return floats, error, rows

    def _excess(self, x: Vector, times: float) -> Vector:
        """Return upper bounds on ``A x - b``, with so many times the rounding error."""
        moduli = np.abs(self._bounds) + np.abs(self._rows) @ np.abs(x)
        error = 2.0 * error_of(moduli, self.dimension + 1)
        excess: Vector = self._rows @ x - self._bounds + times * error
        return excess

    def _basis(self, x: Vector, y: Vector) -> tuple[int, ...]:
        """Return independent constraints that are active, those with a dual value first."""
        slack = self._bounds - self._rows @ x
        near = np.flatnonzero((slack <= _ACTIVE * self.radius) | (y > 0.0))
        near = near[np.lexsort((slack[near], -y[near]))]
        # Columns in order of preference: a QR factorisation keeps the first independent ones.
        chosen: list[int] = []
        basis = np.empty((0, self.dimension))
        for i in near:
            rest = self._rows[i] - (basis @ self._rows[i]) @ basis
            rest = rest - (basis @ rest) @ basis
            length = float(np.linalg.norm(rest))
            if length > 1e-9 * float(np.linalg.norm(self._rows[i])):
                basis = np.vstack([basis, rest / length])
                chosen.append(int(i))
            if len(chosen) == self.dimension:
                break
        return tuple(chosen)

    def _vertex(self, rows: tuple[int, ...]) -> Exact:
        """Return the exact solution of these constraints as equations."""
        if len(rows) != self.dimension or not all(i in range(len(self.b)) for i in rows):
            raise CertificateError("a vertex is named by something else than one row a dimension")
        matrix = fmpq_mat([rational.rational_vector(self.A[i]) for i in rows])
        right = fmpq_mat([[of_float(float(self.b[i]))] for i in rows])
        try:
            return [row[0] for row in matrix.solve(right).tolist()]
        except (ZeroDivisionError, ValueError):
            raise CertificateError("the constraints of a vertex have no single solution") from None

    def recall(self, label: Any) -> tuple[Vector, float] | None:
        """Return a feasible point, or the vertex of a basis."""
        if isinstance(label, tuple):
            return rational.float_vector(self._vertex(label))
        if not is_finite_vector(label, self.dimension):
            return None
        inside = bool((self._excess(label, 1.0) <= 0.0).all())
        return (label, 0.0) if inside else None

    def exact_point(self, label: Any) -> Exact:
        """Return a point in rationals, once every inequality is checked exactly."""
        if isinstance(label, tuple):
            point = self._vertex(label)
        else:
            if not is_finite_vector(label, self.dimension):
                raise CertificateError("a point of a polytope is named by something else")
            point = rational.rational_vector(label)
        for i, (row, most) in enumerate(zip(self.A, self.b, strict=True)):
            if rational.rational_dot(point, row) > of_float(float(most)):
                raise CertificateError(f"a point of a polytope violates its inequality {i}")
        return point

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Bound the support function by the exact dual solution of a basis.

        Where a basis has a negative dual value, it is dropped, and the residual is bounded by the
        polytope's radius.
        """
        if not any(direction):
            return fmpq(0)
        if not hint.any():
            hint = np.array([nearest_float(a) for a in direction])
        x, y = self._solve(hint)
        rows = self._basis(x, np.where(y > 1e-12 * y.max(), y, 0.0))
        if len(rows) == self.dimension:
            transposed = fmpq_mat([rational.rational_vector(self.A[i]) for i in rows]).transpose()
            try:
                solved = transposed.solve(fmpq_mat([[a] for a in direction])).tolist()
            except ZeroDivisionError:
                solved = [[fmpq(0)]] * len(rows)
            exact = [max(value[0], fmpq(0)) for value in solved]
        else:
            exact = rational.rational_vector(y[list(rows)] * self._powers[list(rows)])
        rest = list(direction)
        total = fmpq(0)
        for a, i in zip(exact, rows, strict=True):
            total += a * of_float(float(self.b[i]))
            normal = rational.rational_vector(self.A[i])
            rest = [r - a * value for r, value in zip(rest, normal, strict=True)]
        if any(rest):
            total += rational.rational_dot(rest, self._inner)
            total += sum((abs(r) for r in rest), fmpq(0)) * of_float(self.radius)
        return total


def _power(size: float) -> float:
    """Return the power of two near a length; 1 for 0."""
    return float(np.ldexp(1.0, int(np.frexp(size)[1]))) if size > 0.0 else 1.0
