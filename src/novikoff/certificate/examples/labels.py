"""From the labels of a table to the codes of its classes, and to the signs of the theory."""

import itertools
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import format_label
from novikoff.certificate.examples.matrix import as_array
from novikoff.certificate.threads import by_slices

Label: TypeAlias = str | int | float | bool
Signs: TypeAlias = npt.NDArray[np.int8]
Codes: TypeAlias = npt.NDArray[np.int64]

_MOST_SHOWN = 10


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
            f"a label must be a string, an integer, a float or a boolean, not {format_label(value)}"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise CertificateError(f"a label must be a finite number, not {value!r}")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        raise CertificateError(
            f"a label that is an integer must have at most 64 bits, not {value.bit_length()}"
        )
    return value


def check_classes(classes: Sequence[Any]) -> tuple[Label, ...]:
    """The labels of the classes as JSON scalars, after checking that they are two or more.

    Raises
    ------
    CertificateError
        If there are fewer, if one is none of these scalars, or if two are equal: as in Python,
        ``1``, ``1.0`` and ``True`` are.

    Examples
    --------
    >>> check_classes([np.str_("cat"), "dog"])
    ('cat', 'dog')
    """
    found: dict[Label, Label] = {}
    for given in classes:
        label = plain_label(given)
        if label is None:
            raise CertificateError("a class must have a label, not None")
        if label in found:
            first, second = format_label(found[label]), format_label(label)
            raise CertificateError(f"two classes have equal labels, {first} and {second}")
        found[label] = label
    if len(found) < 2:
        raise CertificateError(f"a problem has two classes or more, not {len(found)}")
    return tuple(found)


def codes_of(y: npt.ArrayLike, classes: Sequence[Any]) -> Codes:
    """For each example the position of its label among the classes.

    Parameters
    ----------
    y : array-like of shape (n_examples,) or (n_examples, 1)
        The labels. A label is a class's if it is equal to it as a Python value: ``1.0`` is 1, and
        ``"1"`` is not.
    classes : sequence of labels
        As for :func:`check_classes`.

    Raises
    ------
    CertificateError
        If a label is none of the classes or missing, or if a class does not occur.

    Examples
    --------
    >>> codes_of(["dog", "cat", "dog"], ["cat", "dog"])
    array([1, 0, 1])
    """
    names = check_classes(classes)
    labels = label_column(y)
    kind = labels.dtype.kind
    if kind == "U":
        codes = _search(labels, [_as_text(name, labels.dtype) for name in names])
    elif kind == "f":
        codes = _search(_as_doubles(labels), [_as_double(name) for name in names])
    elif kind in "bui":
        # Booleans are the integers 0 and 1.
        whole = labels.view(np.uint8) if kind == "b" else labels
        codes = _search(whole, [_as_integer(name, whole.dtype) for name in names])
    else:
        codes = _look_up(labels, names)
    unknown = np.flatnonzero(codes < 0)
    if unknown.size:
        row = int(unknown[0])
        raise CertificateError(f"row {row} {_not_among(labels[row], names)}")
    absent = np.flatnonzero(np.bincount(codes, minlength=len(names)) == 0)
    if absent.size:
        raise CertificateError(f"no example has the label {format_label(names[absent[0]])}")
    return codes


def label_column(y: npt.ArrayLike) -> npt.NDArray[Any]:
    """The labels as a one-dimensional array of numbers, strings or Python objects."""
    labels = as_array("the labels", y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise CertificateError(f"the labels must be one column, not of shape {labels.shape}")
    if labels.dtype.kind == "T":
        return labels.astype(object)
    if labels.dtype.kind not in "buifUO":
        raise CertificateError(f"the labels must be strings or numbers, not {labels.dtype}")
    return labels


def signs_against(codes: Codes, positive: int) -> Signs:
    """Signs of the examples: +1 for those of the class with this code, -1 for all others.

    Examples
    --------
    >>> signs_against(np.array([0, 2, 1, 2]), 2)
    array([-1,  1, -1,  1], dtype=int8)
    """
    # Many times faster than np.where.
    signs: Signs = 2 * (codes == positive).view(np.int8) - np.int8(1)
    return signs


def classes_in(y: npt.ArrayLike) -> tuple[Label, ...]:
    """The labels that occur, sorted.

    Examples
    --------
    >>> classes_in(["dog", "cat", "dog"])
    ('cat', 'dog')
    """
    try:
        return check_classes(np.unique(label_column(y)).tolist())
    except TypeError:
        raise CertificateError("the labels cannot be compared; make them all strings") from None


def _search(labels: npt.NDArray[Any], values: list[Any]) -> Codes:
    """The position of each label among the values, of its type or ``None``; -1 where it is none."""
    codes = np.array([code for code, value in enumerate(values) if value is not None], dtype=int)
    if not codes.size:
        return np.full(labels.shape, -1, dtype=np.int64)
    in_order = np.array([values[code] for code in codes], dtype=labels.dtype)
    order = np.argsort(in_order)
    in_order, codes = in_order[order], codes[order].astype(np.int64)
    found = np.empty(labels.shape, dtype=np.int64)

    def fill(part: slice) -> None:
        at = np.minimum(np.searchsorted(in_order, labels[part]), codes.size - 1)
        found[part] = np.where(in_order[at] == labels[part], codes[at], -1)

    for _ in by_slices(fill, labels.size):
        pass
    return found


def _look_up(labels: npt.NDArray[Any], names: tuple[Label, ...]) -> Codes:
    """The same for Python objects."""
    table = {name: code for code, name in enumerate(names)}
    items = labels.tolist()
    try:
        found = list(map(table.get, items, itertools.repeat(-1)))
    except TypeError:
        # Lists and their like cannot be looked up, so they are no labels.
        found = [table.get(item, -1) if _is_hashable(item) else -1 for item in items]
    return np.array(found, dtype=np.int64)


def _is_hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _as_text(name: Label, dtype: Any) -> str | None:
    """A class as a string of this type, if it is one: no zeros at the end, and not too long."""
    if not isinstance(name, str) or name.endswith("\0") or len(name) * 4 > dtype.itemsize:
        return None
    return name


def _as_double(name: Label) -> float | None:
    return float(name) if not isinstance(name, str) and float(name) == name else None


def _as_integer(name: Label, dtype: Any) -> int | None:
    if isinstance(name, str) or int(name) != name:
        return None
    return int(name) if np.iinfo(dtype).min <= int(name) <= np.iinfo(dtype).max else None


def _as_doubles(labels: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Labels as float64; those that float64 cannot represent become NaN, which is no class."""
    doubles = labels.astype(np.float64)
    return np.where(doubles == labels, doubles, np.nan) if labels.dtype.itemsize > 8 else doubles


def _not_among(label: Any, names: Sequence[Label]) -> str:
    if _is_missing(label):
        return f"has the missing label {format_label(label)}"
    shown = ", ".join(map(format_label, names[:_MOST_SHOWN]))
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return f"has the label {format_label(label)}; the classes are {shown}{more}"


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        # pandas.NA is not equal to itself, nor different.
        return type(label).__name__ == "NAType"
