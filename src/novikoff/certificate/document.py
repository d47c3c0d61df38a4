"""Certificates as JSON values: which fields there are, and what each must be."""

import dataclasses
import math
from functools import partial
from typing import Any

import numpy as np

from novikoff.certificate.base import Certificate
from novikoff.certificate.coefficients import Coefficient, Coefficients, Group
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.integers import Integers, read_integers
from novikoff.certificate.joint_document import pairs_of, read_joint
from novikoff.certificate.joint_model import JointBound, JointSoft
from novikoff.certificate.json import (
    Reader,
    check_keys,
    check_version,
    in_short,
    listed,
    optional,
    read_about,
    read_count,
    read_extended,
    read_label,
    read_number,
    read_rows,
    read_text,
    read_weights,
    wrong,
)
from novikoff.certificate.kinds import (
    Inconclusive,
    NonSeparation,
    PerClass,
    Separation,
    SeparationVerdict,
    SoftOptimum,
)
from novikoff.certificate.problem import Problem
from novikoff.certificate.records import (
    MAY_BE_ABSENT,
    WEIGHTED,
    read_account,
    read_model,
    read_problem,
    read_slacks,
    record,
)
from novikoff.certificate.status import Status

FORMAT = "novikoff certificate"
VERSION = 2


def to_document(certificate: Certificate) -> dict[str, Any]:
    """The certificate as JSON values, with the format and its version."""
    head = {"format": FORMAT, "version": VERSION}
    if not isinstance(certificate, PerClass):
        return {**head, **_encoded(certificate)}
    # The classes share the problem, but for which of them is the positive one.
    parts = [
        {"positive": part.problem.positive, **_encoded(part, leave_out=("problem",))}
        for part in certificate.certificates
    ]
    whole = _encoded(certificate, leave_out=("account", "certificates"))
    return {**head, **whole, "certificates": parts}


def from_document(document: Any) -> Certificate:
    """The certificate that JSON values describe; strict."""
    if not isinstance(document, dict):
        raise CertificateError("not a certificate: it is not an object with named fields")
    rest = dict(document)
    if rest.pop("format", None) != FORMAT:
        raise CertificateError(f"not a certificate: its format is not {FORMAT!r}")
    check_version("certificate", rest.pop("version", None), VERSION)
    # How a file of the data was read; not part of the certificate.
    read_about(rest.pop("about", {}))
    problem = read_problem("problem", rest.pop("problem", None))
    if rest.get("kind") == "PerClass":
        return _per_class(rest, problem)
    if rest.get("kind") == "Joint":
        return read_joint(rest, problem)
    return _binary(rest, problem)


def _encoded(value: Any, *, leave_out: tuple[str, ...] = ()) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Status):
        return value.name
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, Integers):
        return value.to_json()
    if isinstance(value, tuple):
        return [_encoded(part) for part in value]
    if not dataclasses.is_dataclass(value):
        return value
    absent = {name for name, usual in MAY_BE_ABSENT.items() if getattr(value, name, value) == usual}
    fields = [
        field.name
        for field in dataclasses.fields(value)
        if field.name not in leave_out and field.name not in absent
    ]
    kind = {"kind": type(value).__name__} if isinstance(value, Certificate) else {}
    document = {**kind, **{name: _encoded(getattr(value, name)) for name in fields}}
    if isinstance(value, JointBound | JointSoft):
        document |= pairs_of(value)
    return document


_coefficient = record(
    Coefficient,
    {
        "estimate": read_text,
        "rows": read_rows,
        "weights": read_integers,
        "multiple": read_integers,
        "directions": listed(read_integers),
        "group": optional(
            record(Group, {"value": read_number, "count": read_count, "code": read_count})
        ),
    },
)
_coefficients = record(Coefficients, {"columns": listed(_coefficient), "independent": read_rows})
_KINDS: dict[str, tuple[type[Certificate], dict[str, Reader]]] = {
    "Separation": (Separation, {"model": read_model, "upper": read_extended, **WEIGHTED}),
    "NonSeparation": (
        NonSeparation,
        {
            "support": read_rows,
            "weights": optional(read_weights),
            "model": optional(read_model),
            "slacks": read_slacks,
        },
    ),
    "Inconclusive": (
        Inconclusive,
        {
            "upper": read_extended,
            **WEIGHTED,
            "spread": optional(read_number),
            "model": optional(read_model),
        },
    ),
    "SoftOptimum": (SoftOptimum, {"model": read_model}),
    "SeparationVerdict": (
        SeparationVerdict,
        {
            "verdict": read_text,
            "separated_rows": optional(read_rows),
            "boundary_rows": optional(read_rows),
            "vector": read_integers,
            "basis": read_rows,
            "support": read_rows,
            "weights": read_integers,
            "coefficients": _coefficients,
        },
    ),
}


def _binary(values: dict[str, Any], problem: Problem) -> Certificate:
    kind = values.pop("kind", None)
    if kind == "PerClass":
        raise CertificateError("a PerClass cannot contain another PerClass")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise CertificateError(f"there is no certificate of the kind {in_short(kind)}")
    what, fields = _KINDS[kind]
    read = record(partial(what, problem=problem), {"account": read_account, **fields})
    certificate: Certificate = read(kind, values)
    return certificate


def _per_class(values: dict[str, Any], problem: Problem) -> PerClass:
    check_keys(values, ("kind", "errors", "certificates"), "the PerClass")
    parts = values["certificates"]
    if not isinstance(parts, list):
        raise wrong("certificates", "a list", parts)
    certificates = []
    for part in parts:
        if not isinstance(part, dict):
            raise wrong("certificates", "a list of objects", parts)
        rest = dict(part)
        positive = read_label("positive", rest.pop("positive", None))
        certificates.append(_binary(rest, problem.against(positive)))
    return PerClass(
        problem=problem,
        certificates=tuple(certificates),
        errors=optional(read_count)("errors", values["errors"]),
    )
