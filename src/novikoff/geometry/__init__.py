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
from novikoff.geometry.game import GameSolution, PointGame, Strategy
from novikoff.geometry.result import Combination, Ending, SeparationResult, Verdict

__all__ = [
    "AffineImage",
    "Ball",
    "Body",
    "Box",
    "Combination",
    "Ellipsoid",
    "Ending",
    "GameSolution",
    "MinkowskiSum",
    "Oracle",
    "OracleError",
    "PointGame",
    "Points",
    "Polytope",
    "SeparationResult",
    "Simplex",
    "Strategy",
    "Verdict",
    "Zonotope",
    "separate",
]
