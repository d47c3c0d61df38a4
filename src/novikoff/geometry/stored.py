"""A separation as readable JSON; the bodies are not stored, and are given again to read it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpq, fmpz

from novikoff.certificate import json
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.json import optional, read_count, read_floats, read_number, read_table
from novikoff.geometry.bodies.base import Body
from novikoff.geometry.result import Combination, Ending, SeparationResult, Verdict

if TYPE_CHECKING:
    from enum import Enum

FORMAT, VERSION = "novikoff separation", 1
NUMBERS = {
    "distance_lower": read_number,
    "distance_upper": read_number,
    "w": optional(read_floats),
    "b": optional(read_number),
    "margin": read_number,
    "p": read_floats,
    "q": read_floats,
    "steps": read_count,
    "rho": read_number,
    "epsilon": optional(read_number),
}


def to_document(result: SeparationResult) -> dict[str, Any]:
    """Return a result as JSON values."""
    normal = None if result.normal is None else [_combination(part) for part in result.normal]
    return {
        "format": FORMAT,
        "version": VERSION,
        "status": result.status.name,
        "ending": result.ending.name,
        **{name: _plain(getattr(result, name)) for name in NUMBERS},
        "first": _combination(result.first),
        "second": _combination(result.second),
        "normal": normal,
    }


def from_document(document: dict[str, Any], bodies: tuple[Body, Body]) -> SeparationResult:
    """Return the result in a document; what it claims is not checked before ``verify``."""
    if document.get("format") != FORMAT:
        raise CertificateError("the JSON is not a separation of convex bodies")
    json.check_version("separation", document.get("version"), VERSION)
    names = {"format", "version", "status", "ending", "first", "second", "normal"}
    json.check_keys(document, names | NUMBERS.keys(), "the separation")
    normal = json.optional(json.listed(_read_combination))("normal", document["normal"])
    if normal is not None and len(normal) != 2:
        raise json.wrong("normal", "two combinations", document["normal"])
    return SeparationResult(
        status=_member(Verdict, "status", document["status"]),
        ending=_member(Ending, "ending", document["ending"]),
        **{name: read(name, document[name]) for name, read in NUMBERS.items()},
        first=_read_combination("first", document["first"]),
        second=_read_combination("second", document["second"]),
        normal=normal,
        bodies=bodies,
    )


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _member(kind: "type[Enum]", name: str, value: Any) -> Any:
    if not isinstance(value, str) or value not in kind.__members__:
        raise json.wrong(name, f"one of {', '.join(kind.__members__)}", value)
    return kind[value]


def _combination(part: Combination) -> dict[str, Any]:
    exact = part.exact_weights
    return {
        "points": part.points.tolist(),
        "weights": part.weights.tolist(),
        "exact_weights": None if exact is None else [str(a) for a in exact],
        "labels": [_label(label) for label in part.labels],
    }


def _read_combination(name: str, value: Any) -> Combination:
    if not isinstance(value, dict):
        raise json.wrong(name, "an object with named fields", value)
    json.check_keys(value, ("points", "weights", "exact_weights", "labels"), name)
    return Combination(
        read_table(f"{name}.points", value["points"]),
        read_floats(f"{name}.weights", value["weights"]),
        json.listed(_read_label)(f"{name}.labels", value["labels"]),
        optional(json.listed(_read_rational))(f"{name}.exact_weights", value["exact_weights"]),
    )


def _read_rational(name: str, value: Any) -> fmpq:
    try:
        numerator, _, denominator = json.read_text(name, value).partition("/")
        # Python's own integers are read up to 4,300 digits only.
        return fmpq(fmpz(numerator), fmpz(denominator or "1"))
    except (ValueError, ZeroDivisionError):
        raise json.wrong(name, "a fraction", value) from None


def _label(label: Any) -> Any:
    """A row or a vertex is a number, signs are 0 and 1, a sum's label has one for each body."""
    if isinstance(label, tuple):
        return {"parts": [_label(part) for part in label]}
    if isinstance(label, np.ndarray):
        if label.dtype == np.bool_:
            return {"signs": label.astype(int).tolist()}
        return {"vector": label.tolist()}
    return int(label)


def _read_label(name: str, value: Any) -> Any:
    if not isinstance(value, dict):
        return read_count(name, value)
    if value.keys() == {"parts"}:
        return json.listed(_read_label)(name, value["parts"])
    if value.keys() == {"signs"}:
        signs = json.listed(read_count)(name, value["signs"])
        return np.array(signs, dtype=np.bool_)
    json.check_keys(value, ("vector",), name)
    return read_floats(name, value["vector"])
