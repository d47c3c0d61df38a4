"""Convex bodies as oracles: each answers which of its points is extreme in a direction."""

from novikoff.geometry.bodies.base import Body
from novikoff.geometry.bodies.box import Box, Simplex, Zonotope
from novikoff.geometry.bodies.composed import AffineImage, MinkowskiSum
from novikoff.geometry.bodies.ellipsoid import Ball, Ellipsoid
from novikoff.geometry.bodies.oracle import Oracle, OracleError
from novikoff.geometry.bodies.points import Points
from novikoff.geometry.bodies.polytope import Polytope

__all__ = [
    "AffineImage",
    "Ball",
    "Body",
    "Box",
    "Ellipsoid",
    "MinkowskiSum",
    "Oracle",
    "OracleError",
    "Points",
    "Polytope",
    "Simplex",
    "Zonotope",
]
