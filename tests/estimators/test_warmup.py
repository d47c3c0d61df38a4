"""`warmup` compiles what fits use afterwards."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from novikoff import MaxMargin, MaxMarginCV, Perceptron, separate
from novikoff.certificate.announce import compilations
from novikoff.estimators.warmup import STORAGES, warmup
from novikoff.geometry import Ball, Box


@pytest.fixture(scope="module", autouse=True)
def warm():
    warmup()


def test_a_second_time_there_is_nothing_to_compile():
    assert warmup() == 0


@pytest.mark.parametrize("storage", STORAGES.values(), ids=STORAGES.keys())
@pytest.mark.parametrize("model", [MaxMargin(), MaxMargin(C=1.0), Perceptron()], ids=repr)
def test_fits_compile_nothing_more(storage, model):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 9, (70, 5)), rng.choice(["a", "b", "c"], 70)
    X[:, 0] += 20 * (y == "b")
    X[:, 1] += 20 * (y == "c")
    before = compilations.count
    model.fit(storage(X), y)
    assert model.score(storage(X), y) == 1.0
    assert compilations.count == before


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_small_margin_compiles_nothing_more(store):
    X, y = load_breast_cancer(return_X_y=True)
    before = compilations.count
    assert "wolfe-precise" in MaxMargin().fit(store(X), y).solver_
    assert compilations.count == before


def test_what_is_stored_in_another_way_compiles_nothing_more():
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 9, (70, 5)).astype(float), rng.integers(0, 2, 70)
    X[:, 0] += 20 * y
    X.flags.writeable = False
    before = compilations.count
    for other in (X, np.asfortranarray(X), X.astype(np.int16), sparse.csc_array(X)):
        assert MaxMargin().fit(other, y).score(other, y) == 1.0
    assert compilations.count == before


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("classes", [2, 3])
def test_kernels_and_the_hinge_compile_nothing_more(kernel, classes):
    X = np.random.default_rng(3).standard_normal((80, 4))
    y = np.digitize(X[:, 0], [0.0, 0.7][: classes - 1])
    before = compilations.count
    for model in (
        *(MaxMargin(kernel=kernel), MaxMargin(kernel=kernel, C=1.0), Perceptron(kernel=kernel)),
        MaxMargin(loss="hinge", C=0.01),
    ):
        model.fit(X, y).certificate_.verify(X, y)
    assert compilations.count == before


@pytest.mark.filterwarnings("ignore:The run stopped at its limit")
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_text_compiles_nothing_more(index):
    rng = np.random.default_rng(4)
    X = sparse.random(2000, 3000, 0.01, format="csr", random_state=rng)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    y = X @ rng.standard_normal(3000) > 0.1
    before = compilations.count
    for model in (MaxMargin(), MaxMargin(C=1.0), MaxMargin(C=100.0), Perceptron(max_iter=5)):
        model.fit(X, y)
    assert compilations.count == before


def test_a_cross_validation_of_large_data_compiles_nothing_more():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((30_000, 90))
    y = X[:, 0] + rng.standard_normal(30_000) > 0.0
    before = compilations.count
    MaxMarginCV(Cs=2, cv=2).fit(X, y)
    assert compilations.count == before


@pytest.mark.parametrize("shift", [0.0, 9.0])
def test_convex_bodies_compile_nothing_more(shift):
    rng = np.random.default_rng(5)
    before = compilations.count
    separate(rng.standard_normal((90, 4)), rng.standard_normal((70, 4)) + shift).verify()
    separate(Ball([0.0, 0.0], 1.0), Box([1.0 + shift, 1.0], [2.0 + shift, 2.0])).verify()
    assert compilations.count == before
