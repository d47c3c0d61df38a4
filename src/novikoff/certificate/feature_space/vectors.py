"""The support vectors of a kernel classifier, as they stand in the file of its model."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.matrix import canonical, check_matrix
from novikoff.certificate.feature_space.table import gather
from novikoff.certificate.json import (
    check_keys,
    read_boolean,
    read_count,
    read_floats,
    read_rows,
    wrong,
)

_KEYS = ("rows", "n_features", "sparse", "ends", "columns", "values")


@dataclass(frozen=True, eq=False)
class Vectors:
    """Examples that a model needs to predict: which of the data they are, and their features.

    ``matrix`` is an array or a CSR matrix of float64, a row for each of ``rows``, which are in
    ascending order.

    Examples
    --------
    >>> stored = Vectors.of(np.array([[0.5, 0.0], [1.0, 2.0]]), np.array([1])).to_document()
    >>> stored["values"], stored["columns"], stored["ends"]
    ([1.0, 2.0], [0, 1], [0, 2])
    >>> Vectors.from_document(stored).matrix
    array([[1., 2.]])
    """

    rows: Indices
    matrix: Any

    @classmethod
    def of(cls, X: Any, rows: Indices) -> "Vectors":
        """Take some examples out of the data."""
        rows = np.unique(rows)
        return cls(rows, gather(canonical(check_matrix(X)), rows))

    def to_document(self) -> dict[str, Any]:
        """The examples as JSON values: those that are not zero, row by row."""
        entries = sparse.csr_array(self.matrix)
        return {
            "rows": self.rows.tolist(),
            "n_features": int(entries.shape[1]),
            "sparse": bool(sparse.issparse(self.matrix)),
            "ends": entries.indptr.tolist(),
            "columns": entries.indices.tolist(),
            "values": entries.data.tolist(),
        }

    @classmethod
    def from_document(cls, document: Any) -> "Vectors":
        """Read what :meth:`to_document` has written; strict."""
        if not isinstance(document, dict):
            raise wrong("vectors", "an object with named fields", document)
        check_keys(document, _KEYS, "the list of support vectors")
        rows = read_rows("rows", document["rows"])
        n_features = read_count("n_features", document["n_features"])
        ends, columns = (read_rows(name, document[name]) for name in ("ends", "columns"))
        values = read_floats("values", document["values"])
        if (rows[1:] <= rows[:-1]).any():
            raise CertificateError("the support vectors are not in ascending order")
        try:
            entries = sparse.csr_array((values, columns, ends), shape=(rows.size, n_features))
        except ValueError as error:
            raise CertificateError(f"the support vectors are damaged: {error}") from None
        matrix = canonical(check_matrix(entries))
        as_sparse = read_boolean("sparse", document["sparse"])
        return cls(rows, matrix if as_sparse else matrix.toarray())

    def places_of(self, support: Indices) -> Indices:
        """Where the rows of a support stand among these.

        Raises
        ------
        CertificateError
            If one of them is missing.
        """
        places = np.searchsorted(self.rows, support)
        missing = (places >= self.rows.size) | (
            self.rows[np.minimum(places, max(self.rows.size - 1, 0))] != support
            if self.rows.size
            else True
        )
        if np.any(missing):
            raise CertificateError("the model is damaged: a support vector is missing")
        return places

    def check(self, X: Any) -> None:
        """Refuse vectors that are not these rows of the data.

        Raises
        ------
        CertificateError
            If one of them differs, or is beyond the last row.
        """
        matrix = canonical(check_matrix(X))
        if matrix.shape[1] != self.matrix.shape[1] or self.rows.max(initial=0) >= matrix.shape[0]:
            raise CertificateError("the model's support vectors are not rows of the data")
        mine, theirs = (sparse.csr_array(part) for part in (self.matrix, gather(matrix, self.rows)))
        different = np.flatnonzero(np.asarray((mine != theirs).sum(axis=1)).ravel())
        if different.size:
            row = self.rows[different[0]]
            raise CertificateError(f"the model's support vector is not row {row} of the data")
