"""What counts as a table of examples: numbers whose values are float64."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.examples.array import as_array
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.examples.canonical import with_true_flags


def check_matrix(X: Any) -> Any:
    """``X`` as an ndarray or CSR matrix of a type whose values are float64 numbers.

    Other sparse formats are converted as a whole, as a fit does. Every check begins here, so the
    processor's mode is checked here too.
    """
    check_arithmetic()
    matrix: Any = X if sparse.issparse(X) else as_array("the examples", X)
    if matrix.ndim != 2:
        raise CertificateError(f"the examples must be a table of rows, not of shape {matrix.shape}")
    if matrix.dtype.kind == "O":
        matrix = _numbers_in(matrix)
    if matrix.dtype == np.longdouble and matrix.dtype.itemsize > 8:
        matrix = _shortened(matrix)
    if matrix.dtype.kind not in "buif" or matrix.dtype.itemsize > 8:
        raise CertificateError(f"the examples must be numbers of at most 64 bits: {matrix.dtype}")
    if not sparse.issparse(matrix):
        return matrix
    if matrix.format != "csr":
        try:
            # Compressed formats are converted by compiled code, which trusts their indices.
            if hasattr(matrix, "check_format"):
                matrix.check_format(full_check=True)
        except ValueError as error:
            form = matrix.format.upper()
            raise CertificateError(f"the {form} matrix is damaged: {error}") from None
    return with_true_flags(matrix.tocsr())


def _shortened(matrix: Any) -> Any:
    """Long floats as float64, if each is one."""
    shorter = matrix.astype(np.float64)
    if (matrix != shorter.astype(np.longdouble)).sum():
        raise CertificateError("the examples contain a value that float64 cannot represent")
    return shorter


def _numbers_in(objects: npt.NDArray[Any]) -> Floats:
    """Python numbers, as frames with nullable columns hold them, if each is a float64."""
    try:
        numbers = objects.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CertificateError("the examples must be numbers") from None
    if np.isnan(numbers).any():
        raise CertificateError("the examples must be numbers, with none missing")
    if not (numbers == objects).all():
        raise CertificateError("the examples contain a value that float64 cannot represent")
    return numbers
