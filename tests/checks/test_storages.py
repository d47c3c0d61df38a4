"""One fit, whatever the examples are stored in: the same numbers, and read where they are."""

import functools
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from novikoff import Perceptron
from novikoff.sample import storage
from tests.checks.subjects import (
    ESTIMATORS,
    EVERYTHING,
    MARGINS,
    OTHER_RULES,
    UNIT_STEPS,
    assert_proved,
    assert_same_fit,
    make,
)
from tests.data.layouts import read_only, read_only_csr, with_long_indices
from tests.estimators.problems import (
    assert_same_model,
    noise,
    three_classes,
    twisted,
    whole_numbers,
)

MEGABYTE = 1 << 20


def wrongly_called_canonical(X):
    """Duplicates and unsorted columns, in a matrix that says it has none."""
    X = twisted(X)
    X.has_sorted_indices = X.has_canonical_format = True
    return X


STORED = {
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "uint8": lambda X: X.astype(np.uint8),
    "int8": lambda X: X.astype(np.int8),
    "int64": lambda X: X.astype(np.int64),
    "uint16": lambda X: X.astype(np.uint16),
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "object": lambda X: X.astype(object),
    "F order": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "unaligned": lambda X: np.frombuffer(b"." + X.tobytes(), np.float64, offset=1).reshape(X.shape),
    "read-only": read_only,
    "list": lambda X: X.tolist(),
    "CSR": sparse.csr_matrix,
    "CSR array": sparse.csr_array,
    "CSR int64 indices": with_long_indices,
    "CSR float32": lambda X: sparse.csr_matrix(X.astype(np.float32)),
    "CSR uint8": lambda X: sparse.csr_matrix(X.astype(np.uint8)),
    "CSR int64": lambda X: sparse.csr_matrix(X.astype(np.int64)),
    "CSR read-only": read_only_csr,
    "CSR twisted": twisted,
    "CSR wrongly called canonical": wrongly_called_canonical,
    "CSC": sparse.csc_matrix,
    "COO": sparse.coo_matrix,
}
# These go with every rule, the others with the default one.
DIFFERENT = [
    "float32",
    "uint8",
    "int64",
    "F order",
    "read-only",
    "CSR",
    "CSR int64 indices",
    "CSR uint8",
    "CSR twisted",
]
WHOLE = {"uint8", "int8", "int64", "uint16", "CSR uint8", "CSR int64"}


@functools.cache
def data(name, fit_intercept, classes):
    if classes == 2:
        X, y = whole_numbers(intercept=fit_intercept)
        return (X / 128.0 if name == "infinity" else X), y
    X, y = three_classes()
    return np.rint(4.0 * X + 40.0), y


@functools.cache
def on_plain_data(name, fit_intercept, classes):
    return fresh(name, fit_intercept).fit(*data(name, fit_intercept, classes))


def fresh(name, fit_intercept):
    return make(name, fit_intercept=fit_intercept, max_iter=5000)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in EVERYTHING for kind in STORED]
    + [(name, kind) for name in OTHER_RULES for kind in DIFFERENT]
    # Whole numbers have norms above 1; test_bad_input has what Infinity says.
    + [("infinity", kind) for kind in DIFFERENT if kind not in WHOLE],
)
def test_every_storage(name, kind):
    """With an intercept, without, and with several classes."""
    for fit_intercept, classes in ((True, 2), (False, 2), (True, 3))[
        : 2 if name == "infinity" else 3
    ]:
        X, y = data(name, fit_intercept, classes)
        plain = on_plain_data(name, fit_intercept, classes)
        stored = STORED[kind](X)
        other = fresh(name, fit_intercept).fit(stored, y)
        assert other.certificate_.problem == plain.certificate_.problem
        assert_proved(other, stored, y)
        if name in UNIT_STEPS:
            # Sums of such numbers are exact, in whatever order they are added up.
            assert_same_fit(plain, other)
            assert str(plain.support_) == str(other.support_)
            assert str(plain.dual_coef_) == str(other.dual_coef_)
        elif name != "is_separable":
            size = np.abs(plain.coef_).max()
            rtol = 1e-7 if name in MARGINS else 1e-9
            np.testing.assert_allclose(other.coef_, plain.coef_, rtol=rtol, atol=1e-9 * size)
            np.testing.assert_array_equal(other.predict(stored), plain.predict(X))


@pytest.mark.parametrize("kind", STORED)
def test_online(kind):
    X, y = whole_numbers()
    plain, other = Perceptron(average=True), Perceptron(average=True)
    for part in (slice(0, 25), slice(25, 26), slice(26, 60)):
        plain.partial_fit(X[part], y[part], classes=[0, 1])
        other.partial_fit(STORED[kind](X[part]), y[part], classes=[0, 1])
    assert_same_model(plain, other)
    assert plain.mistakes_ == other.mistakes_


# Where the data are ----------------------------------------------------------------------------


def buffers(X):
    return (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)


def bytes_of(X):
    return [array.tobytes() for array in buffers(X)]


@pytest.mark.parametrize("make_stored", [np.array, np.asfortranarray, sparse.csr_matrix, twisted])
@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.filterwarnings("ignore:The examples are separable, so .* had no effect:UserWarning")
def test_data_are_never_written_to(name, make_stored):
    for X, y in (whole_numbers(), noise()):
        X, weights = make_stored(X), {}
        if name in ("hard", "soft"):
            weights = dict(sample_weight=np.arange(1.0, 61.0))
        before, labels = bytes_of(X), y.copy()
        clf = make(name).fit(X, y, **weights)
        clf.certificate_.verify(X, y, **weights)
        if name != "is_separable":
            clf.predict(X)
        assert bytes_of(X) == before
        np.testing.assert_array_equal(y, labels)
        if weights:
            np.testing.assert_array_equal(weights["sample_weight"], np.arange(1.0, 61.0))
        if sparse.issparse(X):
            assert X.has_canonical_format == (make_stored is not twisted)


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
    assert clf.status_.name == "NO_SUCH_MARGIN"
    assert peak <= 0.1 * size + 50 * MEGABYTE, f"{peak / MEGABYTE:.0f} MB beside {size >> 20} MB"


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
@pytest.mark.parametrize("name", EVERYTHING)
def test_rows_are_the_users_own_memory(name, dtype, monkeypatch):
    """Between the user's array and the compiled code there is no other array."""
    seen = []
    monkeypatch.setattr(
        "novikoff.estimators.training.storage_of",
        lambda X, **how: seen.append(X) or storage.storage_of(X, **how),
    )
    X, y = whole_numbers()
    for stored in (X.astype(dtype), sparse.csr_matrix(X.astype(dtype))):
        make(name).fit(stored, y)
        rows, _ = storage.storage_of(seen.pop()).part(np.arange(len(y)))
        rows = rows if isinstance(rows, tuple) else (rows,)
        for mine, theirs in zip(buffers(stored), rows, strict=True):
            assert np.shares_memory(mine, theirs)


@pytest.mark.parametrize("stored", [np.asfortranarray, lambda X: X.astype(np.int32), twisted])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_block_by_block_is_the_same_fit(name, stored, monkeypatch):
    X, y = whole_numbers()
    X = stored(X)
    # Converted as a whole, since it is small.
    whole = make(name).fit(X, y)
    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
    monkeypatch.setattr(storage, "CONVERTED_CHUNK_BYTES", 7 * 8 * X.shape[1])
    assert isinstance(storage.storage_of(X), storage.Converted)
    assert storage.storage_of(X).chunk < len(y)
    clf = make(name).fit(X, y)
    assert_proved(clf, X, y)
    np.testing.assert_array_equal(clf.support_, whole.support_)
    if name == "soft":
        # Newton's method adds up blocks.
        np.testing.assert_allclose(clf.coef_, whole.coef_, rtol=1e-12)
    else:
        assert_same_fit(clf, whole)


def test_noise_block_by_block_is_the_same_fit(monkeypatch):
    X, y = noise()
    whole = Perceptron(random_state=0).fit(X, y)
    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
    monkeypatch.setattr(storage, "CONVERTED_CHUNK_BYTES", 64)
    assert_same_fit(Perceptron(random_state=0).fit(np.asfortranarray(X), y), whole)


# Numbers that do not fit -----------------------------------------------------------------------

LARGE = 2**53


@pytest.mark.parametrize(
    "X",
    [
        [[LARGE], [LARGE + 1]],
        [[0.5], [LARGE + 1]],
        np.array([[LARGE], [LARGE + 1]]),
        np.array([[LARGE], [LARGE + 1]], dtype=object),
        sparse.csr_array(np.array([[LARGE], [LARGE + 1]])),
        np.array([[1], [1 + np.finfo(np.longdouble).eps]], dtype=np.longdouble),
        sparse.csr_matrix(np.array([[1 + np.longdouble(2) ** -60], [1]])),
        sparse.coo_matrix(np.array([[1 + np.longdouble(2) ** -60], [1]])),
    ],
    ids=[
        "list",
        "mixed list",
        "int64",
        "objects",
        "CSR",
        "longdouble",
        "CSR longdouble",
        "COO longdouble",
    ],
)
@pytest.mark.parametrize("name", ["scale-free", "hard", "is_separable"])
def test_values_that_float64_cannot_represent_are_refused(name, X):
    """What would be fitted, or predicted, are other data than those given."""
    with pytest.raises(ValueError, match=r"float64 cannot represent|beyond 2\*\*53"):
        make(name).fit(X, [0, 1])
    if name != "is_separable":
        clf = make(name).fit(np.array([[0.0], [1.0]]), [0, 1])
        with pytest.raises(ValueError, match=r"float64 cannot represent|beyond 2\*\*53"):
            clf.predict(X)
    if name == "scale-free":
        with pytest.raises(ValueError, match=r"float64 cannot represent|beyond 2\*\*53"):
            make(name).partial_fit(X, [0, 1], classes=[0, 1])


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix, sparse.coo_matrix])
@pytest.mark.parametrize("name", EVERYTHING)
def test_long_floats_that_are_float64_numbers(name, stored):
    X = stored(np.array([[0.1], [0.2]]).astype(np.longdouble))
    clf = make(name).fit(X, [0, 1])
    assert_proved(clf, X, [0, 1])


@pytest.mark.parametrize(
    "X", [[["1"], ["2"]], np.array([["2020-01-01"], ["2021-01-01"]], "M8[D]"), [[{}], [{}]]]
)
@pytest.mark.parametrize("name", ["scale-free", "hard", "is_separable"])
def test_values_that_are_not_numbers_are_refused(name, X):
    with pytest.raises((ValueError, TypeError), match=r"numbers|numeric|DType|a real number"):
        make(name).fit(X, [0, 1])


@pytest.mark.parametrize("index", [100_000_000, 5, -1])
@pytest.mark.parametrize("name", EVERYTHING)
def test_a_csr_matrix_with_an_index_out_of_range_is_refused(name, index):
    X = sparse.csr_matrix((np.ones(4), np.array([0, 1, 0, 1]), np.arange(5)), shape=(4, 2))
    clf = make(name).fit(X, [0, 1, 0, 1])
    X.indices[3] = index
    calls = [make(name).fit, clf.certificate_.verify]
    for call in calls + ([clf.score] if name != "is_separable" else []):
        with pytest.raises(ValueError, match=r"indices must be|damaged"):
            call(X, [0, 1, 0, 1])


def test_duplicates_of_integers_are_summed_exactly():
    X = sparse.csr_array(
        (np.array([LARGE, 1, LARGE]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1)
    )
    with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
        Perceptron().fit(X, [1, 0])


@pytest.mark.parametrize("name", EVERYTHING)
def test_duplicates_of_bytes_are_what_products_take_them_to_be(name):
    X = sparse.csr_array(
        (np.array([200, 100, 250], dtype=np.uint8), np.array([0, 0, 0]), np.array([0, 2, 3])),
        shape=(2, 1),
    )
    clf = make(name).fit(X, [1, 0])
    assert assert_proved(clf, X, [1, 0]).lower > 0.0
