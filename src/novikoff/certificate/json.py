"""Readable JSON: written exactly, read strictly.

Floats are written so that they read back bit for bit; an infinity is the string ``"inf"`` or
``"-inf"``. Reading builds arrays and numbers and runs nothing.
"""

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import printable, quoted
from novikoff.certificate.examples.labels import Label

Reader = Callable[[str, Any], Any]
"""Reads the JSON value of the field with this name, or raises what is wrong with it."""


def check_version(what: str, found: Any, wanted: int) -> None:
    """Refuse a file of another version, with the cure."""
    if type(found) is int and found == wanted:
        return
    if type(found) is int and 0 < found < wanted:
        raise CertificateError(
            f"the {what} has version {found}, and this program reads {wanted}: fit again"
        )
    raise CertificateError(f"the {what} has version {in_short(found)}; this program reads {wanted}")


def to_text(document: dict[str, Any]) -> str:
    """Readable JSON: one field to a line, lists of numbers on one line."""
    return _text_of(document, "") + "\n"


def from_text(text: str | bytes) -> dict[str, Any]:
    """The JSON object in a text."""
    try:
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except CertificateError:
        raise
    except RecursionError:
        raise CertificateError("the JSON is nested too deeply") from None
    except ValueError as error:
        if not _begins_as_json(text):
            raise CertificateError("it is not JSON, as models and certificates are") from None
        reason = printable(str(error).splitlines()[0])
        raise CertificateError(f"the JSON is damaged ({reason})") from None
    if not isinstance(document, dict):
        raise CertificateError("the JSON is not an object with named fields")
    return document


def _begins_as_json(text: str | bytes) -> bool:
    """Whether it may be a JSON object that was damaged later."""
    start = text.lstrip()[:1]
    return start in ("{", b"{")


def check_keys(found: dict[str, Any], wanted: Iterable[str], what: str) -> None:
    """Refuse missing and unknown keys."""
    names = set(wanted)
    missing = sorted(names - found.keys())
    if missing:
        raise CertificateError(f"{what} has no {missing[0]!r}")
    unknown = sorted(found.keys() - names)
    if unknown:
        raise CertificateError(f"{what} has an unknown field {quoted(unknown[0])}")


def _text_of(value: Any, indent: str) -> str:
    inner = indent + " "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{json.dumps(key)}: {_text_of(v, inner)}" for key, v in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        return "[\n" + ",\n".join(inner + _text_of(v, inner) for v in value) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)


def _refuse_constant(constant: str) -> Any:
    raise CertificateError(f"the JSON contains {constant}, which is not a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise CertificateError("the JSON has a field twice")
    return document


def wrong(name: str, wanted: str, value: Any) -> CertificateError:
    """Make the error for a field whose value has another form than is wanted."""
    return CertificateError(f"{name} must be {wanted}, not {in_short(value)}")


def in_short(value: Any) -> str:
    """Show a JSON value in a few words, however large and however deeply nested it is."""
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        return "an object with named fields"
    return quoted(value, 40) if isinstance(value, str) else printable(json.dumps(value), 40)


def read_about(value: Any) -> dict[str, Any]:
    """Read what a file remembers of its data: named texts, and an object, the encoding."""
    if not isinstance(value, dict):
        raise wrong("about", "an object with named texts", value)
    for key, part in value.items():
        if key == "encoding":
            if not isinstance(part, dict):
                raise wrong("about.encoding", "an object with named fields", part)
        else:
            read_text(f"about.{key}", part)
    return value


def read_boolean(name: str, value: Any) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise wrong(name, "true or false", value)
    return value


def read_count(name: str, value: Any) -> int:
    """Read a whole number that is not negative."""
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise wrong(name, "a whole number", value)
    return value


def read_integer(name: str, value: Any) -> int:
    """Read a whole number of at most 53 bits."""
    if type(value) is not int or abs(value) > 1 << 53:
        raise wrong(name, "a whole number", value)
    return value


def read_text(name: str, value: Any) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise wrong(name, "a text", value)
    return value


def read_label(name: str, value: Any) -> Label:
    """Read a label."""
    if not isinstance(value, str | int | float | bool):
        raise wrong(name, "a label (text, number, true, false)", value)
    return value


def read_number(name: str, value: Any) -> float:
    """Read a finite number."""
    if type(value) is int and abs(value) <= 1 << 53:
        return float(value)
    if type(value) is not float or not math.isfinite(value):
        raise wrong(name, "a finite number", value)
    return value


def read_extended(name: str, value: Any) -> float:
    """Read a number or an infinity."""
    if isinstance(value, str) and value in ("inf", "-inf"):
        return float(value)
    return read_number(name, value)


def optional(reader: Reader) -> Reader:
    """Let a field be null."""
    return lambda name, value: None if value is None else reader(name, value)


def listed(reader: Reader) -> Reader:
    """Read a list of equal things, as a tuple."""

    def read(name: str, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise wrong(name, "a list", value)
        return tuple(reader(name, part) for part in value)

    return read


def not_empty(reader: Reader) -> Reader:
    """Refuse an empty list: the field is left out instead."""

    def read(name: str, value: Any) -> Any:
        if value == []:
            raise wrong(name, "left out where there are none", value)
        return reader(name, value)

    return read


def read_floats(name: str, value: Any) -> Any:
    """Read a list of finite numbers as an array."""
    return np.array(listed(read_number)(name, value), dtype=np.float64)


def read_table(name: str, value: Any) -> Any:
    """Read a list of lists of finite numbers, all of one length, as an array."""
    rows = listed(read_floats)(name, value)
    if len({row.size for row in rows}) != 1:
        raise wrong(name, "a table with rows of one length", value)
    return np.array(rows)


def read_rows(name: str, value: Any) -> Any:
    """Read a list of row numbers as an array."""
    return np.array(listed(read_count)(name, value), dtype=np.int64)


def read_weights(name: str, value: Any) -> Any:
    """Read weights, all whole numbers or all floats, as an array."""
    if not isinstance(value, list):
        raise wrong(name, "a list", value)
    if all(type(part) is int for part in value):
        return read_rows(name, value)
    if any(type(part) is int for part in value):
        raise CertificateError(f"{name} mixes whole numbers and floats")
    return read_floats(name, value)
