"""Proofs of non-separability from the slacks of a soft margin.

At the optimum of a squared hinge without penalty the slacks combine the signed examples to zero; at
that of a soft margin with a large ``C``, nearly. Here the examples are chosen on which the slacks
are to be changed so that they do exactly: the rows that elimination with partial pivoting takes
from those with the largest slacks. What is found is checked by the certificate, and
:mod:`novikoff.certificate.exact.vanishing` has the mathematics.

Where columns depend on others up to rounding, they are replaced by their remainders. A soft margin
does not see these: the slacks combine to nearly zero in the other columns alone. So the squared
hinges are minimised again, from the soft margin on, in the new columns.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate import CertificateError, Certifier, Refutation, Slacks
from novikoff.certificate.exact.columns import Replaced
from novikoff.certificate.exact.violations import Violations, slacks_of, touching
from novikoff.run.elimination import Elimination
from novikoff.run.gram_proof import refute_by_gram
from novikoff.run.hinge_hessian import Products
from novikoff.run.least_hinges import ENOUGH, FADING, least_hinges
from novikoff.run.one_signed import one_signed
from novikoff.run.remainders import Columns, leave_out, replace_dependent

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

NO_COLUMNS: Ids = np.empty(0, dtype=np.int64)

ROUNDS = 4
"""How often columns are replaced: once by remainders, and again where these depend on others."""

RARE_ROUNDS = 8
"""How often examples are left out for the columns that they have. Tf-idf of groups of letters,
17,955 x 2,000, 10 % noise, takes 4. Other values were not tried."""

MOST_CHANGE = 0.99
"""The largest change of a slack, as a share of it: below 1, so that on another machine, where
sums are rounded in another order, the proof is still one."""

CLOSE = 2.0**12
"""The sum of the signed examples, in units of its rounding errors, that is near enough to zero.
Where columns depend on others, some hundreds are left."""

ROUGH = 2.0**24
"""A sum that large is not that of an optimum which Newton's method has reached."""

ELIMINATION = 2e-10
"""The seconds that a proof takes for d columns, in units of d^3: 3,000 columns take 3 to 6."""


class _Ended(Exception):
    """There is no time left, or the search was cancelled."""


def refute_by_slacks(
    certifier: Certifier,
    coef: Vector,
    intercept: float = 0.0,
    *,
    without: Ids = NO_COLUMNS,
    rough: bool = False,
    seconds: float = math.inf,
    stopped: Callable[[], bool] = lambda: False,
) -> Refutation | None:
    """Prove that nothing separates the examples, from a soft margin.

    Parameters
    ----------
    certifier : Certifier
        Of the problem.
    coef, intercept
        A hyperplane near the least ``Σ s_i max(0, 1 - y_i (coef·x_i + intercept))²``, where
        ``s_i`` are the costs of the examples: a soft margin with a large ``C``. The smaller the
        penalty, the smaller the change of the slacks that is needed.
    without : array of int
        Only examples that are zero in these columns are used.
    rough : bool
        Whether the hyperplane may be so far from the optimum that it is not worth an elimination
        unless Newton's method reaches it.
    seconds : float
        How long elimination, which cannot be interrupted, may take.
    stopped : callable
        Whether to end without a proof, asked between the steps of everything else.

    Returns
    -------
    Refutation or None
        ``None`` where there is no proof: the examples are separable, ``C`` is too small, fewer
        examples violate the margin than there are features, or there is no time.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.certificate import Certifier
    >>> from novikoff.run.slack_proof import refute_by_slacks
    >>> corners, labels = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    >>> certifier = Certifier.of(corners, labels, positive=1, affine=True)
    >>> print(certifier.refuted(refute_by_slacks(certifier, np.zeros(2), 0.0)).headline())
    not separable, the slacks of a hyperplane prove it
    """
    deadline = monotonic() + seconds

    def check() -> None:
        if stopped() or monotonic() > deadline:
            raise _Ended

    try:
        slacks, violations = _weighted(certifier, Slacks(coef=coef, intercept=intercept), without)
        if not _in_time(violations, deadline):
            return None
        products = Products()
        if sparse.issparse(violations.X):
            slacks, violations = _nearer(certifier, slacks, violations, products, check)
        if rough and _gradient(violations) > ROUGH:
            return None
        if sparse.issparse(violations.X):
            proof = _by_gram(certifier, slacks, violations, products, check)
            if proof is not None:
                return proof
        if not _in_time(violations, deadline):
            return None
        proof, found, columns = _by_elimination(certifier, slacks, violations)
        if proof is not None:
            return proof
        check()
        independent = found is not None and _are_left_out(found, columns)
        if independent and not sparse.issparse(violations.X):
            # Where columns nearly depend on others, a soft margin is far from the optimum.
            slacks, violations = _nearer(certifier, slacks, violations, products, check)
            if not _in_time(violations, deadline):
                return None
            proof, found, columns = _by_elimination(certifier, slacks, violations)
        if proof is not None or found is None:
            return proof
        if (_are_left_out(found, columns) and not found.nearly) or found.is_graded:
            return None
        return _by_remainders(certifier, slacks, found, columns, deadline, check)
    except (CertificateError, _Ended):
        # A slack, a sum or a product with a power of two overflows, or there is no time.
        return None


def _by_elimination(
    certifier: Certifier, slacks: Slacks, violations: Violations
) -> tuple[Refutation | None, Elimination | None, Columns]:
    """Prove it by the rows that elimination takes, if no column depends on others up to rounding.

    Also returns the elimination, if there is one, and the relations that were found.
    """
    columns, proof = Columns(), None
    found = Elimination.of(violations)
    found = None if found is None else found.on_all_rows()
    if found is not None and leave_out(found, columns):
        proof = _confirmed(certifier, columns.put(slacks), found)
    return proof, found, columns


def _are_left_out(found: Elimination, columns: Columns) -> bool:
    """Whether there is a relation for each column that elimination does not keep."""
    return bool(np.isin(found.columns[~found.kept], columns.solved).all())


def _by_gram(
    certifier: Certifier,
    slacks: Slacks,
    violations: Violations,
    products: Products,
    check: Callable[[], None],
) -> Refutation | None:
    """Prove it by a Gram matrix, if need be without the examples that have certain rare columns."""
    for _ in range(RARE_ROUNDS):
        proof, rare = refute_by_gram(certifier, slacks, violations, MOST_CHANGE)
        if proof is not None or not rare.size:
            return proof
        without = np.union1d(slacks.without, rare)
        slacks, violations = _weighted(certifier, slacks, without)
        slacks, violations = _nearer(certifier, slacks, violations, products, check)
    return None


def _by_remainders(
    certifier: Certifier,
    slacks: Slacks,
    first: Elimination,
    columns: Columns,
    deadline: float,
    check: Callable[[], None],
) -> Refutation | None:
    """Prove it where columns depend on others up to rounding."""
    violations = first.violations
    for number in range(ROUNDS):
        if not _in_time(violations, deadline):
            return None
        found: Elimination | None = first
        if number or first.nearly:
            found = Elimination.of(violations, solved=columns.solved, strict=True)
        if found is None:
            return None
        if found.kept.all():
            return _confirmed(certifier, columns.put(slacks), found)
        if number:
            # Rare columns may depend on others in the rows to choose from alone.
            whole = Elimination.of(violations, solved=columns.solved)
            whole = None if whole is None else whole.on_all_rows()
            if whole is not None and whole.kept.all():
                proof = _confirmed(certifier, columns.put(slacks), whole)
                if proof is not None:
                    return proof
        check()
        moved = replace_dependent(found, columns, slacks, tried=found is first)
        if moved is None:
            return None
        replaced = Replaced.of(violations.X, moved.remainders)
        kept = np.setdiff1d(found.columns, columns.solved)
        slacks = least_hinges(certifier, moved, replaced, kept, check=check)
        slacks, violations = _weighted(certifier, slacks, slacks.without, replaced)
    return None


def _confirmed(certifier: Certifier, slacks: Slacks, found: Elimination) -> Refutation | None:
    """Prove it with the rows that elimination has taken, if that succeeds."""
    violations = found.violations
    weights = violations.weights[found.places[found.factor.rows]]
    if not (np.abs(found.change()) < np.frexp(weights)[0]).all():
        return None
    rows, inverse = found.rows, found.inverse()
    return certifier.refute_by_slacks(
        slacks, rows, violations=violations, inverse=inverse, most=MOST_CHANGE
    )


def _weighted(
    certifier: Certifier, slacks: Slacks, without: Ids, replaced: Replaced | None = None
) -> tuple[Slacks, Violations]:
    """Decide which examples have weight, among those that are zero ``without`` some columns."""
    examples, affine = certifier.examples, certifier.problem.affine
    values = slacks_of(
        examples.X, examples.signs, examples.costs, slacks.coef, slacks.intercept, replaced
    )
    if without.size:
        # What is left of a replaced column may be large in the examples that are left out.
        values[touching(examples.X, np.arange(values.size), without)] = 0.0
    threshold = _threshold(values)
    rows = np.flatnonzero(values > threshold)
    without = np.union1d(without, one_signed(examples.X, examples.signs, rows))
    slacks = replace(slacks, threshold=threshold, without=without)
    return slacks, slacks.violations(examples, affine=affine, slacks=values, replaced=replaced)


def _nearer(
    certifier: Certifier,
    slacks: Slacks,
    violations: Violations,
    products: Products,
    check: Callable[[], None],
) -> tuple[Slacks, Violations]:
    """Go on to the optimum without a penalty, by Newton's method: sparse data cost little."""
    as_they_are = Replaced.of(violations.X, ())
    every = np.arange(violations.total.size)
    for number in range(ROUNDS):
        size = ENOUGH * violations.columns.size
        if _gradient(violations) < CLOSE or not 0 < size <= violations.rows.size:
            break
        before = float(violations.weights @ violations.weights)
        # Examples that come to violate the margin may have columns that none had before.
        columns = np.setdiff1d(every, slacks.without)
        # Of most data the Gram matrix is good enough, which takes a third of the time.
        slacks = least_hinges(
            certifier,
            slacks,
            as_they_are,
            columns,
            nearly=CLOSE,
            by_rows=number > 0,
            products=products,
            check=check,
        )
        slacks, violations = _weighted(certifier, slacks, slacks.without)
        if float(violations.weights @ violations.weights) < FADING * before:
            break
    return slacks, violations


def _gradient(violations: Violations) -> float:
    """The largest entry of the sum that is to vanish, in units of its rounding errors."""
    columns = violations.columns
    sums = np.abs(violations.total[columns]) / violations.error[columns]
    return float(sums.max(initial=0.0))


def _in_time(violations: Violations, deadline: float) -> bool:
    return monotonic() + ELIMINATION * float(violations.columns.size) ** 3 <= deadline


def _threshold(slacks: Vector) -> float:
    """The middle of the widest gap between small slacks: few rows depend on rounding there."""
    largest = float(slacks.max(initial=0.0))
    if largest <= 0.0:
        return 0.0
    low, high = 2.0**-40 * largest, 2.0**-20 * largest
    ends = np.r_[low, np.sort(slacks[(slacks > low) & (slacks < high)]), high]
    widest = int(np.argmax(ends[1:] / ends[:-1]))
    return math.sqrt(ends[widest]) * math.sqrt(ends[widest + 1])
