"""Data, rules and refits that the tests of the estimator share."""

import numpy as np
from scipy import sparse
from sklearn.base import clone

from novikoff import Perceptron
from novikoff.certificate import Certificate
from tests.rules.all_rules import other_rules, unit_step_rules

UNIT_STEP_RULES = unit_step_rules(alpha=1.3)
OTHER_RULES = other_rules()
ALL_RULES = UNIT_STEP_RULES | OTHER_RULES
ONLINE_RULES = {name: rule for name, rule in ALL_RULES.items() if rule.pick == "cyclic"}

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 1, 0, 0])


def whole_numbers(n=60, d=5, *, intercept=True, gap=6, seed=0):
    """Whole numbers from 0 to 15 on the two sides of a hyperplane, none of them close to it."""
    rng = np.random.default_rng(seed)
    w = rng.choice([-3, -2, -1, 1, 2, 3], size=d)
    w[:2] = 2, -3
    X = rng.integers(0, 16, size=(40 * n, d))
    b = -int(np.median(X @ w)) if intercept else 0
    score = X @ w + b
    positive, negative = np.flatnonzero(score >= gap)[: n // 2], np.flatnonzero(score <= -gap)
    chosen = rng.permutation(np.concatenate([positive, negative[: n - n // 2]]))
    assert len(chosen) == n
    return X[chosen].astype(np.float64), (score[chosen] > 0).astype(int)


def noise(n=60, d=4, *, seed=0):
    """Labels drawn without regard to the examples: nothing separates them."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.permutation(np.arange(n) % 2)


def three_classes(n=45, *, seed=0):
    """Three clusters, each of them separable from the two others."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    centres = np.array([[6.0, 0.0], [-3.0, 5.0], [-3.0, -5.0]])
    return centres[codes] + rng.uniform(-1.0, 1.0, size=(n, 2)), codes


def between(n=12):
    """Three classes on a line: the one in the middle is not separable from the others."""
    return np.arange(float(n))[:, None], np.repeat([0, 1, 2], n // 3)


def twisted(X):
    """A CSR matrix with its columns unsorted, an entry in two parts and a stored zero."""
    X = sparse.csr_matrix(X)
    data, indices, indptr = [], [], [0]
    for i in range(X.shape[0]):
        row = slice(X.indptr[i], X.indptr[i + 1])
        values, columns = X.data[row][::-1].tolist(), X.indices[row][::-1].tolist()
        if columns:
            values, columns = [values[0] / 2, *values, 0.0], [columns[0], *columns, columns[0]]
            values[1] /= 2
        data += values
        indices += columns
        indptr.append(len(data))
    made = sparse.csr_matrix((np.array(data), indices, indptr), shape=X.shape)
    assert not made.has_canonical_format
    assert (made != X).nnz == 0
    return made


def assert_same_model(one: Perceptron, other: Perceptron):
    """The same hyperplanes after the same number of updates, bit for bit."""
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.n_updates_ == other.n_updates_


def assert_proved(clf: Perceptron, X, y):
    """The certificate holds of the data, also after it was written and read."""
    certificate = clf.certificate_
    certificate.verify(X, y)
    read = Certificate.from_json(certificate.to_json())
    assert read == certificate
    read.verify(X, y)


def refitted(clf: Perceptron, X, y) -> Perceptron:
    """The same fit on its support alone, in the order of visits."""
    return clone(clf).set_params(shuffle=False).fit(X[clf.support_], y[clf.support_])
