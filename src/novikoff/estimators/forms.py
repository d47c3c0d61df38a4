"""How each kind of value that a model holds looks in JSON: what is written is read back exactly.

A value is plain where JSON has it, and infinity is ``{"float": "inf"}``, which no other value is.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff import rules
from novikoff.certificate import SoftOptimum
from novikoff.run.record import Progress


class Form(NamedTuple):
    """A way to write a value as JSON values, and the way back."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def to_plain(value: Any) -> Any:
    """Return JSON values.

    Examples
    --------
    >>> to_plain((np.float64(0.5), -np.inf))
    [0.5, {'float': '-inf'}]
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return {"float": repr(value)}
    if isinstance(value, dict):
        return {key: to_plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(part) for part in value]
    return value


def from_plain(value: Any) -> Any:
    """Return what `to_plain` was given, with lists for tuples."""
    if isinstance(value, dict):
        if value.keys() == {"float"}:
            return float(value["float"])
        return {key: from_plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [from_plain(part) for part in value]
    return value


def _write_array(array: NDArray[Any]) -> dict[str, Any]:
    kind = "object" if array.dtype.kind == "O" else array.dtype.str
    return {"dtype": kind, "values": to_plain(array.tolist())}


def _read_array(document: dict[str, Any]) -> NDArray[Any]:
    return np.array(from_plain(document["values"]), dtype=np.dtype(document["dtype"]))


def _read_numbers(document: dict[str, Any]) -> Any:
    array = _read_array(document)
    return float(array) if array.ndim == 0 else array


def _for_each_class(form: Form, together: type[list[Any]] | type[tuple[Any, ...]]) -> Form:
    """One value, or where there are more than two classes several of them together."""

    def write(value: Any) -> Any:
        several = isinstance(value, together)
        return [form.write(part) for part in value] if several else form.write(value)

    def read(document: Any) -> Any:
        several = isinstance(document, list)
        return together(map(form.read, document)) if several else form.read(document)

    return Form(write, read)


def _read_history(lines: list[Any]) -> list[Any]:
    # One list for each class, some of them perhaps empty, or the lines of the only one.
    if lines and all(not part or isinstance(part[0], list) for part in lines):
        return [_read_history(part) for part in lines]
    return [Progress(*map(from_plain, line)) for line in lines]


def _write_rule(rule: Any) -> Any:
    if isinstance(rule, str):
        return rule
    return {"name": type(rule).__name__, **to_plain(rule.get_params())}


def _read_rule(document: Any) -> Any:
    if not isinstance(document, dict):
        rules.named(document)
        return document
    parameters = from_plain(document)
    name = parameters.pop("name")
    if name not in rules.__all__ or name in ("Rule", "named"):
        raise ValueError(f"there is no rule {name!r}")
    return getattr(rules, name)(**parameters)


def _write_seed(random_state: Any) -> int | None:
    """A generator is not stored, only a seed."""
    plain = to_plain(random_state)
    return plain if isinstance(plain, int) else None


def _write_class_weight(weights: Any) -> Any:
    # Labels need not be strings, as the keys of JSON objects must.
    pairs = isinstance(weights, dict)
    return [[to_plain(k), float(v)] for k, v in weights.items()] if pairs else weights


def _read_class_weight(document: Any) -> Any:
    return {k: weight for k, weight in document} if isinstance(document, list) else document


PLAIN = Form(to_plain, from_plain)
COUNT = Form(int, int)
ARRAY = Form(_write_array, _read_array)
ARRAYS = _for_each_class(ARRAY, list)
NUMBERS = Form(lambda value: _write_array(np.asarray(value)), _read_numbers)
HISTORY = Form(to_plain, _read_history)
NAMES = Form(lambda names: list(map(str, names)), lambda names: np.array(names, dtype=object))
SOFT_CERTIFICATES = _for_each_class(
    Form(
        lambda soft: None if soft is None else soft.to_dict(),
        lambda document: None if document is None else SoftOptimum.from_dict(document),
    ),
    tuple,
)
RULE = Form(_write_rule, _read_rule)
SEED = Form(_write_seed, from_plain)
CLASS_WEIGHT = Form(_write_class_weight, _read_class_weight)
