"""Newton's method on the Gram matrix of a working set, and where it takes over."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin
from novikoff.certificate import Status
from novikoff.maxmargin.joint import JointProblem, joint_soft_margin
from novikoff.maxmargin.joint.descent import joint_descent
from novikoff.maxmargin.joint.gram_newton import joint_gram_newton
from novikoff.maxmargin.joint.newton import joint_newton
from novikoff.maxmargin.joint.settings import GramSettings
from novikoff.run.clock import Clock, Limits
from novikoff.sample import Sample, storage_of
from tests.maxmargin.joint.problems import optimum


def counts(n=300, d=400, n_classes=4, seed=0):
    """Return counts of words of which the frequent ones say little about the class."""
    draw = np.random.default_rng(seed)
    usual = 1.0 / np.arange(1, d + 1)
    own = usual * np.exp(draw.normal(0.0, 0.7, (n_classes, d)))
    codes = np.arange(n) % n_classes
    lengths = draw.integers(50, 1500, n)
    X = [draw.multinomial(m, own[k] / own[k].sum()) for m, k in zip(lengths, codes, strict=True)]
    return np.array(X, dtype=np.float64), codes


def posed(X, codes, C, *, squared=True, affine=True):
    sample = Sample.of(storage_of(X), np.ones(len(codes), dtype=np.int8), affine=affine)
    penalties = np.full(len(codes), C)
    return JointProblem.soft(sample, codes, int(codes.max()) + 1, penalties, squared=squared)


def begun(problem):
    """Return where few sweeps of coordinate descent lead."""
    return joint_descent(problem, tol=1e-3, clock=Clock(Limits(max_iter=8)))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("affine", [True, False])
def test_the_optimum_is_that_of_another_method(form, affine):
    X, codes = counts(40, 30, 3)
    problem = posed(form(X), codes, 0.01, affine=affine)
    found = joint_gram_newton(problem, tol=1e-8, clock=Clock(), before=begun(problem))
    assert found.status is Status.GAP_REACHED
    assert found.solver == "joint-gram-newton"
    assert found.upper == pytest.approx(optimum(X, codes, 0.01, affine=affine), rel=1e-5)


def test_the_optimum_with_the_hinge_is_that_on_rows():
    X, codes = counts(120, 20, 3)
    problem = posed(X, codes, 0.1, squared=False)
    found = joint_gram_newton(problem, tol=1e-6, clock=Clock(), before=begun(problem))
    rows = joint_newton(problem, tol=1e-6, clock=Clock())
    assert found.status is rows.status is Status.GAP_REACHED
    assert found.upper == pytest.approx(rows.upper, rel=3e-6)


def test_members_are_added_until_no_hinge_of_others_is_open():
    X, codes = counts()
    problem = posed(sparse.csr_matrix(X), codes, 0.01)
    few = GramSettings(take_all=0)
    found = joint_gram_newton(problem, tol=1e-6, clock=Clock(), before=begun(problem), settings=few)
    every = joint_gram_newton(problem, tol=1e-6, clock=Clock(), before=begun(problem))
    assert found.status is every.status is Status.GAP_REACHED
    assert found.upper == pytest.approx(every.upper, rel=3e-6)


@pytest.mark.parametrize(
    "settings", [GramSettings(most_members=10), GramSettings(most_unknowns=10)]
)
def test_too_many_members_or_weights_are_left_to_others(settings):
    X, codes = counts()
    problem = posed(X, codes, 0.01)
    before = begun(problem)
    found = joint_gram_newton(problem, tol=1e-6, clock=Clock(), before=before, settings=settings)
    assert found.gave_up
    assert found.status is Status.PRECISION
    assert (found.lower, found.upper) == (before.lower, before.upper)


def test_a_limit_leaves_the_bounds_of_what_was_before():
    X, codes = counts()
    problem = posed(X, codes, 1.0)
    before = begun(problem)
    clock = Clock(Limits(max_iter=3))
    found = joint_gram_newton(problem, tol=1e-6, clock=clock, before=before)
    assert found.status is Status.MAX_ITER
    assert found.lower >= before.lower
    assert found.upper <= before.upper
    assert clock.passes <= 3.0


@pytest.mark.parametrize(
    ("loss", "solver"), [("squared_hinge", "joint-wolfe"), ("hinge", "joint-gram-newton")]
)
def test_raw_counts_do_not_end_at_a_limit(loss, solver):
    X, codes = counts(600, 2500, 5)
    rows = sparse.csr_matrix(X)
    model = MaxMargin(C=10.0, loss=loss).fit(rows, codes)
    assert model.status_ is Status.GAP_REACHED
    # Few weights that are positive are left to the exact solver, if it has the loss.
    assert solver in model.solver_
    proved = model.certificate_.verify(rows, codes)
    assert proved.dual >= (1.0 - 1e-3) * proved.primal


def test_a_stiff_penalty_of_many_classes_does_not_end_at_a_limit():
    draw = np.random.default_rng(0)
    codes = np.arange(1500) % 12
    X = 0.75 * draw.normal(size=(12, 30))[codes] + draw.normal(size=(1500, 30))
    clock = Clock()
    problem = posed(X, codes, 1000.0)
    found = joint_soft_margin(problem, tol=1e-3, clock=clock)
    assert found.status is Status.GAP_REACHED
    assert clock.passes < 500
