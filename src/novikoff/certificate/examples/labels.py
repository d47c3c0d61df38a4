"""From the labels of a table to the signs +1 and -1 of the theory."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novikoff.certificate.errors import CertificateError

Label: TypeAlias = str | int | float | bool
Signs: TypeAlias = npt.NDArray[np.int8]


def plain_label(label: Any) -> Label | None:
    """The label as the JSON scalar that stands for it; ``None`` stays ``None``.

    Examples
    --------
    >>> plain_label(np.int64(3)), plain_label(np.str_("cat")), plain_label(np.True_)
    (3, 'cat', True)
    """
    value = label.item() if isinstance(label, np.generic) else label
    if value is None:
        return None
    if not isinstance(value, str | int | float | bool):
        raise CertificateError(
            f"a label must be a string, an integer, a float or a boolean, not {label!r}"
        )
    if isinstance(value, float) and not np.isfinite(value):
        raise CertificateError(f"a label must be a finite number, not {value!r}")
    return value


def signs_of(y: npt.ArrayLike, positive: Label | None, negative: Label | None = None) -> Signs:
    """Signs of the examples: +1 where ``y == positive`` and -1 elsewhere.

    Parameters
    ----------
    y : array-like of shape (n_examples,)
        The labels.
    positive : label or None
        The label that counts as +1. ``None``: the labels are the signs +1 and -1 themselves.
    negative : label or None
        If given, every other label must be this one. ``None``: all others count as -1
        (one class against the rest).

    Raises
    ------
    CertificateError
        If some label is neither of the two, or ``y`` is not one column.

    Examples
    --------
    >>> signs_of(["cat", "dog", "cat"], "cat", "dog")
    array([ 1, -1,  1], dtype=int8)
    """
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise CertificateError(f"the labels must be one column, not of shape {labels.shape}")
    if positive is None:
        positive, negative = 1, -1
    is_positive = _equal(labels, positive)
    if negative is not None:
        unknown = np.flatnonzero(~(is_positive | _equal(labels, negative)))
        if unknown.size:
            row = int(unknown[0])
            raise CertificateError(
                f"row {row} has the label {_shown(labels[row])}; "
                f"the labels are {positive!r} and {negative!r}"
            )
    return np.where(is_positive, np.int8(1), np.int8(-1))


def check_signs(signs: npt.ArrayLike, n_examples: int) -> Signs:
    """Signs as an int8 array, after checking that each is +1 or -1."""
    array = np.asarray(signs)
    if array.shape != (n_examples,):
        raise CertificateError(f"{n_examples} examples need as many signs, not {array.shape}")
    if not np.all((array == 1) | (array == -1)):
        raise CertificateError("the sign of an example must be +1 or -1")
    return array.astype(np.int8, copy=False)


def _equal(labels: npt.NDArray[Any], label: Label) -> npt.NDArray[np.bool_]:
    return np.asarray(labels == label, dtype=bool)


def _shown(label: Any) -> str:
    return repr(label.item() if isinstance(label, np.generic) else label)


# stand-ins, to be replaced
def check_classes(classes):
    out = tuple(plain_label(c) for c in classes)
    if (
        len(out) < 2
        or any(c is None for c in out)
        or any(out[i] == out[j] for i in range(len(out)) for j in range(i))
    ):
        raise CertificateError("classes")
    return out


def codes_of(y, classes):
    labels = np.asarray(y)
    codes = np.full(labels.shape[0], -1, dtype=np.int64)
    for k, c in enumerate(classes):
        codes[_equal(labels, c)] = k
    if (codes < 0).any():
        raise CertificateError("unknown label")
    return codes


def signs_against(codes, positive):
    return np.where(codes == positive, np.int8(1), np.int8(-1))


def classes_in(y):
    return tuple(np.unique(np.asarray(y)).tolist())
