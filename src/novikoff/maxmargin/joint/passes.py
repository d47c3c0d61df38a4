"""Passes over the examples for all classes at once: scores and weighted sums, by blocks of rows."""

from typing import Any

import numpy as np
from scipy import sparse

from novikoff.maxmargin.passes import Ids, Part, Passes, Vector
from novikoff.sample import Sample


def block(sample: Sample, ids: Ids) -> Any:
    """Return rows as float64 numbers, dense or CSR; without a copy where they lie together."""
    matrix = sample.storage.matrix
    if len(ids) and ids[-1] - ids[0] == len(ids) - 1 and (np.diff(ids) == 1).all():
        return matrix[int(ids[0]) : int(ids[-1]) + 1].astype(np.float64, copy=False)
    return sample.matrix(ids)


def products(passes: Passes, ids: Ids, vectors: Vector, along: Vector) -> Vector:
    """Return ``x . vectors[k] - along[k]`` of the given examples, a column for each class."""
    out = np.empty((len(ids), len(vectors)))
    columns = np.ascontiguousarray(vectors.T)

    def fill(part: Part) -> None:
        those = part[2]
        out[those] = block(passes.sample, ids[those]) @ columns - along

    for _ in passes.each(fill, ids):
        pass
    return out


def weighted_sums(passes: Passes, ids: Ids, shares: Vector) -> Vector:
    """Return ``sum_i shares[i, k] x_i``, a row for each class ``k``."""
    total = np.zeros((shares.shape[1], passes.n_features))

    def add(part: Part) -> Vector:
        those = part[2]
        rows = block(passes.sample, ids[those])
        if sparse.issparse(rows):
            return np.asarray((rows.T @ shares[those]).T)
        return np.asarray(shares[those].T @ rows)

    for each in passes.each(add, ids):
        total += each
    return total
