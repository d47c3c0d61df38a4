"""What a result states beside its bounds, compared with the points and weights that it names."""

from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpq

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import ceil_float, ceil_sqrt, nearest_float, of_float
from novikoff.geometry.bodies.base import Body, Exact, Vector
from novikoff.geometry.core import Core
from novikoff.geometry.exact import bounds
from novikoff.geometry.exact.rational import combine, rational_vector, square
from novikoff.geometry.rounding import norm_of

if TYPE_CHECKING:
    from novikoff.geometry.result import Combination, SeparationResult

ROUNDED = 2.0**-40
"""Points are stated in float64: to this share of the largest coordinate."""
PARALLEL = 1e-6
"""How far a normal may be from the difference that makes it, in units of the points' extent."""


def check_form(result: "SeparationResult") -> None:
    """Raise if numbers are missing, not finite, or not what weights and bounds can be."""
    _check_status(result)
    for part in (result.first, result.second, *(result.normal or ())):
        _check_weights(part, result.p.size)
    for name, vector in (("p", result.p), ("q", result.q), ("w", result.w)):
        if vector is not None and (vector.shape != result.p.shape or not np.isfinite(vector).all()):
            raise CertificateError(f"{name} is not a finite vector like the others")


def check_statements(result: "SeparationResult", cores: list[Core]) -> None:
    """Raise if a result contradicts itself, or the points of the bodies that it names."""
    sides = zip((result.first, result.second), (result.p, result.q), cores, strict=True)
    reach = 0.0
    for part, stated, core in sides:
        radius = ceil_float(core.radius)
        exact = _combined(part, core.body)
        reach = max(reach, float(np.abs(part.points).max()) + radius)
        rest = square(a - of_float(float(b)) for a, b in zip(exact, stated, strict=True))
        if not ceil_sqrt(rest) <= radius + ROUNDED * reach:
            raise CertificateError("a nearest point is not the combination that makes it")
    apart = norm_of(result.p - result.q)
    if not apart <= result.distance_upper + ROUNDED * (reach + result.distance_upper):
        raise CertificateError("the nearest points are farther apart than the upper bound")
    if result.w is not None:
        _check_hyperplane(result, cores)
        if result.normal is not None:
            _check_normal(result.w, result.normal, cores)


def _check_status(result: "SeparationResult") -> None:
    name, lower, upper = result.status.name, result.distance_lower, result.distance_upper
    if not 0.0 <= lower <= upper < np.inf:
        raise CertificateError("the lower bound on the distance is not between 0 and the upper one")
    has_plane = result.w is not None and result.b is not None and bool(np.isfinite(result.b))
    if (name == "APART") != (lower > 0.0) or has_plane != (lower > 0.0):
        raise CertificateError(f"the status {name} does not agree with the bounds or hyperplane")
    if result.w is None and (result.b is not None or result.margin != 0.0):
        raise CertificateError("there is an intercept or a margin without a hyperplane")
    if (name == "MEET") != (upper == 0.0):
        raise CertificateError(f"the status {name} does not agree with the upper bound {upper}")


def _check_weights(part: "Combination", dimension: int) -> None:
    count = len(part.labels)
    if not count or part.points.shape != (count, dimension) or part.weights.shape != (count,):
        raise CertificateError("a combination has not one point and one weight for each label")
    if not np.isfinite(part.weights).all() or not np.isfinite(part.points).all():
        raise CertificateError("a combination contains a value that is not finite")
    if (part.weights < 0.0).any() or not abs(float(part.weights.sum()) - 1.0) <= 1e-9:
        raise CertificateError("the weights of a combination are negative or do not sum to 1")
    if part.exact_weights is not None:
        _check_exact_weights(part.exact_weights, part.weights)


def _combined(part: "Combination", body: Body) -> Exact:
    """Return a combination in rationals, once its points are those that the labels name."""
    points = []
    for label, stated in zip(part.labels, part.points, strict=True):
        point = body.exact_point(label)
        known = body.recall(label)
        error = of_float(known[1]) if known is not None else fmpq(0)
        rest = square(a - of_float(float(b)) for a, b in zip(point, stated, strict=True))
        if rest > 4 * error * error:
            raise CertificateError("a point of a combination is not the one that its label names")
        points.append(point)
    weights = part.proof_weights
    return combine([a if isinstance(a, fmpq) else of_float(float(a)) for a in weights], points)


def _check_exact_weights(exact: tuple[Any, ...], weights: Vector) -> None:
    is_rational = len(exact) == len(weights) and all(isinstance(a, fmpq) for a in exact)
    if not is_rational or [nearest_float(a) for a in exact] != weights.tolist():
        raise CertificateError("the exact weights of a combination are not those that are stated")
    if min(exact) < 0 or sum(exact, fmpq(0)) != 1:
        raise CertificateError("the exact weights of a combination are negative or do not sum to 1")


def _check_hyperplane(result: "SeparationResult", cores: list[Core]) -> None:
    """Check that either body is as far from the hyperplane as the margin says."""
    assert result.w is not None and result.b is not None
    low, high = bounds.separation(cores[0].body, cores[1].body, result.w)
    norm2, b = square(rational_vector(result.w)), of_float(float(result.b))
    for height, core in ((low + b, cores[0]), (-high - b, cores[1])):
        if result.margin > max(0.0, bounds.distance_below(height, norm2, core.radius)):
            raise CertificateError(
                "a body is nearer to the hyperplane than the margin, or on the wrong side of it"
            )


def _check_normal(w: Vector, normal: Any, cores: list[Core]) -> None:
    """Check that the normal is a multiple of the difference of two combinations."""
    p, q = (_combined(part, core.body) for part, core in zip(normal, cores, strict=True))
    difference = np.array([nearest_float(a - b) for a, b in zip(p, q, strict=True)])
    u = w / norm_of(w)
    along = float(difference @ u)
    points = np.vstack([part.points for part in normal])
    extent = norm_of(np.ptp(points, axis=0))
    if not (along > 0.0 and norm_of(difference - along * u) <= PARALLEL * extent):
        raise CertificateError("the normal is not the difference of the two combinations")
