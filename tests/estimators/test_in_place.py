"""The data are read where they are: never copied as a whole, never written to."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from novikoff import Perceptron
from novikoff.sample import storage
from tests.estimators.problems import ALL_RULES, assert_proved, noise, twisted, whole_numbers

MEGABYTE = 1 << 20


def buffers(X):
    return (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)


def bytes_of(X):
    return [array.tobytes() for array in buffers(X)]


@pytest.mark.parametrize("make", [np.array, np.asfortranarray, sparse.csr_matrix, twisted])
@pytest.mark.parametrize("rule", ALL_RULES)
def test_data_are_never_written_to(rule, make):
    X, y = whole_numbers()
    X = make(X / 128.0 if rule == "infinity" else X)
    before, labels = bytes_of(X), y.copy()
    clf = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=5000).fit(X, y)
    clf.predict(X)
    clf.certificate_.verify(X, y)
    assert bytes_of(X) == before
    np.testing.assert_array_equal(y, labels)
    if sparse.issparse(X):
        assert X.has_canonical_format == (make is not twisted)


def test_online_data_are_never_written_to():
    X, y = whole_numbers()
    for stored in (X.astype(np.uint8), twisted(X)):
        before = bytes_of(stored)
        Perceptron(average=True).partial_fit(stored, y, classes=[0, 1]).partial_fit(stored, y)
        assert bytes_of(stored) == before


def large(kind):
    """20 million values of noise, 160 MB as float64, of which no second copy can go unseen."""
    rng = np.random.default_rng(0)
    n, d = 50_000, 400
    y = rng.integers(0, 2, size=n)
    values = rng.integers(0, 256, size=(n, d), dtype=np.uint8)
    if kind == "CSR":
        indices = np.tile(np.arange(0, d, 2, dtype=np.int32), n)
        indptr = np.arange(n + 1, dtype=np.int32) * (d // 2)
        return sparse.csr_matrix((values[:, ::2].ravel().astype(float), indices, indptr), (n, d)), y
    if kind == "F order":
        return np.asfortranarray(values, dtype=np.float64), y
    return values.astype(kind), y


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8", "int32", "F order", "CSR"])
def test_extra_memory_of_a_fit(kind):
    X, y = large(kind)
    size = sum(array.nbytes for array in buffers(X))
    clf = Perceptron(random_state=0, min_margin=0.2)
    clf.fit(X[:100], y[:100])  # Compiling takes memory too, once.
    tracemalloc.start()
    try:
        clf.fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert clf.certificate_.excluded_margin is not None
    assert peak <= 0.1 * size + 50 * MEGABYTE, f"{peak / MEGABYTE:.0f} MB beside {size >> 20} MB"


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_rows_are_the_users_own_memory(dtype, monkeypatch):
    """Between the user's array and the compiled code there is no other array."""
    seen = []
    monkeypatch.setattr(
        "novikoff.estimators.perceptron.storage_of",
        lambda X: seen.append(X) or storage.storage_of(X),
    )
    X, y = whole_numbers()
    for stored in (X.astype(dtype), sparse.csr_matrix(X.astype(dtype))):
        Perceptron().fit(stored, y)
        rows, _ = storage.storage_of(seen.pop()).part(np.arange(len(y)))
        rows = rows if isinstance(rows, tuple) else (rows,)
        for mine, theirs in zip(buffers(stored), rows, strict=True):
            assert np.shares_memory(mine, theirs)


@pytest.mark.parametrize("make", [np.asfortranarray, lambda X: X.astype(np.int32), twisted])
@pytest.mark.parametrize("rule", ["scale-free", "min-over"])
def test_block_by_block_is_the_same_fit(rule, make, monkeypatch):
    X, y = whole_numbers()
    whole = Perceptron(rule=ALL_RULES[rule], random_state=0).fit(X, y)
    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
    monkeypatch.setattr(storage, "CONVERTED_CHUNK_BYTES", 7 * 8 * X.shape[1])
    stored = make(X)
    assert isinstance(storage.storage_of(stored), storage.Converted)
    assert storage.storage_of(stored).chunk < len(y)
    clf = Perceptron(rule=ALL_RULES[rule], random_state=0).fit(stored, y)
    np.testing.assert_array_equal(clf.coef_, whole.coef_)
    np.testing.assert_array_equal(clf.support_, whole.support_)
    assert clf.certificate_ == whole.certificate_
    assert_proved(clf, stored, y)


def test_noise_block_by_block_is_the_same_fit(monkeypatch):
    X, y = noise()
    whole = Perceptron(random_state=0).fit(X, y)
    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
    monkeypatch.setattr(storage, "CONVERTED_CHUNK_BYTES", 64)
    clf = Perceptron(random_state=0).fit(np.asfortranarray(X), y)
    np.testing.assert_array_equal(clf.coef_, whole.coef_)
    assert clf.certificate_ == whole.certificate_
