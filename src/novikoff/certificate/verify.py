"""Verification of an estimator, a certificate or a file with either."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate import json
from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import format_label
from novikoff.certificate.stated import Stated, check_stated, stated_by, stated_in

if TYPE_CHECKING:
    from novikoff.certificate.feature_space.vectors import Vectors
    from novikoff.certificate.risk import Risk

MODEL_FORMAT = "novikoff model"
MODEL_VERSION = 2
MODEL_KEYS = ("format", "version", "kind", "about", "parameters", "fitted", "certificate")
_SHARED = (
    *("C", "cache_size", "class_weight", "coef0", "degree", "fit_intercept", "gamma", "kernel"),
    *("max_iter", "multi_class", "n_jobs", "scale", "time_limit", "verbose", "warm_start"),
)
MODEL_PARAMETERS = {
    "MaxMargin": (*_SHARED, "loss", "nonseparable", "tol"),
    "Perceptron": (
        *(*_SHARED, "average", "budget", "max_updates", "min_margin", "random_state", "rule"),
        *("schedule", "shuffle"),
    ),
}
"""The parameters of each kind of model; older files are without some of them."""
LABEL_TYPES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
    "object",
)


def verify(
    model: Any,
    X: Any,
    y: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    check_fingerprint: bool = True,
    n_jobs: int | None = None,
    kernel: Callable[[Any, Any], Any] | None = None,
) -> Verified:
    """Check everything that was proved of a model against the data, in exact arithmetic.

    Parameters
    ----------
    model : estimator, Certificate or path
        A fitted ``MaxMargin`` or ``Perceptron``, a certificate, or a file with either.
    X : array or sparse matrix of shape (n_examples, n_features)
        The examples.
    y : array-like of shape (n_examples,)
        The labels.
    sample_weight : array-like of shape (n_examples,), optional
        The weights of the examples, where they had some.
    check_fingerprint : bool
        False: skip the test whether this is the data of the fit.
    n_jobs : int, optional
        Threads that read the data; -1 for all processors.
    kernel : callable, optional
        The kernel, where it is a function; an estimator knows its own.

    Returns
    -------
    Verified
        What was proved, recomputed from the data.

    Raises
    ------
    CertificateError
        In one line, the first thing that is wrong.

    Examples
    --------
    >>> import novikoff
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = novikoff.MaxMargin().fit(X, y == 0)
    >>> novikoff.verify(clf, X, y == 0).errors
    0
    """
    stated: list[Stated] = []
    risk: Risk | None = None
    vectors: Vectors | None = None
    document: dict[str, Any] | None = None
    if isinstance(model, str | os.PathLike):
        document = json.from_text(Path(model).read_bytes())
        certificate, stated = certificate_in(document), stated_beside(document)
        risk = risk_in(document)
        vectors = vectors_beside(document, certificate)
    else:
        certificate = certificate_of(model)
        if certificate is not model:
            stated, risk = stated_by(model), getattr(model, "risk_", None)
            kernel = kernel if kernel is not None else _function_of(model)
    verified = certificate.verify(
        X,
        y,
        sample_weight=sample_weight,
        check_fingerprint=check_fingerprint,
        n_jobs=n_jobs,
        kernel=kernel,
    )
    if vectors is not None:
        vectors.check(X)
    check_stated(certificate, stated, X, y)
    if risk is not None:
        check_risk(risk, certificate, document if document is not None else model, X, y)
    return verified


def check_risk(risk: Risk, certificate: Certificate, model: Any, X: Any, y: Any) -> None:
    """Check a bound on new data, of an estimator or of the JSON values of a model.

    That of an optimum is checked here. That of a run is a claim about an algorithm: only here is
    the solver imported, to repeat the run.
    """
    parameters = model["parameters"] if isinstance(model, dict) else model.get_params(deep=False)
    for name, value in (("class_weight", "balanced"), ("gamma", "scale")):
        kernel = certificate.problem.kernel
        read = name == "class_weight" or (kernel is not None and kernel.gamma is not None)
        if read and parameters.get(name) == value:
            raise CertificateError(
                f"the model has no bound on new data: {name}={value!r} depends on all examples"
            )
    if parameters.get("budget") is not None:
        raise CertificateError("the model has no bound on new data: its run kept within a budget")
    if isinstance(model, dict):
        values = json.read_count("chosen_from", model["fitted"].get("chosen_from", 1))
    else:
        values = model._chosen_from
    if not values or risk.chosen_from < values:
        raise CertificateError("the bound on new data does not pay for the choice of C")
    if risk.scheme == "optimum":
        risk.check(certificate, X, y)
        return
    if isinstance(model, dict):
        stored = import_module("novikoff.estimators.stored")
        try:
            model = stored.from_document(model)
        except stored.ModelError as error:
            raise CertificateError(str(error)) from None
    import_module("novikoff.estimators.rerun").check_run(model, risk, X, y)


def stated_beside(document: dict[str, Any]) -> list[Stated]:
    """Return what the JSON values of a model say beside its certificate; else nothing."""
    if document.get("format") != MODEL_FORMAT:
        return []
    perceptron = "rule" in document.get("parameters", {})
    return stated_in(certificate_in(document), document["fitted"], relative=perceptron)


def vectors_beside(document: dict[str, Any], certificate: Certificate) -> Vectors | None:
    """Return the support vectors in the JSON values of a model with a kernel; else nothing."""
    kernel = certificate.problem.kernel
    if document.get("format") != MODEL_FORMAT or kernel is None or kernel.name == "precomputed":
        return None
    from novikoff.certificate.feature_space.vectors import Vectors

    return Vectors.from_document(document["fitted"].get("vectors"))


def _function_of(model: Any) -> Callable[[Any, Any], Any] | None:
    found = getattr(model, "kernel", None)
    return found if callable(found) else None


def certificate_of(model: Any) -> Certificate:
    """Return the certificate of an estimator or of a file, or the certificate given."""
    if isinstance(model, Certificate):
        return model
    if isinstance(model, str | os.PathLike):
        return load_certificate(model)
    found = getattr(model, "certificate_", None)
    if not isinstance(found, Certificate):
        raise CertificateError(f"a {type(model).__name__} without certificate_; fit it first")
    parts: Any = hyperplanes_in(found)
    certified: dict[str, Any] = {
        "classes_": found.problem.classes,
        "intercept_": found.intercepts,
    }
    if found.problem.kernel is None:
        certified["coef_"] = found.coefs
    # Arrays where each of several classes has a certificate, and otherwise numbers.
    stated = {
        "margin_": [part.lower for part in parts],
        "margin_upper_bound_": [part.upper for part in parts],
        "C_": [math.inf if part.model.soft is None else part.model.soft.C for part in parts],
    }
    certified |= {
        name: values if len(parts) > 1 else values[0]
        for name, values in stated.items()
        if hasattr(model, name)
    }
    for name, value in certified.items():
        if not np.array_equal(getattr(model, name, ()), value):
            raise CertificateError(f"the model's {name} is not what was certified; fit it again")
    return found


def load_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read the certificate in a file: of a model, or a certificate alone."""
    return certificate_in(json.from_text(Path(path).read_bytes()))


def certificate_in(document: dict[str, Any]) -> Certificate:
    """Return the certificate in the JSON values of a model, or of a certificate."""
    if document.get("format") != MODEL_FORMAT:
        return Certificate.from_dict(document)
    check_model_document(document)
    certificate = Certificate.from_dict(document["certificate"])
    hyperplanes_in(certificate)
    return certificate


def hyperplanes_in(certificate: Certificate) -> tuple[Any, ...]:
    """Return the certificates of the hyperplanes that predict; raise if one has no model."""
    parts = certificate.parts
    if any(part.hyperplane is None for part in parts):
        raise CertificateError("the certificate contains no model")
    problem = certificate.problem
    if problem.positive is not None and (problem.code != 1 or len(problem.classes) != 2):
        # One score is a vote for the second of two classes, or against it.
        raise CertificateError("the model is damaged: the positive class is not the second of two")
    return parts


def check_model_document(document: dict[str, Any]) -> None:
    """Refuse the JSON values of a model that is damaged outside of its certificate."""
    json.check_version("model", document.get("version"), MODEL_VERSION)
    risk_in(document)
    without = {name: value for name, value in document.items() if name != "risk"}
    json.check_keys(without, MODEL_KEYS, "the model")
    about_in(document)
    for name in ("parameters", "fitted"):
        if not isinstance(document[name], dict):
            raise json.wrong(name, "an object with named fields", document[name])
    kind = json.read_text("kind", document["kind"])
    if kind not in MODEL_PARAMETERS:
        raise CertificateError(
            f"the model is damaged: there is no model of the kind {format_label(kind)}"
        )
    known = MODEL_PARAMETERS[kind]
    json.check_keys(dict.fromkeys(known) | document["parameters"], known, "the list of parameters")
    label_type(document["fitted"].get("classes_dtype"))


def risk_in(document: dict[str, Any]) -> Risk | None:
    """Return the bound on new data in the JSON values of a model, if there is one."""
    if "risk" not in document:
        return None
    from novikoff.certificate.risk import Risk

    return Risk.from_dict(document["risk"])


def about_in(document: dict[str, Any]) -> dict[str, Any]:
    """Return what a file remembers of its data beside a model or a certificate.

    Named texts, and an object ``encoding``, which `novikoff.data.encoding` reads.
    """
    return json.read_about(document.get("about", {}))


def label_type(name: Any) -> np.dtype[Any] | None:
    """Return the type that a model's labels are stored with; ``None`` for texts.

    Examples
    --------
    >>> label_type("str"), label_type("int64")
    (None, dtype('int64'))
    """
    if json.read_text("classes_dtype", name) == "str":
        return None
    if name not in LABEL_TYPES:
        raise CertificateError(f"there are no labels of the type {format_label(name)}")
    dtype: np.dtype[Any] = np.dtype(name)
    return dtype
