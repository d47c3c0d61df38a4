"""When the factor that preconditions is made again, and from what."""

import numpy as np
import pytest

from novikoff.maxmargin.newton.curvature import Curvature
from novikoff.maxmargin.newton.settings import NEWTON
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Clock
from novikoff.sample import Sample, storage_of


def curvature_of(scales, n=400):
    """Return the curvature of rows with the given singular values, about, and a right side."""
    rng = np.random.default_rng(0)
    turned, _ = np.linalg.qr(rng.standard_normal((len(scales), len(scales))))
    X = (rng.standard_normal((n, len(scales))) * scales) @ turned
    signs = np.where(rng.uniform(size=n) < 0.5, 1, -1)
    passes = Passes(Sample.of(storage_of(X), signs, affine=True), Clock())
    return Curvature(passes, NEWTON), rng.standard_normal(len(scales))


def products_of(curvature, ids, right):
    """Solve Newton's equation to 1e-8; return the passes over ``ids`` that it took."""
    curvature.spent += 1e12
    before = curvature.passes.clock.passes
    curvature.solve(ids, np.full(len(ids), 100.0), right, forcing=1e-8)
    return (curvature.passes.clock.passes - before) * 400 / len(ids)


def test_a_factor_reads_the_examples_that_changed():
    curvature, right = curvature_of(np.ones(40))
    first = products_of(curvature, np.arange(300), right)
    curvature.forget()
    after = products_of(curvature, np.arange(10, 310), right)
    # A pass for the factor, and the products of conjugate gradients.
    assert after == pytest.approx(first - 1.0 + 20 / 300, abs=1e-9)


def test_single_precision_is_left_where_it_makes_a_new_factor_slow():
    curvature, right = curvature_of(np.logspace(-2, 5, 40))
    ids = np.arange(300)
    assert products_of(curvature, ids, right) > NEWTON.slow_products
    assert curvature.precise
    assert products_of(curvature, ids, right) < 5
