"""A fitted kernel classifier: the support, its coefficients, and what it predicts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Kernel
from novikoff.certificate.feature_space.scores import decided_scores
from novikoff.certificate.feature_space.table import KernelTable

ROWS = 4096
"""Rows whose scores are computed at once, at most."""


@dataclass(frozen=True)
class KernelMachine:
    """``f_c(x) = sum_j coefs[j, c] k(rows[j], x) + intercepts[c]``, one column for each model.

    ``ids`` says which examples the rows are. For a precomputed kernel ``rows`` is ``None``: the
    rows that are given at prediction hold the values for all examples of the fit.
    """

    kernel: Kernel
    function: Callable[[Any, Any], Any] | None
    ids: NDArray[np.int64]
    rows: Any
    coefs: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        X: Any,
        kernel: Kernel,
        function: Callable[[Any, Any], Any] | None,
        models: Sequence[Any],
        also: Sequence[NDArray[np.int64]] = (),
    ) -> "KernelMachine":
        """Take the support of all models, and further examples, out of the data."""
        n = X.shape[0]
        used = np.zeros(n, dtype=np.bool_)
        for some in (*(model.support for model in models), *also):
            used[some] = True
        ids = np.flatnonzero(used)
        coefs = np.zeros((len(ids), len(models)))
        for k, model in enumerate(models):
            coefs[np.searchsorted(ids, model.support), k] = model.coef
        rows = None if kernel.name == "precomputed" else X[ids]
        intercepts = np.array([model.intercept for model in models])
        return cls(kernel, function, ids, rows, coefs, intercepts)

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of examples, whose signs are exact, one column for each model."""
        columns = np.arange(len(self.ids)) if self.rows is not None else self.ids
        out = np.empty((X.shape[0], len(self.intercepts)))
        for begin in range(0, X.shape[0], ROWS):
            part = X[begin : begin + ROWS]
            right = self.rows if self.rows is not None else part
            table = KernelTable.of(self.kernel, part, right, self.function)
            found, _ = decided_scores(table, columns, self.coefs, self.intercepts)
            out[begin : begin + ROWS] = found
        return out

    def vectors(self, support: NDArray[np.int64]) -> Any:
        """Return the rows of some of the support; an empty array for a precomputed kernel."""
        if self.rows is None:
            return np.empty((0, 0))
        return self.rows[np.searchsorted(self.ids, support)]
