"""Certificates as readable JSON: written exactly, read strictly.

Floats are written so that they read back bit for bit; an infinity is the string ``"inf"`` or
``"-inf"``. Reading builds arrays and numbers and runs nothing.
"""

import json
import math
from typing import Any

import numpy as np

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.labels import Label
from novikoff.certificate.files import write_atomically as write_atomically
from novikoff.certificate.status import Status

FORMAT = "novikoff certificate"
VERSION = 1


def encode(value: Any) -> Any:
    """The JSON form of a field."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Status):
        return value.name
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    return value


def decode(name: str, value: Any) -> Any:
    """The field called ``name`` from its JSON form, or a one-line error."""
    return _READERS[name](name, value)


def to_text(document: dict[str, Any]) -> str:
    """One field to a line."""
    lines = (f"  {json.dumps(key)}: {_value_text(value)}" for key, value in document.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def from_text(text: str | bytes) -> dict[str, Any]:
    """The JSON object in a text."""
    try:
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except CertificateError:
        raise
    except RecursionError:
        raise CertificateError("not a certificate: the JSON is nested too deeply") from None
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise CertificateError(f"not a certificate: the JSON is damaged ({reason})") from None
    if not isinstance(document, dict):
        raise CertificateError("not a certificate: the JSON is not an object")
    return document


def check_keys(found: dict[str, Any], wanted: list[str], what: str) -> None:
    """Refuse missing and unknown keys."""
    missing = [key for key in wanted if key not in found]
    if missing:
        raise CertificateError(f"{what} has no {missing[0]!r}")
    unknown = [key for key in found if key not in wanted]
    if unknown:
        raise CertificateError(f"{what} has an unknown field {unknown[0]!r}")


def _value_text(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[" + ",\n".join(to_text(part).strip() for part in value) + "]"
    return json.dumps(value, allow_nan=False)


def _refuse_constant(constant: str) -> Any:
    raise CertificateError(f"the JSON holds {constant}, which is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise CertificateError("the JSON names a field twice")
    return document


def _wrong(name: str, wanted: str, value: Any) -> CertificateError:
    shown = json.dumps(value)
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    return CertificateError(f"{name} must be {wanted}, not {shown}")


def _boolean(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false", value)
    return value


def _count(name: str, value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise _wrong(name, "a whole number", value)
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, "a text", value)
    return value


def _label(name: str, value: Any) -> Label | None:
    if value is not None and not isinstance(value, str | int | float | bool):
        raise _wrong(name, "a label (text, number, true, false)", value)
    return value


def _number(name: str, value: Any) -> float:
    if type(value) is int and abs(value) <= 1 << 53:
        return float(value)
    if type(value) is not float or not math.isfinite(value):
        raise _wrong(name, "a finite number", value)
    return value


def _extended(name: str, value: Any) -> float:
    return float(value) if value in ("inf", "-inf") else _number(name, value)


def _optional_number(name: str, value: Any) -> float | None:
    return None if value is None else _number(name, value)


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(name, "a list", value)
    return value


def _coef(name: str, value: Any) -> Any:
    if value is None:
        return None
    return np.array([_number(name, v) for v in _list(name, value)], dtype=np.float64)


def _support(name: str, value: Any) -> Any:
    return np.array([_count(name, v) for v in _list(name, value)], dtype=np.int64)


def _weights(name: str, value: Any) -> Any:
    if value is None:
        return None
    values = _list(name, value)
    if all(type(v) is int for v in values):
        return np.array([_count(name, v) for v in values], dtype=np.int64)
    if any(type(v) is int for v in values):
        raise CertificateError(f"{name} mixes whole numbers and floats")
    return np.array([_number(name, v) for v in values], dtype=np.float64)


def _status(name: str, value: Any) -> Status:
    if not isinstance(value, str) or value not in Status.__members__:
        raise _wrong(name, f"one of {', '.join(Status.__members__)}", value)
    return Status[value]


_READERS = {
    "affine": _boolean,
    "positive": _label,
    "negative": _label,
    "n_examples": _count,
    "n_features": _count,
    "fingerprint": _text,
    "status": _status,
    "asked": _text,
    "n_updates": _count,
    "costs": _coef,
    "coef": _coef,
    "intercept": _number,
    "lower": _extended,
    "upper": _extended,
    "excluded_margin": _optional_number,
    "spread": _optional_number,
    "delta": _number,
    "primal": _extended,
    "dual": _number,
    "support": _support,
    "weights": _weights,
}
