"""Weights of pairs as whole numbers that balance: what they bring to a class is what they take.

Searches have weights ``λ_ir`` in floating point, which balance up to rounding, or not at all where
they are the steps of a perceptron. Here they are made whole numbers, and where there are
intercepts they are balanced exactly: by factors ``t_y/t_r`` that make the flow between the classes
a circulation (as Osborne balances a matrix, *On pre-conditioning of matrices*, 1960; for two
classes this normalises each class apart), and then by adding what is left to one example of each
class. Nothing is ever subtracted.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.flow import Flow, flow_of
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.fields import as_support

BITS = 60
"""The total of the weights has so many bits, where they were no whole numbers: a weight is rounded
by less than ``2**-60`` of the total."""

NEARLY = 2.0**-40
"""A flow whose classes differ by no more than this share of it is balanced by additions alone."""

_SWEEPS = 200


def balanced(
    codes: Indices,
    support: npt.ArrayLike,
    weights: npt.ArrayLike,
    n_classes: int,
    *,
    affine: bool,
    taking_part: npt.NDArray[np.bool_] | None = None,
) -> list[tuple[Indices, Flow]]:
    """Whole numbers close to weights of pairs, in one or two ways; the bounds decide which is best.

    Parameters
    ----------
    codes : array of shape (n,)
        The classes of all examples.
    support, weights
        Examples, and their weights on each class, which are not negative and 0 on their own.
    n_classes : int
        The number of classes.
    affine : bool
        Whether there are intercepts, so that the flow must balance.
    taking_part : array of bool, optional
        The examples that may have weight; by default, all.

    Returns
    -------
    list of (support, weights)
        Empty where no weight is positive.

    Examples
    --------
    >>> codes = np.array([0, 1, 2])
    >>> ((rows, weights),) = balanced(
    ...     codes, [0, 1, 2], [[0, 2.0, 0], [0, 0, 2.0], [2.0, 0, 0]], 3, affine=True
    ... )
    >>> weights
    array([[0, 1, 0],
           [0, 0, 1],
           [1, 0, 0]])
    """
    rows, given = _checked(codes, support, weights, n_classes)
    if not given.any():
        return []
    flow = _flow_between(codes[rows], given, n_classes)
    excess = np.abs(flow.sum(axis=1) - flow.sum(axis=0)).max() if affine else 0.0
    if given.dtype.kind == "i" and excess == 0.0:
        return [_tidy(rows, given)]
    tables = [given]
    if excess > NEARLY * flow.sum():
        factors = _circulation(flow)
        if factors is not None:
            with np.errstate(all="ignore"):
                tables.append(given * (factors[codes[rows], None] / factors))
    found = []
    for table in tables:
        whole = _whole(np.asarray(table, dtype=np.float64))
        if affine:
            found.append(_completed(codes, rows, whole, taking_part))
        else:
            found.append(_tidy(rows, whole))
    return found


def _checked(
    codes: Indices, support: npt.ArrayLike, weights: npt.ArrayLike, n_classes: int
) -> tuple[Indices, npt.NDArray[Any]]:
    """The examples in order, and their weights as int64 or float64, without rows of zeros."""
    rows = as_support(support, codes.size)
    given = np.asarray(weights)
    if given.size == 0:
        given = np.zeros((0, n_classes), dtype=np.int64)
    if given.shape != (rows.size, n_classes):
        raise CertificateError(
            f"weights have shape {given.shape}, which is not a row for each of {rows.size} "
            f"examples and a column for each of {n_classes} classes"
        )
    whole = given.dtype.kind in "ui" and int(given.sum(dtype=np.float64)) < 1 << BITS
    given = given.astype(np.int64 if whole else np.float64)
    if not np.isfinite(given).all() or (given < 0).any():
        raise CertificateError("weights must be finite and not negative")
    if given[np.arange(rows.size), codes[rows]].any():
        raise CertificateError("an example of the support has weight on its own class")
    kept = np.flatnonzero(given.any(axis=1))
    kept = kept[np.argsort(rows[kept], kind="stable")]
    return rows[kept], given[kept]


def _flow_between(own: Indices, weights: npt.NDArray[Any], n_classes: int) -> Any:
    """The weights summed over the examples of each class, a row for each class."""
    flow = np.zeros((n_classes, n_classes), dtype=weights.dtype)
    np.add.at(flow, own, weights)
    return flow


def _circulation(flow: npt.NDArray[Any]) -> Floats | None:
    """Factors ``t`` with which ``flow[y, r] t_y/t_r`` balances; ``None`` where there are none.

    There are some where every class that the flow leaves is reached by it again.
    """
    table = np.asarray(flow, dtype=np.float64)
    table = table / table.sum()
    factors = np.ones(len(table))
    with np.errstate(all="ignore"):
        for _ in range(_SWEEPS):
            for code in range(len(table)):
                out, back = table[code].sum(), table[:, code].sum()
                if out > 0.0 and back > 0.0:
                    step = np.sqrt(back / out)
                    table[code] *= step
                    table[:, code] /= step
                    factors[code] *= step
            excess = np.abs(table.sum(axis=1) - table.sum(axis=0)).max()
            if excess <= NEARLY * table.sum():
                break
        usable = np.isfinite(factors).all() and (factors > 0.0).all() and table.sum() > 0.0
    return factors if usable else None


def _whole(weights: Floats) -> Flow:
    """The weights times a power of two, rounded to whole numbers."""
    largest = weights.max()
    if not 0.0 < largest < np.inf:
        raise CertificateError("the weights are too large or too small to be balanced")
    # The largest first, so that the total cannot overflow.
    scaled = weights / largest
    exponent = BITS - int(np.frexp(scaled.sum())[1])
    whole: Flow = np.rint(np.ldexp(scaled, exponent)).astype(np.int64)
    return whole


def _completed(
    codes: Indices,
    rows: Indices,
    weights: Flow,
    taking_part: npt.NDArray[np.bool_] | None,
) -> tuple[Indices, Flow]:
    """Add to one example of each class what it takes to balance the flow."""
    excess = flow_of(codes[rows], weights).sum(axis=0)
    if not excess.any():
        return _tidy(rows, weights)
    carriers: dict[int, int] = {}
    sizes = weights.sum(axis=1)
    extra: list[int] = []
    for code in np.flatnonzero(excess < 0).tolist():
        mine = np.flatnonzero(codes[rows] == code)
        if mine.size:
            carriers[code] = int(mine[sizes[mine].argmax()])
            continue
        usable = codes == code if taking_part is None else (codes == code) & taking_part
        carriers[code] = rows.size + len(extra)
        extra.append(int(np.flatnonzero(usable)[0]))
    rows = np.concatenate([rows, np.array(extra, dtype=np.int64)])
    weights = np.concatenate([weights, np.zeros((len(extra), weights.shape[1]), dtype=np.int64)])
    too_much = [[code, int(excess[code])] for code in np.flatnonzero(excess > 0).tolist()]
    for code, place in carriers.items():
        missing = -int(excess[code])
        while missing:
            target = too_much[-1]
            moved = min(missing, target[1])
            weights[place, target[0]] += moved
            missing, target[1] = missing - moved, target[1] - moved
            if not target[1]:
                too_much.pop()
    return _tidy(rows, weights)


def _tidy(rows: Indices, weights: Flow) -> tuple[Indices, Flow]:
    """The examples in order, without those of weight 0, and weights without a common divisor."""
    kept = np.flatnonzero(weights.any(axis=1))
    kept = kept[np.argsort(rows[kept], kind="stable")]
    weights = weights[kept]
    return rows[kept], weights // max(1, int(np.gcd.reduce(weights.ravel())))
