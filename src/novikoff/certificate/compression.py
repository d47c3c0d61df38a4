r"""Which examples carry the optimum, so that it is the same without any of the others.

The optimum ``f*`` of a problem depends on the examples that it holds at the margin (hard: those of
margin ``e*``; soft: those with ``y f* <= 1``): without any of the others it is the same. A fitted
model ``f`` is close to it, and its certificate says how close, which gives two things: a set of
examples that contains all of those, and that the model gets every new example right that ``f*``
holds away from the margin. So the error of the *model* is at most the probability that a new
example would join the set, which is what a bound for compressions is about.

Let ``x_r`` be any of these examples, and count one example more, the one farthest from ``x_r``:
then an example that would not join the set lies no farther from ``x_r`` than the farthest of the
training examples. All of those lie within ``rho`` of one of them, hence every two points that occur
below are at most ``4 rho`` apart. (Without an intercept: the example of the largest norm ``rho``,
and every point has a norm of at most ``rho``.)

**Hard margin.** Let ``f = u.x + b`` have a unit normal and the margin ``lower <= e* <= upper``, and
``g = (upper - lower)/upper``. Let ``p`` and ``q`` be the nearest points of the two hulls, so
``p - q = 2 e* u*``. Then ``2 e* u.u* = f(p) - f(q) >= 2 lower``, hence ``u.u* >= 1 - g`` and
``|u - u*| <= sqrt(2 g)``. Also ``lower <= f(p) <= 2 e* - lower``, so ``f(p)`` differs from
``f*(p) = e*`` by at most ``upper - lower``. Hence for every point ``z``

    |f(z) - f*(z)| <= tau = 4 rho sqrt(2 g) + upper - lower.

An example at the margin of ``f*`` has ``y f <= upper + tau``; one beyond has ``y f > e* - tau``,
which is positive if ``tau < lower``.

**Soft margin.** Let ``G`` be the difference of the primal and the dual objective. For the squared
hinge, ``(1-t)_+^2`` exceeds its tangent at ``t*`` by at least the square of the difference of
``(1-t)_+`` and ``(1-t*)_+``, and the objective is stationary at the optimum, hence
``G >= |w - w*|^2/2 + C sum s_i (xi_i - xi*_i)^2``. Take an example ``i`` with
``xi_i > sqrt(G/(C s_i))``: then ``xi*_i > 0`` too, and ``f`` differs from ``f*`` at it by at most
``sqrt(G/(C s_i))``. Hence ``tau = 4 rho sqrt(2 G) + sqrt(G/(C s_i))``; the examples are those with
``y f <= 1 + tau``, and ``tau < 1`` is needed. ∎
"""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from novikoff.certificate.base import Certificate
from novikoff.certificate.exact.filter import signed_values
from novikoff.certificate.examples.blocks import BLOCK_VALUES, Indices, as_float64
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.kinds import Joint, PerClass, Separation, SoftOptimum

SMALL_GAP = 1e-9
"""With a smaller relative gap, a smaller tol does not help."""

_UP = 1.0 + 2.0**-40
"""More than the rounding of a few operations."""


class NoCompression(ValueError):
    """Why a model has no bound on its error on new data."""


class Carriers(NamedTuple):
    """Examples that contain all those that carry the optimum, except the farthest.

    The model holds every new example that would not join them on its side at a distance of more
    than ``margin`` (``None`` for several hyperplanes, and where the normal is zero).
    """

    rows: Indices
    margin: float | None


def check_problem(certificate: Certificate) -> None:
    """Refuse what depends on all examples, before they are looked at."""
    if certificate.problem.exponents is not None:
        raise NoCompression("scale=True: the powers of two were taken from all examples")
    if certificate.problem.weighted:
        raise NoCompression("the examples have weights: they are not drawn from one source")
    if certificate.problem.kernel is not None:
        raise NoCompression("kernel: only linear models have one yet")


def carriers_of(certificate: Certificate, examples: Examples) -> Carriers:
    """Return the examples that carry the optimum which a certificate is about.

    Raises
    ------
    NoCompression
        Where the certificate does not say enough.
    """
    check_problem(certificate)
    if isinstance(certificate, Joint):
        raise NoCompression(
            "several classes fitted together: few examples need not determine their intercepts; "
            'fit with multi_class="ovr"'
        )
    if not isinstance(certificate, PerClass):
        return _binary(certificate, examples)
    # Where every class is on the right side of its hyperplane, the largest score is the right one.
    each = [
        _binary(part, examples.against(code)).rows
        for code, part in enumerate(certificate.certificates)
    ]
    return Carriers(np.unique(np.concatenate(each)), None)


def _binary(certificate: Certificate, examples: Examples) -> Carriers:
    model = certificate.hyperplane
    if not isinstance(certificate, Separation | SoftOptimum):
        raise NoCompression(
            "the model is not the optimum of a problem that was fixed beforehand: nothing was "
            "proved to separate the examples, and C was chosen from them; give a C"
        )
    assert model is not None
    low, high = signed_values(examples.X, examples.signs, model.coef, model.intercept)
    size = float(np.linalg.norm(model.coef)) * _up(model.coef.size)
    reach = _reach(examples.X, affine=certificate.problem.affine)
    if isinstance(certificate, Separation):
        lower, upper = certificate.lower, certificate.upper
        gap = (upper - lower) / upper
        tau = reach * math.sqrt(2.0 * gap)
        if certificate.problem.affine:
            tau += upper - lower
        tau *= _UP
        _check_small(tau / lower, "the margin", gap)
        rows = np.flatnonzero(~(low > size * (upper + tau) * _UP))
        return Carriers(rows, (lower - tau) * (1.0 - 2.0**-40))
    soft = model.soft
    assert soft is not None
    if soft.scale != 1.0:
        raise NoCompression("the objective is that of a multiple of the model")
    gap = max(soft.primal - soft.dual, 0.0)
    tau = reach * math.sqrt(2.0 * gap) * _UP
    if certificate.problem.affine:
        costs = np.ones(len(low)) if examples.costs is None else examples.costs
        apart = np.sqrt(gap / (soft.C * costs)) * _UP
        known = 1.0 - high > apart
        if not known.any():
            raise NoCompression(_ASK_LESS.format("no example is known to have slack"))
        tau += float(apart[known].min())
    _check_small(tau, "1", gap / soft.primal if soft.primal > 0.0 else 0.0)
    rows = np.flatnonzero(~(low > (1.0 + tau) * _UP))
    margin = (1.0 - tau) / size * (1.0 - 2.0**-40) if size > 0.0 else None
    return Carriers(rows, margin)


_ASK_LESS = "{}: fit with a smaller tol, such as 1e-9"


def _check_small(share: float, than: str, gap: float) -> None:
    if share < 1.0:
        return
    if gap <= SMALL_GAP:
        raise NoCompression(
            f"the examples are so far apart beside the margin that even this small gap lets scores "
            f"be wrong by more than {than}; divide columns of large numbers by fixed ones first"
        )
    raise NoCompression(_ASK_LESS.format(f"the gap lets the scores be wrong by more than {than}"))


def _up(n_terms: int) -> float:
    """More than the rounding of the root of a sum of so many squares, of differences or not."""
    return 1.0 + (n_terms + 8) * 2.0**-52


def _reach(X: Any, *, affine: bool) -> float:
    """How far apart points of the hull and new examples can be, rounded up."""
    n_rows, n_columns = X.shape
    up = _up(n_columns)
    if sparse.issparse(X):
        squares = X.multiply(X).astype(np.float64).sum(axis=1)
        norms = np.sqrt(np.asarray(squares).ravel())
        return float(4.0 * (norms.max() + norms[0]) if affine else norms.max()) * up
    origin = as_float64(X[:1])[0] if affine else np.zeros(n_columns)
    step = max(1, BLOCK_VALUES // max(n_columns, 1))
    largest = 0.0
    for first in range(0, n_rows, step):
        apart = as_float64(X[first : first + step]) - origin
        largest = max(largest, float(np.einsum("ij,ij->i", apart, apart).max()))
    return math.sqrt(largest) * up * (4.0 if affine else 1.0)
