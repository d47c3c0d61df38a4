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
from novikoff.certificate.fields import same
from novikoff.estimators.claims import delta_of


class ModelError(ValueError):
    """A file that is not a model, or not one that this version can read."""


class Disagreement(ModelError):
    """A model that is not the one its certificate speaks of: one of the two was edited."""


def check_agreement(model: Any) -> None:
    """Raise a Disagreement unless classes, hyperplanes and margins are the certificates'.

    The hyperplane of a model with a soft certificate is that certificate's. Where there is none, a
    NonSeparation speaks of the examples alone, and the hyperplane beside it is not checked.
    """
    certificate = model.certificate_
    classes = tuple(model.classes_.tolist())
    if isinstance(certificate, PerClass):
        parts, named = certificate.certificates, certificate.classes
    else:
        parts, named = (certificate,), (certificate.negative, certificate.positive)
    if named != classes:
        raise Disagreement(f"the model has the classes {classes}, its certificate {named}")
    beside = _soft_certificates(model, parts)
    stated = [part if soft is None else soft for part, soft in zip(parts, beside, strict=True)]
    run = certificate.n_features, sum(part.n_updates for part in stated)
    if run != (model.n_features_in_, model.n_updates_):
        raise Disagreement("the model's run is not the one that was certified")
    lower, upper = np.atleast_1d(model.margin_), np.atleast_1d(model.margin_upper_bound_)
    for k, part in enumerate(parts):
        hyperplane = np.append(model.coef_[k], model.intercept_[k])
        if not _same_hyperplane(hyperplane, stated[k], exactly=beside[k] is not None):
            raise Disagreement("the model's hyperplane is not the one that was certified")
        _check_margins(part, lower[k], upper[k], own=beside[k] is None)


def _soft_certificates(
    model: Any, parts: tuple[Certificate, ...]
) -> tuple[SoftOptimum | None, ...]:
    """Return the soft certificates beside the parts, after checking that they belong there."""
    if not hasattr(model, "soft_certificate_"):
        return (None,) * len(parts)
    found = model.soft_certificate_
    soft = found if isinstance(found, tuple) else (found,)
    if len(soft) != len(parts) or (soft is found) != (len(parts) > 1):
        raise Disagreement("the model has not one soft certificate for each hyperplane")
    for part, beside, price in zip(parts, soft, np.atleast_1d(model.C_), strict=True):
        if not _belongs(beside, part, price):
            raise Disagreement("the model's soft certificate is not the one of its C and its data")
    return soft


def _belongs(soft: SoftOptimum | None, part: Certificate, price: float) -> bool:
    if soft is None:
        return isinstance(part, Separation | Inconclusive) and price == np.inf
    if not 0.0 < price < np.inf or soft.delta != delta_of(price):
        return False
    if isinstance(part, SoftOptimum):
        return part == soft
    return isinstance(part, NonSeparation | Inconclusive) and _same_problem(part, soft)


def _same_problem(one: Certificate, other: Certificate) -> bool:
    names = ("positive", "negative", "affine", "n_examples", "n_features", "fingerprint", "costs")
    return all(same(getattr(one, name), getattr(other, name)) for name in names)


def _check_margins(part: Certificate, lower: float, upper: float, *, own: bool) -> None:
    """Check the margins of a model; `own`: no soft certificate speaks of its hyperplane."""
    if isinstance(part, NonSeparation) and not lower <= upper == 0.0:
        raise Disagreement("the model claims a margin that is proved not to exist")
    if isinstance(part, Separation | Inconclusive):
        certified = lower == part.lower and upper == part.upper
        if not (certified if own else lower <= upper >= part.upper):
            raise Disagreement("the model's margins are not the ones that were certified")


def _same_hyperplane(hyperplane: NDArray[np.float64], part: Certificate, *, exactly: bool) -> bool:
    if isinstance(part, SoftOptimum):
        certified = np.append(part.coef, part.intercept)
        # A perceptron's certificate scales the hyperplane to where the objective is least.
        alike = np.array_equal if exactly else _is_multiple
        return alike(certified, hyperplane)
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
