"""Least squared hinges of signed rows, by Newton's method on a growing working set.

``f(v) = Σ max(0, 1 - y_i·v)²`` has a minimum. Where it is zero, ``v`` separates all rows; otherwise
the slacks combine the rows to zero. The objective is piecewise quadratic, and the generalised
Newton method solves the least squares of the violated rows until these stay the same (Mangasarian,
*A finite Newton method for classification*, 2002). Many rows are read only to see which of them a
direction does not separate.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

STEPS = 60
"""Newton steps until giving up; the data sets of ``benchmarks/separation_verdict.py`` take 3 to 25.
"""

HALVINGS = 12

RIDGE = 2.0**-44
"""Added to the diagonal of the normal equations, relative to its mean."""

REFINEMENTS = 3
"""Steps with the last factor, for the digits that it has lost."""

SAMPLE = 2000
"""Rows of the first working set, or twenty for each column, whichever is more."""

STRIPE = 1 << 33
"""Multiplications between two looks at the clock: half a second."""

ROUNDS = 40
"""How often violated rows are added to the working set."""


@dataclass(frozen=True)
class Minimum:
    """Where the hinges are least: the slacks of the rows in use; without slacks, a separator."""

    vector: Floats
    rows: Ids
    slacks: Floats

    @property
    def separates(self) -> bool:
        """Whether the vector separates all rows strictly, up to rounding."""
        return self.rows.size == 0


def least_hinges(table: Floats, check: Callable[[], None] = lambda: None) -> Minimum | None:
    """Minimise the squared hinges of rows; ``None`` where the steps do not end.

    Examples
    --------
    >>> least_hinges(np.array([[1.0], [2.0]])).separates
    True
    >>> least_hinges(np.array([[1.0], [-1.0]])).slacks
    array([1., 1.])
    """
    n, k = table.shape
    size = max(SAMPLE, 20 * k)
    working = np.arange(n)
    if n > 2 * size:
        working = np.sort(np.random.default_rng(0).choice(n, size, replace=False))
    start = np.zeros(k)
    for _ in range(ROUNDS):
        found = _newton(table[working], start, check)
        if found is None:
            return None
        vector, slacks = found
        if slacks.max(initial=0.0) > 0.0 and not (table[working] @ vector > 0.0).all():
            return Minimum(vector, working, slacks)
        products = table @ vector
        violated = np.flatnonzero(products <= 0.0)
        if not violated.size:
            return Minimum(vector, np.empty(0, dtype=np.int64), np.empty(0))
        if working.size == n:
            return None
        worst = violated[np.argsort(products[violated])[:size]]
        working = np.union1d(working, worst)
        start = vector
    return None


def _newton(
    table: Floats, start: Floats, check: Callable[[], None]
) -> tuple[Floats, Floats] | None:
    """The minimum, or the first vector that separates the rows."""
    n, k = table.shape
    if k > n:
        # In the space of the rows.
        q, r = linalg.qr(table.T, mode="economic", check_finite=False)
        inner = _newton(np.ascontiguousarray(r.T), q.T @ start, check)
        return None if inner is None else (q @ inner[0], inner[1])
    stripe = max(1, STRIPE // k**2)
    v = start.copy()
    slacks = 1.0 - table @ v
    total = float(np.square(np.maximum(slacks, 0.0)).sum())
    for _ in range(STEPS):
        check()
        active = slacks > 0.0
        if not active.any():
            return v, np.zeros(n)
        rows = table[active]
        normal = np.zeros((k, k))
        for first in range(0, len(rows), stripe):
            check()
            part = rows[first : first + stripe]
            normal += part.T @ part
        mean = float(np.trace(normal)) / k
        normal.flat[:: k + 1] += RIDGE * mean
        try:
            factor = linalg.cho_factor(normal, check_finite=False)
        except linalg.LinAlgError:
            return None
        step = linalg.cho_solve(factor, rows.T @ slacks[active], check_finite=False)
        products = table @ step
        for halvings in range(HALVINGS):
            after = slacks - 0.5**halvings * products
            now = float(np.square(np.maximum(after, 0.0)).sum())
            if now <= total * (1.0 + 2.0**-40):
                break
        else:
            return None
        v += 0.5**halvings * step
        slacks = after
        if slacks.max() < 1.0 - 2.0**-30:
            return v, np.maximum(slacks, 0.0)
        settled = halvings == 0 and np.array_equal(slacks > 0.0, active)
        if settled or now >= total * (1.0 - 2.0**-40):
            for _ in range(REFINEMENTS if settled else 0):
                v += linalg.cho_solve(factor, rows.T @ (1.0 - rows @ v), check_finite=False)
            return v, np.maximum(1.0 - table @ v, 0.0)
        total = now
    return None
