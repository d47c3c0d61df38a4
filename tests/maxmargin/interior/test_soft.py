"""The interior-point method with slack: soft margins, and verdicts of margins near zero."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

from novikoff import is_separable
from novikoff.certificate import Certifier, NonSeparation, Separation, Status
from novikoff.maxmargin import soft_margin
from novikoff.maxmargin.interior.normal import Exclusive
from novikoff.maxmargin.interior.search import interior_point
from novikoff.maxmargin.verdict import Probe
from novikoff.run.slack_proof import refute_by_slacks
from tests.maxmargin.problems import clock_of, lp_says_separable, problem_of


def scattered(seed, n, d, per_row, wrong=0.1):
    """Sparse normal values, labels of a plane through the origin, and a share of them wrong."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal
    X = sparse.random(n, d, density=per_row / d, random_state=seed, data_rvs=values).tocsr()
    y = np.where(X @ rng.standard_normal(d) > 0.0, 1, -1)
    return X, np.where(rng.random(n) < wrong, -y, y)


def first_of(problem, by_slacks=lambda *plane, **rows: False):
    """The probe after its first soft margin, and whether that separates the examples."""
    probe = Probe(problem, clock_of(), soft_margin, by_slacks)
    return probe, probe.first()


def inside(soft, *, tol, clock, start, before):
    rows = soft.sample.storage.sparse_rows(soft.sample.order)
    return interior_point(soft, tol=tol, clock=clock, exclusive=Exclusive(rows), before=before)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("C", [0.1, 10.0, 1e4])
def test_it_finds_the_optimum_of_other_solvers(C, affine):
    X, y = scattered(0, 400, 80, 12, wrong=0.2)
    costs = np.random.default_rng(0).choice([0.5, 1.0, 3.0], len(y))
    soft = problem_of(X, y, C, affine=affine, costs=costs)
    probe, _ = first_of(problem_of(X, y, affine=affine))
    found = inside(soft, tol=1e-8, clock=clock_of(), start=None, before=probe.found)
    known = soft_margin(soft, tol=1e-10, clock=clock_of())
    assert found.status is Status.GAP_REACHED and found.gap <= 1e-8
    assert found.upper == pytest.approx(known.upper, rel=1e-7)
    assert found.lower == pytest.approx(known.lower, rel=1e-7)


@pytest.mark.parametrize("affine", [False, True])
def test_bounds_are_those_of_the_hyperplane_and_the_weights(affine):
    X, y = scattered(1, 300, 60, 10)
    C, soft = 5.0, problem_of(X, y, 5.0, affine=affine)
    probe, _ = first_of(problem_of(X, y, affine=affine))
    found = inside(soft, tol=1e-4, clock=clock_of(), start=None, before=probe.found)
    hinges = np.maximum(0.0, 1.0 - y * (X @ found.w + found.offset - found.w @ soft.sample.centre))
    primal = 0.5 * found.w @ found.w + C * (hinges @ hinges)
    a = found.weights
    dual = a.sum() - 0.5 * np.square(X.T @ (a * y)).sum() - (a @ a) / (4.0 * C)
    assert found.upper == pytest.approx(primal) and found.lower == pytest.approx(dual)
    assert (a >= 0.0).all() and (not affine or a @ y == pytest.approx(0.0, abs=1e-9 * a.sum()))


@pytest.mark.parametrize("passes", [0, 3])
def test_a_limit_ends_it(passes):
    X, y = scattered(2, 300, 60, 10)
    probe, _ = first_of(problem_of(X, y))
    soft, clock = problem_of(X, y, 100.0), clock_of(max_iter=passes)
    found = inside(soft, tol=1e-12, clock=clock, start=None, before=probe.found)
    assert found.status is Status.MAX_ITER and clock.passes == passes


@pytest.mark.parametrize("seed", range(24))
def test_the_last_soft_margin_decides_near_the_threshold(seed):
    rng = np.random.default_rng(seed)
    X, y = scattered(seed, int(rng.integers(160, 230)), 70, 12)
    certifier = Certifier.of(X, y, positive=1, affine=True)

    def by_slacks(w, intercept, **examples):
        return refute_by_slacks(certifier, w, intercept, **examples) is not None

    probe, decided = first_of(problem_of(X, y), by_slacks)
    if decided is None:
        decided = probe.last(partial(inside, before=probe.found))
    assert decided is not None
    separable = lp_says_separable(X.toarray(), y, True)
    assert decided.status is (Status.SEPARATED if separable else Status.NOT_SEPARABLE)


def test_both_verdicts_are_among_these():
    verdicts = set()
    for seed in range(24):
        n = int(np.random.default_rng(seed).integers(160, 230))
        X, y = scattered(seed, n, 70, 12)
        verdicts.add(lp_says_separable(X.toarray(), y, True))
    assert verdicts == {True, False}


@pytest.mark.parametrize(
    ("seed", "n", "kind"), [(7, 3000, Separation), (3, 2950, None), (4, 3050, None)]
)
def test_verdicts_near_the_threshold_are_proofs(seed, n, kind):
    X, y = scattered(seed, n, 1000, 40)
    verdict = is_separable(X, y)
    assert isinstance(verdict, kind or (Separation, NonSeparation))
    verdict.verify(X, y)
