"""The examples of a fit with a kernel, as searches and certificates read them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

from novikoff.certificate import (
    Certificate,
    Examples,
    JointKernelCertifier,
    Kernel,
    KernelCertifier,
    Problem,
)
from novikoff.certificate.examples.labels import signs_against
from novikoff.certificate.feature_space.kernel_predictor import KernelPredictor
from novikoff.certificate.feature_space.scores import joined
from novikoff.estimators.copies import Copies
from novikoff.estimators.fitted import Task
from novikoff.estimators.joint import JointTask
from novikoff.estimators.kernel_machine import KernelMachine
from novikoff.estimators.kernel_options import kernel_of
from novikoff.estimators.kernel_together import Together
from novikoff.estimators.training import Training
from novikoff.run.nonseparable import Combination, contradiction
from novikoff.sample.kernel import KernelFunction, KernelMatrix, needs_double
from novikoff.sample.kernel_checks import check_kernel
from novikoff.sample.kernel_sample import KernelSample

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

MEGABYTE = 1e6
COLUMNS_SHARE = 0.9
"""The share of a full cache that columns take; rows and scores beside them take the rest. With all
of it (60,000 digits, cache_size=1000) the peak was 5 % over cache_size + 10 % of the data, with 0.8
it was 14 % under it."""


@dataclass(frozen=True)
class KernelTraining:
    """The examples of a fit with a kernel, and what searches and certificates read of them."""

    training: Training
    kernel: Kernel
    function: KernelFunction
    cache_bytes: float
    copies: Copies

    @classmethod
    def of(
        cls, estimator: Any, training: Training, copies: Copies | None = None
    ) -> "KernelTraining":
        """Check that the data suit the kernel, and name it in the problem.

        ``copies`` are the examples as a run visits them, which ``gamma="scale"`` is then taken
        from.
        """
        X = training.X
        assert_all_finite(X, input_name="X")
        if estimator.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed kernel matrix must be square: X is of shape {X.shape}; give the "
                "values of all pairs of examples."
            )
        copies = copies or Copies(training)
        shares = copies.shares if copies.shares.size else None
        kernel, function = kernel_of(estimator, copies.training.X, shares)
        training = replace(training, problem=replace(training.problem, kernel=kernel))
        cache_bytes = MEGABYTE * float(estimator.cache_size)
        return cls(training, kernel, function, cache_bytes, copies)

    def matrix(self, dtype: Any = np.float64) -> KernelMatrix:
        """Return the kernel values of the copies, in blocks."""
        copied = self.copied if dtype == np.float32 else 0.0
        return KernelMatrix(self.copies.training.X, self.function, dtype, copy_bytes=copied)

    def certifier(self, problem: Problem, examples: Examples) -> KernelCertifier:
        """Return what certifies the model of one class against the rest."""
        return KernelCertifier(
            problem, replace(examples, kernel=self.kernel, function=self.function.function)
        )

    def joint_certifier(self, problem: Problem, examples: Examples) -> JointKernelCertifier:
        """Return what certifies one model of all classes."""
        return JointKernelCertifier(
            problem, replace(examples, kernel=self.kernel, function=self.function.function)
        )

    @property
    def copied(self) -> float:
        """The bytes of a float32 copy of dense rows, where that is a small part of the cache."""
        X = self.copies.training.X
        whole = X.size * 4.0 if isinstance(X, np.ndarray) else 0.0
        return whole if whole <= self.cache_bytes / 3 else 0.0

    def rows(self) -> "KernelRows":
        """Return the examples for the search of the largest margin."""
        codes, positive = self.training.codes, self.training.positives[0]
        return KernelRows(self, signs_against(codes, positive))

    def sample(self, *, order: Ids, slack2: float, budget: float = np.inf) -> KernelSample:
        """Return the examples for the perceptron's loop."""
        visited = self.copies.training
        n = visited.X.shape[0]
        partial = 8.0 * n * n > self.cache_bytes
        single = partial
        if single and self.training.problem.affine:
            single = not needs_double(visited.X, self.function, int(order[0]))
        matrix = self.matrix(np.float32 if single else np.float64)
        check_kernel(matrix, affine=self.training.problem.affine, rows=self.copies.rows)
        room = COLUMNS_SHARE * (self.cache_bytes - self.copied)
        sample = KernelSample.of(
            matrix,
            signs_against(visited.codes, self.training.positives[0]),
            order=order,
            affine=self.training.problem.affine,
            slack2=slack2,
            cache_bytes=room if partial else self.cache_bytes,
            shares=self.copies.costs,
        )
        return replace(sample, budget=budget)

    def machine(self, certificate: Certificate, also: list[Ids]) -> KernelMachine:
        """Return the classifier that the certificates state."""
        return KernelMachine.of(self.training.X, certificate, self.function.function, also)

    def joint_errors(self, certificates: list[Certificate]) -> int | None:
        """Return how many examples the largest of all scores gets wrong, exactly."""
        models = [part.hyperplane for part in certificates]
        if any(model is None for model in models):
            return None
        training = self.training
        predictor = KernelPredictor(
            self.kernel, training.X, *joined(models), self.function.function
        )
        wrong = np.argmax(predictor.scores(training.X), axis=1) != training.codes
        if training.costs is not None:
            wrong &= training.costs > 0.0
        return int(np.count_nonzero(wrong))


@dataclass(frozen=True)
class KernelRows:
    """Signed examples of a :class:`KernelMarginFit`."""

    training: KernelTraining
    signs: NDArray[np.int8]

    def relabelled(
        self, signs: NDArray[np.int8], class_weights: tuple[float, float]
    ) -> "KernelRows":
        """Return the same examples with other labels."""
        return replace(self, signs=signs)

    @property
    def n_examples(self) -> int:
        """The number of examples."""
        return int(self.training.training.X.shape[0])

    def taking_part(self, costs: Vector | None) -> Ids:
        """Return the examples with a positive weight."""
        return np.arange(self.n_examples) if costs is None else np.flatnonzero(costs > 0.0)

    def together(self, task: Task | JointTask, labels: NDArray[Any], *, soft: bool) -> Together:
        """Return the examples with a positive weight, equal ones of one label as one."""
        X = self.training.training.X
        return Together.of(X, task.hashes, labels, task.costs, soft=soft)

    def values_of(self, part: Ids) -> Any:
        """Return the rows of some examples, in order; of a precomputed kernel, their values."""
        X = self.training.training.X
        if len(part) == self.n_examples:
            return X
        return X[np.ix_(part, part)] if self.training.kernel.name == "precomputed" else X[part]

    def contradiction(
        self, labels: NDArray[Any], hashes: NDArray[np.uint64], costs: Vector | None
    ) -> Combination | None:
        """Return two equal examples with different labels, if there are any.

        Examples whose rows of a precomputed kernel are equal have the distance zero.
        """
        among = None if costs is None else np.flatnonzero(costs > 0.0)
        return contradiction(self.training.training.X, labels, hashes, among)


def sample_of(task: Task | JointTask) -> Any:
    """Return the examples of a task, which are those of a kernel."""
    return task.sample


def certifier_of(task: Task | JointTask) -> Any:
    """Return the certifier of a task, which is that of a kernel."""
    return task.certifier
