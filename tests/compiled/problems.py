"""Rows and corrals as compiled code takes them, beside the same in plain numpy."""

import numpy as np
from scipy import sparse

from novikoff.compiled.factor import Corral
from novikoff.compiled.rows import CSR

KINDS = ["float64", "float32", "uint8", "csr"]
NONE = np.empty((0, 0))


def rows_of(kind, seed=0, n=23, d=7):
    """Rows as compiled code takes them, and the same as a float64 array."""
    X = np.random.default_rng(seed).integers(0, 9, size=(n, d)).astype(np.float64)
    if kind == "csr":
        matrix = sparse.csr_array(X)
        return CSR(matrix.data, matrix.indices, matrix.indptr), X
    return X.astype(kind), X


def corral_of(form, n_classes, seed=0, n=12, d=20, room=16, unit=1.0, shift=0.0):
    """Random candidates of length about 1, an empty corral of theirs, their K and vectors."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, d)) / np.sqrt(d)
    Z[:, 0] += shift
    classes = rng.permutation(np.arange(n) % n_classes)
    axes = np.sqrt(unit) * (classes[:, None] == np.arange(2))
    vectors = np.hstack([Z, axes])
    corral = Corral(
        gram=Z @ Z.T if form == "gram" else NONE,
        vectors=vectors if form == "vectors" else NONE,
        classes=classes,
        unit=unit,
        members=np.full(room, -1),
        weights=np.full(room, np.nan),
        factor=np.full((room, room), np.nan),
        halves=np.full((n_classes, room), np.nan),
        basis=np.full((room, d + 2), np.nan) if form == "vectors" else NONE,
        point=np.zeros(d if form == "vectors" else 0),
    )
    return corral, vectors @ vectors.T, vectors
