"""Models as readable JSON: versioned, exact, never a pickle."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import rules
from novikoff.certificate import Certificate, CertificateError
from novikoff.certificate.storage import from_text, write_atomically
from novikoff.estimators.agreement import Disagreement, ModelError, check_agreement
from novikoff.estimators.checks import check_options
from novikoff.estimators.perceptron import Perceptron
from novikoff.loop import Progress

FORMAT = "novikoff model"
VERSION = 1
ARRAYS = ("coef_", "intercept_", "classes_", "centre_")
PER_CLASS_ARRAYS = ("support_", "dual_coef_")
NUMBERS = ("n_features_in_", "n_updates_", "n_iter_")
MARGINS = ("margin_", "margin_upper_bound_")
KINDS: dict[str, type[Any]] = {"Perceptron": Perceptron}


def save(model: Any, path: str | os.PathLike[str], *, about: dict[str, str] | None = None) -> None:
    """Write a fitted model with its certificate as JSON.

    The file appears whole or not at all. Reading it back with :func:`load` gives the same model,
    bit for bit; what ``warm_start`` and ``partial_fit`` would go on from is not stored.

    Parameters
    ----------
    model : Perceptron
        A fitted estimator.
    path : path
        Where to write.
    about : dict of str, optional
        What else a reader should know, such as the name of the target column; :func:`load` puts
        it into ``model.about_``.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> import novikoff
    >>> clf = novikoff.Perceptron().fit(np.array([[999.0], [1001.0]]), ["low", "high"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> novikoff.save(clf, path)
    >>> novikoff.load(path).predict(np.array([[0.0], [2000.0]]))
    array(['low', 'high'], dtype='<U4')
    """
    write_atomically(path, json.dumps(to_document(model, about), indent=1) + "\n")


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model written by :func:`save`; reading runs nothing.

    Raises
    ------
    ModelError
        In one line, what is wrong with the file; a ``Disagreement`` if the model is not the one
        that its certificate speaks of.
    """
    try:
        return from_document(from_text(Path(path).read_bytes()))
    except Disagreement as error:
        raise Disagreement(f"{path}: {error}") from None
    except CertificateError as error:
        # The JSON is read by the certificates' reader, which says what it was looking for.
        reason = str(error).replace("not a certificate: the JSON", "not a model: the JSON")
        raise ModelError(f"{path}: {reason}") from None
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None


def to_document(model: Any, about: dict[str, str] | None = None) -> dict[str, Any]:
    """Return a fitted model as JSON values."""
    kind = type(model).__name__
    if kind not in KINDS:
        raise TypeError(f"A {kind} cannot be saved; there are {', '.join(KINDS)}.")
    if not hasattr(model, "certificate_"):
        raise ValueError("This model has no certificate; fit it before saving it.")
    parameters = model.get_params(deep=False)
    rule = parameters["rule"]
    if not isinstance(rule, str):
        parameters["rule"] = {"name": type(rule).__name__, **_plain(rule.get_params())}
    if not isinstance(_scalar(parameters["random_state"]), int | None):
        parameters["random_state"] = None
    weights = parameters["class_weight"]
    if isinstance(weights, dict):
        parameters["class_weight"] = [[_scalar(k), float(v)] for k, v in weights.items()]
    fitted: dict[str, Any] = {name: _array(getattr(model, name)) for name in ARRAYS}
    several = isinstance(model.support_, list)
    for name in PER_CLASS_ARRAYS:
        value = getattr(model, name)
        fitted[name] = [_array(part) for part in value] if several else _array(value)
    for name in MARGINS:
        fitted[name] = _array(np.asarray(getattr(model, name)))
    for name in NUMBERS:
        fitted[name] = int(getattr(model, name))
    fitted["history_"] = _plain(model.history_)
    if hasattr(model, "feature_names_in_"):
        fitted["feature_names_in_"] = list(map(str, model.feature_names_in_))
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "about": dict(about or getattr(model, "about_", {})),
        "parameters": _plain(parameters),
        "fitted": fitted,
        "certificate": model.certificate_.to_dict(),
    }


def from_document(document: dict[str, Any]) -> Any:
    """Return the model that JSON values describe."""
    if document.get("format") != FORMAT:
        raise CertificateError(f"not a model: its format is not {FORMAT!r}")
    if document.get("version") != VERSION:
        raise CertificateError(
            f"the model has version {document.get('version')!r}; this program reads {VERSION}"
        )
    try:
        return _build(document)
    except (CertificateError, Disagreement):
        raise
    except KeyError as error:
        raise CertificateError(f"the model is damaged: it has no {error}") from None
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        reason = str(error).splitlines()[0]
        raise CertificateError(f"the model is damaged: {reason}") from None


def _build(document: dict[str, Any]) -> Any:
    if document["kind"] not in list(KINDS):
        raise CertificateError(f"there is no model of the kind {document['kind']!r}")
    parameters = _unplain(dict(document["parameters"]))
    described = parameters["rule"]
    if isinstance(described, dict):
        name = described.pop("name")
        if name not in rules.__all__ or name in ("Rule", "named"):
            raise CertificateError(f"there is no rule {name!r}")
        parameters["rule"] = getattr(rules, name)(**described)
    rules.named(parameters["rule"])
    if isinstance(parameters["class_weight"], list):
        parameters["class_weight"] = {label: weight for label, weight in parameters["class_weight"]}
    model = KINDS[document["kind"]](**parameters)
    check_options(model)
    fitted = document["fitted"]
    for name in ARRAYS:
        setattr(model, name, _unarray(fitted[name]))
    for name in PER_CLASS_ARRAYS:
        value = fitted[name]
        parts = [_unarray(part) for part in value] if isinstance(value, list) else _unarray(value)
        setattr(model, name, parts)
    for name in MARGINS:
        value = _unarray(fitted[name])
        setattr(model, name, float(value) if value.ndim == 0 else value)
    for name in NUMBERS:
        setattr(model, name, int(fitted[name]))
    model.history_ = _history(fitted["history_"])
    if "feature_names_in_" in fitted:
        model.feature_names_in_ = np.array(fitted["feature_names_in_"], dtype=object)
    model.certificate_ = Certificate.from_dict(document["certificate"])
    model.about_ = dict(document["about"])
    _check_shapes(model)
    check_agreement(model)
    return model


def _check_shapes(model: Any) -> None:
    classes, width = len(model.classes_), model.n_features_in_
    rows = 1 if classes == 2 else classes
    wanted = {"coef_": (rows, width), "intercept_": (rows,), "centre_": (width,)}
    fits = all(getattr(model, name).shape == shape for name, shape in wanted.items())
    several = isinstance(model.support_, list)
    supports = model.support_ if several else [model.support_]
    weights = model.dual_coef_ if several else [model.dual_coef_]
    fits &= [s.shape for s in supports] == [a.shape for a in weights] and len(supports) == rows
    fits &= len(getattr(model, "feature_names_in_", range(width))) == width
    if not fits:
        raise CertificateError("the model is damaged: its arrays do not fit together")
    for name in wanted:
        array = getattr(model, name)
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise CertificateError(f"the model is damaged: {name} holds what is no finite number")
    n_examples = model.certificate_.n_examples
    for support in supports:
        if support.dtype != np.int64 or not ((support >= 0) & (support < n_examples)).all():
            raise CertificateError("the model is damaged: support_ names examples there are not")


def _history(lines: list[Any]) -> list[Any]:
    if lines and isinstance(lines[0], list) and lines[0] and isinstance(lines[0][0], list):
        return [_history(part) for part in lines]
    return [Progress(*map(_unplain, line)) for line in lines]


def _array(array: NDArray[Any]) -> dict[str, Any]:
    kind = "object" if array.dtype.kind == "O" else array.dtype.str
    return {"dtype": kind, "values": _plain(array.tolist())}


def _unarray(document: dict[str, Any]) -> NDArray[Any]:
    return np.array(_unplain(document["values"]), dtype=np.dtype(document["dtype"]))


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: Any) -> Any:
    """Return JSON values; an infinity becomes ``{"float": "inf"}``, which no other value is."""
    value = _scalar(value)
    if isinstance(value, float) and not np.isfinite(value):
        return {"float": repr(value)}
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _unplain(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"float"}:
            return float(value["float"])
        return {key: _unplain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_unplain(part) for part in value]
    return value
