"""The fit of a perceptron in feature space: the order of visits, the sample, the machine."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from novikoff.estimators.kernel_machine import KernelMachine
from novikoff.estimators.kernel_rule_fit import KernelRuleFit
from novikoff.estimators.kernel_training import KernelTraining
from novikoff.estimators.rule_problem import Ids, Outcome, RuleProblem
from novikoff.run import Callback
from novikoff.sample import content_order, visit_order
from novikoff.sample.joint_kernel import JointKernelSample
from novikoff.sample.kernel_order import MOST_HASHED, distance_hashes


def fit_in_feature_space(
    estimator: Any, problem: RuleProblem, callbacks: Sequence[Callback]
) -> tuple[Outcome, KernelMachine]:
    """Run the rule on examples that are known by their kernel values; return what predicts, too."""
    examples, order, visits = _in_order(estimator, problem)
    search = KernelRuleFit(
        problem.rule, problem.C, problem.average, float(estimator.min_margin), problem.memories
    )
    budget = np.inf if estimator.budget is None else float(estimator.budget)
    outcome = problem.search(
        examples.sample(order=visits, slack2=0.5 / problem.C, budget=budget),
        search,
        order=order,
        jointly=JointKernelSample.joint,
        copies=examples.copies,
        training=examples.training,
        callbacks=callbacks,
        n_jobs=estimator.n_jobs,
        joint_certifier=examples.joint_certifier,
        certifier=examples.certifier,
        errors=examples.joint_errors,
    )
    return outcome, examples.machine(outcome.certificate, [each.support for each in outcome.fitted])


def _in_order(estimator: Any, problem: RuleProblem) -> tuple[KernelTraining, Ids, Ids]:
    """Return the examples, the order of visits, and the same order among these examples.

    Up to ``MOST_HASHED`` visits, the order is drawn for what examples are in feature space, and the
    result does not depend on the order of the rows. Kernel values are then those of sorted rows,
    because rounding depends on where rows stand in a matrix; those that are given stand in the
    order of visits.
    """
    training, copies = problem.training, problem.copies
    n = len(copies.training.codes)
    order = None if problem.last is None else problem.last.order
    if n > MOST_HASHED:
        if order is None:
            # One by one, as kernel values are not read in the order of the rows.
            order = visit_order(n, 0, problem.draws)
        return KernelTraining.of(estimator, training, copies), order, order
    given = estimator.kernel == "precomputed"
    by_content = np.arange(n)
    if not given:
        by_content = np.argsort(copies.training.hashes, kind="stable")
        copies = copies.in_order(by_content, pairwise=False)
    examples = KernelTraining.of(estimator, training, copies)
    if order is None:
        order = np.arange(n)
        if problem.draws is not None:
            hashes = np.empty(n, dtype=np.uint64)
            hashes[by_content] = distance_hashes(examples.matrix(), affine=training.problem.affine)
            order = content_order(hashes, problem.copies.training.codes, problem.draws)
    if given:
        copies = copies.in_order(order, pairwise=True)
        return replace(examples, copies=copies), order, np.arange(n)
    return examples, order, np.argsort(by_content)[order]
