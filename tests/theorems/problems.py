"""Small separable and noisy problems with a controlled margin, as Hypothesis draws them."""

import functools
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from novikoff.certificate import Certifier
from novikoff.data import planted, sharpness
from novikoff.sample import Sample, storage_of
from tests.data.integers import integers
from tests.theorems.optimum import optimum


@dataclass(frozen=True, eq=False)
class Problem:
    """Labelled examples, separable through the origin; ``made`` says how to make them again."""

    X: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    made: str

    @functools.cached_property
    def Z(self):
        return self.X * self.y[:, None]

    @functools.cached_property
    def R(self):
        return float(np.linalg.norm(self.X, axis=1).max())

    @functools.cached_property
    def optimum(self):
        return optimum(self.Z)

    @property
    def eps(self):
        return self.optimum.upper

    def scaled(self, factor):
        return Problem(self.X * factor, self.y, f"{self.made}.scaled({factor})")

    def sample(self, **how):
        return Sample.of(storage_of(self.X), self.y, affine=False, **how)


SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.sampled_from([1.0, 1.0, 1e-3, 7.0, 1024.0])


@st.composite
def problems(draw, *, least=0.1, scales=SCALES):
    """Separable problems with ``eps* >= least * R``, some of them with norms of many sizes."""
    share = draw(st.floats(least, 0.9))
    scale = draw(scales)
    if draw(st.integers(0, 9)) == 0:
        p = sharpness(share)
        return Problem(p.X * scale, p.y, f"sharpness({share}) * {scale}")
    n, d, seed = draw(st.integers(2, 30)), draw(st.integers(1, 6)), draw(SEEDS)
    p = planted(n, d, share, random_state=seed)
    # A longer example has a larger margin, so the share of R is all that a stretch can cost.
    stretch = draw(st.floats(1.0, min(8.0, share / least)))
    factors = stretch ** np.random.default_rng(seed).uniform(0.0, 1.0, size=n)
    X = p.X * factors[:, None] / stretch * scale
    return Problem(X, p.y, f"planted({n}, {d}, {share}, {seed}) stretched {stretch} * {scale}")


@st.composite
def integer_problems(draw, *, intercept=False):
    """Small integers, on which every sum of a unit-step run is exact in floating point."""
    n, d, seed = draw(st.integers(2, 30)), draw(st.integers(1, 4)), draw(SEEDS)
    p = integers(n, d, bound=3, intercept=intercept, random_state=seed)
    return Problem(p.X, p.y, f"integers({n}, {d}, intercept={intercept}, seed={seed})")


@st.composite
def affine_problems(draw, *, least=0.1):
    """Both classes present, affine margin at least ``least`` times R, origin anywhere."""
    n, d, seed = draw(st.integers(2, 20)), draw(st.integers(1, 5)), draw(SEEDS)
    share, scale, shift = draw(st.floats(least, 0.9)), draw(SCALES), draw(st.floats(-1.0, 1.0))
    p = planted(n, d, share, intercept=True, random_state=seed)
    X = (p.X + shift) * scale
    return Problem(X, p.y, f"(planted({n}, {d}, {share}, {seed}) + {shift}) * {scale}")


@st.composite
def noisy_problems(draw):
    """Labels drawn without regard to the examples; hardly any of these is separable."""
    n, d, seed = draw(st.integers(2, 20)), draw(st.integers(1, 4)), draw(SEEDS)
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.choice([-1, 1], size=n)
    y[:2] = (1, -1)
    return Problem(X, y, f"noise({n}, {d}, {seed})")


def orders(n, seed):
    """An order of visits."""
    return np.random.default_rng(seed).permutation(n)


def certifier_of(X, y, affine):
    """Makes certificates of signed examples; ``None`` where a class is missing that cannot be made.

    Without an intercept, an example and its label may both be turned round.
    """
    X, y = np.array(X, dtype=float), np.array(y)
    if abs(y.sum()) == len(y):
        if affine or len(y) == 1:
            return None
        X[0], y[0] = -X[0], -y[0]
    return Certifier.of(X, y, positive=1, affine=affine)
