"""Certificates as readable JSON: written exactly, read strictly.

Floats are written so that they read back bit for bit; an infinity is the string ``"inf"`` or
``"-inf"``. Reading builds arrays and numbers and runs nothing.
"""

import dataclasses
import json
import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.certificate.account import Account
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import printable, quoted
from novikoff.certificate.examples.labels import Label
from novikoff.certificate.model import Model, Soft
from novikoff.certificate.problem import Problem
from novikoff.certificate.status import Status

if TYPE_CHECKING:
    from novikoff.certificate.base import Certificate
    from novikoff.certificate.kinds import PerClass

FORMAT = "novikoff certificate"
VERSION = 2

Reader = Callable[[str, Any], Any]
"""Reads the JSON value of the field with this name, or raises what is wrong with it."""


def to_document(certificate: "Certificate") -> dict[str, Any]:
    """The certificate as JSON values, with the format and its version."""
    head = {"format": FORMAT, "version": VERSION}
    if not isinstance(certificate, _per_class_kind()):
        return {**head, **_encoded(certificate)}
    # The classes share the problem, but for which of them is the positive one.
    parts = [
        {"positive": part.problem.positive, **_encoded(part, leave_out=("problem",))}
        for part in certificate.certificates
    ]
    whole = _encoded(certificate, leave_out=("account", "certificates"))
    return {**head, **whole, "certificates": parts}


def from_document(document: Any) -> "Certificate":
    """The certificate that JSON values describe; strict."""
    if not isinstance(document, dict):
        raise CertificateError("not a certificate: it is not an object with named fields")
    rest = dict(document)
    if rest.pop("format", None) != FORMAT:
        raise CertificateError(f"not a certificate: its format is not {FORMAT!r}")
    check_version("certificate", rest.pop("version", None), VERSION)
    return _certificate(rest, _problem("problem", rest.pop("problem", None)))


def check_version(what: str, found: Any, wanted: int) -> None:
    """Refuse a file of another version, with the cure."""
    if type(found) is int and found == wanted:
        return
    if type(found) is int and 0 < found < wanted:
        raise CertificateError(
            f"the {what} has version {found}, and this program reads {wanted}: fit again"
        )
    raise CertificateError(
        f"the {what} has version {_in_short(found)}; this program reads {wanted}"
    )


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
        reason = printable(str(error).splitlines()[0])
        raise CertificateError(f"the JSON is damaged ({reason})") from None
    if not isinstance(document, dict):
        raise CertificateError("the JSON is not an object with named fields")
    return document


def check_keys(found: dict[str, Any], wanted: Iterable[str], what: str) -> None:
    """Refuse missing and unknown keys."""
    names = set(wanted)
    missing = sorted(names - found.keys())
    if missing:
        raise CertificateError(f"{what} has no {missing[0]!r}")
    unknown = sorted(found.keys() - names)
    if unknown:
        raise CertificateError(f"{what} has an unknown field {quoted(unknown[0])}")


def _encoded(value: Any, *, leave_out: tuple[str, ...] = ()) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Status):
        return value.name
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, tuple):
        return [_encoded(part) for part in value]
    if not dataclasses.is_dataclass(value):
        return value
    fields = [field.name for field in dataclasses.fields(value) if field.name not in leave_out]
    plain = {name: _encoded(getattr(value, name)) for name in fields}
    if type(value).__name__ in _kinds():
        return {"kind": type(value).__name__, **plain}
    return plain


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


def _kinds() -> dict[str, type["Certificate"]]:
    # The kinds are built on the base, which writes itself with this module.
    from novikoff.certificate import kinds

    return {name: getattr(kinds, name) for name in kinds.__all__}


def _per_class_kind() -> type["PerClass"]:
    from novikoff.certificate.kinds import PerClass

    return PerClass


def wrong(name: str, wanted: str, value: Any) -> CertificateError:
    """Make the error for a field whose value has another form than is wanted."""
    return CertificateError(f"{name} must be {wanted}, not {_in_short(value)}")


def _in_short(value: Any) -> str:
    """Show a JSON value in a few words, however large and however deeply nested it is."""
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        return "an object with named fields"
    return quoted(value, 40) if isinstance(value, str) else printable(json.dumps(value), 40)


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


def read_floats(name: str, value: Any) -> Any:
    """Read a list of finite numbers as an array."""
    return np.array(listed(read_number)(name, value), dtype=np.float64)


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


def _status(name: str, value: Any) -> Status:
    if not isinstance(value, str) or value not in Status.__members__:
        raise wrong(name, f"one of {', '.join(Status.__members__)}", value)
    return Status[value]


def _record(what: Callable[..., Any], fields: dict[str, Reader]) -> Reader:
    """Read an object with exactly these fields."""

    def read(name: str, value: Any) -> Any:
        if not isinstance(value, dict):
            raise wrong(name, "an object with named fields", value)
        check_keys(value, fields, f"the {name}")
        return what(**{key: reader(key, value[key]) for key, reader in fields.items()})

    return read


_problem = _record(
    Problem,
    {
        "classes": listed(read_label),
        "positive": optional(read_label),
        "affine": read_boolean,
        "n_examples": read_count,
        "n_features": read_count,
        "fingerprint": read_text,
        "class_weights": optional(listed(read_number)),
        "weighted": read_boolean,
        "target": optional(read_text),
        "feature_names": optional(listed(read_text)),
        "sha256": optional(read_text),
    },
)
_account = _record(
    Account,
    {
        "status": _status,
        "asked": read_text,
        "tol": optional(read_number),
        "min_margin": optional(read_number),
        "n_updates": read_count,
    },
)
_WEIGHTED: dict[str, Reader] = {"support": read_rows, "weights": read_weights}
_soft = _record(
    Soft,
    {
        "C": read_number,
        "primal": read_extended,
        "dual": read_number,
        "upper": read_extended,
        **_WEIGHTED,
        "scale": read_number,
    },
)
_model = _record(
    Model,
    {
        "coef": read_floats,
        "intercept": read_number,
        "margin": optional(read_extended),
        "errors": read_count,
        "soft": optional(_soft),
        "account": optional(_account),
    },
)
_FIELDS: dict[str, dict[str, Reader]] = {
    "Separation": {"model": _model, "upper": read_extended, **_WEIGHTED},
    "NonSeparation": {
        "support": read_rows,
        "weights": optional(read_weights),
        "model": optional(_model),
    },
    "Inconclusive": {
        "upper": read_extended,
        **_WEIGHTED,
        "spread": optional(read_number),
        "model": optional(_model),
    },
    "SoftOptimum": {"model": _model},
}


def _certificate(values: dict[str, Any], problem: Problem) -> "Certificate":
    kind = values.pop("kind", None)
    kinds = _kinds()
    if kind == "PerClass":
        return _per_class(values, problem)
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise CertificateError(f"there is no certificate of the kind {_in_short(kind)}")
    build = partial(kinds[kind], problem=problem)
    certificate: Certificate = _record(build, {"account": _account, **_FIELDS[kind]})(kind, values)
    return certificate


def _per_class(values: dict[str, Any], problem: Problem) -> "Certificate":
    check_keys(values, ("errors", "certificates"), "the PerClass")
    parts = values["certificates"]
    if not isinstance(parts, list):
        raise wrong("certificates", "a list", parts)
    certificates = []
    for part in parts:
        if not isinstance(part, dict):
            raise wrong("certificates", "a list of objects", parts)
        rest = dict(part)
        if rest.get("kind") == "PerClass":
            raise CertificateError("a class has no certificate of its own")
        positive = read_label("positive", rest.pop("positive", None))
        certificates.append(_certificate(rest, problem.against(positive)))
    return _per_class_kind()(
        problem=problem,
        certificates=tuple(certificates),
        errors=optional(read_count)("errors", values["errors"]),
    )
