"""Scores of kernel classifiers, with signs and largest ones that are exact.

As :mod:`novikoff.certificate.exact.prediction`: rigorous floating-point bounds decide almost every
row, exact arithmetic or ball arithmetic the others. A score that ball arithmetic has decided is the
float nearest to the middle of its ball, and not zero unless the exact score is.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpq

from novikoff.certificate.exact.dyadic import nearest_float
from novikoff.certificate.exact.filter import radius
from novikoff.certificate.exact.prediction import undecided
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.feature_space.exact_table import exact_sums
from novikoff.certificate.feature_space.table import KernelTable

_SMALLEST = 5e-324


def decided_scores(
    table: KernelTable, columns: Indices, coefs: Floats, intercepts: Floats
) -> tuple[Floats, Indices]:
    """The scores of all rows of the table, and the rows that exact arithmetic decided.

    Examples
    --------
    >>> from novikoff.certificate.feature_space.kernel import Kernel
    >>> table = KernelTable.of(Kernel("rbf", gamma=1.0), np.array([[0.0], [2.0], [1.0]]))
    >>> coefs = np.array([[1.0], [-1.0]])
    >>> decided_scores(table, np.array([0, 1]), coefs, np.zeros(1))
    (array([[ 0.98168436],
           [-0.98168436],
           [ 0.        ]]), array([2]))
    """
    values, errors = table.sums(columns, coefs)
    with np.errstate(all="ignore"):
        errors = errors + radius(np.abs(values) + np.abs(intercepts), 1)
        values = values + intercepts
    fixed = np.logical_not(coefs.any(axis=0))
    values[:, fixed] = intercepts[fixed]
    rows = undecided(values, errors, fixed)
    if rows.size:
        for column in np.flatnonzero(~fixed):
            used = np.flatnonzero(coefs[:, column])
            if table.kernel.name == "callable":
                # It may round differently for other columns.
                used = np.arange(columns.size)
            found = exact_sums(
                table,
                rows,
                columns[used],
                np.ascontiguousarray(coefs[used, column]),
                float(intercepts[column]),
            )
            values[rows, column] = [rounded(*ends) for ends in found]
    return values, rows


def joined(models: Sequence[Any]) -> tuple[Indices, Floats, Floats]:
    """The support of several kernel classifiers, a column of coefficients for each, intercepts."""
    support = np.unique(np.concatenate([model.support for model in models]))
    if len(models) == 1 and models[0].coef.ndim == 2:
        # All classes together have one support.
        order = np.argsort(models[0].support)
        return support, models[0].coef[order], models[0].intercept
    coefs = np.zeros((support.size, len(models)))
    for column, model in enumerate(models):
        coefs[np.searchsorted(support, model.support), column] = model.coef
    return support, coefs, np.array([model.intercept for model in models])


def rounded(low: fmpq, high: fmpq) -> float:
    """The float nearest to the middle of an interval; zero only where that is."""
    value = (low + high) / 2
    return nearest_float(value) or _SMALLEST * ((value > 0) - (value < 0))
