"""Whether a model is the one its certificate speaks of.

A model file holds the hyperplane twice: in the model, which predicts, and in the certificate,
which proves. A proof about another hyperplane would prove nothing of the predictions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Certificate,
    Inconclusive,
    NonSeparation,
    PerClass,
    Separation,
    SoftOptimum,
)


class ModelError(ValueError):
    """A file that is not a model, or not one that this version can read."""


class Disagreement(ModelError):
    """A model that is not the one its certificate speaks of: one of the two was edited."""


def check_agreement(model: Any) -> None:
    """Raise a Disagreement unless classes, hyperplanes and margins are the certificate's.

    A NonSeparation speaks of the examples alone, so that the hyperplane beside it is not checked.
    """
    certificate = model.certificate_
    classes = tuple(model.classes_.tolist())
    if isinstance(certificate, PerClass):
        parts, named = certificate.certificates, certificate.classes
    else:
        parts, named = (certificate,), (certificate.negative, certificate.positive)
    if named != classes:
        raise Disagreement(f"the model has the classes {classes}, its certificate {named}")
    if (certificate.n_features, certificate.n_updates) != (model.n_features_in_, model.n_updates_):
        raise Disagreement("the model's run is not the one that was certified")
    lower, upper = np.atleast_1d(model.margin_), np.atleast_1d(model.margin_upper_bound_)
    for k, part in enumerate(parts):
        hyperplane = np.append(model.coef_[k], model.intercept_[k])
        if not _same_hyperplane(hyperplane, part):
            raise Disagreement("the model's hyperplane is not the one that was certified")
        if isinstance(part, NonSeparation) and not lower[k] <= upper[k] == 0.0:
            raise Disagreement("the model claims a margin that is proved not to exist")
        if isinstance(part, Separation | Inconclusive) and (
            lower[k] != part.lower or upper[k] != part.upper
        ):
            raise Disagreement("the model's margins are not the ones that were certified")


def _same_hyperplane(hyperplane: NDArray[np.float64], part: Certificate) -> bool:
    if isinstance(part, SoftOptimum):
        certified = np.append(part.coef, part.intercept)
        return _is_multiple(certified, hyperplane)
    if isinstance(part, Separation | Inconclusive):
        if part.coef is None:
            return not hyperplane[:-1].any()
        return np.array_equal(hyperplane, np.append(part.coef, part.intercept))
    return True


def _is_multiple(certified: NDArray[np.float64], hyperplane: NDArray[np.float64]) -> bool:
    """Whether one is a multiple of the other, but for rounding each product once."""
    largest = int(np.argmax(np.abs(hyperplane)))
    if hyperplane[largest] == 0.0:
        return not certified.any()
    multiple = certified[largest] / hyperplane[largest] * hyperplane
    return multiple[largest] * hyperplane[largest] >= 0.0 and bool(
        np.allclose(certified, multiple, rtol=8 * np.finfo(float).eps, atol=np.finfo(float).tiny)
    )
