"""The table of kernel values between two sets of examples, read in blocks and never stored."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import radius
from novikoff.certificate.examples.blocks import Floats, Indices, as_float64
from novikoff.certificate.examples.matrix import canonical
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.kernel_blocks import (
    Function,
    KernelBlock,
    Points,
    called_block,
    kernel_block,
)

COLUMNS = 2048
"""Columns of a block."""

BLOCK = 1 << 20
"""Values of a block: eight megabytes. For 10,000 x 784 values and 1,900 columns a quarter as many
take 8 % longer, half as many 3 %."""

_SQUARE = 512
"""Rows and columns of a block of a table that is symmetric, of which half are computed."""

_RUN = 128
"""Products in one sum, before the sums are summed: the fewer roundings in a row, the less error.
10,000 x 784 values and 1,900 columns take as long with half and with twice as many."""

CALLED = 2.0**-44
"""The relative error that a function's values may have: it rounds differently in other blocks."""

CALLED_ROWS = 512
"""Rows of the examples that a function is called with. Which rows come together is a matter of
their numbers alone, so that whoever asks for the value of a pair gets the same one."""

ASYMMETRY = 2.0**-19
"""The largest difference of two values that should be equal, relative to the largest one: what
rounding may change in values that are given (:data:`~.enclosed.ROUNDED_VALUES`)."""

_ROOM = 1.0 + 2.0**-20


@dataclass(frozen=True, eq=False)
class KernelTable:
    """Kernel values between the rows of ``left`` and those of ``right``.

    Both are matrices from ``check_matrix``. Of a precomputed kernel, the rows of ``left`` are the
    values themselves, and ``right`` is not read.
    """

    kernel: Kernel
    left: Any
    right: Any
    function: Function | None = None

    @classmethod
    def of(
        cls, kernel: Kernel, left: Any, right: Any = None, function: Function | None = None
    ) -> "KernelTable":
        """Sort the columns of sparse rows where they are not; by default both sides are one."""
        left = canonical(left)
        return cls(kernel, left, left if right is None else canonical(right), function)

    @property
    def n_features(self) -> int:
        """The number of features, by which rounding errors are bounded."""
        return int(self.left.shape[1])

    def sums(
        self, columns: Indices, coefs: Floats, rows: Indices | None = None
    ) -> tuple[Floats, Floats]:
        """``Σ_j coefs[j, m] k(x_i, x_columns[j])`` for each row, and bounds on the errors.

        ``rows`` are some of the left side; by default all, in their order.
        """
        n_rows = self.left.shape[0] if rows is None else rows.size
        total, magnitude, error = np.zeros((3, n_rows, coefs.shape[1]))
        moduli = np.abs(coefs)
        with np.errstate(all="ignore"):
            for part in _parts(columns.size, COLUMNS):
                right = self._right(columns[part])
                both = np.hstack([coefs[part], moduli[part]])
                whole = moduli[part].sum(axis=0)
                for here in _parts(n_rows, self._step(columns[part].size)):
                    block = self._block(here if rows is None else rows[here], right)
                    sums, sizes = _both(block.values, both)
                    total[here] += sums
                    magnitude[here] += sizes
                    error[here] += block.relative[:, None] * sizes + block.absolute[:, None] * whole
            # A product passes through a run, the runs of a block, and the blocks.
            roundings = _RUN + COLUMNS // _RUN + columns.size // COLUMNS + 8
            error = error * _ROOM + radius(magnitude, columns.size + 8, roundings)
        known = np.isfinite(total) & (error < np.inf)
        return total, np.where(known, error, np.inf)

    def square(self, columns: Indices, weights: Floats) -> tuple[float, float]:
        """``Σ_ij w_i·w_j k(x_i, x_j)``, and a bound on the error; the sides must be the same.

        ``weights`` has a number for each example, or a row of them. Each may have been rounded
        three times.
        """
        weights = weights if weights.ndim == 2 else weights[:, None]
        moduli = np.abs(weights)
        total = magnitude = error = 0.0
        # Where the kernel has a formula it is symmetric, and half of the table is enough.
        whole = self.kernel.is_given
        with np.errstate(all="ignore"):
            for part in _parts(columns.size, _SQUARE):
                right = self._right(columns[part])
                both, size = np.hstack([weights[part], moduli[part]]), moduli[part].sum(axis=0)
                for here in _parts(columns.size, _SQUARE):
                    if here.start > part.start and not whole:
                        continue
                    times = 1.0 if whole or here.start == part.start else 2.0
                    block = self._block(columns[here], right)
                    sums, sizes = _both(block.values, both)
                    bounds = block.relative[:, None] * sizes + block.absolute[:, None] * size
                    total += times * _sum_in_runs(weights[here] * sums)
                    magnitude += times * _sum_in_runs(moduli[here] * sizes)
                    error += times * float((moduli[here] * bounds).sum())
            # A product passes through two runs, all runs of a block, and the blocks.
            n_blocks, n_sums = (columns.size // _SQUARE + 1) ** 2, weights.shape[1]
            n_terms = (2 + n_sums) * columns.size + n_blocks + 24
            roundings = 2 * _RUN + (1 + n_sums) * (_SQUARE // _RUN) + n_blocks + 24
            error = error * _ROOM + float(radius(np.array(magnitude), n_terms, roundings))
        return total, error if np.isfinite(total) and error < np.inf else np.inf

    def exact_block(self, rows: Indices, columns: Indices) -> Floats:
        """The values of a kernel that has no formula, which are floats.

        Those of a function are the ones in :meth:`sums` of the same columns.
        """
        if self.kernel.name == "precomputed":
            return _dense(self.left[rows][:, columns])
        values = np.empty((rows.size, columns.size))
        for part in _parts(columns.size, COLUMNS):
            right = self._right(columns[part])
            for block in np.unique(rows // CALLED_ROWS):
                first = int(block) * CALLED_ROWS
                some = np.arange(first, min(first + CALLED_ROWS, self.left.shape[0]))
                here = np.flatnonzero(rows // CALLED_ROWS == block)
                called = self._called(some, right)
                values[here, part] = called[rows[here] - first]
        return values

    def exact_square_block(self, rows: Indices, columns: Indices) -> Floats:
        """The values among some examples, ``rows`` being a part of the columns as of a square."""
        if self.kernel.name == "precomputed":
            return _dense(self.left[rows][:, columns])
        parts = [
            self._called(rows, self._right(columns[part])) for part in _parts(columns.size, _SQUARE)
        ]
        return np.hstack(parts) if parts else np.empty((rows.size, 0))

    def row_parts(self, rows: Indices, n_columns: int) -> Iterator[Indices]:
        """Rows for one block of exact values each."""
        if self.kernel.name == "callable":
            ends = np.flatnonzero(np.diff(rows // CALLED_ROWS)) + 1
            yield from (part for part in np.split(rows, ends) if part.size)
            return
        for part in _parts(rows.size, max(1, (1 << 16) // max(n_columns, 1))):
            yield rows[part]

    def square_parts(self, columns: Indices) -> Iterator[Indices]:
        """The same for the values among some examples."""
        if self.kernel.name != "callable":
            yield from self.row_parts(columns, columns.size)
            return
        for part in _parts(columns.size, _SQUARE):
            yield columns[part]

    def check_symmetric(self, columns: Indices) -> None:
        """Refuse a table that is not symmetric on some examples; a formula always is.

        Raises
        ------
        CertificateError
            If it is not, or if some value is not a number.
        """
        if not self.kernel.is_given:
            return
        for part in _parts(columns.size, COLUMNS):
            for here in _parts(part.stop, COLUMNS):
                values = self._block(columns[here], self._right(columns[part])).values
                other = self._block(columns[part], self._right(columns[here])).values.T
                size = np.maximum(np.abs(values), np.abs(other))
                wrong = np.argwhere(~(np.abs(values - other) <= ASYMMETRY * size.max(initial=0.0)))
                if wrong.size:
                    i, j = columns[here][wrong[0, 0]], columns[part][wrong[0, 1]]
                    raise CertificateError(
                        f"the kernel is not symmetric, or not a number, at examples {i} and {j}: "
                        "give one that is, such as (K + K.T) / 2"
                    )

    def _right(self, columns: Indices) -> Any:
        if self.kernel.name == "precomputed":
            return columns
        if self.kernel.name == "callable":
            return gather(self.right, columns)
        return Points.of(gather(self.right, columns))

    def _block(self, rows: "Indices | slice", right: Any) -> KernelBlock:
        if self.kernel.name == "precomputed":
            values = _dense(self.left[rows][:, right])
            zeros = np.where(np.isfinite(values).all(axis=1), 0.0, np.inf)
            return KernelBlock(values, zeros, zeros)
        if self.kernel.name == "callable":
            values = self._called(rows, right)
            zeros = np.zeros(len(values))
            return KernelBlock(values, zeros + CALLED, zeros)
        return kernel_block(self.kernel, Points.of(gather(self.left, rows)), right)

    def _called(self, rows: "Indices | slice", right: Any) -> Floats:
        """What the function returns for rows in float64, so that it does not compute in less."""
        return called_block(self.function, gather(self.left, rows), right)

    def _step(self, n_columns: int) -> int:
        if self.kernel.name == "callable":
            return CALLED_ROWS
        widest = 1 if sparse.issparse(self.left) else self.n_features
        return max(16, BLOCK // max(widest, n_columns, 1))


def gather(X: Any, rows: "Indices | slice") -> Any:
    """Some rows of a checked matrix in float64: an array in C order, or CSR."""
    part = X[rows]
    if not sparse.issparse(part):
        return as_float64(part)
    data = as_float64(part.data)
    return sparse.csr_array((data, part.indices, part.indptr), shape=part.shape)


def _dense(values: Any) -> Floats:
    return as_float64(values.toarray() if sparse.issparse(values) else values)


def _both(values: Floats, coefs: Floats) -> tuple[Floats, Floats]:
    """The sums with the first half of the coefficients, and of moduli with the second half."""
    half = coefs.shape[1] // 2
    products = np.zeros((len(values), coefs.shape[1]))
    positive = values.min(initial=0.0) >= 0.0
    for run in _parts(values.shape[1], _RUN):
        part, factors = values[:, run], coefs[run]
        if positive:
            products += part @ factors
        else:
            products[:, :half] += part @ factors[:, :half]
            products[:, half:] += np.abs(part) @ factors[:, half:]
    return products[:, :half], products[:, half:]


def _sum_in_runs(products: Floats) -> float:
    """The sum of an array, a run of rows at a time."""
    starts = np.arange(0, len(products), _RUN)
    return float(np.add.reduceat(products, starts, axis=0).sum()) if len(products) else 0.0


def _parts(size: int, step: int) -> Iterator[slice]:
    for first in range(0, size, step):
        yield slice(first, min(first + step, size))
