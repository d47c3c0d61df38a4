"""Checking a result in exact arithmetic: of what the search computed, nothing is trusted.

The bounds are proved again from the normal, the labels of the points and their weights. Then
everything else that a result states is compared with what these give: its points, the hyperplane's
margin, the combination that makes the normal, and its status.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpq

from novikoff.certificate import Certificate
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.wording import at_least, at_most, format_bounds
from novikoff.geometry.bodies.base import Body
from novikoff.geometry.bodies.composed import check_dimensions
from novikoff.geometry.bodies.oracle import as_body
from novikoff.geometry.core import Core, core_of
from novikoff.geometry.exact import bounds
from novikoff.geometry.exact.hulls import certificate_of, stacked
from novikoff.geometry.exact.statements import check_form, check_statements

if TYPE_CHECKING:
    from novikoff.geometry.result import SeparationResult


@dataclass(frozen=True)
class VerifiedDistance:
    """Bounds on a distance that exact arithmetic has proved; ``str()`` is the sentence.

    Attributes
    ----------
    lower, upper : float
        The largest and the smallest float that the proof gives.
    conditional : bool
        Whether it holds only if user oracles are right.
    sentence : str
        What was proved.
    """

    lower: float
    upper: float
    conditional: bool
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def check(result: "SeparationResult", K: Any = None, L: Any = None) -> VerifiedDistance:
    """Prove the bounds of a result again, against these bodies."""
    check_arithmetic()
    bodies = [
        as_body(given, stated.dimension) if given is not None else stated
        for given, stated in zip((K, L), result.bodies, strict=True)
    ]
    check_dimensions(bodies[0], bodies[1])
    if bodies[0].dimension != result.p.size:
        raise CertificateError(
            f"the result is about {result.p.size} coordinates, the bodies have "
            f"{bodies[0].dimension}"
        )
    # Lemma 4.2 is about the bodies themselves.
    whole = result.epsilon is not None
    cores = [Core(body, fmpq(0)) if whole else core_of(body) for body in bodies]
    check_form(result)
    certificate = certificate_of(result, bodies)
    if certificate is not None:
        lower, upper = _by_certificate(result, bodies, cores, certificate)
    else:
        lower, upper = _by_support(result, cores)
    _compare(result, lower, upper)
    check_statements(result, cores)
    conditional = any(body.oracles for body in bodies)
    return VerifiedDistance(max(lower, 0.0), upper, conditional, _sentence(lower, upper, bodies))


def _compare(result: "SeparationResult", lower: float, upper: float) -> None:
    if result.distance_lower > max(lower, 0.0):
        raise CertificateError(
            f"the distance is claimed to be at least {at_least(result.distance_lower, 17)}, but "
            f"the hyperplane proves only {at_least(lower, 17)}"
        )
    if result.distance_upper < upper:
        raise CertificateError(
            f"the distance is claimed to be at most {at_most(result.distance_upper, 17)}, but the "
            f"points prove only {at_most(upper, 17)}"
        )
    tau = sum(body.tau for body in result.bodies)
    if (
        result.epsilon is not None
        and result.ending.name == "EPSILON"
        and result.distance_upper >= result.epsilon
        and result.distance_lower < result.epsilon / 3.0 - 1.001 * tau
    ):
        raise CertificateError("neither exit of Lemma 4.2 was reached")


def _by_support(result: "SeparationResult", cores: list[Core]) -> tuple[float, float]:
    """Compute both bounds from support values and from the points that the result names."""
    radius = cores[0].radius + cores[1].radius
    first, second = cores[0].body, cores[1].body
    lower = 0.0
    if result.w is not None:
        lower = bounds.lower_bound(first, second, result.w, radius)
    labels = (result.first.labels, result.second.labels)
    weights = (result.first.proof_weights, result.second.proof_weights)
    p, q = bounds.nearest_points(first, second, labels, weights)
    return lower, bounds.upper_bound(p, q, radius)


def _by_certificate(
    result: "SeparationResult", bodies: list[Body], cores: list[Core], certificate: Certificate
) -> tuple[float, float]:
    X, y = stacked(bodies)
    proved = certificate.verify(X, y, check_fingerprint=False)
    lower = 0.0 if proved.lower is None else 2.0 * proved.lower
    upper = np.inf if proved.upper is None else 2.0 * proved.upper
    if type(certificate).__name__ == "NonSeparation":
        upper = 0.0
    if upper > result.distance_upper or lower < result.distance_lower:
        # The certificate's hyperplane has a rounded intercept, which the distance does not need.
        again = _by_support(result, cores)
        return max(lower, again[0]), min(upper, again[1])
    return lower, upper


def _sentence(lower: float, upper: float, bodies: list[Body]) -> str:
    low, high = format_bounds(max(lower, 0.0), upper)
    condition = ""
    if any(body.oracles for body in bodies):
        count = sum(body.oracles for body in bodies)
        condition = "if the oracle is right, " if count == 1 else "if the oracles are right, "
    if upper == 0.0:
        return f"Verified: {condition}the bodies have a common point."
    if lower <= 0.0:
        return f"Verified: {condition}the distance of the bodies is at most {high}."
    return f"Verified: {condition}the distance of the bodies is at least {low} and at most {high}."
