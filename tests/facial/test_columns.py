"""The verdicts on single estimates agree with enumeration in exact arithmetic."""

import numpy as np
import pytest

from novikoff import separation
from novikoff.certificate.exact.lifted import Lifted
from novikoff.facial import split
from tests.facial.brute_force import estimates
from tests.facial.problems import problem


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("floats", [False, True], ids=["exact", "floats first"])
def test_agrees_with_enumeration(moved, floats, monkeypatch):
    if floats:
        monkeypatch.setattr(split, "FEW_VALUES", -1)
    rng = np.random.default_rng([3, moved, floats])
    seen = set()
    for _ in range(60):
        X, y = problem(rng, moved=moved, most=7)
        affine = bool(rng.integers(4))
        verdict = separation(X, y, fit_intercept=affine)
        lifted = Lifted(X, y, 2, affine)
        assert list(verdict.columns.values()) == estimates(lifted.table(lifted.rows).tolist())
        verdict.verify(X, y)
        seen.update(verdict.columns.values())
    assert seen == {"finite", "+inf", "-inf", "undetermined", "not identified"}


def test_several_classes_agree_with_enumeration():
    rng = np.random.default_rng(8)
    for _ in range(8):
        X, y = rng.integers(-1, 2, (4, 1)).astype(float), np.array([0, 1, 2, rng.integers(3)])
        verdict = separation(X, y)
        lifted = Lifted(X, y, 3, True)
        assert list(verdict.columns.values()) == estimates(lifted.table(lifted.rows).tolist())
        verdict.verify(X, y)
