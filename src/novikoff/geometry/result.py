"""What :func:`novikoff.separate` found, and how it is checked."""

import enum
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.certificate import json
from novikoff.certificate.wording import at_least, at_most, counted, format_bounds
from novikoff.geometry.bodies.base import Body, Vector

if TYPE_CHECKING:
    from novikoff.certificate import Certificate
    from novikoff.geometry.exact.check import VerifiedDistance


class Verdict(enum.Enum):
    """Whether two bodies are apart; the value is a sentence.

    Examples
    --------
    >>> print(Verdict.APART)
    The bodies are apart: a hyperplane separates them.
    """

    APART = "The bodies are apart: a hyperplane separates them."
    MEET = "The bodies meet: they have a common point."
    MEET_WITHIN = "The bodies meet within the stated bound: no distance above it is left."
    CLOSE = "The bodies are closer than the stated bound; whether they meet is undecided."

    def __str__(self) -> str:
        return self.value


class Ending(enum.Enum):
    """How a search ended; the value is a sentence."""

    GAP_REACHED = "The bounds are as close as was asked for."
    COMMON_POINT = "A common point was found."
    EPSILON = "One of the two exits of Lemma 4.2 was reached."
    PRECISION = "The bounds are as close as the arithmetic or the oracle allows."
    MAX_STEPS = "The search stopped at its limit on steps (max_steps)."
    TIME_LIMIT = "The search stopped at its time limit (time_limit)."

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False)
class Combination:
    """A point as a convex combination of few extreme points of a body.

    Attributes
    ----------
    points : array of shape (k, dimension)
        Extreme points, in float64.
    weights : array of shape (k,)
        Positive numbers that sum to 1.
    labels : tuple
        Names the points: rows of :class:`~novikoff.geometry.Points`, corners of a box, and so on.
    exact_weights : tuple of fmpq, optional
        The weights in rationals, where they were computed exactly.
    """

    points: Vector
    weights: Vector
    labels: tuple[Any, ...] = field(repr=False)
    exact_weights: tuple[Any, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def point(self) -> Vector:
        """The combination itself."""
        return np.asarray(self.weights @ self.points)

    @property
    def proof_weights(self) -> Any:
        """The weights that the proof is about: the exact ones, if there are."""
        return self.weights if self.exact_weights is None else self.exact_weights


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SeparationResult:
    """The distance of two bodies between proved bounds, with the few points that prove them.

    ``distance_lower <= dist(K, L) <= distance_upper`` holds rigorously, as computed in
    floating-point arithmetic with bounded rounding; :meth:`verify` proves it again in exact
    arithmetic.

    Attributes
    ----------
    status : Verdict
        Whether the bodies are apart; ``str(result.status)`` is a sentence.
    ending : Ending
        How the search ended.
    distance_lower, distance_upper : float
        Bounds on the distance. ``distance_lower`` is at least 0.
    w, b : array and float, or None
        The hyperplane ``w.x + b = 0`` midway between the bodies, with K on its positive side;
        None where none was found.
    p, q : array
        The nearest points found in K and in L.
    first, second : Combination
        How p and q are made of extreme points of K and L. Balls that are a summand of a body are
        left out here: p differs from ``first.point`` by the radius, along w.
    margin : float
        How far either body is from the hyperplane, at least; half of ``distance_lower`` but for
        the rounding of b, and 0 without a hyperplane.
    normal : tuple of two Combination, or None
        The normal w is a multiple of the difference of these two combinations. None without a
        hyperplane, and where it was found in exact arithmetic from points that nearly coincide.
    steps : int
        How often both bodies were asked for an extreme point.
    rho : float
        The largest distance between two points that were found.
    epsilon : float or None
        The one that was asked for, with Lemma 4.2.
    """

    status: Verdict
    ending: Ending
    distance_lower: float
    distance_upper: float
    w: Vector | None
    b: float | None
    margin: float
    p: Vector
    q: Vector
    first: Combination
    second: Combination
    normal: tuple[Combination, Combination] | None
    steps: int
    rho: float
    epsilon: float | None = None
    bodies: tuple[Body, Body]

    @property
    def distance(self) -> float:
        """The middle between the two bounds."""
        return (self.distance_lower + self.distance_upper) / 2.0

    def __bool__(self) -> bool:
        """Raise: "apart" and "undecided" are not opposites; ask for ``status``."""
        raise TypeError("the truth of a separation is ambiguous: compare result.status")

    def __str__(self) -> str:
        low, high = format_bounds(self.distance_lower, self.distance_upper)
        few = (
            f"{counted(len(self.first), 'point')} of the first body and "
            f"{counted(len(self.second), 'point')} of the second"
        )
        if self.status is Verdict.APART:
            said = f"The bodies are apart: their distance is at least {low} and at most {high}."
            if self.epsilon is not None:
                said += f" Either is at least {at_least(self.margin)} from the hyperplane."
        elif self.status is Verdict.MEET:
            said = "The bodies meet: they have a common point."
        elif self.status is Verdict.MEET_WITHIN:
            said = f"The bodies meet within {at_most(self.distance_upper)}."
        else:
            bound = at_most(self.distance_upper)
            said = f"The bodies are closer than {bound}; whether they meet is undecided."
        return f"{said} This is proved by {few}. {self.ending}"

    def __repr__(self) -> str:
        low, high = format_bounds(self.distance_lower, self.distance_upper)
        return f"<SeparationResult {self.status.name}, distance {low} to {high}>"

    @cached_property
    def certificate(self) -> "Certificate | None":
        """The ordinary certificate on the stacked points of two ``Points``; ``None`` for others.

        The points of K are the positive examples; the distance is twice the margin.
        """
        from novikoff.geometry.exact.hulls import certificate_of

        return certificate_of(self)

    def verify(self, K: Any = None, L: Any = None) -> "VerifiedDistance":
        """Check the bounds in exact arithmetic, which shares no code with the search.

        Points, boxes, simplices, zonotopes and polytopes are computed in rationals; the norms of
        balls and ellipsoids are rounded outward. Oracles are asked again, and what is proved holds
        if they are right. Two sets of points are checked by the certificate of their separation.

        Parameters
        ----------
        K, L : Body, optional
            The bodies to check against; by default those of the search.

        Returns
        -------
        VerifiedDistance
            The bounds that were proved; ``str()`` is the sentence.

        Raises
        ------
        CertificateError
            If a bound does not hold.
        """
        from novikoff.geometry.exact.check import check

        return check(self, K, L)

    def to_json(self) -> str:
        """Return the result as readable JSON, without the bodies."""
        from novikoff.geometry.stored import to_document

        return json.to_text(to_document(self))

    @classmethod
    def from_json(cls, text: str | bytes, K: Any, L: Any) -> "SeparationResult":
        """Read what :meth:`to_json` made, for the same bodies; :meth:`verify` proves it again.

        Examples
        --------
        >>> import novikoff
        >>> from novikoff.geometry import Ball, Box, SeparationResult
        >>> K, L = Box([0.0, 0.0], [1.0, 1.0]), Ball([4.0, 0.5], 1.0)
        >>> text = novikoff.separate(K, L).to_json()
        >>> print(SeparationResult.from_json(text, K, L).verify())
        Verified: the distance of the bodies is at least 2 and at most 2...
        """
        from novikoff.geometry.bodies.oracle import as_pair
        from novikoff.geometry.stored import from_document

        return from_document(json.from_text(text), as_pair(K, L))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the bodies, the hyperplane with its margin, and the points that prove it.

        Needs matplotlib, and bodies in two or three dimensions.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default new axes.
        **options
            ``colors``: the two colours of the bodies.

        Returns
        -------
        matplotlib axes
        """
        from novikoff.geometry.plot import draw

        return draw(self, ax, **options)
