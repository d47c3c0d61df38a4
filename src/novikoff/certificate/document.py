"""Certificates as JSON values: which fields there are, and what each must be."""

import dataclasses
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from novikoff.certificate.account import Account
from novikoff.certificate.base import Certificate
from novikoff.certificate.coefficients import Coefficient, Coefficients, Group
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.columns import Relation
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.integers import Integers, read_integers
from novikoff.certificate.joint_model import JointBound, JointModel, JointRefutation, JointSoft
from novikoff.certificate.json import (
    Reader,
    check_keys,
    check_version,
    in_short,
    listed,
    not_empty,
    optional,
    read_about,
    read_boolean,
    read_count,
    read_extended,
    read_floats,
    read_integer,
    read_label,
    read_number,
    read_rows,
    read_table,
    read_text,
    read_weights,
    wrong,
)
from novikoff.certificate.kinds import (
    Inconclusive,
    Joint,
    NonSeparation,
    PerClass,
    Separation,
    SeparationVerdict,
    SoftOptimum,
)
from novikoff.certificate.model import Model, Soft
from novikoff.certificate.problem import Problem
from novikoff.certificate.slacks import Slacks
from novikoff.certificate.status import Status

FORMAT = "novikoff certificate"
VERSION = 2

_MAY_BE_ABSENT = {
    "slacks": None,
    "exponents": None,
    "remainders": (),
    "kernel": None,
    "coefficients": None,
    "loss": "squared_hinge",
}
"""Fields that are left out where they have these values."""


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
    problem = _problem("problem", rest.pop("problem", None))
    if rest.get("kind") == "PerClass":
        return _per_class(rest, problem)
    if rest.get("kind") == "Joint":
        return _joint(rest, problem)
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
    absent = {
        name for name, usual in _MAY_BE_ABSENT.items() if getattr(value, name, value) == usual
    }
    fields = [
        field.name
        for field in dataclasses.fields(value)
        if field.name not in leave_out and field.name not in absent
    ]
    kind = {"kind": type(value).__name__} if isinstance(value, Certificate) else {}
    document = {**kind, **{name: _encoded(getattr(value, name)) for name in fields}}
    if isinstance(value, JointBound | JointSoft):
        document |= _pairs_of(value)
    return document


def _pairs_of(value: JointBound | JointSoft) -> dict[str, Any]:
    """Weights of pairs, of which most are 0, as lists of examples, wrong classes and weights."""
    places, wrong = np.nonzero(value.weights)
    return {
        "support": value.support[places].tolist(),
        "wrong": wrong.tolist(),
        "weights": value.weights[places, wrong].tolist(),
    }


def _status(name: str, value: Any) -> Status:
    if not isinstance(value, str) or value not in Status.__members__:
        raise wrong(name, f"one of {', '.join(Status.__members__)}", value)
    return Status[value]


def _record(what: Callable[..., Any], fields: dict[str, Reader]) -> Reader:
    """Read an object with exactly these fields, but for those that may be absent."""

    def read(name: str, value: Any) -> Any:
        if not isinstance(value, dict):
            raise wrong(name, "an object with named fields", value)
        absent = _MAY_BE_ABSENT.keys() - value.keys()
        check_keys(value, fields.keys() - absent, f"the {name}")
        return what(**{key: fields[key](key, value[key]) for key in fields if key not in absent})

    return read


_FORMULA: dict[str, Reader] = {
    "name": read_text,
    "gamma": optional(read_number),
    "degree": optional(read_count),
    "coef0": optional(read_number),
}


def _kernel(name: str, value: Any) -> Kernel:
    kernel: Kernel = _record(Kernel, _FORMULA)(name, value)
    for parameter in ("gamma", "degree", "coef0"):
        if value[parameter] is not None and getattr(kernel, parameter) is None:
            raise CertificateError(f"the kernel {kernel.name} has no {parameter}")
    return kernel


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
        "exponents": listed(read_integer),
        "kernel": _kernel,
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
        "loss": read_text,
    },
)
_PREDICTS: dict[str, Reader] = {
    "coef": read_floats,
    "intercept": read_number,
    "margin": optional(read_extended),
    "errors": read_count,
    "soft": optional(_soft),
    "account": optional(_account),
}
_hyperplane = _record(Model, _PREDICTS)
_kernel_model = _record(KernelModel, {"support": read_rows, **_PREDICTS})


def _model(name: str, value: Any) -> Model | KernelModel:
    """Read a model: a kernel classifier has a support of its own."""
    is_kernel = isinstance(value, dict) and "support" in value
    model: Model | KernelModel = (_kernel_model if is_kernel else _hyperplane)(name, value)
    return model


_relations = listed(_record(Relation, {"columns": read_rows, "coefs": read_floats}))
_slacks = _record(
    Slacks,
    {
        "coef": read_floats,
        "intercept": read_number,
        "threshold": read_number,
        "without": read_rows,
        "relations": _relations,
        "remainders": not_empty(_relations),
    },
)
_coefficient = _record(
    Coefficient,
    {
        "estimate": read_text,
        "rows": read_rows,
        "weights": read_integers,
        "multiple": read_integers,
        "directions": listed(read_integers),
        "group": optional(
            _record(Group, {"value": read_number, "count": read_count, "code": read_count})
        ),
    },
)
_coefficients = _record(Coefficients, {"columns": listed(_coefficient), "independent": read_rows})
_KINDS: dict[str, tuple[type[Certificate], dict[str, Reader]]] = {
    "Separation": (Separation, {"model": _model, "upper": read_extended, **_WEIGHTED}),
    "NonSeparation": (
        NonSeparation,
        {
            "support": read_rows,
            "weights": optional(read_weights),
            "model": optional(_model),
            "slacks": _slacks,
        },
    ),
    "Inconclusive": (
        Inconclusive,
        {
            "upper": read_extended,
            **_WEIGHTED,
            "spread": optional(read_number),
            "model": optional(_model),
        },
    ),
    "SoftOptimum": (SoftOptimum, {"model": _model}),
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
    read = _record(partial(what, problem=problem), {"account": _account, **fields})
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


_MOST_ENTRIES = 1 << 28
"""The most weights, zeros included, of a certificate that is read: two gigabytes."""


def _joint(values: dict[str, Any], problem: Problem) -> Joint:
    check_keys(values, ("kind", "account", "model", "bound", "refutation"), "the Joint")
    n_classes = len(problem.classes)
    pairs: dict[str, Reader] = {"support": read_rows, "wrong": read_rows, "weights": read_rows}
    objective: dict[str, Reader] = {
        "C": read_number,
        "primal": read_extended,
        "dual": read_number,
        "upper": read_extended,
        **pairs,
        "scale": read_number,
        "loss": read_text,
    }
    predicts: dict[str, Reader] = {
        "coef": read_table,
        "intercept": read_floats,
        "margin": optional(read_extended),
        "errors": read_count,
        "soft": optional(_record(partial(_paired, JointSoft, n_classes), objective)),
        "account": optional(_account),
    }
    model = _record(JointModel, predicts)
    if problem.kernel is not None:
        predicts |= {"support": read_rows, "coef": partial(_table, n_classes)}
        model = _record(JointKernelModel, predicts)
    bound = _record(partial(_paired, JointBound, n_classes), {"upper": read_extended, **pairs})
    refutation = _record(
        _refutation,
        {
            "support": read_rows,
            "pair": optional(read_rows),
            "wrong": read_rows,
            "weights": optional(read_weights),
            "slacks": _slacks,
        },
    )
    return Joint(
        problem=problem,
        account=_account("account", values["account"]),
        model=optional(model)("model", values["model"]),
        bound=optional(bound)("bound", values["bound"]),
        refutation=optional(refutation)("refutation", values["refutation"]),
    )


def _table(n_columns: int, name: str, value: Any) -> Any:
    """Read a table that may have no rows."""
    return np.empty((0, n_columns)) if value == [] else read_table(name, value)


def _refutation(*, pair: Any, **fields: Any) -> JointRefutation:
    return JointRefutation(pair=None if pair is None else tuple(pair.tolist()), **fields)


def _paired(
    what: Callable[..., Any],
    n_classes: int,
    *,
    support: Any,
    wrong: Any,
    weights: Any,
    **fields: Any,
) -> Any:
    """Return what has weights of pairs, given as lists in the order of examples and classes."""
    if not support.size == wrong.size == weights.size:
        raise CertificateError("support, wrong and weights must be lists of one length")
    if (wrong >= n_classes).any():
        raise CertificateError(f"a wrong class is none of the {n_classes} classes")
    later = (support[1:] > support[:-1]) | (
        (support[1:] == support[:-1]) & (wrong[1:] > wrong[:-1])
    )
    if not later.all():
        raise CertificateError("the pairs of an example and a wrong class are not in order")
    if not (weights > 0).all():
        raise CertificateError("the weight of a pair must be positive")
    rows, places = np.unique(support, return_inverse=True)
    if rows.size * n_classes > _MOST_ENTRIES:
        raise CertificateError("the certificate has too many weights to be read")
    table = np.zeros((rows.size, n_classes), dtype=np.int64)
    table[places, wrong] = weights
    return what(support=rows, weights=table, **fields)
