"""A bound on the error on new data for a fitted model, or the reason why there is none."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificate import Certificate
from novikoff.certificate.compression import NoCompression, carriers_of
from novikoff.certificate.exact.confidence import METHODS, is_proved
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.risk import Risk
from novikoff.theory.generalization import compression_bound, selection_bound, theorem_5_2


class NoRiskError(ValueError):
    """Why nothing is proved about new data."""


def optimum_risk(
    certificate: Certificate, X: Any, y: ArrayLike, *, confidence: float, method: str
) -> Risk:
    """Bound the error on new data of a model that is close to the optimum of its problem."""
    examples = Examples.of(certificate.problem, X, y, None, check_fingerprint=True)
    try:
        found = carriers_of(certificate, examples)
    except NoCompression as error:
        raise NoRiskError(f"No bound on new data: {error}.") from None
    return _risk(
        len(examples.codes),
        found.rows,
        confidence=confidence,
        method=method,
        margin=found.margin,
        extra=1,
        scheme="optimum",
    )


def _risk(m: int, rows: Any, *, confidence: float, method: str, extra: int, **rest: Any) -> Risk:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence!r} must be between 0 and 1, both excluded.")
    if method not in ("auto", *METHODS):
        raise ValueError(f"method={method!r} must be auto, {', '.join(METHODS)}.")
    # Chosen before looking: the best of several would have to pay for the choice.
    method = "compression" if method == "auto" else method
    k, delta = min(len(rows) + extra, m), float(np.nextafter(1.0 - confidence, 0.0))
    if method == "compression":
        bound = float(compression_bound(m, k, delta))
    elif method == "binomial":
        bound = float(selection_bound(m, k, 0, delta))
    else:
        bound = float(theorem_5_2(m, k, 0.0, delta))
    # Rounded up until ball arithmetic proves it.
    step = 2.0**-50
    while not is_proved(method, m, k, delta, bound):
        bound, step = min(1.0, bound * (1.0 + step)), 4.0 * step
    return Risk(
        n_examples=m,
        support=rows,
        confidence=confidence,
        method=method,
        bound=bound,
        extra=extra,
        **rest,
    )
