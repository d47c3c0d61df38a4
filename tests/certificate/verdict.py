"""Is a certificate true of some data? From the definitions, in fractions."""

import dataclasses
import math
from fractions import Fraction

import numpy as np

from novikoff.certificate import (
    CertificateError,
    Inconclusive,
    Joint,
    NonSeparation,
    PerClass,
    Separation,
    SoftOptimum,
)
from tests.certificate import joint_truth, truth


def is_true(certificate, X, y, sample_weight=None):
    """Whether every claim of the certificate is true of the data."""
    data = Data(certificate.problem, X, y, sample_weight)
    if not data.fits:
        return False
    if isinstance(certificate, Joint):
        return joint_truth.is_true(certificate, data)
    if isinstance(certificate, PerClass):
        parts = certificate.certificates
        labels = certificate.problem.classes
        return certificate.errors == joint_errors(certificate, data) and all(
            _is_true(part, Data(part.problem, X, y, sample_weight)) and part.problem.positive == k
            for k, part in zip(labels, parts, strict=True)
        )
    return _is_true(certificate, data)


class Data:
    """The examples as a problem sees them."""

    def __init__(self, problem, X, y, sample_weight):
        self.X, self.y, self.affine = X, list(y), problem.affine
        positive = problem.classes[0] if problem.positive is None else problem.positive
        self.signs = truth.signs(y, positive)
        self.known = all(label in problem.classes for label in y)
        self.weighted = sample_weight is not None and any(a != 1 for a in sample_weight)
        if self.known:
            self.costs = truth.costs(y, problem.classes, problem.class_weights, sample_weight)
            self.part = [i for i, cost in enumerate(self.costs) if cost > 0.0]
            self.counts = [sum(y[i] == label for i in self.part) for label in problem.classes]
        self.fits = (
            self.known
            and np.shape(X) == (problem.n_examples, problem.n_features)
            and len(y) == problem.n_examples
            and (problem.weighted or not self.weighted)
            and (sample_weight is not None or not problem.weighted)
            and min(self.counts) > 0
        )

    @property
    def taking_part(self):
        """The examples that take part, and their signs."""
        return [self.X[i] for i in self.part], [self.signs[i] for i in self.part]


def joint_errors(certificate, data):
    models = [part.hyperplane for part in certificate.certificates]
    if any(model is None for model in models):
        return None
    rows, codes = (
        data.taking_part[0],
        [certificate.problem.classes.index(data.y[i]) for i in data.part],
    )
    return truth.joint_errors(rows, codes, [m.coef for m in models], [m.intercept for m in models])


def _is_true(certificate, data):
    model = certificate.hyperplane
    if model is not None and not model_is_true(model, data):
        return False
    if isinstance(certificate, SoftOptimum):
        return True
    support = [int(i) for i in certificate.support]
    weights = certificate.weights
    carriers = [i for k, i in enumerate(support) if weights is None or weights[k] > 0]
    if not set(carriers) <= set(data.part):
        return False
    claim = (data.X, data.signs, support)
    if isinstance(certificate, NonSeparation):
        if certificate.slacks is not None:
            rows, slacks = truth.violating(data.X, data.signs, data.costs, certificate.slacks)
            if not set(support) <= set(rows):
                return False
            found = truth.corrected(data.X, data.signs, rows, slacks, support, data.affine)
            return found is not None and min(found) > 0
        if weights is None:
            return truth.is_basis(*claim, data.affine)
        return truth.combines_to_zero(*claim, weights.tolist(), data.affine)
    assert isinstance(certificate, Separation | Inconclusive)
    if isinstance(certificate, Inconclusive) and model is not None:
        # What separates the examples does not leave it undecided.
        plane = (*data.taking_part, model.coef, model.intercept)
        if truth.lower_is_true(5e-324, *plane):
            return False
    upper = truth.upper_is_true(certificate.upper, *claim, weights.tolist(), data.affine)
    spread = getattr(certificate, "spread", None)
    rows = data.taking_part[0]
    return upper and (spread is None or truth.spread_is_true(spread, rows, data.affine))


def model_is_true(model, data):
    plane = (*data.taking_part, model.coef, model.intercept)
    margin = -math.inf if model.margin is None else model.margin
    return (
        truth.lower_is_true(margin, *plane)
        and model.errors == truth.errors(*plane)
        and (model.soft is None or soft_is_true(model, data))
    )


def soft_is_true(model, data):
    soft = model.soft
    support, weights = [int(i) for i in soft.support], soft.weights.tolist()
    carriers = {i for i, a in zip(support, weights, strict=True) if a > 0}
    with np.errstate(all="ignore"):
        w, b = soft.scale * model.coef, float(np.float64(soft.scale) * model.intercept)
    if not (carriers <= set(data.part) and np.isfinite(w).all() and math.isfinite(b)):
        return False
    primal = truth.primal(data.X, data.signs, w, b, soft.C, data.costs)
    claim = (data.X, data.signs, support, weights, data.affine)
    return (
        (soft.primal == math.inf or Fraction(soft.primal) >= primal)
        and Fraction(soft.dual) <= truth.dual(*claim, soft.C, data.costs)
        and truth.upper_is_true(soft.upper, *claim)
    )


def accepted(certificate, X, y, sample_weight=None):
    try:
        certificate.verify(X, y, sample_weight=sample_weight, check_fingerprint=False)
    except CertificateError as error:
        assert "\n" not in str(error) and str(error).isprintable()
        return False
    return True


def agrees(certificate, X, y, sample_weight=None):
    """Exactly the truth is accepted."""
    found = accepted(certificate, X, y, sample_weight)
    true = is_true(certificate, X, y, sample_weight)
    owner = getattr(certificate, "refutation", None) or certificate
    if any(getattr(owner, name, None) is not None for name in ("spread", "slacks")):
        # The check looks at two of the examples, and the truth at all; bounds on the change of
        # slacks decide only what is well-conditioned.
        return not found or true
    return found == true


def replaced(certificate, *, of_model=None, of_soft=None, **own):
    """The certificate with changes to itself, its model and its soft margin.

    None where it is refused before any data is seen.
    """
    try:
        model = certificate.hyperplane
        if of_soft is not None:
            of_model = {"soft": dataclasses.replace(model.soft, **of_soft), **(of_model or {})}
        if of_model is not None:
            own["model"] = dataclasses.replace(model, **of_model)
        return dataclasses.replace(certificate, **own)
    except CertificateError as error:
        assert "\n" not in str(error)
        return None
