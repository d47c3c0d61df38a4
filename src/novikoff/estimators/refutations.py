"""Proofs that nothing separates the examples of a task, for a perceptron that may not end."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Certifier, JointRefutation, Refutation
from novikoff.estimators.fitted import Task
from novikoff.estimators.joint import JointTask
from novikoff.run.blas import blas_for_one
from novikoff.run.least_slack import least_slack
from novikoff.run.nonseparable import (
    MOST_VALUES,
    contradiction,
    integer_cycle,
    zero_combination,
    zero_row,
)

MOST_PAIRS = 3
"""Pairs of classes that are tried, those first between which the run made most of its updates. Each
takes as long as a proof for two classes; where many classes overlap, one of the first does."""


def refute_by_zero(task: Task, work: int) -> Refutation | None:
    """Prove that nothing separates the examples, by some of them that sum to zero."""
    sample = task.sample
    X, hashes = sample.storage.matrix, task.copies.training.hashes
    found = zero_combination(
        X, sample.signs, hashes, affine=sample.affine, work=work, order=sample.order
    )
    return None if found is None else task.certifier.refute(*task.copies.folded(*found))


def refute_by_least_slack(task: Task) -> Refutation | None:
    """Prove that nothing separates few examples; no solver is compiled for it."""
    sample = task.sample
    return _by_least_slack(task, task.certifier, sample.storage.matrix, sample.signs, sample.shares)


def refute_jointly_by_zero(task: JointTask, work: int) -> JointRefutation | None:
    """Prove that nothing separates two of the classes, by examples that sum to zero."""
    certifier, sample = task.certifier, task.sample
    X, codes, hashes = sample.storage.matrix, sample.labels, task.copies.training.hashes
    if not certifier.problem.affine:
        row = zero_row(X, hashes)
        if row is not None:
            other = 0 if codes[row] else 1
            return _of_pair(task, other, int(codes[row]), np.array([row]), np.ones(1))
    found = contradiction(X, codes, hashes)
    if found is not None:
        first, second = sorted(codes[found[0]].tolist())
        return _of_pair(task, first, second, *found)
    if X.shape[0] * X.shape[1] > MOST_VALUES:
        return None
    pairs = list(combinations(range(certifier.n_classes), 2))
    ordered = codes[sample.order]
    for first, second in pairs:
        rows = sample.order[(ordered == first) | (ordered == second)]
        signs = np.where(codes[rows] == second, 1, -1).astype(np.int8)
        found = integer_cycle(X[rows], signs, certifier.problem.affine, work // len(pairs))
        if found is not None:
            return _of_pair(task, first, second, rows[found[0]], found[1])
    return None


def refute_jointly_by_least_slack(
    task: JointTask, between: NDArray[np.float64]
) -> JointRefutation | None:
    """Prove that nothing separates two of the classes, where there are few examples.

    ``between`` holds the weights of the updates on examples of one class against another.
    """
    certifier, sample = task.certifier, task.sample
    X, codes = sample.storage.matrix, sample.labels
    both = np.triu(between + between.T, 1)
    hardest = np.argsort(-both, axis=None, kind="stable")[:MOST_PAIRS]
    for first, second in np.transpose(np.unravel_index(hardest, both.shape)).tolist():
        if both[first, second] == 0.0:
            break
        pair = certifier.pair(first, second)
        rows = np.flatnonzero((codes == first) | (codes == second))
        signs = np.where(codes[rows] == second, 1, -1).astype(np.int8)
        shares = sample.shares[rows] if sample.shares.size else sample.shares
        found = _by_least_slack(task, pair, X[rows], signs, shares)
        if found is not None:
            return certifier.refute_pair(first, second, found)
    return None


def _of_pair(
    task: JointTask, first: int, second: int, support: Any, weights: Any
) -> JointRefutation | None:
    found = Refutation(*task.copies.folded(support, weights.astype(np.int64)))
    return task.certifier.refute_pair(first, second, found)


def _by_least_slack(
    task: Task | JointTask,
    certifier: Certifier,
    X: Any,
    signs: NDArray[np.int8],
    shares: NDArray[np.float64],
) -> Refutation | None:
    clock = task.clock
    found = least_slack(
        X,
        signs,
        costs=shares if shares.size else None,
        affine=certifier.problem.affine,
        stopped=lambda: clock.interrupted() is not None,
    )
    if found is None:
        return None
    with blas_for_one(X.shape[1]):
        from novikoff.run.slack_proof import refute_by_slacks

        return refute_by_slacks(
            certifier,
            *found,
            seconds=clock.seconds_left,
            stopped=lambda: clock.interrupted() is not None,
        )
