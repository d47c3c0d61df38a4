"""Compile what fits use, before anyone waits for it: for images and shared installations."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff.certificate.announce import compilations
from novikoff.certificate.prepare import compile_checks
from novikoff.estimators.maxmargin import MaxMargin
from novikoff.estimators.maxmargin_cv import MaxMarginCV
from novikoff.estimators.perceptron import Perceptron
from novikoff.estimators.separable import is_separable
from novikoff.geometry import Ball, Box, separate

STORAGES: dict[str, Callable[[Any], Any]] = {
    "float64": np.float64,
    "float32": np.float32,
    "uint8": np.uint8,
    "CSR": lambda X: sparse.csr_array(np.float64(X)),
}


def warmup() -> int:
    """Compile what fits, predictions and checks use; return how many functions were compiled.

    Small problems are fitted: hard and soft margins and perceptrons, on dense float64, float32 and
    uint8 rows and on CSR matrices, and with kernels; C is chosen by cross-validation, and convex
    bodies are separated. Compiled code is kept where numba keeps it: in
    ``NUMBA_CACHE_DIR``, or beside the source, or in a cache folder of the user. Other users of
    an installation read it there, also where they cannot write. It is for this model of processor;
    on another one the first fit compiles again.
    """
    before = compilations.count
    with warnings.catch_warnings():
        # Nothing is expected of these fits but that they run.
        warnings.simplefilter("ignore", ConvergenceWarning)
        compile_checks()
        for storage in STORAGES.values():
            for X, y in _problems():
                _fit(storage(X), y)
            _fit_jointly(storage)
        _fit_precisely()
        _fit_text()
        _fit_kernels()
        _cross_validate()
        _separate_bodies()
    return compilations.count - before


def _problems() -> Iterator[tuple[Any, Any]]:
    """Yield tables that lead through different solvers: integers from 0 to 9, and labels."""
    rng = np.random.default_rng(0)
    # Separable by a wide margin.
    X, y = rng.integers(0, 5, (2200, 64)), rng.integers(0, 2, 2200)
    X[:, 0] += 5 * y
    yield X, y
    # Nothing separates these.
    yield rng.integers(0, 10, (300, 8)), rng.integers(0, 2, 300)
    # Few values in many columns, for coordinate descent where they are stored in CSR.
    X = rng.integers(1, 10, (600, 1500)) * (rng.random((600, 1500)) < 0.01)
    yield X, rng.integers(0, 2, 600)
    # Indicators of two factors, for the interior-point method where they are stored in CSR.
    codes, effects = rng.integers(0, (240, 30), (1500, 2)), rng.integers(0, 9, 270)
    codes[:, 1] += 240
    X = np.zeros((1500, 270), dtype=np.int64)
    X[np.arange(1500)[:, None], codes] = 1
    yield X, (effects[codes].sum(axis=1) > 8).astype(np.int64)
    # More than two classes, by both solvers for several: few examples, and more.
    X, y = rng.integers(0, 5, (600, 8)), rng.integers(0, 4, 600)
    yield X, y
    X[np.arange(600), y] += 5
    yield X, y
    yield X[:90], y[:90]


def _fit_precisely() -> None:
    """Fit hard margins that are small beside the extent of the data."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 12)) * np.logspace(-4, 4, 12)
    y = (X[:, 0] > 0.0).astype(np.int64)
    for storage in (np.float64, np.float32, sparse.csr_array):
        MaxMargin().fit(storage(X), y)


def _fit_text() -> None:
    """Fit sparse rows of many columns, such as words, also with the long indices of large data."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.random((1500, 2000)) * (rng.random((1500, 2000)) < 0.015))
    y = X @ rng.standard_normal(2000) + 0.3 * rng.standard_normal(1500) > 0.0
    long = X.copy()
    long.indices, long.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    for table in (X, long):
        for model in (
            *(MaxMargin(), MaxMargin(C=1.0), MaxMargin(C=100.0), MaxMargin(C=1e-3, loss="hinge")),
            *(Perceptron(max_iter=5), Perceptron(rule="dynamic", max_iter=5)),
        ):
            model.fit(table, y)


def _fit(X: Any, y: Any) -> None:
    for model in (
        *(MaxMargin(), MaxMargin(C=1.0), MaxMargin(C=1e-3), MaxMargin(C=1e-3, loss="hinge")),
        Perceptron(max_iter=5),
    ):
        model.fit(X, y).predict(X)
        model.certificate_.verify(X, y)
    is_separable(X, y)


def _fit_jointly(storage: Callable[[Any], Any]) -> None:
    """Fit several classes together, with a margin and without."""
    X = np.random.default_rng(0).integers(0, 9, (150, 6))
    y = np.arange(150) % 3
    for step in (0, 20):
        table = X.copy()
        table[np.arange(150), y] += step
        for model in (
            *(Perceptron(max_iter=20), Perceptron(C=1.0, max_iter=20)),
            Perceptron(rule="min-over", max_iter=5),
        ):
            model.fit(storage(table), y).predict(storage(table))
            model.certificate_.verify(storage(table), y)


def _fit_kernels() -> None:
    """Fit with kernels: few examples, and more than Wolfe's method takes at once."""
    X = np.random.default_rng(0).standard_normal((1200, 3))
    for n, classes in ((90, 2), (90, 3), (len(X), 2)):
        some, y = X[:n], (X[:n, 0] > 0.0) + (X[:n, 1] > 0.5) * (classes - 2)
        for kernel in ("rbf", "poly", "laplacian"):
            for model in (
                *(MaxMargin(kernel=kernel, max_iter=5), MaxMargin(kernel=kernel, C=1.0)),
                Perceptron(kernel=kernel, max_iter=5),
                Perceptron(kernel=kernel, rule="min-over", max_iter=5),
            ):
                model.fit(some, y).predict(some)
                model.certificate_.verify(some, y)


def _cross_validate() -> None:
    """Choose C on data so large that all folds are solved at once."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((34_000, 60)), rng.integers(0, 2, 34_000)
    MaxMarginCV(Cs=[1e-3, 1e-2], cv=2).fit(X, y)


def _separate_bodies() -> None:
    """Separate convex bodies, and points, which meet and which do not."""
    rng = np.random.default_rng(0)
    separate(Box([0, 0], [1, 1]), Ball([4, 3], 1)).verify()
    for d in (3, 300):
        X, Y = rng.standard_normal((200, d)), rng.standard_normal((300, d))
        for shift in (0.0, 6.0):
            separate(X, Y + shift).verify()
