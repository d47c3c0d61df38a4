r"""Which examples carry the optimum, so that it is the same without any of the others.

The optimum ``f*`` of a problem depends on the examples that it holds at the margin (hard: those of
margin ``e*``; soft: those with ``y f* <= 1``): without any of the others it is the same. A fitted
model ``f`` is close to it, and its certificate says how close, which gives two things: a set of
examples that contains all of those, and that the model gets every new example right that ``f*``
holds away from the margin. So the error of the *model* is at most the probability that a new
example would join the set, which is what a bound for compressions is about. Nothing is supposed of
the search that found the model, nor of where it began and when it stopped.

*Ties.* All examples on the margin belong to the set, duplicates included. Samples whose optimum
does not exist (one class only; nothing separates them) count as carried by all of their examples:
then an example outside of the set can be left out of any sample, and the set stays the same.

*Classes.* A new example of a class that was never seen must join the set too, and the classes must
stay the same without the others. With an intercept every class has an example on its margin;
without one, the first example of a class that has none belongs to the set.

Let ``x_r`` be any of these examples, and count one example more, the one farthest from ``x_r``:
then an example that would not join the set lies no farther from ``x_r`` than the farthest of the
training examples. All of those lie within ``rho`` of one of them, hence every two points that occur
below are at most ``4 rho`` apart. (Without an intercept: the example of the largest norm ``rho``,
and every point has a norm of at most ``rho``. In the feature space of a kernel: that of the largest
norm too, and every two points are at most ``2 rho`` apart.)

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

Several classes fitted together are in :mod:`novikoff.certificate.joint_compression`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificate.base import Certificate
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import ceil_float
from novikoff.certificate.exact.filter import signed_values
from novikoff.certificate.exact.slack import HINGE
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.extent import extent, norm_above
from novikoff.certificate.feature_space.enclosed import Enclosed
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.kinds import Joint, PerClass, Separation, SoftOptimum
from novikoff.certificate.model import Soft

SMALL_GAP = 1e-9
"""With a smaller relative gap, a smaller tol does not help."""

UP = 1.0 + 2.0**-40
"""More than the rounding of a few operations."""

SEMIDEFINITE = ("rbf", "laplacian", "poly")
"""Kernels that are inner products, for a data-free gamma and a ``coef0`` that is not negative."""


class NoCompression(ValueError):
    """Why a model has no bound on its error on new data."""


class Carriers(NamedTuple):
    """Examples that contain all those that carry the optimum, except the farthest.

    The model holds every new example that would not join them on its side at a distance of more
    than ``margin`` (``None`` for several hyperplanes, and where the normal is zero).
    """

    rows: Indices
    margin: float | None


class Scores(NamedTuple):
    """The model on the examples: ``y f`` between two floats, and lengths that are rounded up.

    ``size`` is the norm of the normal, ``reach`` how far two points can be apart.
    """

    low: Floats
    high: Floats
    size: float
    reach: float

    @classmethod
    def of(cls, model: Any, examples: Examples, *, affine: bool) -> "Scores":
        """Compute them, in the feature space where there is a kernel."""
        if isinstance(model, KernelModel):
            try:
                found = Enclosed.of(examples, model.support, model.coef, model.intercept)
            except CertificateError as error:
                raise NoCompression(str(error)) from None
            size = math.sqrt(max(ceil_float(found.norm2[1]), 0.0)) * UP
            assert examples.kernel is not None
            reach = _largest_norm(examples.kernel, examples.X) * (2.0 if affine else 1.0)
            return cls(found.low, found.high, size, reach)
        low, high = signed_values(examples.X, examples.signs, model.coef, model.intercept)
        reach = extent(examples.X, from_first=affine) * (4.0 if affine else 1.0)
        return cls(low, high, norm_above(model.coef), reach)


def check_problem(certificate: Certificate) -> None:
    """Refuse what depends on all examples, before they are looked at."""
    problem = certificate.problem
    if problem.exponents is not None:
        raise NoCompression("scale=True: the powers of two were taken from all examples")
    if problem.weighted:
        raise NoCompression("the examples have weights: they are not drawn from one source")
    kernel = problem.kernel
    if kernel is None:
        return
    if kernel.name not in SEMIDEFINITE:
        raise NoCompression(f"kernel={kernel.name!r}: there is one for {', '.join(SEMIDEFINITE)}")
    if kernel.name == "poly" and not (kernel.coef0 is not None and kernel.coef0 >= 0.0):
        raise NoCompression("kernel='poly' with a negative coef0 is not an inner product")


def carriers_of(certificate: Certificate, examples: Examples) -> Carriers:
    """Return the examples that carry the optimum which a certificate is about.

    Raises
    ------
    NoCompression
        Where the certificate does not say enough.
    """
    check_problem(certificate)
    found = _carriers(certificate, examples)
    if certificate.problem.affine:
        return found
    missing = np.setdiff1d(examples.codes, examples.codes[found.rows])
    firsts = [int(np.argmax(examples.codes == code)) for code in missing]
    return found._replace(rows=np.union1d(found.rows, firsts).astype(np.int64))


def _carriers(certificate: Certificate, examples: Examples) -> Carriers:
    if isinstance(certificate, Joint):
        from novikoff.certificate.joint_compression import joint_carriers

        return joint_carriers(certificate, examples)
    if not isinstance(certificate, PerClass):
        return _binary(certificate, examples)
    # Where every class is on the right side of its hyperplane, the largest score is the right one.
    each = [
        _binary(part, examples.against(code)).rows
        for code, part in enumerate(certificate.certificates)
    ]
    return Carriers(np.unique(np.concatenate(each)), None)


def _binary(certificate: Certificate, examples: Examples) -> Carriers:
    model, affine = certificate.hyperplane, certificate.problem.affine
    if not isinstance(certificate, Separation | SoftOptimum):
        raise NoCompression(NOT_FIXED)
    assert model is not None
    scores = Scores.of(model, examples, affine=affine)
    if isinstance(certificate, Separation):
        lower, upper = certificate.lower, certificate.upper
        gap = certificate.gap
        tau = scores.reach * math.sqrt(2.0 * gap)
        if affine:
            tau += upper - lower
        tau *= UP
        check_small(tau / lower, "the margin", gap)
        rows = np.flatnonzero(~(scores.low > scores.size * (upper + tau) * UP))
        return Carriers(rows, (lower - tau) * (1.0 - 2.0**-40))
    soft = model.soft
    assert soft is not None
    check_soft(soft)
    gap = max(soft.primal - soft.dual, 0.0) * UP
    tau = scores.reach * math.sqrt(2.0 * gap) * UP
    if affine:
        costs = np.ones(len(scores.low)) if examples.costs is None else examples.costs
        apart = np.sqrt(gap / (soft.C * costs)) * UP
        known = 1.0 - scores.high > apart
        if not known.any():
            raise NoCompression(ASK_LESS.format("no example is known to have slack"))
        tau += float(apart[known].min())
    check_small(tau, "1", soft.gap)
    rows = np.flatnonzero(~(scores.low > (1.0 + tau) * UP))
    margin = (1.0 - tau) / scores.size * (1.0 - 2.0**-40) if scores.size > 0.0 else None
    return Carriers(rows, margin)


NOT_FIXED = (
    "the model is not the optimum of a problem that was fixed beforehand: no hyperplane was found "
    "that separates the examples, so C was chosen from them; give a C"
)
ASK_LESS = "{}: fit with a smaller tol, such as 1e-9"


def check_soft(soft: Soft) -> None:
    """Refuse the hinge, and bounds of another model than the one that predicts."""
    if soft.loss == HINGE:
        raise NoCompression("loss='hinge': there is one for loss='squared_hinge'")
    if soft.scale != 1.0:
        raise NoCompression("the objective is that of a multiple of the model")


def check_small(share: float, than: str, gap: float) -> None:
    """Refuse where scores may be wrong by a whole margin."""
    if share < 1.0:
        return
    if gap <= SMALL_GAP:
        raise NoCompression(
            f"the examples are so far apart beside the margin that even this small gap lets scores "
            f"be wrong by more than {than}; divide columns of large numbers by fixed ones first"
        )
    raise NoCompression(ASK_LESS.format(f"the gap lets the scores be wrong by more than {than}"))


def _largest_norm(kernel: Kernel, X: Any) -> float:
    """The largest norm of an example in the feature space, rounded up."""
    if kernel.name != "poly":
        # k(x, x) = exp(0) = 1.
        return 1.0
    assert kernel.gamma is not None and kernel.coef0 is not None and kernel.degree is not None
    longest = extent(X, from_first=False)
    square = (kernel.gamma * longest * longest + kernel.coef0) * UP
    try:
        return math.pow(square, kernel.degree / 2.0) * UP
    except OverflowError:
        return math.inf
