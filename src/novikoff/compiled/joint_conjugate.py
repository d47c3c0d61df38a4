"""Products with the Hessian of several classes on sparse rows, for conjugate gradients.

An example whose own class and ``m`` others are active has the second derivatives of
:func:`~novikoff.compiled.joint_newton.active_classes`: squares of differences of two scores. So of
each example only the scores of its active classes are computed, mostly two whatever the number of
classes is.
"""

from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.joint_newton import Loss, active_classes
from novikoff.compiled.rows import CSR, SUMS


class Curved(NamedTuple):
    """The examples whose hinges curve, and how; the own class is the first of each."""

    ids: np.ndarray
    starts: np.ndarray
    """Where the classes of each example begin, and where those of the last end."""
    classes: np.ndarray
    own: np.ndarray
    """The curve to the own class, for each example."""
    other: np.ndarray
    """The curve between two other classes."""


@njit()
def curved_examples(
    weights: np.ndarray, codes: np.ndarray, stiff: np.ndarray, rho: float, loss: Loss, out: Curved
) -> tuple[int, int]:
    """Write the examples whose hinges curve; return how many they are, and their classes."""
    n, k = weights.shape
    found = np.empty(k, np.int64)
    count, end = 0, 0
    for i in range(n):
        y = codes[i]
        m, own, other = active_classes(weights[i], y, stiff[i], rho, loss, found)
        # Where the own class does not matter, one other has no difference to curve along.
        if m == 0 or (own == 0.0 and (m < 3 or other == 0.0)):
            continue
        out.ids[count], out.starts[count] = i, end
        out.own[count], out.other[count] = own, other
        out.classes[end] = y
        end += 1
        for j in range(m):
            if found[j] != y:
                out.classes[end] = found[j]
                end += 1
        count += 1
    out.starts[count] = end
    return count, end


@njit(fastmath=SUMS)
def curvature_product(
    rows: CSR,
    curved: Curved,
    shift: np.ndarray,
    direction: np.ndarray,
    sums: np.ndarray,
    totals: np.ndarray,
) -> None:
    """Add ``sum x t^T`` and ``sum t`` over the examples, ``t`` the curvature times their speeds.

    The speed of a class is ``x . direction[:, k] + shift[k]``.
    """
    data, indices, indptr = rows
    k = shift.shape[0]
    speeds, pulls = np.empty(k), np.empty(k)
    for p in range(curved.ids.shape[0]):
        i = curved.ids[p]
        those = curved.classes[curved.starts[p] : curved.starts[p + 1]]
        m = those.shape[0]
        begin, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        if m == 2:
            a, b = np.uint64(those[0]), np.uint64(those[1])
            lead = shift[a] - shift[b]
            for q in range(begin, end):
                vector = direction[np.uint64(indices[q])]
                lead += data[q] * (vector[a] - vector[b])
            pull = curved.own[p] * lead
            for q in range(begin, end):
                out, step = sums[np.uint64(indices[q])], pull * data[q]
                out[a] += step
                out[b] -= step
            totals[a] += pull
            totals[b] -= pull
            continue
        for j in range(m):
            speeds[j] = shift[those[j]]
        for q in range(begin, end):
            vector, value = direction[np.uint64(indices[q])], data[q]
            for j in range(m):
                speeds[j] += value * vector[those[j]]
        others = 0.0
        for j in range(1, m):
            others += speeds[j]
        own, other = curved.own[p], curved.other[p]
        pulls[0] = own * ((m - 1) * speeds[0] - others)
        for j in range(1, m):
            pulls[j] = own * (speeds[j] - speeds[0]) + other * ((m - 1) * speeds[j] - others)
        for q in range(begin, end):
            out, value = sums[np.uint64(indices[q])], data[q]
            for j in range(m):
                out[those[j]] += value * pulls[j]
        for j in range(m):
            totals[those[j]] += pulls[j]


@njit(fastmath=SUMS)
def class_moments(
    rows: CSR,
    curved: Curved,
    places: np.ndarray,
    blocks: np.ndarray,
    firsts: np.ndarray,
    seconds: np.ndarray,
    totals: np.ndarray,
) -> float:
    """Add the moments of the examples, weighted by the second derivative along each class.

    ``places`` is where a column is in ``blocks``, -1 for none; these hold the products of two
    columns, on and below the diagonal, for each class. ``firsts`` and ``seconds`` are sums of
    values and of their squares, a row for each column, ``totals`` those of the derivatives.
    Returns how many products of two values there were.
    """
    data, indices, indptr = rows
    held, values = np.empty(places.shape[0], np.int64), np.empty(places.shape[0])
    work = 0.0
    for p in range(curved.ids.shape[0]):
        i = curved.ids[p]
        those = curved.classes[curved.starts[p] : curved.starts[p + 1]]
        m = those.shape[0]
        count = 0
        for q in range(indptr[i], indptr[i + 1]):
            if places[indices[q]] >= 0:
                held[count], values[count] = places[indices[q]], data[q]
                count += 1
        work += 0.5 * m * count * count
        for j in range(m):
            k = those[j]
            curve = (m - 1) * curved.own[p]
            if j > 0:
                curve = curved.own[p] + (m - 2) * curved.other[p]
            totals[k] += curve
            for q in range(indptr[i], indptr[i + 1]):
                step = curve * data[q]
                firsts[indices[q], k] += step
                seconds[indices[q], k] += step * data[q]
            block = blocks[k]
            for a in range(count):
                step, out = curve * values[a], block[held[a]]
                for b in range(a + 1):
                    out[held[b]] += step * values[b]
    return work


@njit()
def column_squares(rows: CSR, ids: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Add the squares of the values of some rows to their columns; return these."""
    data, indices, indptr = rows
    for p in range(ids.shape[0]):
        for q in range(indptr[ids[p]], indptr[ids[p] + 1]):
            out[indices[q]] += data[q] * data[q]
    return out
