"""Few rows that span others, and combine to zero with positive weights."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np
from scipy import linalg, optimize

from novikoff.certificate import CertificateError
from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.exact.modular import PRIMES, independent_among
from novikoff.certificate.exact.span import Basis, shortest, whole_columns
from novikoff.facial.hinges import Floats, Ids
from novikoff.facial.simplex import Combination, combine_to

CANDIDATES = 40
"""Rows for each column among which a basis and a positive combination are looked for at first."""

AT_MOST = 4000
"""Candidates for a basis, or four for each column if that is more."""

MANY = 150
"""From so many columns on, slacks are tried as weights first. They prove it in one step, with as
many rows as there are slacks; to find few rows takes time with the third power of the columns: on
indicators of 200 columns a second, of 500 half a minute."""

SECONDS = 1.1e-10
"""Of pivoting, for each row and the square of the columns: 1.8 s for 4,000 x 2,000."""

BITS = (12, 30, 48)
"""Lengths of the integers that weights are rounded to, until those of the basis are positive."""

ROUNDS = 50
"""How often candidates are added."""


def in_order_of_pivots(
    lifted: Lifted, rows: Ids, check: Callable[..., None] = lambda ahead=0.0: None
) -> Ids:
    """The first of some rows, in the order in which elimination with pivoting takes them."""
    width = lifted.width
    if rows.size <= width:
        return rows
    most = min(CANDIDATES * width, max(AT_MOST, 4 * width))
    if rows.size > most:
        # Half of them by chance: columns with few values may not be among the first.
        chance = np.random.default_rng(0).permutation(rows.size - most // 2)[: most - most // 2]
        rows = np.concatenate([rows[: most // 2], rows[most // 2 + np.sort(chance)]])
    check(SECONDS * rows.size * width**2)
    table = lifted.table(rows)
    sizes = np.abs(table).max(axis=0)
    sizes[sizes == 0.0] = 1.0
    with np.errstate(all="ignore"):
        lengths = np.abs(table / sizes).max(axis=1)
    lengths[lengths == 0.0] = 1.0
    table = table / sizes / lengths[:, None]
    if not np.isfinite(table).all():
        return rows
    found: Ids = rows[_pivot_order(table)]
    return found


def _pivot_order(table: Floats) -> Ids:
    if table.shape[1] < MANY:
        order: Ids = linalg.qr(table.T, mode="r", pivoting=True, check_finite=False)[1]
        return order
    # Partial pivoting takes a tenth of the time of 2,000 columns, and the pivots are good enough.
    order = np.arange(len(table))
    for place, other in enumerate(linalg.lapack.dgetrf(table)[1]):
        order[[place, other]] = order[[other, place]]
    return order


def enlarge(
    lifted: Lifted,
    taken: Ids,
    rows: Ids,
    check: Callable[..., None] = lambda ahead=0.0: None,
    *,
    every: bool = True,
) -> Ids:
    """Independent rows that span the first ones, which are independent, and the others.

    Unless ``every`` one matters: then only few more than there are columns.
    """
    order = np.concatenate([taken, rows[~np.isin(rows, taken)]])
    if not order.size:
        return order
    # Where the first ones span everything already, the others need no elimination.
    for size in (lifted.width + 32, order.size):
        some = order[:size]
        matrix = whole_columns(lifted.table(some))[0]
        columns = [list(column) for column in zip(*matrix, strict=True)]
        found = some[independent_among(columns, some.size, PRIMES[0], check)]
        if found.size == lifted.width or size >= order.size or not every:
            break
    return found


def positive_support(
    basis: Basis,
    rows: Ids,
    check: Callable[[], None] = lambda: None,
    exact: Ids | None = None,
    slacks: Sequence[tuple[Ids, Floats]] = (),
) -> tuple[Ids, list[int]] | None:
    """Rows of the span with positive weights that positive weights of the basis cancel.

    Parameters
    ----------
    basis : Basis
        Independent rows.
    rows : array of int
        Rows of their span, which it is believed that no direction separates.
    check : callable
        Called between steps.
    exact : array of int, optional
        Rows among which to look in exact arithmetic where floating point finds none.
    slacks : sequence of pairs
        Of each round, rows that combine to zero with their slacks, up to rows of rounds before.

    Returns
    -------
    (support, weights) or None
        At most as many rows as the basis has, unless slacks are the weights; ``None`` where there
        are none.
    """
    others = np.setdiff1d(rows, basis.rows, assume_unique=True)
    guesses = [_guesses(basis, others, check), _slack_weights(basis, slacks)]
    for support, weights in chain(*(guesses if basis.rows.size < MANY else guesses[::-1])):
        for bits in BITS:
            check()
            whole = np.rint(weights / weights.max() * 2.0**bits)
            kept = whole > 0.0
            chosen = [int(a) for a in whole[kept]]
            divisor = int(np.gcd.reduce(np.array(chosen, dtype=np.int64)))
            chosen = [a // divisor for a in chosen]
            if _is_proved(basis, support[kept], chosen):
                return support[kept], chosen
    if exact is None:
        return None
    return _exactly(basis, np.setdiff1d(exact, basis.rows, assume_unique=True), check)


def _is_proved(basis: Basis, support: Ids, weights: list[int]) -> bool:
    try:
        basis.check_positive(support, weights)
    except CertificateError:
        return False
    return True


def _slack_weights(
    basis: Basis, slacks: Sequence[tuple[Ids, Floats]]
) -> Iterator[tuple[Ids, Floats]]:
    """The slacks of all rounds, those of later ones smaller: earlier rows make up for them."""
    for share in (2.0**-6, 2.0**-14) if len(slacks) > 1 else (1.0,) * len(slacks):
        rows = np.concatenate([some for some, _ in slacks])
        weights = np.concatenate([s / s.max() * share**k for k, (_, s) in enumerate(slacks)])
        # Rows that few columns could not place in the span come again in a later round.
        distinct, places = np.unique(rows, return_inverse=True)
        total: Floats = np.bincount(places, weights, distinct.size).astype(np.float64)
        kept = ~np.isin(distinct, basis.rows) & (total > 0.0)
        if kept.any():
            yield distinct[kept], total[kept]


def _guesses(basis: Basis, rows: Ids, check: Callable[[], None]) -> Iterator[tuple[Ids, Floats]]:
    """Rows and weights, in floating point.

    In coordinates of the basis, the sum of the basis is the vector of ones: it is to be cancelled,
    and where its own rows help, their weights become larger.
    """
    lifted, size = basis.lifted, basis.rows.size
    columns = np.array(basis.pivots)
    square = lifted.table(basis.rows, columns).T
    with np.errstate(all="ignore"):
        scale = 1.0 / np.abs(square).max(axis=1)
        *factor, info = linalg.lapack.dgetrf(square * scale[:, None])
    if info or not np.isfinite(scale).all():
        return

    def coordinates(some: Ids) -> Floats:
        found: Floats = linalg.lu_solve(
            tuple(factor), lifted.table(some, columns).T * scale[:, None], check_finite=False
        )
        return found

    candidates, rng = rows, np.random.default_rng(0)
    if rows.size > 2 * CANDIDATES * size:
        candidates = np.sort(rng.choice(rows, CANDIDATES * size, replace=False))
    for _ in range(ROUNDS):
        check()
        table = coordinates(candidates)
        lengths = np.abs(table).max(axis=0, initial=0.0)
        useful = (lengths > 0.0) & np.isfinite(lengths)
        candidates, table, lengths = candidates[useful], table[:, useful], lengths[useful]
        if not candidates.size:
            return
        try:
            weights, missed = optimize.nnls(
                np.hstack([table / lengths, np.eye(size)]),
                -np.ones(size),
                maxiter=10 * size + 100,
            )
        except RuntimeError:
            return
        more, weights = weights[candidates.size :], weights[: candidates.size] / lengths
        if missed <= 1e-7 * np.sqrt(size):
            kept = weights > 0.0
            yield candidates[kept], weights[kept]
            return
        if candidates.size == rows.size:
            return
        left = -1.0 - more - table @ weights
        gains = np.concatenate(
            [left @ coordinates(rows[a : a + 8192]) for a in range(0, rows.size, 8192)]
        )
        if gains.max() <= 1e-9 * missed:
            # The residual is a direction that separates a row.
            return
        best = rows[np.argsort(-gains)[: CANDIDATES * size]]
        enlarged = np.union1d(candidates, best)
        if enlarged.size == candidates.size:
            return
        candidates = enlarged


def _exactly(basis: Basis, rows: Ids, check: Callable[[], None]) -> tuple[Ids, list[int]] | None:
    lifted = basis.lifted
    both = np.concatenate([basis.rows, rows])
    matrix, _ = whole_columns(lifted.table(both, np.array(basis.pivots)))
    first = matrix[: basis.rows.size]
    target = [-sum(column) for column in zip(*first, strict=True)]
    found = combine_to(matrix, target, check)
    if not isinstance(found, Combination):
        return None
    places = np.array(found.places, dtype=np.int64)
    chosen = places >= basis.rows.size
    support = both[places[chosen]]
    if not support.size:
        return None
    weights = shortest([a for a, c in zip(found.weights, chosen, strict=True) if c])
    order = np.argsort(support)
    return support[order], [weights[k] for k in order]
