"""Rows and corrals as compiled code takes them, beside the same in plain numpy."""

import numba
import numpy as np
from scipy import sparse

from novikoff.compiled.factor import GramCorral, VectorCorral
from novikoff.compiled.rows import CSR

KINDS = ["float64", "float32", "uint8", "csr"]


def for_python(kernel):
    """A function that only compiled functions call, behind one that Python can call."""
    return numba.njit(lambda *arguments: kernel(*arguments))


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
    shared = dict(
        classes=classes,
        unit=unit,
        members=np.full(room, -1),
        weights=np.full(room, np.nan),
        factor=np.full((room, room), np.nan),
        halves=np.full((n_classes, room), np.nan),
    )
    if form == "gram":
        corral = GramCorral(Z @ Z.T, **shared)
    else:
        basis = np.full((room, d + 2), np.nan)
        corral = VectorCorral(vectors, **shared, basis=basis, point=np.zeros(d))
    return corral, vectors @ vectors.T, vectors


def with_candidates(corral, vectors, classes):
    """The same corral among other candidates; the last two coordinates are the classes' axes."""
    Z = vectors[:, :-2]
    given = {"gram": Z @ Z.T} if isinstance(corral, GramCorral) else {"vectors": vectors}
    return corral._replace(classes=classes, **given)
