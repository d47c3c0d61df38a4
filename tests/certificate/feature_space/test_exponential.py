"""The exponential: within its proven error of arb, and not far below it."""

import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpz

from novikoff.certificate.feature_space import compiled_exponential, exponential

UNIT = 2.0**-53


def relative_errors(x, found):
    """The relative errors of exponentials, in units of ``2**-53``."""
    ctx.prec = 200
    errors = []
    for a, b in zip(x.tolist(), found.tolist(), strict=True):
        truth = arb(a).exp()
        errors.append(float(abs((arb(b) - truth) / truth).upper()) / UNIT)
    return np.array(errors)


def hard_points(rng):
    """Where the reduced argument is largest, or rounded most, or next to zero."""
    halves = -(np.arange(1009) + 0.5) * np.log(2.0)
    wholes = -np.arange(1009) * np.log(2.0)
    points = np.concatenate([halves, wholes, -(2.0 ** -rng.uniform(0, 60, 2000)), [0.0, -700.0]])
    points = np.concatenate([points, np.nextafter(points, -800.0), np.nextafter(points, 0.0)])
    return np.clip(points, -700.0, 0.0)


def by_numpy(x):
    found = x.copy()
    exponential._exp(found)
    return found


def compiled(x):
    found = -x.reshape(1, -1)
    compiled_exponential.decay(found, 1.0)
    return found.ravel()


@pytest.mark.parametrize("exp", [by_numpy, compiled])
def test_within_the_proven_error_and_not_far_below_it(exp):
    rng = np.random.default_rng(0)
    x = np.concatenate(
        [hard_points(rng), -rng.uniform(0, 700, 20_000), -rng.exponential(size=5000)]
    )
    worst = relative_errors(x, exp(x)).max()
    bound = exponential.RELATIVE / UNIT
    assert bound / 10 < worst < bound


def test_both_ways_agree_on_millions():
    x = -np.random.default_rng(1).uniform(0, 700, 2_000_000)
    first, second = by_numpy(x), compiled(x)
    assert np.abs(first / second - 1.0).max() <= 2 * exponential.RELATIVE
    # As does numpy, whose error is below one unit in the last place.
    assert np.abs(first / np.exp(x) - 1.0).max() <= 2 * exponential.RELATIVE


@pytest.mark.parametrize("exp", [by_numpy, compiled])
def test_beyond_the_range(exp):
    found = exp(np.array([-701.0, -1e300, -np.inf]))
    assert (found > 0).all() and (found < exponential.ABSOLUTE).all()


def test_the_logarithm_of_two():
    ctx.prec = 300
    high, low = (fmpq(*map(fmpz, a.as_integer_ratio())) for a in (exponential.H, exponential.L))
    rest = arb(2).log() - arb(high)
    assert high * 2**36 == int(high * 2**36)
    assert abs((rest - arb(low)) / rest) < UNIT


def hyperbolic(t):
    found = t.reshape(1, -1).copy()
    exponential.tanh(found, 1.0, 0.0)
    return found.ravel()


def hyperbolic_compiled(t):
    found = t.reshape(1, -1).copy()
    compiled_exponential.tanh(found, 1.0, 0.0)
    return found.ravel()


@pytest.mark.parametrize("tanh", [hyperbolic, hyperbolic_compiled])
def test_hyperbolic_tangent(tanh):
    rng = np.random.default_rng(2)
    t = np.concatenate(
        [rng.standard_normal(5000) * 3, rng.standard_normal(500) * 1e-9, [0.0, 800.0]]
    )
    ctx.prec = 200
    errors = [
        float(abs(arb(b) - arb(a).tanh()).upper())
        for a, b in zip(t.tolist(), tanh(t).tolist(), strict=True)
    ]
    assert max(errors) < exponential.TANH
