"""Every rule on every kind of data: one algorithm, whatever the examples are stored as."""

import functools

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from novikoff import Perceptron
from tests.estimators.problems import (
    ALL_RULES,
    UNIT_STEP_RULES,
    assert_proved,
    assert_same_model,
    three_classes,
    twisted,
    whole_numbers,
)


def read_only(X):
    X = X.copy()
    X.setflags(write=False)
    return X


def read_only_csr(X):
    X = sparse.csr_matrix(X)
    for array in (X.data, X.indices, X.indptr):
        array.setflags(write=False)
    return X


def with_long_indices(X):
    X = sparse.csr_matrix(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
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
    "CSC": sparse.csc_matrix,
    "COO": sparse.coo_matrix,
}
# verify() reads tables and CSR only.
CONVERTED_FIRST = {"list", "object", "CSC", "COO"}
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
def on_plain_data(rule, fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept)
    X = X / 128.0 if rule == "infinity" else X
    clf = Perceptron(rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=3)
    return X, y, clf.set_params(max_iter=5000).fit(X, y)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("rule", "kind"),
    [(rule, kind) for rule in ALL_RULES for kind in DIFFERENT]
    + [("scale-free", kind) for kind in STORED if kind not in DIFFERENT],
)
def test_every_rule_on_every_storage(rule, kind, fit_intercept):
    if rule == "infinity" and kind in WHOLE:
        pytest.skip("whole numbers have norms above 1; test_bad_input has what Infinity says")
    X, y, plain = on_plain_data(rule, fit_intercept)
    stored = STORED[kind](X)
    other = clone(plain).fit(stored, y)
    assert other.score(stored, y) == 1.0
    assert bool(other.certificate_)
    assert_proved(other, X if kind in CONVERTED_FIRST else stored, y)
    assert other.certificate_.fingerprint == plain.certificate_.fingerprint
    if rule in UNIT_STEP_RULES:
        # Sums of such numbers are exact, in whatever order they are added up.
        assert_same_model(plain, other)
        np.testing.assert_array_equal(plain.support_, other.support_)
        np.testing.assert_array_equal(plain.dual_coef_, other.dual_coef_)
        assert plain.certificate_ == other.certificate_
    else:
        np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-9)


@pytest.mark.parametrize("kind", STORED)
def test_online_on_every_storage(kind):
    X, y = whole_numbers()
    plain, other = Perceptron(), Perceptron()
    for part in (slice(0, 25), slice(25, 26), slice(26, 60)):
        plain.partial_fit(X[part], y[part], classes=[0, 1])
        other.partial_fit(STORED[kind](X[part]), y[part], classes=[0, 1])
    assert_same_model(plain, other)
    assert plain.mistakes_ == other.mistakes_


@pytest.mark.parametrize("kind", STORED)
def test_classes_and_slack_on_every_storage(kind):
    X, y = three_classes()
    X = np.rint(4.0 * X + 40.0)
    clf = Perceptron(soft_margin=2.0, random_state=0).fit(X, y)
    other = Perceptron(soft_margin=2.0, random_state=0).fit(STORED[kind](X), y)
    assert_same_model(clf, other)
    assert_proved(other, X if kind in CONVERTED_FIRST else STORED[kind](X), y)


def test_whole_numbers_that_floats_skip_are_refused():
    """2^53 + 1 has no float64: what would be fitted are other data than those given."""
    X = np.array([[2**53 + 1], [2**53], [0]])
    with pytest.raises(ValueError, match=r"beyond 2\*\*53, where float64 skips integers: scale it"):
        Perceptron().fit(X, [0, 1, 1])
