"""Two of several classes that no hyperplane separates: then no linear model separates them all."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import JointRefutation, Refutation
from novikoff.certificate.examples.labels import signs_against
from novikoff.estimators.fitted import Task
from novikoff.estimators.joint import JointTask
from novikoff.estimators.margin_fit import find_separator
from novikoff.maxmargin import SOME_MARGIN, Distinct
from novikoff.maxmargin.joint import JointSolution
from novikoff.maxmargin.joint.bounds import flow_matrix, worst_wrong
from novikoff.maxmargin.joint.passes import products
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Clock
from novikoff.run.nonseparable import contradiction

MOST_PAIRS = 3
"""Pairs that are tried before the search for a joint separator: those that a soft margin confuses
most. Where many classes overlap, one of the first does."""

Pair = tuple[int, int]


def equal_rows(task: JointTask) -> JointRefutation | None:
    """Prove it by two equal examples of different classes."""
    sample, codes = task.sample, task.certifier.examples.codes
    found = contradiction(sample.storage.matrix, codes, task.hashes, sample.order)
    if found is None:
        return None
    first, second = sorted(codes[found[0]].tolist())
    return task.certifier.refute_pair(first, second, Refutation(*found))


def confused_pairs(task: JointTask, solution: JointSolution) -> list[Pair]:
    """Return the pairs of classes that a model confuses, the most confused first; one pass."""
    order, codes = task.sample.order, np.asarray(task.certifier.examples.codes)
    along = solution.vectors @ task.sample.centre
    passes = Passes(task.sample, task.clock)
    with passes.without_limits():
        scores = products(passes, order, solution.vectors, along) + solution.offsets
    wrong, lead = worst_wrong(scores, codes[order])
    n_classes = scores.shape[1]
    mistaken = lead <= 0.0
    keys = codes[order][mistaken] * n_classes + wrong[mistaken]
    counts = np.bincount(keys, minlength=n_classes**2).astype(np.float64)
    return _largest(counts.reshape(n_classes, n_classes))


def by_weight(weights: NDArray[np.float64], codes: NDArray[np.int64]) -> list[Pair]:
    """Return the pairs of classes between which weight flows, most weight first."""
    return _largest(flow_matrix(weights, codes))


def _largest(between: NDArray[np.float64]) -> list[Pair]:
    both = between + between.T
    pairs = [pair for pair in combinations(range(len(both)), 2) if both[pair] > 0.0]
    return sorted(pairs, key=lambda pair: -both[pair])


def refute_by_pairs(task: JointTask, pairs: Iterable[Pair]) -> JointRefutation | None:
    """Prove that no hyperplane separates some two of the classes."""
    for first, second in pairs:
        if task.clock.stop() is not None:
            return None
        found = _refute(task, first, second)
        if found is not None:
            return task.certifier.refute_pair(first, second, found)
    return None


def _refute(task: JointTask, first: int, second: int) -> Refutation | None:
    codes = np.asarray(task.certifier.examples.codes)
    order = task.sample.order[np.isin(codes[task.sample.order], (first, second))]
    longest = int(order[np.argmax(task.sample.norms2[order])])
    sample = task.sample.relabelled(signs_against(codes, second), (1.0, 1.0))
    # Its bounds are on another problem than those of the history: it has a clock of its own.
    clock = Clock(task.clock.limits)
    pair = Task(
        code=second,
        sample=replace(sample, order=order, longest=longest),
        certifier=task.certifier.pair(first, second),
        clock=clock,
        hashes=task.hashes,
        costs=task.costs,
    )
    distinct = Distinct.of(pair.sample, task.hashes, task.costs)
    _, refutation = find_separator(pair, distinct, SOME_MARGIN, None)
    task.clock.passes += clock.passes * len(order) / len(task.sample.order)
    task.clock.updates += clock.updates
    return refutation
