"""Certificates of all classes together as JSON values; weights of pairs are lists without zeros."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.joint_model import JointBound, JointModel, JointRefutation, JointSoft
from novikoff.certificate.json import (
    Reader,
    check_keys,
    optional,
    read_count,
    read_extended,
    read_floats,
    read_number,
    read_rows,
    read_table,
    read_text,
    read_weights,
)
from novikoff.certificate.kinds import Joint
from novikoff.certificate.problem import Problem
from novikoff.certificate.records import read_account, read_slacks, record

_MOST_ENTRIES = 1 << 28
"""The most weights, zeros included, of a certificate that is read: two gigabytes."""


def pairs_of(value: JointBound | JointSoft) -> dict[str, Any]:
    """Weights of pairs, of which most are 0, as lists of examples, wrong classes and weights."""
    places, wrong = np.nonzero(value.weights)
    return {
        "support": value.support[places].tolist(),
        "wrong": wrong.tolist(),
        "weights": value.weights[places, wrong].tolist(),
    }


def read_joint(values: dict[str, Any], problem: Problem) -> Joint:
    """The certificate of these fields."""
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
        "soft": optional(record(partial(_paired, JointSoft, n_classes), objective)),
        "account": optional(read_account),
    }
    model = record(JointModel, predicts)
    if problem.kernel is not None:
        predicts |= {"support": read_rows, "coef": partial(_table, n_classes)}
        model = record(JointKernelModel, predicts)
    bound = record(partial(_paired, JointBound, n_classes), {"upper": read_extended, **pairs})
    refutation = record(
        _refutation,
        {
            "support": read_rows,
            "pair": optional(read_rows),
            "wrong": read_rows,
            "weights": optional(read_weights),
            "slacks": read_slacks,
        },
    )
    return Joint(
        problem=problem,
        account=read_account("account", values["account"]),
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
