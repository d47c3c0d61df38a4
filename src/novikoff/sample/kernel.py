"""Kernel functions and their values in blocks: ``k(x_i, x_j)`` for some rows and some columns.

Inner products of dense rows are matrix products, those of sparse rows products of CSR matrices.
Nothing of the size of all pairs is made: whoever asks for a block decides how large it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from novikoff.compiled.kernel import radial, raise_to

Ids = NDArray[np.int64]
Values = NDArray[Any]

# Rows converted at a time where the matrix cannot be multiplied as it is. At twice and four times
# the value a block of 60,000 x 256 takes the same time, within a twentieth, and more memory.
CONVERTED_ROWS = 512
# Rows of given values that are read at a time: a copy of them stays in the processor's cache.
GIVEN_ROWS = 64
# Sparse rows with more than this share of non-zeros are multiplied by dense columns.
DENSE_SHARE = 0.02
# A centre farther from the origin than the rows are from it, by this factor, costs digits.
FAR = 4.0
# Squared distances below this share of the squared lengths have at most three digits in float32.
DISTINCT = 2.0**-12
# Weights of examples are as large as the inverse of the values, or larger by some powers of ten.
LEAST_VALUE = 2.0**-960
# Beyond this factor and its reciprocal values do not fit in float32: it ends at 2**128.
SMALLEST_FACTOR = 2.0**-60


class KernelError(ValueError):
    """A kernel whose values are not those of a kernel: in one line, what is wrong."""


@dataclass(frozen=True)
class KernelFunction:
    """A kernel by its name and parameters, with the formulas of scikit-learn's SVC.

    ========== ======================================
    linear     ``x . x'``
    rbf        ``exp(-gamma |x - x'|^2)``
    poly       ``(gamma x . x' + coef0) ** degree``
    sigmoid    ``tanh(gamma x . x' + coef0)``
    laplacian  ``exp(-gamma |x - x'|_1)``
    ========== ======================================

    ``precomputed`` reads the values from the matrix given in place of the examples, and
    ``function(X, X')`` returns a matrix of them. Given values and those of ``linear`` and ``poly``
    are multiplied by ``factor``.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample.kernel import KernelFunction, KernelMatrix
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> KernelMatrix(X, KernelFunction("poly", gamma=1.0, degree=2, coef0=1.0)).block([0, 1], [2])
    array([[ 1.],
           [16.]])
    """

    name: str
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 0.0
    function: Callable[[Any, Any], Any] | None = None
    factor: float = 1.0

    @property
    def is_semidefinite(self) -> bool:
        """Whether it is positive semidefinite, so that only rounding can show otherwise."""
        polynomial = self.name == "poly" and self.coef0 >= 0.0 and float(self.degree).is_integer()
        return polynomial or self.name in ("linear", "rbf", "laplacian")

    @property
    def fits_single(self) -> bool:
        """Whether values before they are multiplied are far from the ends of float32."""
        return SMALLEST_FACTOR <= self.factor <= 1.0 / SMALLEST_FACTOR

    @property
    def is_given(self) -> bool:
        """Whether there is no formula for its values."""
        return self.name in ("precomputed", "callable")


class Prepared(NamedTuple):
    """Examples whose rows are at hand as products need them, for several blocks."""

    ids: Ids
    rows: Any


class KernelMatrix:
    """The kernel values of some examples, never all at once.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, n_features)
        The examples; for a precomputed kernel, its values (n, n).
    kernel : KernelFunction
        The kernel.
    dtype : float64 or float32
        The type of the values. Products in float32 take half the time.
    copy_bytes : int
        The dense rows are copied once, centred and in ``dtype``, if that takes no more than this;
        otherwise block by block.
    """

    def __init__(
        self,
        X: Any,
        kernel: KernelFunction,
        dtype: Any = np.float64,
        *,
        copy_bytes: float = 0.0,
    ) -> None:
        self.kernel = kernel
        self.dtype = np.dtype(dtype)
        self.n = int(X.shape[0])
        self.is_sparse = sparse.issparse(X)
        self.centre: NDArray[np.float64] | None = None
        self._X = X.astype(np.float64) if self.is_sparse else X
        self._ready: Any = None
        self.copied = 0
        """What the copy of dense rows takes, in bytes."""
        self._norms2 = np.zeros(0)
        if kernel.name == "rbf":
            with np.errstate(over="ignore", invalid="ignore"):
                self._measure()
            # |x|^2 + |x'|^2 - 2 x . x' is at most four times the largest squared length.
            if not np.isfinite(4.0 * self._norms2.max(initial=0.0)):
                raise KernelError(
                    "The squared distances between examples overflow, so the rbf kernel has no "
                    "values; rescale the features."
                )
        if self.is_sparse:
            self._ready = self._X if self.dtype == np.float64 else self._X.astype(self.dtype)
        elif self._in_place:
            self._ready = X
        elif kernel.name != "precomputed" and X.size * self.dtype.itemsize <= copy_bytes:
            self._ready = np.empty(X.shape, dtype=self.dtype)
            self.copied = self._ready.nbytes
            for part in self._slices():
                self._ready[part] = self._centred(X[part])
        self.diagonal: NDArray[np.float64] = self._diagonal()
        if not np.isfinite(self.diagonal).all():
            raise KernelError(
                f"The {kernel.name} kernel has values that are not finite; rescale the features "
                "or change its parameters."
            )

    def in_units(self) -> float:
        """Return the power of four that brings values near 1; 1 for those that are bounded by it.

        Margins are then in units of a power of two, and everything is rounded as before.
        """
        if self.kernel.name in ("rbf", "laplacian") or not self.largest > 0.0:
            return 1.0
        if self.largest < LEAST_VALUE:
            raise KernelError(
                f"The values of the {self.kernel.name} kernel are so small that weights overflow; "
                "multiply them, or the features, by a large constant."
            )
        if self.kernel.name == "sigmoid":
            return 1.0
        return 4.0 ** -(frexp(self.largest)[1] // 2)

    @property
    def largest(self) -> float:
        """The largest absolute value on the diagonal."""
        return float(np.abs(self.diagonal).max(initial=0.0))

    @property
    def unit(self) -> float:
        """About how large values are before they are rounded, of which they keep the errors.

        The exponent of an rbf kernel is a difference of numbers as large as ``gamma |x|^2``.
        """
        if self.kernel.name == "rbf":
            return max(1.0, self.kernel.gamma * float(self._norms2.max(initial=0.0)))
        return 1.0 if self.kernel.name in ("laplacian", "sigmoid") else self.largest

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds on the absolute values by a formula of products, and on their rounding errors."""
        kernel, error = self.kernel, float(np.finfo(self.dtype).eps)
        size = kernel.gamma * self._longest2() + abs(kernel.coef0)
        share = 2.0 * (float(self._X.shape[1]) + 8.0) * error
        if kernel.name == "sigmoid":
            return 1.0, share * size + 4.0 * error
        with np.errstate(over="ignore"):
            value = kernel.factor * float(np.float64(size) ** kernel.degree)
        return value, 2.0 * kernel.degree * (share + error) * value

    @property
    def rows_dtype(self) -> Any:
        """The type of the examples, or of the values that are given."""
        return self._X.dtype

    @property
    def _in_place(self) -> bool:
        plain = self.centre is None and self.kernel.name != "precomputed"
        return plain and self._X.dtype == self.dtype and bool(self._X.flags.c_contiguous)

    def prepare(self, ids: Ids) -> Prepared:
        """Return examples for :meth:`block`, their rows converted once."""
        formula = self.kernel.name in ("linear", "rbf", "poly", "sigmoid")
        return Prepared(ids, self._rows(ids) if formula else None)

    def block(self, rows: Any, columns: Any) -> Values:
        """Return the values for some examples (rows) and others (columns), an array of its own."""
        rows = np.asarray(rows, dtype=np.int64)
        if not isinstance(columns, Prepared):
            columns = Prepared(np.asarray(columns, dtype=np.int64), None)
        out = np.empty((len(rows), len(columns.ids)), dtype=self.dtype)
        return self.fill(rows, columns.ids, out, columns.rows)

    def against_all(self, rows: Any, out: Values | None = None) -> Values:
        """Return the values for some examples and all of them."""
        rows = np.asarray(rows, dtype=np.int64)
        if out is None:
            out = np.empty((len(rows), self.n), dtype=self.dtype)
        return self.fill(rows, None, out)

    def fill(self, rows: Ids, columns: Ids | None, out: Values, ready: Any = None) -> Values:
        """Write the values into an array; no columns: all. ``ready`` are rows for the columns."""
        with np.errstate(over="ignore", invalid="ignore"):
            self._fill(rows, columns, out, ready)
        if not np.isfinite(out.sum(dtype=np.float64)) and not np.isfinite(out).all():
            raise KernelError(
                f"The {self.kernel.name} kernel has values that are not finite; rescale the "
                "features or change its parameters."
            )
        return out

    def _fill(self, rows: Ids, columns: Ids | None, out: Values, ready: Any) -> None:
        kernel, count = self.kernel, self.n if columns is None else len(columns)
        if kernel.name == "precomputed":
            for begin in range(0, len(rows), GIVEN_ROWS):
                some = slice(begin, begin + GIVEN_ROWS)
                values = self._X[rows[some]]
                out[some] = values if columns is None else values[:, columns]
                self._multiply(out[some])
            return
        if kernel.name == "callable":
            for part in self._slices(count):
                here: Any = part if columns is None else columns[part]
                out[:, part] = called(kernel, self._X[rows], self._X[here])
            self._multiply(out)
            return
        if kernel.name == "laplacian":
            mine = np.asarray(dense(self._X[rows]), dtype=np.float64)
            for part in self._slices(count):
                here = part if columns is None else columns[part]
                others = np.asarray(dense(self._X[here]), dtype=np.float64)
                out[:, part] = cdist(mine, others, "cityblock")
            out *= -kernel.gamma
            np.exp(out, out=out)
            return
        mine = self._rows(rows)
        if ready is None and self._ready is not None:
            ready = self._ready if columns is None else self._ready[columns]
        if ready is not None:
            multiply(mine, ready, out)
        else:
            for part in self._slices(count):
                here = part if columns is None else columns[part]
                multiply(mine, self._rows(here), out[:, part])
        self._transform(out, rows, columns)

    def _transform(self, out: Values, rows: Ids, columns: Ids | None) -> None:
        kernel = self.kernel
        if kernel.name == "rbf":
            theirs = self._norms2 if columns is None else self._norms2[columns]
            radial(out, self._norms2[rows], theirs, kernel.gamma)
            np.exp(out, out=out)
        elif kernel.name == "poly":
            out *= kernel.gamma
            out += kernel.coef0
            if float(kernel.degree).is_integer() and 0 <= kernel.degree <= 64:
                raise_to(out, int(kernel.degree))
            else:
                np.power(out, kernel.degree, out=out)
        elif kernel.name == "sigmoid":
            out *= kernel.gamma
            out += kernel.coef0
            np.tanh(out, out=out)
        if kernel.name in ("linear", "poly"):
            self._multiply(out)

    def _multiply(self, values: Values) -> None:
        if self.kernel.factor != 1.0:
            values *= self.kernel.factor

    def _rows(self, which: Any) -> Any:
        if self._ready is not None:
            return self._ready[which]
        return self._centred(self._X[which])

    def _centred(self, rows: Any) -> Values:
        if self.centre is None:
            return np.ascontiguousarray(rows, dtype=self.dtype)
        # Subtracting in float64 keeps what float32 rows far from the origin differ by.
        return np.ascontiguousarray(rows - self.centre, dtype=self.dtype)

    def _slices(self, count: int | None = None) -> list[slice]:
        count = self.n if count is None else count
        starts = range(0, count, CONVERTED_ROWS)
        return [slice(begin, min(begin + CONVERTED_ROWS, count)) for begin in starts]

    def _measure(self) -> None:
        """Find the mean, and the squared distances to it as products of rows have them.

        Distances do not change with the origin, but |x|^2 + |x'|^2 - 2 x . x' loses fewer digits
        where the rows are short.
        """
        X = self._X
        if self.is_sparse:
            self._norms2 = np.asarray(X.multiply(X).sum(axis=1)).ravel()
            return
        mean = X.mean(axis=0, dtype=np.float64)
        spread = sum(float(np.var(X[part], axis=0).sum()) for part in self._slices()[:4])
        native = X.dtype == self.dtype and X.flags.c_contiguous
        if not native or float(mean @ mean) > FAR * spread:
            self.centre = mean
        self._norms2 = np.empty(self.n)
        for part in self._slices():
            rows = self._centred(X[part])
            self._norms2[part] = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)

    def _longest2(self) -> float:
        """Return the largest squared length of an example."""
        X, longest2 = self._X, 0.0
        if self.is_sparse:
            return float(np.asarray(X.multiply(X).sum(axis=1)).max(initial=0.0))
        for part in self._slices():
            rows = X[part].astype(np.float64, copy=False)
            longest2 = max(longest2, float(np.einsum("ij,ij->i", rows, rows).max(initial=0.0)))
        return longest2

    def _diagonal(self) -> NDArray[np.float64]:
        kernel, X = self.kernel, self._X
        if kernel.name in ("rbf", "laplacian"):
            return np.ones(self.n)
        if kernel.name == "precomputed":
            return kernel.factor * np.asarray(X.diagonal(), dtype=np.float64)
        out = np.empty(self.n)
        if kernel.name == "callable":
            # One call for a small block costs less than one for each example.
            for begin in range(0, self.n, 64):
                rows = X[begin : begin + 64]
                out[begin : begin + 64] = np.diagonal(called(kernel, rows, rows))
            return kernel.factor * out
        for part in self._slices():
            rows = X[part]
            if self.is_sparse:
                out[part] = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
            else:
                rows = rows.astype(np.float64, copy=False)
                out[part] = np.einsum("ij,ij->i", rows, rows)
        one = np.empty(0, dtype=np.int64)
        self._transform(out[:, None], one, one)
        return out


def called(kernel: KernelFunction, X: Any, Y: Any) -> NDArray[np.float64]:
    """Return what a callable kernel returns, if that is a matrix of finite numbers.

    It is given rows in float64, as by SVC, so that it does not compute in fewer digits, or in whole
    numbers that overflow.
    """
    assert kernel.function is not None
    found = kernel.function(_in_double(X), _in_double(Y))
    shape = X.shape[0], Y.shape[0]
    try:
        values = np.asarray(dense(found))
        if np.iscomplexobj(values):
            raise TypeError
        values = values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise KernelError("The kernel must return a matrix of numbers.") from None
    if values.shape != shape:
        raise KernelError(
            f"The kernel returned an array of shape {values.shape} for {shape[0]} and {shape[1]} "
            f"examples; it must be {shape}."
        )
    if not np.isfinite(values).all():
        raise KernelError("The kernel returned a value that is not finite.")
    return values


def _in_double(rows: Any) -> Any:
    if sparse.issparse(rows):
        return rows.astype(np.float64, copy=False)
    return np.ascontiguousarray(rows, dtype=np.float64)


def needs_double(X: Any, kernel: KernelFunction, row: int) -> bool:
    """Whether float32 kernel values cannot tell examples apart, which are far from the origin.

    That is so where all are closer to one of them than the origin is, by the factor ``DISTINCT``.
    """
    if kernel.name in ("rbf", "laplacian"):
        return False
    matrix = KernelMatrix(X, kernel)
    towards = matrix.against_all([row])[0]
    norms2 = matrix.diagonal - 2.0 * towards + matrix.diagonal[row]
    return bool(norms2.max() < DISTINCT * matrix.largest)


def dense(values: Any) -> Any:
    """Return a matrix as a dense array."""
    return values.toarray() if sparse.issparse(values) else values


def multiply(A: Any, B: Any, out: Values) -> None:
    """Write ``A B'`` of two dense or two sparse matrices."""
    if not sparse.issparse(A):
        np.matmul(A, B.T, out=out)
        return
    n_values = B.shape[0] * B.shape[1]
    if B.nnz > DENSE_SHARE * n_values and A.shape[0] * A.shape[1] <= 1 << 23:
        out[:] = (B @ A.toarray().T).T
    else:
        out[:] = (A @ B.T).toarray()
