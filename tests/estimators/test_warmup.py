"""`warmup` compiles what fits use afterwards."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin, Perceptron
from novikoff.certificate.announce import compilations
from novikoff.estimators.warmup import STORAGES, warmup


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


def test_what_is_stored_in_another_way_compiles_nothing_more():
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 9, (70, 5)).astype(float), rng.integers(0, 2, 70)
    X[:, 0] += 20 * y
    X.flags.writeable = False
    before = compilations.count
    for other in (X, np.asfortranarray(X), X.astype(np.int16), sparse.csc_array(X)):
        assert MaxMargin().fit(other, y).score(other, y) == 1.0
    assert compilations.count == before
