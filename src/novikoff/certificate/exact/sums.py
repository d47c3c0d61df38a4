"""Sums over rows, each with the same sum over absolute values: by numpy, or compiled for more rows.

The order of a sum may be any, which the error bound of :mod:`novikoff.certificate.exact.filter`
allows. numpy's ``einsum`` sums in the thread that calls it, whose mode has been checked.
"""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Floats = npt.NDArray[np.float64]

SMALL = 1 << 17
"""Up to this many values numpy sums, as it hashes (see
:data:`novikoff.certificate.examples.hashing.SMALL`): in 0.3 ms at this size, compiled in 0.1."""

FEW = 1 << 14
"""Up to this many where compiled loops are used already, as in a fit. A first fit of a small table
then compiles less. The weighted sum of 50,000 values in 5,000 sparse rows takes 1.0 ms with scipy,
and compiled 0.1."""


def suits_numpy(n_values: int, most: int, few: int = FEW) -> bool:
    """Whether numpy computes what compiled loops compute for more than ``most`` values.

    Where compiled loops are used already, for more than ``few`` of them.
    """
    return n_values <= (min(few, most) if uses_compiled() else most)


def uses_compiled() -> bool:
    """Whether compiled loops are used already, as in a fit."""
    return "novikoff.certificate.kernels" in sys.modules


def dense_sums(values: Any, w: Floats) -> tuple[Floats, Floats]:
    """The inner products of the rows of an array with ``w``."""
    if values.size <= SMALL:
        return _product("ij,j->i", values, w), _product("ij,j->i", np.abs(values), np.abs(w))
    from novikoff.certificate.exact import compiled_sums

    sums, magnitudes = np.empty(len(values)), np.empty(len(values))
    compiled_sums.dense_sums(read_only(values), read_only(w), sums, magnitudes)
    return sums, magnitudes


def sparse_sums(data: Any, indices: Any, ends: Any, w: Floats) -> tuple[Floats, Floats]:
    """The inner products of the rows of a CSR block with ``w``."""
    if suits_numpy(data.size, SMALL):
        rows = sparse.csr_array((data, indices, ends), shape=(ends.size - 1, w.size))
        return rows @ w, abs(rows) @ np.abs(w)
    from novikoff.certificate.exact import compiled_sums

    sums, magnitudes = np.empty(ends.size - 1), np.empty(ends.size - 1)
    arrays = map(read_only, (data, indices, ends, w))
    compiled_sums.sparse_sums(*arrays, sums, magnitudes)
    return sums, magnitudes


def dense_combine(values: Any, at: Any, weights: Floats) -> tuple[Floats, Floats]:
    """The weighted sum of the rows of an array at these places; by default, of all."""
    if weights.size * values.shape[1] <= SMALL:
        rows = values if at is None else values[at]
        total = _product("i,ij->j", weights, rows)
        return total, _product("i,ij->j", np.abs(weights), np.abs(rows))
    from novikoff.certificate.exact import compiled_sums

    at = np.arange(len(values)) if at is None else at
    totals, magnitudes = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    arrays = map(read_only, (values, at, weights))
    compiled_sums.dense_combine(*arrays, totals, magnitudes)
    return totals, magnitudes


def sparse_combine(
    data: Any, indices: Any, ends: Any, at: Any, weights: Floats, n_columns: int
) -> tuple[Floats, Floats]:
    """The weighted sum of the rows of CSR arrays at these places."""
    if suits_numpy(data.size, SMALL):
        rows = sparse.csr_array((data, indices, ends), shape=(ends.size - 1, n_columns))[at]
        return rows.T @ weights, abs(rows).T @ np.abs(weights)
    from novikoff.certificate.exact import compiled_sums

    totals, magnitudes = np.zeros(n_columns), np.zeros(n_columns)
    arrays = map(read_only, map(np.ascontiguousarray, (data, indices, ends, at, weights)))
    compiled_sums.sparse_combine(*arrays, totals, magnitudes)
    return totals, magnitudes


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A read-only view: read-only and writable arrays then share one compiled loop."""
    view = array.view()
    view.flags.writeable = False
    return view


def _product(subscripts: str, left: Any, right: Any) -> Floats:
    product: Floats = np.einsum(subscripts, left, right, dtype=np.float64, casting="safe")
    return product
