r"""Relations between columns, and columns replaced by their remainders.

Let ``x_0, …, x_d`` be the columns of the examples on a set ``P`` of rows, the last one all ones
where there is an intercept. A combination ``Σ_P μ_i z_i`` of signed examples vanishes if
``Σ_P μ_i y_i x_ik = 0`` for all columns ``k``, that is, if the vector ``(μ_i y_i)`` is orthogonal
to all columns, and so to their span. Any other columns with the same span will do.

A *relation* ``Σ_j a_j x_j = 0`` with ``a_0 ≠ 0`` says that its first column lies in the span of its
others. A *remainder* replaces its first column ``c`` by ``e = Σ_j a_j x_j``, ``a_0 ≠ 0``. Where
``c`` is a combination of the others up to rounding, ``e`` is what rounding has changed: a million
million times smaller than ``c``, but as far from the span of the others, beside its own length, as
any column. A matrix that is numerically singular with ``c`` is regular with ``e``, times a power of
two that brings it to the size of the others.

**Lemma.** Let remainders ``E_1, …, E_m`` have distinct first columns, and relations distinct first
columns that are not replaced. Let no relation use the first column of another one, and no remainder
that of a relation, of a later remainder, or its own a second time. Then all columns lie in the span
of those that are not the first of a relation, where the first of each remainder is replaced.

*Proof.* Let ``V`` be that span. A column that is the first of no relation and of no remainder is in
``V``. The first column of ``E_k`` is a combination of the replaced column, which is in ``V``, and
of columns that are the first of ``E_1, …, E_(k-1)``, or of none: in ``V``, by induction. The first
column of a relation is a combination of columns that are the first of no relation: in ``V``. ∎

Relations are verified, and remainders computed, in exact arithmetic; the latter are then rounded to
floats within ``2**-48`` of themselves (:func:`novikoff.certificate.exact.slices.rounded_products`).
A remainder that is not zero is not rounded to zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.slices import (
    MOST_TERMS,
    ROUNDED,
    as_short_integers,
    is_zero_product,
    rounded_products,
)
from novikoff.certificate.examples.blocks import (
    Block,
    DenseBlock,
    Floats,
    Indices,
    SparseBlock,
    blocks,
    take,
)
from novikoff.certificate.threads import in_order

REPLACED_ERROR = 2.0 * ROUNDED
"""The error of a replaced column, as a share of its rounded values and of sums of their moduli."""


@dataclass(frozen=True, eq=False)
class Relation:
    """A combination of columns, ``Σ coefs_j x_ij``, which can be solved for the first column.

    The column after the last feature is that of the intercept, all ones. A column other than the
    first may be there more than once: then its coefficient is the sum of its coefficients, which a
    single float may not hold.
    """

    columns: Indices
    coefs: Floats


@dataclass(frozen=True, eq=False)
class Replaced:
    """Columns that are replaced by their remainders, rounded: one of ``values`` for each."""

    remainders: tuple[Relation, ...]
    values: Floats

    @classmethod
    def of(cls, X: Any, remainders: Sequence[Relation]) -> "Replaced":
        """Compute the remainders in all rows.

        Raises
        ------
        CertificateError
            If one is too large or too small for a float, or a column cannot be replaced.
        """
        if any(not 0 <= remainder.columns[0] < X.shape[1] for remainder in remainders):
            raise CertificateError("a column that is no feature cannot be replaced")
        values = np.empty((X.shape[0], len(remainders)))

        def fill(block: Block) -> None:
            rows = slice(block.rows[0], block.rows[-1] + 1)
            table, places = _table(block, remainders, X.shape[1])
            coefs = [remainder.coefs for remainder in remainders]
            values[rows] = rounded_products(table, list(zip(places, coefs, strict=True)))

        if remainders:
            for _ in in_order(fill, blocks(X)):
                pass
        return cls(tuple(remainders), values)

    @property
    def columns(self) -> Indices:
        """The columns that are replaced."""
        return np.array([int(a.columns[0]) for a in self.remainders], dtype=np.int64)

    def coefs_of_others(self, coef: Floats) -> Floats:
        """The coefficients of a hyperplane without those of the replaced columns."""
        if not self.remainders:
            return coef
        others = coef.copy()
        others[self.columns] = 0.0
        return others

    def products(self, rows: slice, coef: Floats) -> Floats | float:
        """The part of the inner products with a hyperplane that the replaced columns have."""
        return self.values[rows] @ coef[self.columns] if self.remainders else 0.0

    def put_into(self, table: Floats, rows: Indices, columns: Indices) -> None:
        """Put the replaced ones among these columns into a table of these rows."""
        for k, column in enumerate(self.columns):
            table[:, columns == column] = self.values[rows, k, None]


def check_solved(
    relations: Sequence[Relation], remainders: Sequence[Relation], n_features: int, affine: bool
) -> None:
    """Refuse relations and remainders that do not satisfy the conditions of the lemma."""
    solved = {int(relation.columns[0]) for relation in relations}
    if len(solved) < len(relations):
        raise CertificateError("two relations between columns are solved for the same one")
    later = {int(remainder.columns[0]) for remainder in remainders}
    if len(later) < len(remainders) or solved & later:
        raise CertificateError("a column is replaced twice, or is not needed")
    for number, relation in enumerate((*remainders, *relations)):
        columns, first = relation.columns, float(relation.coefs[0])
        inside = columns.min() >= 0 and columns.max() < n_features + affine
        others = set(columns[1:].tolist())
        if not (first and inside) or others & (solved | later | {int(columns[0])}):
            raise CertificateError("a relation between columns is not solved for its first one")
        if number < len(remainders):
            later.remove(int(columns[0]))


def check_relations(X: Any, rows: Indices, relations: Sequence[Relation]) -> None:
    """Refuse relations that do not hold on all these rows, exactly."""
    for relation in not_exact(X, rows, relations):
        raise CertificateError(
            f"column {relation.columns[0]} is not exactly the combination of others that is claimed"
        )


def not_exact(X: Any, rows: Indices, relations: Sequence[Relation]) -> list[Relation]:
    """The relations that do not hold on all these rows, exactly."""
    left = list(relations)
    for block in take(X, rows):
        if not left:
            break
        holds = _hold(block, left, X.shape[1])
        left = [relation for relation, true in zip(left, holds, strict=True) if true]
    return [relation for relation in relations if relation not in left]


def _hold(block: Block, relations: Sequence[Relation], n_features: int) -> list[bool]:
    """Whether each of the relations holds on a block."""
    products = None
    if isinstance(block, SparseBlock):
        products = _products_of_integers(block, relations, n_features)
    if products is not None:
        return [not column.any() for column in products.T]
    table, places = _table(block, relations, n_features)
    return [
        is_zero_product(table[:, mine], relation.coefs)
        for mine, relation in zip(places, relations, strict=True)
    ]


def _products_of_integers(
    block: SparseBlock, relations: Sequence[Relation], n_features: int
) -> Floats | None:
    """The relations on a sparse block, times powers of two: exact, as all numbers are short.

    ``None`` where some are not. A column that is named twice has the sum of its coefficients, which
    is exact, too.
    """
    parts = []
    for relation in relations:
        coefs = as_short_integers(relation.coefs)
        if coefs is None or coefs.size > MOST_TERMS:
            return None
        parts.append(coefs)
    columns = np.concatenate([relation.columns for relation in relations])
    numbers = np.repeat(np.arange(len(relations)), [coefs.size for coefs in parts])
    shape = n_features + 1, len(relations)
    entries = np.concatenate(parts), (columns, numbers)
    combinations = sparse.csr_array(sparse.coo_array(entries, shape=shape))
    used = np.zeros(n_features + 1, dtype=np.bool_)
    used[columns] = True
    # The values of columns that no relation names may be of any length.
    named = used[block.indices]
    values = as_short_integers(np.append(block.data[named], 1.0))
    if values is None:
        return None
    ends = np.concatenate(([0], np.cumsum(named)))[block.ends]
    shape = block.rows.size, n_features
    rows = sparse.csr_array((values[:-1], block.indices[named], ends), shape=shape)
    constant = values[-1] * combinations[[n_features]].toarray()
    products: Floats = (rows @ combinations[:n_features]).toarray() + constant
    return products


def _table(
    block: Block, relations: Sequence[Relation], n_features: int
) -> tuple[Floats, list[Indices]]:
    """The columns of a block that relations name, and the places of each relation's columns."""
    used = np.unique(np.concatenate([each.columns for each in relations]))
    n_used = int(np.searchsorted(used, n_features))
    table = np.ones((block.rows.size, used.size))
    table[:, :n_used] = dense_columns(block, used[:n_used], n_features)
    return table, [np.searchsorted(used, relation.columns) for relation in relations]


def dense_columns(block: Block, columns: Indices, n_columns: int) -> Floats:
    """Some columns of a block as a dense array."""
    if isinstance(block, DenseBlock):
        if np.array_equal(columns, np.arange(n_columns)):
            return block.values.astype(np.float64)
        at = np.arange(block.rows.size) if block.at is None else block.at
        return block.array[np.ix_(at, columns)].astype(np.float64)
    assert isinstance(block, SparseBlock)
    table = np.zeros((block.rows.size, columns.size))
    place_of = np.full(n_columns, -1)
    place_of[columns] = np.arange(columns.size)
    places = place_of[block.indices]
    owners = np.repeat(np.arange(block.rows.size), np.diff(block.ends))
    inside = places >= 0
    table[owners[inside], places[inside]] = block.data[inside]
    return table
