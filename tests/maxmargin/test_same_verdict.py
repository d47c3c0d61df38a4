"""Every path to a verdict gives the same, on small integers where it hangs on single examples."""

from collections import Counter
from functools import cache
from math import inf

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin, is_separable
from novikoff.certificate import Inconclusive, NonSeparation, Separation
from novikoff.estimators import margin_fit
from novikoff.maxmargin.choose.hard import hard_margin
from novikoff.maxmargin.choose.settings import ChooseSettings
from tests.maxmargin.problems import lp_says_separable

SOFT_FIRST = dict(least_work=0.0, first_passes=0)
"""Settings with which soft margins interrupt Wolfe's method at once."""

SWEEPS = dict(cheap=0.0, hard_sweeps=0)
"""Settings with which coordinate descent goes before Wolfe's method on sparse data."""


def in_units(X):
    """Columns in units so different that the Gram matrix lacks digits, by powers of two."""
    return X * 2.0 ** (8.0 * np.arange(X.shape[1]))


PATHS = {
    "wolfe": (np.asarray, ChooseSettings(least_work=inf), "wolfe"),
    "wolfe, units": (
        in_units,
        ChooseSettings(least_work=inf, most_ranked=0),
        "wolfe-precise",
    ),
    "wolfe, sparse": (sparse.csr_array, ChooseSettings(least_work=inf), "wolfe"),
    "soft margins": (
        np.asarray,
        ChooseSettings(**SOFT_FIRST, patience=0.0),
        "slacks",
    ),
    "soft margins, wolfe": (
        np.asarray,
        ChooseSettings(**SOFT_FIRST, patience=0.0),
        "wolfe",
    ),
    "in turns": (np.asarray, ChooseSettings(**SOFT_FIRST, patience=inf), "slacks wolfe"),
    "sweeps, interior": (sparse.csr_array, ChooseSettings(**SWEEPS), "slacks"),
    "sweeps, wolfe": (
        sparse.csr_array,
        ChooseSettings(**SWEEPS, interior_values=0),
        "wolfe",
    ),
    "sweeps": (sparse.csr_array, ChooseSettings(**SWEEPS, gram_examples=0), "slacks"),
}
"""How rows are stored, the settings that force the path, and solvers that must have decided."""

WITHOUT_SLACKS = ("soft margins, wolfe", "sweeps, wolfe")
"""Paths on which no slacks are a proof: they would leave nothing to decide."""

OFTEN = 5
"""How many of the verdicts must be those of each of these solvers."""


def touching(rng):
    """Different rows of small integers; those on an integer hyperplane have any label."""
    n, d = int(rng.integers(4, 30)), int(rng.integers(1, 5))
    X = np.unique(rng.integers(-3, 4, (n, d)), axis=0).astype(float)
    X = X[rng.permutation(len(X))]
    scores = X @ rng.integers(-2, 3, d) + rng.integers(-2, 3)
    y = np.where(scores == 0, rng.choice([1, -1], len(X)), np.sign(scores)).astype(int)
    return X, y


def overlapping(rng):
    """The same with some labels turned."""
    X, y = touching(rng)
    return X, np.where(rng.random(len(y)) < 0.15, -y, y)


def one_hot(rng):
    """Groups of columns with a single 1 in each row, which sum to the intercept's."""
    n, sizes = int(rng.integers(8, 40)), rng.integers(2, 4, 2)
    X = np.column_stack([np.eye(size)[rng.integers(0, size, n)] for size in sizes])
    X = np.column_stack([X, rng.integers(0, 4, n)])
    X = np.unique(X, axis=0)
    y = np.where(X @ rng.integers(-2, 3, X.shape[1]) + rng.choice([-1, 0, 0, 1]) > 0, 1, -1)
    return X, np.where(rng.random(len(y)) < 0.1, -y, y)


@cache
def problems():
    """Examples, labels, weights, whether there is an intercept, and whether they are separable."""
    rng, found = np.random.default_rng(0), []
    while len(found) < 100:
        X, y = (touching, overlapping, touching, one_hot)[len(found) % 4](rng)
        weights = rng.integers(0, 4, len(y)) if rng.integers(2) else np.ones(len(y), dtype=int)
        part = weights > 0
        if len(np.unique(y[part])) == 2:
            affine = bool(rng.integers(2))
            found.append((X, y, weights, affine, lp_says_separable(X[part], y[part], affine)))
    return found


def decide(X, y, weights, affine, tol):
    """The verified certificate; without a tolerance, of any separator."""
    if tol is None:
        X, y = X[weights > 0], y[weights > 0]
        certificate = is_separable(X, y, fit_intercept=affine, scale=False)
        certificate.verify(X, y)
        return certificate
    certificate = MaxMargin(tol=tol, fit_intercept=affine).fit(X, y, weights).certificate_
    certificate.verify(X, y, sample_weight=weights)
    return certificate


@pytest.fixture
def force(monkeypatch):
    """Force a path by its settings; return the list to which the names of solvers are added."""

    def with_settings(settings, *, slacks=True):
        solvers = []

        def recorded(*args, **options):
            if not slacks:
                options["by_slacks"] = lambda *plane, **how: False
            solution = hard_margin(*args, **options, settings=settings)
            solvers.append(solution.solver)
            return solution

        monkeypatch.setattr(margin_fit, "hard_margin", recorded)
        return solvers

    return with_settings


def test_the_problems_are_of_both_kinds():
    separable = Counter(truth for *_, truth in problems())
    assert min(separable[True], separable[False]) > 30


# Not asked for a gap: coordinate descent alone may end above any, and so may units far apart.
VERDICT_ALONE = ("sweeps", "wolfe, units")
CASES = [
    (path, tol) for path in PATHS for tol in (None, 1e-3) if not (tol and path in VERDICT_ALONE)
]


@pytest.mark.filterwarnings("ignore:The examples are separable, so sample_weight")
@pytest.mark.parametrize(("path", "tol"), CASES)
def test_every_path_gives_the_verdict_of_linear_programming(path, tol, force):
    store, settings, names = PATHS[path]
    solvers = force(settings, slacks=path not in WITHOUT_SLACKS)
    decided_by, undecided = Counter(), 0
    for X, y, weights, affine, separable in problems():
        certificate = decide(store(X), y, weights, affine, tol)
        if path == "sweeps" and isinstance(certificate, Inconclusive):
            # Slacks that fade with C prove nothing, and nothing follows.
            assert not separable
            undecided += 1
            continue
        assert type(certificate) is (Separation if separable else NonSeparation)
        if not separable and solvers:
            decided_by[solvers[-1].split("+")[-1]] += 1
    assert undecided <= 15
    for name in names.split():
        assert decided_by[name] >= OFTEN, decided_by
    assert ("slacks" in decided_by) == ("slacks" in names)
