"""The signed rows of a logistic regression, exactly: of two classes, or of several at once.

With ``x̃ = (1, x)`` (without the 1 where there is no intercept) and coefficients ``w_k`` for every
class but the first, whose are zero, example ``i`` of class ``a`` is on its side against class ``b``
if ``x̃_i·(w_a - w_b) > 0``. So its signed row against ``b`` is ``z = (e_a - e_b) ⊗ x̃_i``, and of
two classes there is one row for each example, ``±x̃_i``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.exact.columns import dense_columns
from novikoff.certificate.exact.filter import enclose, radius
from novikoff.certificate.exact.slices import exact_product
from novikoff.certificate.examples.blocks import BLOCK_VALUES, Floats, Indices, take

_TINY = 2.0**-900
"""A coefficient that is smaller, beside the largest, is left to exact arithmetic."""

_EXACT_ROWS = 1 << 14
"""Rows that are multiplied exactly at a time."""


@dataclass(frozen=True, eq=False)
class Lifted:
    """The signed rows of labelled examples.

    A row has a number: of two classes that of its example, of ``K > 2`` classes ``K i + b`` for
    example ``i`` against class ``b``. A column has one too: ``c`` of them belong to each class but
    the first, the intercept and then the features.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The examples, from :func:`~novikoff.certificate.examples.matrix.check_matrix`.
    codes : array of int
        Their classes.
    n_classes : int
        How many classes there are.
    affine : bool
        Whether there is an intercept.
    taking_part : array of bool, optional
        Which examples take part; by default all.
    """

    X: Any
    codes: Indices
    n_classes: int
    affine: bool
    taking_part: npt.NDArray[np.bool_] | None = None

    @property
    def per_class(self) -> int:
        """How many columns belong to a class."""
        return int(self.X.shape[1]) + self.affine

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.per_class * (self.n_classes - 1)

    @property
    def rows(self) -> Indices:
        """The numbers of all rows of examples that take part, in order."""
        examples = np.arange(self.codes.size)
        if self.taking_part is not None:
            examples = examples[self.taking_part]
        if self.n_classes == 2:
            return examples
        numbers = self.n_classes * examples[:, None] + np.arange(self.n_classes)
        own = self.codes[examples][:, None] == np.arange(self.n_classes)
        found: Indices = numbers[~own]
        return found

    def owners(self, rows: Indices) -> tuple[Indices, Indices]:
        """The example of each row, and the class that it is compared with."""
        if self.n_classes == 2:
            return rows, 1 - self.codes[rows]
        return rows // self.n_classes, rows % self.n_classes

    def is_row(self, rows: Indices) -> npt.NDArray[np.bool_]:
        """Whether there are rows of these numbers, and their examples take part."""
        n_rows = self.codes.size * (1 if self.n_classes == 2 else self.n_classes)
        found: npt.NDArray[np.bool_] = (rows >= 0) & (rows < n_rows)
        examples, others = self.owners(rows[found])
        real = self.codes[examples] != others
        if self.taking_part is not None:
            real &= self.taking_part[examples]
        found[found] = real
        return found

    def table(self, rows: Indices, columns: Indices | None = None) -> Floats:
        """Some columns of some rows, as a dense array; no value is rounded."""
        columns = np.arange(self.width) if columns is None else columns
        examples, others = self.owners(rows)
        blocks, inner = np.divmod(columns, self.per_class)
        features = inner - self.affine
        used = np.unique(features[features >= 0])
        values = np.ones((rows.size, used.size + 1))
        seen = 0
        for block in take(self.X, examples):
            part = values[seen : seen + block.rows.size]
            part[:, :-1] = dense_columns(block, used, self.X.shape[1])
            seen += block.rows.size
        at = np.where(features >= 0, np.searchsorted(used, features), used.size)
        if self.n_classes == 2 and np.array_equal(at, np.arange(at.size)):
            table = values[:, : at.size]
        else:
            table = values[:, at]
        own = self.codes[examples]
        if self.n_classes == 2:
            table *= (2.0 * own - 1.0)[:, None]
            return table
        classes = blocks + 1
        table *= (own[:, None] == classes).astype(float) - (others[:, None] == classes)
        return table

    def tables(self, rows: Indices, columns: Indices) -> Iterator[tuple[slice, Floats]]:
        """The table in parts of bounded size, each with its place among the rows."""
        step = max(1, min(_EXACT_ROWS, BLOCK_VALUES // max(columns.size, 1)))
        for first in range(0, rows.size, step):
            part = slice(first, min(first + step, rows.size))
            yield part, self.table(rows[part], columns)

    def products(self, rows: Indices, vector: Sequence[int]) -> Iterator[tuple[slice, Any]]:
        """Exact inner products with a vector of integers, up to a power of two for each part."""
        columns = np.array([j for j, a in enumerate(vector) if a], dtype=np.int64)
        whole = np.array([int(vector[j]) for j in columns], dtype=object)
        for part, table in self.tables(rows, columns):
            if not columns.size:
                yield part, np.zeros(part.stop - part.start, dtype=object)
                continue
            yield part, exact_product(table, whole)[0]

    def vanishes(self, rows: Indices, vector: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Whether the inner product of each row with a vector of integers is exactly zero."""
        zero: npt.NDArray[np.bool_] = self.signs(rows, vector) == 0
        return zero

    def signs(self, rows: Indices, vector: Sequence[int]) -> npt.NDArray[np.int8]:
        """The signs of the inner products with a vector of integers, exactly.

        Rigorous floating-point bounds decide most, exact arithmetic the others.
        """
        signs = np.zeros(rows.size, dtype=np.int8)
        left = self._doubtful(rows, vector, signs)
        for part, products in self.products(rows[left], vector):
            signs[left[part]] = np.sign(products).astype(np.int8)
        return signs

    def _doubtful(
        self, rows: Indices, vector: Sequence[int], signs: npt.NDArray[np.int8]
    ) -> Indices:
        """Fill in the signs that floating point decides; return the places of the others."""
        if sum(1 for a in vector if a) <= 2:
            # So few columns are multiplied exactly in no more time.
            return np.arange(rows.size)
        rounded = _in_floats(vector)
        if rounded is None:
            return np.arange(rows.size)
        examples, others = self.owners(rows)
        low, high = (np.full(rows.size, end) for end in (-np.inf, np.inf))
        classes = rounded.reshape(self.n_classes - 1, -1)
        zero = np.zeros(self.per_class)
        for a in range(self.n_classes):
            for b in range(self.n_classes):
                mine = np.flatnonzero((self.codes[examples] == a) & (others == b))
                if not mine.size:
                    continue
                of_a, of_b = (zero if k == 0 else classes[k - 1] for k in (a, b))
                # Rounded, and the difference once more: the radius has room for three roundings of
                # each coefficient only where nothing cancels.
                magnitude = np.abs(of_a) + np.abs(of_b)
                low[mine], high[mine] = self._enclosed(examples[mine], of_a - of_b, magnitude)
        signs[low > 0.0], signs[high < 0.0] = 1, -1
        return np.flatnonzero(signs == 0)

    def _enclosed(
        self, examples: Indices, coef: Floats, magnitude: Floats
    ) -> tuple[Floats, Floats]:
        """Floats on either side of ``x̃·coef``, each coefficient within 2u of its magnitude."""
        low, high = np.empty(examples.size), np.empty(examples.size)
        offset, w = (coef[0], coef[1:]) if self.affine else (0.0, coef)
        w = np.ascontiguousarray(w)
        of_offset, of_w = (magnitude[0], magnitude[1:]) if self.affine else (0.0, magnitude)
        of_w = np.ascontiguousarray(of_w)
        same = np.array_equal(of_w, np.abs(w))
        seen = 0
        for block in take(self.X, examples):
            part = slice(seen, seen + block.rows.size)
            with np.errstate(all="ignore"):
                products, moduli = block.products(w)
                if not same:
                    moduli = block.products(of_w)[1]
                # Twice, so that the errors of the coefficients are covered beside those of sums.
                error = 2.0 * radius(moduli + of_offset, block.n_terms + 1)
                low[part], high[part] = enclose(products + offset, error)
            seen = part.stop
        return low, high


def _in_floats(vector: Sequence[int]) -> Floats | None:
    """Integers divided by a power of two and rounded; ``None`` where one underflows."""
    most = max((abs(int(a)).bit_length() for a in vector), default=0)
    divisor = 1 << max(0, most - 60)
    rounded = np.array([int(a) / divisor for a in vector])
    sizes = np.abs(rounded[rounded != 0.0])
    lost = np.count_nonzero(rounded) < sum(1 for a in vector if a)
    return None if lost or (sizes.size and sizes.min() < _TINY) else rounded
