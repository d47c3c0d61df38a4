"""Predictions of a kernel classifier from its certificate and its support vectors alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from novikoff.certificate.base import Certificate
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.scores import decided_scores, joined
from novikoff.certificate.feature_space.table import KernelTable
from novikoff.certificate.feature_space.vectors import Vectors


@dataclass(frozen=True, eq=False)
class KernelPredictor:
    """``f_c(x) = Σ_j coefs[j, c] k(x_j, x) + intercepts[c]``, a column for each score.

    ``vectors`` are the examples ``x_j``; ``None`` for a precomputed kernel, where ``columns`` says
    which column of the data holds the values for ``x_j``.

    Examples
    --------
    >>> import numpy as np
    >>> kernel = Kernel("rbf", gamma=1.0)
    >>> predictor = KernelPredictor(
    ...     kernel, np.array([[0.0], [2.0]]), np.arange(2), np.array([[1.0], [-1.0]]), np.zeros(1)
    ... )
    >>> predictor.scores(np.array([[0.5], [1.0]])).round(4)
    array([[0.6734],
           [0.    ]])
    """

    kernel: Kernel
    vectors: Any
    columns: Indices
    coefs: Floats
    intercepts: Floats
    function: Callable[[Any, Any], Any] | None = None

    @classmethod
    def of(
        cls,
        certificate: Certificate,
        vectors: Vectors | None,
        function: Callable[[Any, Any], Any] | None = None,
    ) -> "KernelPredictor":
        """Take the classifiers of a certificate, which must contain models.

        Raises
        ------
        CertificateError
            If a support vector is missing.
        """
        kernel = certificate.problem.kernel
        assert kernel is not None
        support, coefs, intercepts = joined([part.hyperplane for part in certificate.parts])
        if kernel.name == "precomputed":
            return cls(kernel, None, support, coefs, intercepts)
        if vectors is None:
            raise CertificateError("the model is damaged: it has no support vectors")
        columns = vectors.places_of(support)
        return cls(kernel, vectors.matrix, columns, coefs, intercepts, function)

    def scores(self, X: Any) -> Floats:
        """The scores of examples, a column for each: signs and largest ones are exact."""
        rows = check_matrix(X)
        if self.vectors is None:
            n_features = max(int(self.columns.max(initial=-1)) + 1, 0)
            if rows.shape[1] < n_features:
                raise CertificateError(
                    f"the kernel has values for {rows.shape[1]} examples of the fit, "
                    f"and the model needs that of example {n_features - 1}"
                )
        elif rows.shape[1] != self.vectors.shape[1]:
            raise CertificateError(
                f"the examples have {rows.shape[1]} features, those of the model "
                f"{self.vectors.shape[1]}"
            )
        right = rows if self.vectors is None else self.vectors
        table = KernelTable.of(self.kernel, rows, right, self.function)
        return decided_scores(table, self.columns, self.coefs, self.intercepts)[0]
