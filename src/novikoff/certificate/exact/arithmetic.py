"""Whether the processor computes as the proofs assume: with subnormal numbers, rounded to nearest.

Both are settings of a thread that any library may change. With flush-to-zero or
denormals-are-zero, floats below ``2**-1022`` are taken for zero, also where they are values of the
data, and no bound on rounding errors covers that.
"""

import numpy as np

from novikoff.certificate.errors import CertificateError

_SMALL = np.array([1, 1 << 52, 1 << 52], dtype=np.int64).view(np.float64)
"""The bits of the smallest subnormal float, and of the smallest normal one for two products."""

_FACTORS = np.array([1.0, 0.5, 0.75])
_PRODUCTS = np.array([1, 1 << 51, 3 << 50], dtype=np.int64).tobytes()

_ONES = np.array([1.0, 1.0, -1.0, -1.0])
_LITTLE = np.array([2.0**-60, -(2.0**-60), 2.0**-60, -(2.0**-60)])
_SUMS = _ONES.tobytes()


def check_arithmetic() -> None:
    """Refuse to work where the current thread's floating point is not that of IEEE 754.

    The results are compared by their bits: with denormals-are-zero a comparison of floats would
    itself take the smallest float for zero.

    Raises
    ------
    CertificateError
        If subnormal numbers are taken for zero, or sums are not rounded to nearest.
    """
    if (_SMALL * _FACTORS).tobytes() != _PRODUCTS:
        raise CertificateError(
            "the processor takes floats below 2.2e-308 for zero (flush-to-zero mode), so "
            "nothing can be checked exactly: call torch.set_flush_denormal(False), or whatever "
            "restores the mode in the library that has changed it"
        )
    if (_ONES + _LITTLE).tobytes() != _SUMS:
        raise CertificateError(
            "the processor does not round to the nearest float, so nothing can be checked "
            "exactly: restore the default mode, fesetround(FE_TONEAREST) in C"
        )
