"""The parts of a certificate, made uniform and checked when it is built."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import Floats, Indices


def as_coef(coef: Any, n_features: int) -> Floats:
    """The normal of a hyperplane as a read-only float64 array of its own."""
    array = np.array(coef, dtype=np.float64)
    if array.shape != (n_features,):
        raise CertificateError(f"coef has shape {array.shape}, the data has {n_features} features")
    if not np.isfinite(array).all():
        raise CertificateError("coef contains a NaN or an infinity")
    return _frozen(array)


def as_intercept(intercept: Any, affine: bool) -> float:
    """The intercept as a finite float; zero for hyperplanes through the origin."""
    value = float(intercept)
    if not math.isfinite(value):
        raise CertificateError(f"the intercept must be a finite number, not {value!r}")
    if not affine and value != 0.0:
        raise CertificateError(f"affine is false, but the intercept is {value!r}")
    return value


def as_support(support: Any, n_examples: int) -> Indices:
    """Distinct indices of examples as a read-only int64 array of its own."""
    array = np.array(support)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "ui":
        raise CertificateError("support must be a list of whole numbers")
    # Most are stored in order, so that the ends are the least and the largest.
    in_order = array if (array[1:] > array[:-1]).all() else np.sort(array)
    if array.size and not 0 <= in_order[0] <= in_order[-1] < n_examples:
        outside = array[(array < 0) | (array >= n_examples)]
        raise CertificateError(
            f"support refers to row {outside[0]}, but there are only {n_examples} rows"
        )
    if in_order is not array and (in_order[1:] == in_order[:-1]).any():
        raise CertificateError("support refers to a row twice")
    return _frozen(array.astype(np.int64, copy=False))


def as_rows(name: str, rows: Any, n_rows: int) -> Indices:
    """Distinct numbers of rows in increasing order, as a read-only int64 array of its own."""
    array = np.array(rows)
    if array.size == 0:
        array = array.reshape(-1).astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "ui":
        raise CertificateError(f"{name} must be a list of whole numbers")
    if array.size and (array[0] < 0 or array.max() >= n_rows):
        raise CertificateError(f"{name} refers to rows that do not exist")
    if not (array[1:] > array[:-1]).all():
        raise CertificateError(f"{name} must be in increasing order, each row once")
    return _frozen(array.astype(np.int64))


def as_columns(name: str, columns: Any, n_columns: int, *, distinct: bool = True) -> Indices:
    """Indices of columns, by default distinct, as a read-only int64 array of its own."""
    array = np.array(columns)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "ui":
        raise CertificateError(f"{name} must be a list of columns")
    outside = array[(array < 0) | (array >= n_columns)]
    if outside.size:
        raise CertificateError(
            f"{name} refers to column {outside[0]}, but there are only {n_columns}"
        )
    if distinct and np.unique(array).size < array.size:
        raise CertificateError(f"{name} refers to a column twice")
    return _frozen(array.astype(np.int64))


def as_weights(weights: Any, support: Indices) -> npt.NDArray[Any]:
    """Nonnegative weights, int64 or float64, read-only, one for each index of the support."""
    array = np.array(weights)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind == "i" or (array.dtype.kind == "u" and array.max() < 1 << 63):
        array = array.astype(np.int64, copy=False)
    elif array.dtype in (np.float64, np.float32):
        array = array.astype(np.float64, copy=False)
    else:
        raise CertificateError(f"weights must be int64 or float64 numbers, not {array.dtype}")
    if array.shape != support.shape:
        raise CertificateError(
            f"there are {array.size} weights for {support.size} examples of the support"
        )
    if array.size:
        # NaN is neither.
        if not (array.min() >= 0 and array.max() < math.inf):
            raise CertificateError("weights must be finite and not negative")
        if not array.any():
            raise CertificateError("the weights are all zero")
    return _frozen(array)


def as_signed(name: str, coef: Any, support: Indices) -> Floats:
    """Finite numbers of either sign, one for each index of the support, read-only."""
    array = np.array(coef, dtype=np.float64)
    if array.shape != support.shape:
        raise CertificateError(
            f"{name} has shape {array.shape}, for {support.size} examples of the support"
        )
    if not np.isfinite(array).all():
        raise CertificateError(f"{name} contains a NaN or an infinity")
    return _frozen(array)


_MOST_TOTAL = 1 << 62
"""Sums of weights of pairs stay below it, so that int64 holds them and their differences."""


def as_pair_weights(weights: Any, support: Indices, n_classes: int) -> npt.NDArray[np.int64]:
    """Whole numbers, not negative, read-only: a row for each example, a column for each class.

    Every example of the support has a positive one.
    """
    array = np.array(weights)
    if array.size == 0:
        array = array.astype(np.int64).reshape(0, n_classes)
    if array.dtype.kind != "i" and not (array.dtype.kind == "u" and array.max() < 1 << 63):
        raise CertificateError("the weights of pairs must be whole numbers")
    array = array.astype(np.int64)
    if array.shape != (support.size, n_classes):
        raise CertificateError(
            f"weights have shape {array.shape}, which is not a row for each of {support.size} "
            f"examples and a column for each of {n_classes} classes"
        )
    if (array < 0).any():
        raise CertificateError("weights must not be negative")
    if not array.any(axis=1).all():
        raise CertificateError("an example of the support has no weight")
    # A sum in float64 is close enough to tell whether one in int64 would overflow.
    if array.sum(dtype=np.float64) >= _MOST_TOTAL:
        raise CertificateError("the weights must sum to less than 2**62")
    return _frozen(array)


def as_coefs(coef: Any, n_classes: int, n_features: int) -> Floats:
    """The coefficients of a model, a row for each class, as a read-only float64 array of its own.

    It is in C order.
    """
    array = np.array(coef, dtype=np.float64, order="C")
    if array.shape != (n_classes, n_features):
        raise CertificateError(
            f"coef has shape {array.shape}, but there are {n_classes} classes and "
            f"{n_features} features"
        )
    if not np.isfinite(array).all():
        raise CertificateError("coef contains a NaN or an infinity")
    return _frozen(array)


def as_intercepts(intercept: Any, n_classes: int, affine: bool) -> Floats:
    """The intercepts of a model as a read-only float64 array of its own; zero if not affine."""
    array = np.array(intercept, dtype=np.float64)
    if array.shape != (n_classes,):
        raise CertificateError(
            f"{n_classes} classes need as many intercepts, not an array of shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise CertificateError("an intercept is a NaN or an infinity")
    if not affine and array.any():
        raise CertificateError("affine is false, but an intercept is not zero")
    return _frozen(array)


def as_codes(name: str, codes: Any, n_classes: int) -> Indices:
    """Positions of classes as a read-only int64 array of its own."""
    array = np.array(codes)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "ui":
        raise CertificateError(f"{name} must be a list of classes")
    outside = array[(array < 0) | (array >= n_classes)]
    if outside.size:
        raise CertificateError(
            f"{name} refers to class {outside[0]}, but there are only {n_classes} classes"
        )
    return _frozen(array.astype(np.int64))


def check_text(name: str, value: Any) -> None:
    """Refuse what is not a text."""
    if not isinstance(value, str):
        raise CertificateError(f"{name} must be a text, not a {type(value).__name__}")


def check_whole(name: str, value: Any) -> int:
    """Return a count as an int."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 0:
        raise CertificateError(f"{name} must be a whole number, not {value!r}")
    return int(value)


def check_errors(value: Any, n_examples: int) -> int:
    """Return a number of training errors as an int."""
    errors = check_whole("errors", value)
    if errors > n_examples:
        raise CertificateError(f"there are {errors} errors on {n_examples} examples")
    return errors


def as_bound(name: str, value: Any) -> float:
    """A bound as a float that is not NaN."""
    number = float(value)
    if math.isnan(number):
        raise CertificateError(f"{name} is not a number")
    return number


def check_carried(name: str, value: float, nothing: float, support: Indices) -> None:
    """Refuse a bound without examples that prove it."""
    if not support.size and value != nothing:
        raise CertificateError(
            f"{name} is {value!r}, but the support that should prove it is empty"
        )


def same(a: Any, b: Any) -> bool:
    """Exact equality: of the type, and of arrays and floats bit by bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, float):
        return bool(a.hex() == b.hex())
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array
