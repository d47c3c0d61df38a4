"""Array-like input as an array, refused where numpy would silently read something else."""

from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.errors import CertificateError


def as_array(what: str, values: Any) -> npt.NDArray[Any]:
    """Array-like values as an array; refuses masked arrays and rows of different lengths.

    Examples
    --------
    >>> as_array("the examples", [[1, 2], [3]])
    Traceback (most recent call last):
    novikoff.certificate.errors.CertificateError: the examples have rows of different lengths
    """
    parts = values if isinstance(values, list | tuple) else [values]
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise CertificateError(f"{what} are a masked array: drop or fill in the masked values")
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as error:
        ragged = "inhomogeneous" in str(error)
        how = "have rows of different lengths" if ragged else "cannot be read as an array"
        raise CertificateError(f"{what} {how}") from None
