"""A fitted kernel classifier: what predicts, and the examples that it needs for that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Certificate
from novikoff.certificate.feature_space.kernel_predictor import KernelPredictor
from novikoff.certificate.feature_space.vectors import Vectors

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class KernelMachine:
    """The classifiers of a certificate, with their support vectors.

    ``vectors`` is ``None`` for a precomputed kernel: the rows that are given at prediction hold the
    values for all examples of the fit.
    """

    predictor: KernelPredictor
    vectors: Vectors | None

    @classmethod
    def of(
        cls,
        X: Any,
        certificate: Certificate,
        function: Callable[[Any, Any], Any] | None,
        also: Sequence[Ids] = (),
    ) -> "KernelMachine":
        """Take the support of all models, and further examples, out of the data."""
        kernel = certificate.problem.kernel
        assert kernel is not None
        models: list[Any] = [part.hyperplane for part in certificate.parts]
        vectors = None
        if kernel.name != "precomputed":
            vectors = Vectors.of(X, np.concatenate([*(model.support for model in models), *also]))
        return cls(KernelPredictor.of(certificate, vectors, function), vectors)

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.predictor.kernel.name

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of examples, whose signs are exact, one column for each model."""
        return self.predictor.scores(X)

    def rows(self, support: Ids) -> Any:
        """Return some of the support vectors; an empty array for a precomputed kernel."""
        if self.vectors is None:
            return np.empty((0, 0))
        return self.vectors.matrix[self.vectors.places_of(support)]
