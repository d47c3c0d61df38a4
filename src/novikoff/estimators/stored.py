"""Models as readable JSON: versioned, exact, never a pickle."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.certificate import Certificate, CertificateError
from novikoff.certificate.json import check_keys, from_text, write_atomically
from novikoff.estimators import forms
from novikoff.estimators.agreement import Disagreement, ModelError, check_agreement
from novikoff.estimators.checks import check_max_margin_options, check_options
from novikoff.estimators.forms import Form
from novikoff.estimators.maxmargin import MaxMargin
from novikoff.estimators.perceptron import Perceptron

FORMAT = "novikoff model"
VERSION = 1


@dataclass(frozen=True)
class Kind:
    """An estimator that can be stored: how its parameters are checked, what a fit leaves."""

    estimator: type[Any]
    check: Callable[[Any], None]
    fitted: dict[str, Form]


FITTED = {
    "coef_": forms.ARRAY,
    "intercept_": forms.ARRAY,
    "classes_": forms.ARRAY,
    "support_": forms.ARRAYS,
    "dual_coef_": forms.ARRAYS,
    "margin_": forms.NUMBERS,
    "margin_upper_bound_": forms.NUMBERS,
    "n_features_in_": forms.COUNT,
    "n_updates_": forms.COUNT,
    "n_iter_": forms.COUNT,
    "history_": forms.HISTORY,
}
SOMETIMES_FITTED = {"feature_names_in_": forms.NAMES}
KINDS = {
    "Perceptron": Kind(Perceptron, check_options, FITTED | {"centre_": forms.ARRAY}),
    "MaxMargin": Kind(
        MaxMargin,
        check_max_margin_options,
        FITTED | {"C_": forms.NUMBERS, "soft_certificate_": forms.SOFT_CERTIFICATES},
    ),
}
PARAMETERS = {
    "rule": forms.RULE,
    "random_state": forms.SEED,
    "class_weight": forms.CLASS_WEIGHT,
}


def save(model: Any, path: str | os.PathLike[str], *, about: dict[str, str] | None = None) -> None:
    """Write a fitted model with its certificate as JSON.

    The file appears whole or not at all. Reading it back with :func:`load` gives the same model,
    bit for bit; what ``warm_start`` and ``partial_fit`` would go on from is not stored.

    Parameters
    ----------
    model : MaxMargin or Perceptron
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
    >>> clf = novikoff.MaxMargin().fit(np.array([[999.0], [1001.0]]), ["low", "high"])
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
    name = type(model).__name__
    if name not in KINDS:
        raise TypeError(f"A {name} cannot be saved; there are {', '.join(KINDS)}.")
    if not hasattr(model, "certificate_"):
        raise ValueError("This model has no certificate; fit it before saving it.")
    sometimes = {key: form for key, form in SOMETIMES_FITTED.items() if hasattr(model, key)}
    fitted = KINDS[name].fitted | sometimes
    parameters = model.get_params(deep=False)
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": name,
        "about": dict(about or getattr(model, "about_", {})),
        "parameters": {
            key: PARAMETERS.get(key, forms.PLAIN).write(value) for key, value in parameters.items()
        },
        "fitted": {key: form.write(getattr(model, key)) for key, form in fitted.items()},
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
    name = document["kind"]
    if name not in list(KINDS):
        raise CertificateError(f"there is no model of the kind {name!r}")
    kind, parameters = KINDS[name], document["parameters"]
    model = kind.estimator()
    check_keys(parameters, list(model.get_params(deep=False)), "the model")
    model.set_params(
        **{key: PARAMETERS.get(key, forms.PLAIN).read(part) for key, part in parameters.items()}
    )
    kind.check(model)
    for key, form in kind.fitted.items():
        setattr(model, key, form.read(document["fitted"][key]))
    for key, form in SOMETIMES_FITTED.items():
        if key in document["fitted"]:
            setattr(model, key, form.read(document["fitted"][key]))
    model.certificate_ = Certificate.from_dict(document["certificate"])
    model.about_ = dict(document["about"])
    _check_shapes(model)
    check_agreement(model)
    return model


def _check_shapes(model: Any) -> None:
    classes, width = len(model.classes_), model.n_features_in_
    rows = 1 if classes == 2 else classes
    per_class = () if rows == 1 else (rows,)
    wanted = {
        "coef_": (rows, width),
        "intercept_": (rows,),
        "centre_": (width,),
        "margin_": per_class,
        "margin_upper_bound_": per_class,
        "C_": per_class,
        "feature_names_in_": (width,),
    }
    there = {name: shape for name, shape in wanted.items() if hasattr(model, name)}
    fits = all(np.shape(getattr(model, name)) == shape for name, shape in there.items())
    several = isinstance(model.support_, list)
    supports = model.support_ if several else [model.support_]
    weights = model.dual_coef_ if several else [model.dual_coef_]
    fits &= [s.shape for s in supports] == [a.shape for a in weights] and len(supports) == rows
    fits &= several == (rows > 1)
    if not fits:
        raise CertificateError("the model is damaged: its arrays do not fit together")
    for name in ("coef_", "intercept_", "centre_"):
        array = getattr(model, name, model.coef_)
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise CertificateError(f"the model is damaged: {name} holds what is no finite number")
    n_examples = model.certificate_.n_examples
    for support in supports:
        if support.dtype != np.int64 or not ((support >= 0) & (support < n_examples)).all():
            raise CertificateError("the model is damaged: support_ names examples there are not")
