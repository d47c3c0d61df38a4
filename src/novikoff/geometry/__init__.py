"""Convex bodies: are they apart, by how much, and which few points prove it."""

from novikoff.geometry.bodies import (
    AffineImage,
    Ball,
    Body,
    Box,
    Ellipsoid,
    MinkowskiSum,
    Oracle,
    OracleError,
    Points,
    Polytope,
    Simplex,
    Zonotope,
)
from novikoff.geometry.distance import separate
from novikoff.geometry.result import Combination, Ending, SeparationResult, Verdict

__all__ = [
    "AffineImage",
    "Ball",
    "Body",
    "Box",
    "Combination",
    "Ellipsoid",
    "Ending",
    "MinkowskiSum",
    "Oracle",
    "OracleError",
    "Points",
    "Polytope",
    "SeparationResult",
    "Simplex",
    "Verdict",
    "Zonotope",
    "separate",
]
