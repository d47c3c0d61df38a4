"""Models as readable JSON: versioned, exact, never a pickle.

What the certificate states (classes, hyperplanes, margins, C, the intercept flag) is stored there
and nowhere else. Beside it stand the parameters of the estimator and what is not part of a proof.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Certificate, CertificateError, Joint, Kernel, SoftOptimum
from novikoff.certificate.escape import printable
from novikoff.certificate.feature_space.kernel_predictor import KernelPredictor
from novikoff.certificate.feature_space.vectors import Vectors
from novikoff.certificate.fields import as_support
from novikoff.certificate.files import write_atomically
from novikoff.certificate.json import (
    check_keys,
    from_text,
    listed,
    read_count,
    read_extended,
    read_floats,
    read_rows,
    read_text,
    read_weights,
    to_text,
    wrong,
)
from novikoff.certificate.predictor import type_name, typed_classes
from novikoff.certificate.verify import (
    MODEL_FORMAT,
    MODEL_VERSION,
    about_in,
    certificate_in,
    risk_in,
)
from novikoff.estimators.kernel_machine import KernelMachine
from novikoff.estimators.kernel_options import is_linear
from novikoff.estimators.linear import LinearModel
from novikoff.estimators.maxmargin import MaxMargin
from novikoff.estimators.maxmargin_cv import MaxMarginCV
from novikoff.estimators.options import check_max_margin_options, check_perceptron_options
from novikoff.estimators.parameters import read_parameter, to_json_value, write_parameter
from novikoff.estimators.perceptron import Perceptron
from novikoff.run import Progress

CHECKS: dict[type[LinearModel], Callable[[Any], None]] = {
    MaxMargin: check_max_margin_options,
    Perceptron: check_perceptron_options,
}
KINDS = {kind.__name__: kind for kind in CHECKS}

BEFORE = {
    "scale": False,
    "multi_class": "ovr",
    "schedule": "sweep",
    "kernel": "linear",
    "gamma": "scale",
    "degree": 3,
    "coef0": 0.0,
    "cache_size": 200,
    "budget": None,
    "loss": "squared_hinge",
}
"""Parameters that older files are without, and what they were."""


class ModelError(ValueError):
    """A file that is not a model, or that this version cannot read."""


def save(model: Any, path: str | os.PathLike[str], *, about: dict[str, Any] | None = None) -> None:
    """Write a fitted model with its certificate as JSON.

    The file appears whole or not at all. Reading it back with :func:`load` gives the same model,
    bit for bit; callbacks and the state that ``warm_start`` and ``partial_fit`` continue from are
    not stored.

    Parameters
    ----------
    model : MaxMargin, MaxMarginCV or Perceptron
        A fitted estimator. Of MaxMarginCV the final model is stored, a MaxMargin.
    path : path
        Where to write.
    about : dict, optional
        Further information, such as how the file of the data was read: named texts, and the
        ``encoding`` of its columns as JSON values; :func:`load` stores it in ``model.about_``.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> import novikoff
    >>> clf = novikoff.MaxMargin().fit(np.array([[999.0], [1001.0]]), ["low", "high"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> novikoff.save(clf, path)
    >>> novikoff.load(path).predict(np.array([[0.0], [2000.0]]))
    array(['low', 'high'], dtype='<U4')
    """
    write_atomically(path, to_text(to_document(model, about)))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model written by :func:`save`; reading runs nothing.

    Raises
    ------
    ModelError
        In one line, what is wrong with the file.
    """
    try:
        return from_document(from_text(Path(path).read_bytes()))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    except CertificateError as error:
        raise ModelError(f"{path}: not a model: {error}") from None
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None


def to_document(model: Any, about: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a fitted model as JSON values."""
    if isinstance(model, MaxMarginCV):
        model = model.final_model()
    name = type(model).__name__
    if name not in KINDS:
        raise TypeError(f"A {name} cannot be saved; there are {', '.join(KINDS)}.")
    if not hasattr(model, "certificate_"):
        raise ValueError("This model has no certificate; fit it before saving it.")
    if callable(getattr(model, "kernel", None)):
        raise ValueError("A model whose kernel is a function cannot be saved, only pickled.")
    for parameter in contradicted(model):
        raise ValueError(f"{parameter} has changed since the fit; fit again before saving.")
    parameters, risk = model.get_params(deep=False), getattr(model, "risk_", None)
    return {
        "format": MODEL_FORMAT,
        "version": MODEL_VERSION,
        "kind": name,
        "about": dict(about or getattr(model, "about_", {})),
        "parameters": {key: write_parameter(key, value) for key, value in parameters.items()},
        "fitted": _fitted_document(model),
        "certificate": model.certificate_.to_dict(),
        **({} if risk is None else {"risk": risk.to_dict()}),
    }


def from_document(document: dict[str, Any]) -> Any:
    """Return the model that JSON values describe."""
    if document.get("format") != MODEL_FORMAT:
        raise ModelError(f"not a model: its format is not {MODEL_FORMAT!r}")
    try:
        return _build(document, certificate_in(document))
    except CertificateError as error:
        raise ModelError(str(error)) from None
    except RecursionError:
        raise ModelError("the model is damaged: it is nested too deeply") from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = printable(str(error).splitlines()[0], 200)
        raise ModelError(f"the model is damaged: {reason}") from None


def _build(document: dict[str, Any], certificate: Certificate) -> Any:
    model = (kind := KINDS[document["kind"]])()
    known = model.get_params(deep=False)
    parameters = {key: value for key, value in BEFORE.items() if key in known}
    parameters |= document["parameters"]
    check_keys(parameters, known, "the list of parameters")
    model.set_params(**{key: read_parameter(key, part) for key, part in parameters.items()})
    CHECKS[kind](model)
    model._read_certificate(certificate)
    for parameter in contradicted(model):
        raise ValueError(f"{parameter} is not what was certified")
    _read_fitted(model, document["fitted"])
    model.about_ = about_in(document)
    risk = risk_in(document)
    if risk is not None:
        model.risk_ = risk
    return model


def contradicted(model: Any) -> Iterator[str]:
    """Yield the names of the parameters that contradict the certificate."""
    problem, parts = model.certificate_.problem, model.certificate_.parts
    if bool(model.fit_intercept) != problem.affine:
        yield "fit_intercept"
    if bool(model.scale) != (problem.exponents is not None):
        yield "scale"
    if {_asked_C(part) for part in parts} != {float(model.C)}:
        yield "C"
    joint = isinstance(model.certificate_, Joint)
    if problem.kernel != _asked_kernel(model):
        yield "kernel"
    several = len(problem.classes) > 2
    if several and (getattr(model, "multi_class", "ovr") == "joint") != joint:
        yield "multi_class"
    if not isinstance(model, MaxMargin):
        return
    accounts = [account for part in parts for account in (part.account, part.model_account)]
    softs = [getattr(part.model, "soft", None) for part in parts]
    if any(soft is not None and soft.loss != model.loss for soft in softs):
        yield "loss"
    if any(account.tol != float(model.tol) for account in accounts):
        yield "tol"
    weights = model.class_weight
    if isinstance(weights, dict):
        by_class = tuple(float(weights.get(label, 1.0)) for label in problem.classes)
        same = problem.class_weights == by_class
    else:
        same = (weights is None) == (problem.class_weights is None)
    if not same:
        yield "class_weight"


def _asked_kernel(model: Any) -> Kernel | None:
    """Return the kernel that the parameters ask for, with the gamma that was certified."""
    if is_linear(model):
        return None
    stated = model.certificate_.problem.kernel
    name = "callable" if callable(model.kernel) else model.kernel
    gamma = model.gamma
    if isinstance(gamma, str):
        gamma = None if stated is None else stated.gamma
    return Kernel(name, 1.0 if gamma is None else gamma, int(model.degree), float(model.coef0))


def _asked_C(part: Any) -> float:
    """Return the C that a fit was asked for, which certified a soft margin and nothing else."""
    if isinstance(part, Joint):
        soft = part.soft if part.bound is None and part.refutation is None else None
        return np.inf if soft is None else soft.C
    return float(part.C) if isinstance(part, SoftOptimum) else np.inf


def _fitted_document(model: Any) -> dict[str, Any]:
    """Return the results of a fit that the certificate does not hold, in lists by search."""
    several = len(model.certificate_.parts) > 1
    parts = {
        name: getattr(model, f"{name}_") if several else [getattr(model, f"{name}_")]
        for name in ("support", "dual_coef", "history", "solver")
    }
    document: dict[str, Any] = {
        "classes_dtype": type_name(model.classes_),
        "n_iter": int(model.n_iter_),
        "history": [[to_json_value(line) for line in lines] for lines in parts["history"]],
        "solver": list(parts["solver"]),
    }
    if model._chosen_from != 1:
        document["chosen_from"] = model._chosen_from
    kernel = model.certificate_.problem.kernel
    if kernel is not None and model._machine.vectors is not None:
        document["vectors"] = model._machine.vectors.to_document()
    joint = isinstance(model.certificate_, Joint)
    if kernel is not None and not joint and not isinstance(model, Perceptron):
        return document
    if isinstance(model, Perceptron) or joint:
        document["support"] = [support.tolist() for support in parts["support"]]
        document["dual_coef"] = [dual.tolist() for dual in parts["dual_coef"]]
        if isinstance(model, Perceptron) and kernel is None:
            document["centre"] = model.centre_.tolist()
    else:
        # Support and weights are the certificate's; the signs are those of the labels.
        document["signs"] = [np.sign(dual).astype(int).tolist() for dual in parts["dual_coef"]]
    return document


def _read_fitted(model: Any, document: Any) -> None:
    perceptron, joint = isinstance(model, Perceptron), isinstance(model.certificate_, Joint)
    kernel = model.certificate_.problem.kernel
    # The weights of a joint certificate are whole numbers, in no particular unit.
    stored = perceptron or joint
    own: tuple[str, ...] = ("support", "dual_coef") if stored else ("signs",)
    if kernel is None:
        own += ("centre",) if perceptron else ()
    else:
        own = own if stored else ()
        own += () if kernel.name == "precomputed" else ("vectors",)
    if "chosen_from" in document:
        own += ("chosen_from",)
        model._chosen_from = read_count("chosen_from", document["chosen_from"])
    check_keys(document, ("classes_dtype", "n_iter", "history", "solver", *own), "the fitted part")
    problem, parts = model.certificate_.problem, model.certificate_.parts
    model.classes_ = typed_classes(
        read_text("classes_dtype", document["classes_dtype"]), problem.classes
    )
    model.n_features_in_ = problem.n_features
    if problem.feature_names is not None:
        model.feature_names_in_ = np.array(problem.feature_names, dtype=object)
    model.n_iter_ = read_count("n_iter", document["n_iter"])
    found: dict[str, tuple[Any, ...]] = {
        "history": listed(listed(_read_progress))("history", document["history"]),
        "solver": listed(read_text)("solver", document["solver"]),
    }
    if stored:
        found["support"] = listed(read_rows)("support", document["support"])
        read = listed(_read_dual_table if joint else _read_dual)
        found["dual_coef"] = read("dual_coef", document["dual_coef"])
    elif kernel is not None:
        found["support"] = tuple(part.model.support for part in parts)
        found["dual_coef"] = tuple(part.model.coef for part in parts)
    else:
        signs = listed(listed(_read_sign))("signs", document["signs"])
        proofs = [part.proof for part in parts]
        found["support"] = tuple(support for support, _ in proofs)
        found["dual_coef"] = tuple(
            weights * np.array(sign)
            for (_, weights), sign in zip(proofs, signs, strict=True)
            if len(weights) == len(sign)
        )
    if kernel is not None:
        vectors = Vectors.from_document(document["vectors"]) if "vectors" in own else None
        model._machine = KernelMachine(KernelPredictor.of(model.certificate_, vectors), vectors)
    elif perceptron:
        model.centre_ = read_floats("centre", document["centre"])
        if model.centre_.shape != (problem.n_features,):
            raise ValueError("centre and features differ in number")
    for name, values in found.items():
        if len(values) != len(parts):
            raise ValueError(f"there are {len(values)} of {name} for {len(parts)} models")
        as_lists = [list(value) if name == "history" else value for value in values]
        setattr(model, f"{name}_", as_lists[0] if len(parts) == 1 else as_lists)
    for support, dual in zip(found["support"], found["dual_coef"], strict=True):
        as_support(support, problem.n_examples)
        rows = (len(problem.classes),) if joint else ()
        if (*rows, *support.shape) != dual.shape:
            raise ValueError("support and dual_coef differ in length")


def _read_progress(name: str, value: Any) -> Progress:
    if not isinstance(value, list) or len(value) != len(Progress._fields):
        raise wrong(name, f"lists of {len(Progress._fields)} numbers", value)
    counts = [read_count(name, part) for part in value[:3]]
    return Progress(*counts, *[read_extended(name, part) for part in value[3:]])


def _read_sign(name: str, value: Any) -> int:
    if type(value) is not int or value not in (1, -1):
        raise wrong(name, "lists of 1 and -1", value)
    return value


def _read_dual(name: str, value: Any) -> NDArray[Any]:
    if isinstance(value, list) and all(type(part) is int for part in value):
        sizes = read_weights(name, [abs(part) for part in value])
        signed: NDArray[Any] = np.where([part < 0 for part in value], -sizes, sizes)
        return signed
    return np.asarray(read_floats(name, value))


def _read_dual_table(name: str, value: Any) -> NDArray[Any]:
    rows = listed(_read_dual)(name, value)
    if len({row.shape for row in rows}) != 1:
        raise wrong(name, "rows of one length", value)
    if all(row.dtype.kind == "i" for row in rows):
        return np.array(rows)
    return np.array(rows, dtype=np.float64)
