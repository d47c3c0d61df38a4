"""Schedules against the formulas, at large times too."""

import mpmath
import pytest
import torch

from novikoff.neural import Constant, Infinity, Power, ScaleFreeInfinity

TIMES = [0, 1, 2, 3, 10, 1000, 10**6, 10**9]
NONE = torch.zeros(())


def b(t, alpha):
    with mpmath.workdps(60):
        return float((mpmath.mpf(t + 1) ** alpha - mpmath.mpf(t) ** alpha - 1) / 2)


@pytest.mark.parametrize("alpha", [1.01, 1.5, 1.99])
def test_infinity_is_algorithm_4(alpha):
    found = Infinity(alpha)(torch.tensor(TIMES), NONE)
    assert found.tolist() == pytest.approx([b(t, alpha) for t in TIMES], rel=1e-10)
    scaled = ScaleFreeInfinity(alpha)(torch.tensor(TIMES), torch.tensor(7.0))
    assert scaled.tolist() == pytest.approx([7 * b(t, alpha) for t in TIMES], rel=1e-10)


def test_power_and_constant():
    assert Power(0.1, 0.4)(torch.tensor(TIMES), NONE).tolist() == pytest.approx(
        [0.1 * t**0.4 for t in TIMES]
    )
    assert Constant(0.3)(torch.tensor(TIMES), NONE).tolist() == [0.3] * len(TIMES)


def test_clocks_of_any_shape():
    for schedule in (Constant(), Power(), Infinity(), ScaleFreeInfinity()):
        for shape in ((), (3,), (2, 3)):
            beta = schedule(torch.ones(shape, dtype=torch.int64), torch.ones(shape))
            assert beta.shape == shape
            assert beta.dtype == torch.float64


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constant(-1.0), "beta"),
        (lambda: Constant(float("inf")), "beta"),
        (lambda: Constant(float("nan")), "beta"),
        (lambda: Power(-0.1, 0.5), "scale"),
        (lambda: Power(1.0, 1.5), "exponent"),
        (lambda: Infinity(1.0), "alpha"),
        (lambda: Infinity(2.0), "alpha"),
        (lambda: ScaleFreeInfinity(0.5), "alpha"),
    ],
)
def test_impossible_schedules_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
