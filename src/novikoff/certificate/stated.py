"""What a model says of the examples that make its hyperplanes, checked against the data.

The certificate proves the hyperplanes; ``support_`` and ``dual_coef_`` stand beside it. Their signs
must be those of the labels, and where the weights are the model's own, the weighted examples must
sum to the hyperplane, up to rounding.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate import json
from novikoff.certificate.base import Certificate
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import combination, radius
from novikoff.certificate.examples.blocks import Floats, Indices, take
from novikoff.certificate.examples.labels import codes_of, signs_against
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.fields import as_support

ROUNDINGS = 256.0
"""How far the sum may be from the hyperplane, in units of the bound on its rounding error: a fit
adds in another order, and rounds a few times more."""


@dataclass(frozen=True)
class Stated:
    """Which examples make a hyperplane, with which signed weights, by a model's own account.

    ``centre`` is what the examples are read relative to. ``None``: only the signs are the model's,
    and the weights are those of the certificate.
    """

    support: Indices
    dual_coef: npt.NDArray[Any]
    centre: Floats | None = None


def stated_by(model: Any) -> list[Stated]:
    """Return what a fitted estimator says; nothing where it was trained online."""
    if not hasattr(model, "support_"):
        return []
    lists = [getattr(model, name) for name in ("support_", "dual_coef_")]
    pairs = zip(*(lists if len(model.coef_) > 1 else [[each] for each in lists]), strict=True)
    centre = getattr(model, "centre_", None)
    return [Stated(np.asarray(rows), np.asarray(dual), centre) for rows, dual in pairs]


def stated_in(certificate: Certificate, fitted: dict[str, Any]) -> list[Stated]:
    """Return what the JSON values of a model say beside its certificate."""
    if "signs" in fitted:
        signs = json.listed(json.read_floats)("signs", fitted["signs"])
        supports = [part.proof[0] for part in certificate.parts]
        return [Stated(*pair) for pair in _pairs(supports, signs)]
    supports = json.listed(json.read_rows)("support", fitted.get("support", []))
    duals = json.listed(json.read_floats)("dual_coef", fitted.get("dual_coef", []))
    centre = json.read_floats("centre", fitted["centre"]) if supports else None
    return [Stated(*pair, centre) for pair in _pairs(supports, duals)]


def _pairs(supports: Any, weights: Any) -> list[tuple[Any, Any]]:
    if [len(rows) for rows in supports] != [len(part) for part in weights]:
        raise CertificateError(
            "the model is damaged: not every example of its support has a weight"
        )
    return list(zip(supports, weights, strict=True))


def check_stated(certificate: Certificate, stated: list[Stated], X: Any, y: npt.ArrayLike) -> None:
    """Refuse what the data contradicts.

    Raises
    ------
    CertificateError
        In one line, what is wrong.
    """
    if not stated:
        return
    problem, parts = certificate.problem, certificate.parts
    if len(stated) != len(parts):
        raise CertificateError("the model is damaged: not every hyperplane has a support")
    matrix, codes = check_matrix(X), codes_of(y, problem.classes)
    for part, mine in zip(parts, stated, strict=True):
        rows = as_support(mine.support, problem.n_examples)
        if mine.dual_coef.shape != rows.shape or not np.isfinite(mine.dual_coef).all():
            raise CertificateError("the model's dual_coef_ is not one number for each of support_")
        signs = signs_against(codes, part.problem.code)[rows]
        wrong = rows[mine.dual_coef * signs < 0]
        if wrong.size:
            raise CertificateError(
                f"the model's dual_coef_ of example {wrong[0]} has not the sign of its label; "
                "fit it again"
            )
        if mine.centre is not None:
            _check_sum(part, matrix, rows, mine.dual_coef, mine.centre)


def _check_sum(part: Any, X: Any, rows: Indices, dual: npt.NDArray[Any], centre: Floats) -> None:
    """Refuse weights whose sum of examples is not the hyperplane's normal."""
    weights = np.asarray(dual, dtype=np.float64)
    exponents = np.array(part.problem.exponents or 0)
    with np.errstate(all="ignore"):
        total, error = combination(take(X, rows), weights, X.shape[1])
        error += radius(np.abs(weights).sum() * np.abs(centre), rows.size)
        # The sum is one of scaled columns, where they are scaled, and so is the hyperplane.
        found = np.ldexp(total - weights.sum() * centre, -exponents)
        wanted = np.ldexp(part.coef, exponents)
        far = np.abs(found - wanted) > np.ldexp(ROUNDINGS * error, -exponents)
    if far.any():
        raise CertificateError(
            "the model's dual_coef_ and support_ do not make its coef_; fit it again"
        )
