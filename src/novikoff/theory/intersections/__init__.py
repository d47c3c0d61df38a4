"""Intersections of halfspaces: easy to write down as a network, hard to learn, easy with a margin.

**One halfspace is easy.** On the cube of ±1, the halfspace ``w·x > b`` of integers ``w`` and ``b``
is learned by the perceptron with at most :func:`halfspace_mistake_bound` mistakes.

**An intersection is a small network.** A hidden layer has one sign unit for each of ``k``
halfspaces, and one more unit is their conjunction: :func:`and_network`. A union is a disjunction:
:func:`or_network`. :func:`verify_on_cube` compares such a network with a function on all points.

**Learning one is hard.** Theorem 8.2 of *Perceptron Algorithm & The Hardness of Learning* (Livni),
after Klivans and Sherstov: under an assumption of cryptography, no algorithm whose time is a
polynomial learns the intersections of ``n^r`` such halfspaces in ``n`` dimensions, for any constant
``r > 0``. That is true even if the examples have no noise, and even if the algorithm may return any
predictor whatever, not only an intersection. As networks with one hidden layer of sign units
contain the intersections, no such algorithm learns these networks either (Corollary 8.3), nor
deeper ones. So nothing here promises to learn an intersection in general, and a network trained by
gradients has no such guarantee.

**With a margin it is easy again.** If no example of norm at most 1 comes closer than ``rho`` to any
of the ``k`` hyperplanes, which pass through the origin, then a polynomial of a degree of about
``ln(8k) / sqrt(8 rho)`` separates the intersection from the rest, and a perceptron with the
polynomial kernel of that degree makes a bounded number of mistakes, whatever the dimension:
:func:`intersection_mistake_bound`, :func:`learn_intersection`. The idea is that of Klivans and
Servedio. The bound grows fast with ``k`` and ``1/rho``; what is measured is far below it.
"""

from novikoff.theory.intersections.generate import Intersection, intersection_sample
from novikoff.theory.intersections.network import (
    CubeCheck,
    SignNetwork,
    and_network,
    halfspace_mistake_bound,
    or_network,
    verify_on_cube,
)
from novikoff.theory.intersections.with_margin import (
    IntersectionBound,
    LearnedIntersection,
    intersection_mistake_bound,
    learn_intersection,
    separating_polynomial,
)

__all__ = [
    "CubeCheck",
    "Intersection",
    "IntersectionBound",
    "LearnedIntersection",
    "SignNetwork",
    "and_network",
    "halfspace_mistake_bound",
    "intersection_mistake_bound",
    "intersection_sample",
    "learn_intersection",
    "or_network",
    "separating_polynomial",
    "verify_on_cube",
]
