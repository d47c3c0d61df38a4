"""Conjugate gradients on few sparse rows, which are first gathered in one place.

The equation is that of Newton's method for the soft margin: ``H v = (right, 0)`` with the Hessian
``H = I + sum D_i x_i x_i^T`` over active examples, relative to a centre; where there is an
intercept it has one coordinate more, in which every example is 1 and ``I`` is 0. The rows are a
small part of the data, scattered over it, and read many times.
"""

from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.blocks import gather
from novikoff.compiled.rows import CSR, SUMS, dot


@njit()
def gather_rows(
    rows: CSR,
    order: np.ndarray,
    stiffness: np.ndarray,
    ends: np.ndarray,
    data: np.ndarray,
    indices: np.ndarray,
    moments: np.ndarray,
) -> None:
    """Copy sparse rows; ``ends[p]`` is where the values of row ``order[p]`` begin.

    Also add their sum, weighted by the stiffness, and that of their squares to ``moments``.
    """
    first, second = moments[0], moments[1]
    for p in range(order.shape[0]):
        q, step = np.uint64(ends[p]), stiffness[p]
        for k in range(np.uint64(rows.indptr[order[p]]), np.uint64(rows.indptr[order[p] + 1])):
            j, value = np.uint64(rows.indices[k]), np.float64(rows.data[k])
            data[q], indices[q] = value, j
            q += np.uint64(1)
            first[j] += step * value
            second[j] += step * value * value


class Equation(NamedTuple):
    """Newton's equation: its examples, and the diagonal that preconditions it."""

    rows: CSR
    """The active examples, those of the positive class first."""
    n_positive: int
    stiffness: np.ndarray
    centre: np.ndarray
    curves: np.ndarray
    """The second derivatives along the features about the mean of the active examples ..."""
    mean: np.ndarray
    """... which is given relative to the centre."""
    total: float
    """The sum of the stiffness, the second derivative along the intercept; 0 without one."""


class Until(NamedTuple):
    """When conjugate gradients end."""

    forcing: float
    """How far the residual must fall, in units of what it was."""
    enough2: float
    """A squared residual that suffices, but for the intercept's coordinate; 0: none does."""
    near: float
    """Within so many times ``enough2`` they go on until that is reached."""
    most: int
    """The most products."""


@njit(inner=True, fastmath=SUMS)
def _precondition(
    equation: Equation, v: np.ndarray, shift: float, out: np.ndarray
) -> tuple[float, float]:
    """Write the diagonal's inverse times ``(v, shift)``; return its last entry and the product."""
    along, size = 0.0, 0.0
    for j in range(v.shape[0]):
        out[j] = (v[j] - shift * equation.mean[j]) / equation.curves[j]
        along += equation.mean[j] * out[j]
        size += v[j] * out[j]
    last = shift / equation.total - along if equation.total > 0.0 else 0.0
    return last, size + shift * last


@njit(fastmath=SUMS)
def conjugate_gradients(
    equation: Equation,
    right: np.ndarray,
    until: Until,
    solution: np.ndarray,
    speeds: np.ndarray,
    images: np.ndarray,
) -> tuple[float, int]:
    """Solve Newton's equation, nearly; return the change of the offset and the products taken.

    Adds to ``solution`` the change of ``w``, to ``speeds`` the change of ``w . (x - centre)`` plus
    offset of each example, and to ``images`` the sum of ``D speed x`` over those of either class.
    """
    rows, n_positive, stiffness, centre, _, _, whole = equation
    d, n, affine = right.shape[0], stiffness.shape[0], whole > 0.0
    residual, direction = right.copy(), np.empty(d)
    preconditioned, sums, speed = np.empty(d), np.empty((2, d)), np.empty(n)
    offset, residual_last = 0.0, 0.0
    last, size = _precondition(equation, residual, residual_last, direction)
    least, products = until.forcing * until.forcing * size, 0
    while products < until.most:
        if products:
            left2 = 0.0
            for j in range(d):
                left2 += residual[j] * residual[j]
            if until.enough2 == 0.0 or not size > 0.0:
                if not size > least:
                    break
            elif left2 <= until.enough2 or (size <= least and left2 > until.near * until.enough2):
                break
        shift = last
        for j in range(d):
            shift -= direction[j] * centre[j]
        sums[:] = 0.0
        total = 0.0
        for p in range(n):
            speed[p] = dot(rows, p, direction) + shift
            t = stiffness[p] * speed[p]
            total += t
            gather(rows, p, t, sums[0 if p < n_positive else 1])
        curve = last * total if affine else 0.0
        for j in range(d):
            preconditioned[j] = direction[j] + sums[0, j] + sums[1, j] - total * centre[j]
            curve += direction[j] * preconditioned[j]
        if not 0.0 < curve < np.inf:
            break
        length = size / curve
        offset += length * last
        for j in range(d):
            solution[j] += length * direction[j]
            residual[j] -= length * preconditioned[j]
            images[0, j] += length * sums[0, j]
            images[1, j] += length * sums[1, j]
        if affine:
            residual_last -= length * total
        for p in range(n):
            speeds[p] += length * speed[p]
        before = size
        preconditioned_last, size = _precondition(equation, residual, residual_last, preconditioned)
        for j in range(d):
            direction[j] = preconditioned[j] + (size / before) * direction[j]
        last = preconditioned_last + (size / before) * last
        products += 1
    return offset, products
