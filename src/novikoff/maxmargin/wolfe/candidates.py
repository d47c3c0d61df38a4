"""The signed, centred rows of candidates: dense, sparse, or extended for precise work."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.sample import Sample

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


class GramRows(Protocol):
    """Candidates by position, known by their products."""

    def add(self, ids: Ids) -> Vector:
        """Take examples in; return the products of all candidates with the new ones."""

    def combine(self, positions: Ids, weights: Vector) -> Vector:
        """Return the sum of ``weights * z``."""


class DenseRows:
    """Candidates as float64 rows."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self._buffer = np.empty((0, sample.storage.width))
        self.z = self._buffer

    def add(self, ids: Ids) -> Vector:
        """Take examples in; return the products of all candidates with the new ones."""
        new = self.sample.signed_rows(ids)
        # A matrix times its own transpose takes half the work.
        products = new @ new.T
        if len(self.z):
            products = np.vstack([self.z @ new.T, products])
        self._buffer, self.z = appended(self._buffer, self.z, new)
        return products

    def combine(self, positions: Ids, weights: Vector) -> Vector:
        """Return the sum of ``weights * z``."""
        if 2 * len(positions) < len(self.z):
            total: Vector = weights @ self.z[positions]
            return total
        spread = np.zeros(len(self.z))
        spread[positions] = weights
        return np.asarray(spread @ self.z)


class SparseRows:
    """Candidates as CSR rows; the centre is subtracted from products, not from rows."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.signed: Any = sparse.csr_matrix((0, sample.storage.width))
        self.signs = np.empty(0)
        self.along = np.empty(0)

    def add(self, ids: Ids) -> Vector:
        """Take examples in; return the products of all candidates with the new ones."""
        signs = self.sample.signs[ids].astype(np.float64)
        new = sparse.diags_array(signs) @ self.sample.matrix(ids)
        self.signed = sparse.vstack([self.signed, new], format="csr")
        # y y' (x - c).(x' - c) = z.z' - y' z.c - y z'.c + y y' c.c
        centre = self.sample.centre
        along = new @ centre
        self.along = np.concatenate([self.along, along])
        self.signs = np.concatenate([self.signs, signs])
        products = np.asarray((self.signed @ new.T).todense())
        products -= np.outer(self.along, signs) + np.outer(self.signs, along)
        products += np.outer(self.signs, signs) * (centre @ centre)
        return products

    def combine(self, positions: Ids, weights: Vector) -> Vector:
        """Return the sum of ``weights * z``."""
        total = np.asarray(weights @ self.signed[positions]).ravel()
        return np.asarray(total - (weights @ self.signs[positions]) * self.sample.centre)


class ExtendedRows:
    """Candidates as dense rows with a coordinate for each of two classes, columns scaled.

    :mod:`novikoff.compiled.factor` orthogonalises these when it works on the vectors themselves.
    """

    def __init__(self, sample: Sample, scale: Vector, unit: float) -> None:
        self.sample = sample
        self.scale = scale
        self.root = np.sqrt(unit)
        self._buffer = np.empty((0, len(scale) + 2))
        self.z = self._buffer

    def add(self, ids: Ids) -> None:
        """Take examples in."""
        new = np.zeros((len(ids), self.z.shape[1]))
        new[:, :-2] = self.sample.signed_rows(ids) * self.scale
        second = self.sample.affine & (self.sample.signs[ids] < 0)
        new[:, -2] = np.where(second, 0.0, self.root)
        new[:, -1] = np.where(second, self.root, 0.0)
        self._buffer, self.z = appended(self._buffer, self.z, new)


def appended(buffer: Vector, filled: Vector, new: Vector) -> tuple[Vector, Vector]:
    """Return a buffer that holds the filled rows and the new ones, and its filled part."""
    count = len(filled) + len(new)
    if not len(buffer):
        return new, new
    if count > len(buffer):
        buffer = grown(buffer, max(count, 2 * len(buffer)))
    buffer[len(filled) : count] = new
    return buffer, buffer[:count]


def grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return a longer copy, zero at its end."""
    longer = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
