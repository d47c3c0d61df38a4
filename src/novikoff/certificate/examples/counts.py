"""Binomial data: successes and failures of each row, as examples with labels."""

from typing import Any

import numpy as np
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.matrix import as_array


def expanded(X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """The examples of binomial counts; other data are returned as they are.

    A ``y`` of two columns has the successes and the failures of each row. Each row with a success
    is an example of the class 1, and each with a failure one of the class 0: the successes first,
    both in the order of the rows. Whether estimates exist does not depend on how many there are.

    Examples
    --------
    >>> import numpy as np
    >>> expanded(np.array([[1.0], [2.0]]), [[3, 1], [0, 4]])
    (array([[1.],
           [1.],
           [2.]]), array([1, 0, 0]), None)
    """
    counts = as_array("the labels", y)
    if counts.ndim != 2 or counts.shape[1] != 2:
        return X, y, sample_weight
    if counts.dtype.kind not in "buif" or not (np.isfinite(counts) & (counts >= 0)).all():
        raise CertificateError("successes and failures must be finite numbers, not negative")
    # A data frame keeps the names of its columns.
    keeps = sparse.issparse(X) or hasattr(X, "iloc")
    matrix: Any = X if keeps else as_array("the examples", X)
    if matrix.shape[0] != len(counts):
        raise CertificateError(f"{matrix.shape[0]} rows need as many counts, not {len(counts)}")
    if sparse.issparse(matrix):
        matrix = matrix.tocsr()
    successes, failures = (np.flatnonzero(counts[:, k]) for k in (0, 1))
    rows = np.concatenate([successes, failures])
    labels = np.repeat([1, 0], [successes.size, failures.size])
    if sample_weight is not None:
        sample_weight = np.asarray(sample_weight)[rows]
    chosen = matrix.iloc[rows] if hasattr(matrix, "iloc") else matrix[rows]
    return chosen, labels, sample_weight
