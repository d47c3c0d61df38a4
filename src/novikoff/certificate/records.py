"""Readers of the parts of a certificate that several kinds have: exact fields, each of its type."""

from collections.abc import Callable
from typing import Any

from novikoff.certificate.account import Account
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.columns import Relation
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.json import (
    Reader,
    check_keys,
    listed,
    not_empty,
    optional,
    read_boolean,
    read_count,
    read_extended,
    read_floats,
    read_integer,
    read_label,
    read_number,
    read_rows,
    read_text,
    read_weights,
    wrong,
)
from novikoff.certificate.model import Model, Soft
from novikoff.certificate.problem import Problem
from novikoff.certificate.slacks import Slacks
from novikoff.certificate.status import Status

MAY_BE_ABSENT = {
    "slacks": None,
    "exponents": None,
    "remainders": (),
    "kernel": None,
    "coefficients": None,
    "loss": "squared_hinge",
}
"""Fields that are left out where they have these values."""


def _status(name: str, value: Any) -> Status:
    if not isinstance(value, str) or value not in Status.__members__:
        raise wrong(name, f"one of {', '.join(Status.__members__)}", value)
    return Status[value]


def record(what: Callable[..., Any], fields: dict[str, Reader]) -> Reader:
    """Read an object with exactly these fields, but for those that may be absent."""

    def read(name: str, value: Any) -> Any:
        if not isinstance(value, dict):
            raise wrong(name, "an object with named fields", value)
        absent = MAY_BE_ABSENT.keys() - value.keys()
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
    kernel: Kernel = record(Kernel, _FORMULA)(name, value)
    for parameter in ("gamma", "degree", "coef0"):
        if value[parameter] is not None and getattr(kernel, parameter) is None:
            raise CertificateError(f"the kernel {kernel.name} has no {parameter}")
    return kernel


read_problem = record(
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
read_account = record(
    Account,
    {
        "status": _status,
        "asked": read_text,
        "tol": optional(read_number),
        "min_margin": optional(read_number),
        "n_updates": read_count,
    },
)
WEIGHTED: dict[str, Reader] = {"support": read_rows, "weights": read_weights}
_soft = record(
    Soft,
    {
        "C": read_number,
        "primal": read_extended,
        "dual": read_number,
        "upper": read_extended,
        **WEIGHTED,
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
    "account": optional(read_account),
}
_hyperplane = record(Model, _PREDICTS)
_kernel_model = record(KernelModel, {"support": read_rows, **_PREDICTS})


def read_model(name: str, value: Any) -> Model | KernelModel:
    """Read a model: a kernel classifier has a support of its own."""
    is_kernel = isinstance(value, dict) and "support" in value
    model: Model | KernelModel = (_kernel_model if is_kernel else _hyperplane)(name, value)
    return model


_relations = listed(record(Relation, {"columns": read_rows, "coefs": read_floats}))
read_slacks = record(
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
