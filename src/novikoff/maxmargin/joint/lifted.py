"""The examples as searches in the model's own coordinates read them, dense or sparse."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from novikoff.maxmargin.joint.problem import Vector
from novikoff.sample import Sample


class Lifted(Protocol):
    """Examples relative to a shift, in the order of the sample."""

    @property
    def shift(self) -> Vector:
        """Their mean, which makes intercepts nearly independent of vectors, or the centre."""
        ...

    def products(self, vectors: Vector) -> Vector:
        """Return ``(x - shift) . vectors``, a column for each class."""
        ...

    def sums(self, shares: Vector) -> Vector:
        """Return ``sum (x - shift) shares``, a column for each class."""
        ...

    def mean_length2(self) -> float:
        """Return the mean of ``|x - shift|^2``."""
        ...


@dataclass(frozen=True)
class DenseRows:
    """An array, whose last column is 1 where there are intercepts."""

    rows: Vector
    shift: Vector

    @classmethod
    def of(cls, sample: Sample) -> "DenseRows":
        """Copy the examples of a sample, sparse ones too."""
        rows = sample.matrix(sample.order)
        rows = np.asarray(rows.toarray() if sample.is_sparse else rows, dtype=np.float64)
        n, d = rows.shape
        shift = rows.mean(axis=0) if sample.affine else sample.centre
        lifted = np.ones((n, d + int(sample.affine)))
        np.subtract(rows, shift, out=lifted[:, :d])
        return cls(lifted, shift)

    def products(self, vectors: Vector) -> Vector:
        """Return ``(x - shift) . vectors``."""
        return np.asarray(self.rows[:, : len(self.shift)] @ vectors)

    def sums(self, shares: Vector) -> Vector:
        """Return ``sum (x - shift) shares``."""
        return np.asarray(self.rows[:, : len(self.shift)].T @ shares)

    def mean_length2(self) -> float:
        """Return the mean of ``|x - shift|^2``."""
        return float((self.rows[:, : len(self.shift)] ** 2).sum()) / len(self.rows)


@dataclass(frozen=True)
class SparseRows:
    """A CSR matrix as it stands, with the columns of each row in order."""

    rows: Any
    shift: Vector

    @classmethod
    def of(cls, sample: Sample) -> "SparseRows":
        """Copy the sparse examples of a sample."""
        rows = sample.matrix(sample.order)
        rows.sort_indices()
        shift = np.asarray(rows.mean(axis=0)).ravel() if sample.affine else sample.centre
        return cls(rows, shift)

    def some(self, ids: Any) -> "SparseRows":
        """Return some of the examples, relative to the same shift."""
        return SparseRows(self.rows[ids], self.shift)

    def products(self, vectors: Vector) -> Vector:
        """Return ``(x - shift) . vectors``."""
        return np.asarray(self.rows @ vectors - self.shift @ vectors)

    def sums(self, shares: Vector) -> Vector:
        """Return ``sum (x - shift) shares``."""
        return np.asarray(self.rows.T @ shares - np.outer(self.shift, shares.sum(axis=0)))

    def mean_length2(self) -> float:
        """Return the mean of ``|x - shift|^2``."""
        n = self.rows.shape[0]
        squares = float(self.rows.data @ self.rows.data) / n
        about = np.asarray(self.rows.mean(axis=0)).ravel()
        return float(squares + self.shift @ (self.shift - 2.0 * about))
