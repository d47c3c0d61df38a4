"""Bodies of every type, for property tests."""

import numpy as np

from novikoff.geometry import (
    AffineImage,
    Ball,
    Box,
    Ellipsoid,
    MinkowskiSum,
    Oracle,
    Points,
    Polytope,
    Simplex,
    Zonotope,
)


def disk(center, radius):
    def support(u):
        return center + radius * u / np.linalg.norm(u)

    return Oracle(support, len(center))


def some_polytope(rng, d):
    normals = rng.standard_normal((3 * d + 2, d))
    A = np.vstack([normals, np.eye(d), -np.eye(d)])
    return Polytope(A, np.abs(rng.standard_normal(len(A))) + 0.5)


MAKERS = {
    "points": lambda rng, d: Points(rng.standard_normal((12, d))),
    "ball": lambda rng, d: Ball(rng.standard_normal(d), rng.uniform(0.1, 1.0)),
    "ellipsoid": lambda rng, d: Ellipsoid(
        rng.standard_normal(d), rng.standard_normal((d, d)) / np.sqrt(d)
    ),
    "box": lambda rng, d: Box(-rng.uniform(0.1, 1.0, d), rng.uniform(0.1, 1.0, d)),
    "simplex": lambda rng, d: Simplex(d, rng.uniform(0.5, 2.0)),
    "zonotope": lambda rng, d: Zonotope(rng.standard_normal(d), rng.standard_normal((4, d)) / 3),
    "polytope": some_polytope,
    "sum": lambda rng, d: MinkowskiSum(
        Box(np.zeros(d), np.ones(d)), Ellipsoid(np.zeros(d), rng.uniform(0.2, 1.0, d))
    ),
    "image": lambda rng, d: AffineImage(
        Points(rng.standard_normal((9, d + 1))), rng.standard_normal((d, d + 1)) / 2, np.ones(d)
    ),
    "oracle": lambda rng, d: disk(rng.standard_normal(d), rng.uniform(0.2, 1.0)),
}


def some_body(kind, seed, d):
    return MAKERS[kind](np.random.default_rng(seed), d)


def apart(K, L, distance):
    """Move L so far along the first axis that the bodies are at least ``distance`` apart."""
    axis = np.eye(K.dimension)[0]
    gap = float(K.support(axis)[0] - L.support(-axis)[0]) + distance
    return L + gap * axis
