"""Reading one example in place: a row of a C-ordered matrix, or of a :class:`CSR` matrix.

Dense elements are float64, float32 or uint8. Sums are computed in float64 for every type of
element. The summation order of a row depends on its length only, so a row gives the same result at
any position. To support another storage, add a named type and a line in :func:`kernel_for`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from novikoff.certificate.kernels import is_array, overload

# Reassociation lets the compiler vectorise the sums. The certificate checks every claim again with
# a proven error bound, so the order of summation does not matter for correctness.
SUMS = {"reassoc", "contract", "nsz"}
# A squared distance below this share of |centre|^2 has lost three digits or more to cancellation,
# and is computed again without cancellation.
SAFE_SHARE = 1e-3


class CSR(NamedTuple):
    """The arrays of a matrix in compressed sparse rows, as scipy names them."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


Rows: TypeAlias = Any
"""A C-ordered matrix, or :class:`CSR`."""
Kernel: TypeAlias = Callable[..., Any]


def kernel_for(rows: Any, dense: Kernel, csr: Kernel) -> Kernel:
    """Return the kernel for the type of ``rows``; ``rows`` may also be a numba type."""
    if is_array(rows):
        return dense
    if getattr(rows, "instance_class", type(rows)) is CSR:
        return csr
    raise TypeError(f"rows must be an array or CSR, not {type(rows).__name__}.")


def _dense_dot(rows: np.ndarray, i: int, w: np.ndarray) -> float:
    total = 0.0
    for j in range(rows.shape[1]):
        total += rows[i, j] * w[j]
    return total


def _csr_dot(rows: CSR, i: int, w: np.ndarray) -> float:
    data, indices, indptr = rows
    total = 0.0
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        total += data[k] * w[np.uint64(indices[k])]
    return total


def _dense_add(
    rows: np.ndarray, i: int, step: float, w: np.ndarray, centre: np.ndarray, at: np.ndarray
) -> float:
    along = 0.0
    for j in range(rows.shape[1]):
        w[j] += step * (rows[i, j] - centre[j])
        along += w[j] * centre[j]
    return along


def _csr_add(
    rows: CSR, i: int, step: float, w: np.ndarray, centre: np.ndarray, at: np.ndarray
) -> float:
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        w[np.uint64(indices[k])] += step * data[k]
    along = 0.0
    for k in range(at.shape[0]):
        j = at[k]
        w[j] -= step * centre[j]
        along += w[j] * centre[j]
    return along


def _dense_distance2(rows: np.ndarray, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    total = 0.0
    for j in range(rows.shape[1]):
        difference = rows[i, j] - centre[j]
        total += difference * difference
    return total


def _csr_distance2(rows: CSR, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    data, indices, indptr = rows
    begin, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
    total = 0.0
    missed = 0.0
    for p in range(at.shape[0]):
        missed += centre[at[p]] * centre[at[p]]
    whole = missed
    for k in range(begin, end):
        o = centre[np.uint64(indices[k])]
        total += (data[k] - o) * (data[k] - o)
        missed -= o * o
    if total + missed > SAFE_SHARE * whole:
        return total + missed
    # The row is close to a centre that is far from the origin: |centre|^2 minus its part in the
    # columns of the row would lose all digits. Merge the sorted columns of both and add the square
    # of every one that the row misses.
    q = begin
    for p in range(at.shape[0]):
        j = at[p]
        while q < end and indices[q] < j:
            q += np.uint64(1)
        if q == end or indices[q] != j:
            total += centre[j] * centre[j]
    return total


def dot(rows: Rows, i: int, w: np.ndarray) -> float:
    """Return ``x_i . w``; for compiled code."""
    return _dot(rows, i, w)(rows, i, w)


@overload(dot, jit_options={"fastmath": SUMS})
def _dot(rows: Any, i: Any, w: Any) -> Callable[..., float]:
    return kernel_for(rows, _dense_dot, _csr_dot)


def add(
    rows: Rows, i: int, step: float, w: np.ndarray, centre: np.ndarray, at: np.ndarray
) -> float:
    """Add ``step * (x_i - centre)`` to ``w`` and return the new ``w . centre``; for compiled code.

    ``at`` lists the columns in which the centre is not zero; only sparse rows need it.
    """
    return _add(rows, i, step, w, centre, at)(rows, i, step, w, centre, at)


@overload(add, jit_options={"fastmath": SUMS})
def _add(rows: Any, i: Any, step: Any, w: Any, centre: Any, at: Any) -> Callable[..., float]:
    return kernel_for(rows, _dense_add, _csr_add)


def distance2(rows: Rows, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    """Return ``|x_i - centre|^2``, computed from ``x_i - centre``; for compiled code."""
    return _distance2(rows, i, centre, at)(rows, i, centre, at)


@overload(distance2, jit_options={"fastmath": SUMS})
def _distance2(rows: Any, i: Any, centre: Any, at: Any) -> Callable[..., float]:
    return kernel_for(rows, _dense_distance2, _csr_distance2)
