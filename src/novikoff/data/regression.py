"""Tables as regressions read them: no first levels, and counts of successes and failures."""

from dataclasses import replace
from typing import Any

import numpy as np

from novikoff.certificate.escape import quoted
from novikoff.certificate.examples.counts import expanded
from novikoff.data.table import DataError, Table

SUCCESS = "success"
"""The target of counts: 1 for a success, 0 for a failure."""


def without_first_levels(table: Table, *, affine: bool) -> Table:
    """Leave out the indicator of the first level of each column of words, as regressions do.

    With all of them and an intercept, no coefficient would be identified. Without an intercept, the
    first column of words keeps its first level.
    """
    left_out, columns, first, keeps = [], [], 0, not affine
    if table.encoding is not None:
        for i, column in enumerate(table.encoding.columns):
            if column.kind == "words" and column.levels:
                if not keeps:
                    left_out.append(first)
                    columns.append(i)
                keeps = False
            first += column.width
    if not left_out:
        return table
    kept = np.setdiff1d(np.arange(table.X.shape[1]), left_out)
    names = table.feature_names
    some = None if names is None else tuple(names[j] for j in kept)
    return replace(table, X=table.X[:, kept], feature_names=some, without_first=tuple(columns))


def from_counts(table: Table, successes: str, failures: str) -> Table:
    """Make examples of a table of counts: the successes are its labels, the failures its weights.

    Raises
    ------
    DataError
        If they are not whole numbers, or negative.
    """
    labels: Any = table.y
    others: Any = table.weights
    for column, counts in ((successes, labels), (failures, others)):
        whole = counts.dtype.kind in "biuf" and (np.mod(counts, 1) == 0).all()
        if not whole or (counts < 0).any():
            raise DataError(
                f"the column {quoted(column)} is to contain counts, which are whole numbers and "
                "not negative"
            )
    X, y, _ = expanded(table.X, np.column_stack([labels, others]))
    named = successes, failures
    return replace(table, X=X, y=y, weights=None, target_name=SUCCESS, counts=named)
