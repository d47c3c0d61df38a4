"""Proofs from the examples of a core: few columns, and the rows that are zero in all others."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from benchmarks.generators import factors
from novikoff import MaxMargin, is_separable
from novikoff.certificate import Certificate, CertificateError, NonSeparation, Separation
from novikoff.maxmargin import verdict
from novikoff.maxmargin.cores import CORES, Core, CoreSettings, cores
from novikoff.sample import Sample, storage_of

LEVELS = (400, 150, 12)
ANY = CoreSettings(whole=0)


def noisy(seed=0, n=6000, **how):
    return factors(n, LEVELS, seed, **{"noise": 0.15, "numeric": 2, **how})


def sample_of(X, y, **how):
    return Sample.of(storage_of(X), y.astype(np.int8), **how)


def test_examples_of_a_core_are_those_that_are_zero_elsewhere():
    X, y = noisy()
    order = np.flatnonzero(np.arange(len(y)) % 3)
    sizes = []
    for core in cores(sample_of(X, y, order=order)):
        outside = abs(X[:, core.without]).sum(axis=1)
        assert set(core.rows) == set(order) & set(np.flatnonzero(outside == 0.0))
        assert core.rows.size >= CORES.rows * core.columns.size
        assert (np.union1d(core.columns, core.without) == np.arange(X.shape[1])).all()
        part = core.of(sample_of(X, y))
        assert (part.storage.matrix != X[core.rows][:, core.columns]).nnz == 0
        w = np.arange(1.0, 1.0 + core.columns.size)
        assert np.allclose(X[core.rows] @ core.widened(w), part.storage.matrix @ w)
        sizes.append(core.columns.size)
    assert len(sizes) > 2 and sizes[0] >= CORES.least and sizes[-1] <= CORES.share * X.shape[1]
    assert (np.divide(sizes[1:], sizes[:-1]) >= CORES.growth).all()


def test_explicit_zeros_are_none():
    X, y = noisy(n=3000)
    stored = X.copy()
    stored.data[stored.indices == 5] = 0.0
    without = stored.copy()
    without.eliminate_zeros()
    for a, b in zip(cores(sample_of(stored, y)), cores(sample_of(without, y)), strict=True):
        assert (a.rows == b.rows).all() and (a.columns == b.columns).all()


def test_few_columns_have_no_cores():
    X, y = factors(2000, (100, 50, 10), 0)
    assert list(cores(sample_of(X, y), ANY))
    assert not list(cores(sample_of(X, y)))


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_core_proves_it_for_all_examples(fit_intercept, weighted):
    X, y = noisy(1)
    weights = np.arange(len(y)) % 4 * 0.5 if weighted else None
    proof = is_separable(X, y, sample_weight=weights, fit_intercept=fit_intercept)
    assert isinstance(proof, NonSeparation) and proof.slacks is not None
    assert proof.slacks.without.size > X.shape[1] / 2
    assert proof.support.size < X.shape[1] / 4
    again = Certificate.from_json(proof.to_json())
    assert again.verify(X, y, sample_weight=weights).upper == 0.0
    # With the examples of rare levels too, the slacks of this hyperplane prove nothing.
    slacks = replace(proof.slacks, without=proof.slacks.without[:0])
    forged = replace(proof, slacks=slacks)
    with pytest.raises(CertificateError):
        forged.verify(X, y, sample_weight=weights)


def test_max_margin_names_the_core():
    X, y = noisy(2)
    clf = MaxMargin().fit(X, y)
    assert isinstance(clf.certificate_, NonSeparation)
    assert "core" in clf.solver_.split("+")[1:]
    clf.certificate_.verify(X, y)


def test_where_a_core_is_separable_the_rest_decides(monkeypatch):
    """Labels are noisy only in examples that are not in the core."""
    X, y = noisy(3, noise=0.0)
    counts = np.bincount(X.indices, minlength=X.shape[1])
    rare = counts < np.median(counts)
    rows = np.flatnonzero(X[:, rare].sum(axis=1))
    y[rows] = np.random.default_rng(0).permutation(y[rows])
    others = np.setdiff1d(np.arange(len(y)), rows)
    core = Core(others, np.flatnonzero(~rare), np.flatnonzero(rare))
    tried = []

    def only(sample):
        tried.append(core)
        yield core

    assert is_separable(X[others], y[others])
    monkeypatch.setattr(verdict, "cores", only)
    proof = is_separable(X, y)
    assert tried == [core] and isinstance(proof, NonSeparation)
    assert not np.isin(np.flatnonzero(rare), proof.slacks.without).all()
    proof.verify(X, y)


def test_separable_factors_are_separated():
    X, y = noisy(4, noise=0.0, numeric=0, n=3000)
    assert isinstance(is_separable(X, y), Separation)


def test_the_next_core_may_be_larger_than_all_there_are():
    """Three factors with Zipf's frequencies."""
    rng = np.random.default_rng(350)
    n, levels = int(rng.integers(100, 700)), int(rng.integers(40, 120))
    share = 1.0 / np.arange(1, levels + 1) ** 1.2
    drawn = [rng.choice(levels, n, p=share / share.sum()) for _ in range(3)]
    eye = sparse.eye_array(levels, format="csr")
    X = sparse.hstack([eye[each] for each in drawn], format="csr")
    y = (rng.random(n) < 0.5).astype(int)
    if rng.random() < 0.7:
        scores = X @ rng.normal(size=X.shape[1])
        y = (scores > np.median(scores)).astype(int)
    sizes = [core.columns.size for core in cores(sample_of(X, 2 * y - 1), ANY)]
    assert sizes == sorted(set(sizes)) and CORES.least <= sizes[0]
    assert sizes[-1] <= CORES.share * X.shape[1]
    is_separable(X, y).verify(X, y)
