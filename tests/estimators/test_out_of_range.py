"""Numbers near the ends of the range of floats, and limits that are reached at once."""

import signal
import threading

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novikoff import MaxMargin, MaxMarginCV, Perceptron, is_separable
from novikoff.certificate import CertificateError, Inconclusive, Status
from novikoff.maxmargin.choose import few_carry
from novikoff.run.clock import Stopped


def wide(n=200, d=600):
    X = np.random.default_rng(0).standard_normal((n, d))
    return X, (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("kind", [MaxMargin, MaxMarginCV])
def test_a_time_limit_reached_before_the_first_step(kind):
    X, y = wide()
    with pytest.warns(ConvergenceWarning):
        clf = kind(time_limit=1e-9, **({"C": 1.0} if kind is MaxMargin else {})).fit(X, y)
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("status", [Status.TIME_LIMIT, Status.INTERRUPTED])
def test_the_judgement_of_who_carries_may_be_stopped(monkeypatch, status):
    X, y = wide()
    seen = []

    def stopped(*_):
        seen.append(True)
        raise Stopped(status)

    monkeypatch.setattr(few_carry, "_nearest", stopped)
    clf = MaxMargin(C=1.0).fit(X, y)
    assert seen and clf.status_ is Status.GAP_REACHED


def test_ctrl_c_while_it_is_judged_who_carries(monkeypatch):
    X, y = wide()
    judge = few_carry._nearest

    def interrupted(*asked):
        signal.raise_signal(signal.SIGINT)
        return judge(*asked)

    monkeypatch.setattr(few_carry, "_nearest", interrupted)
    clf = MaxMargin(C=1.0)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert clf.status_ is Status.INTERRUPTED
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("far", [1e4, 1e8, 1e20])
def test_kernel_values_with_more_digits_than_memory(far):
    """Two equal examples of both classes cancel, and exp(-far^2) is left of the third one."""
    X, y = [[0.0], [0.0], [far]], [0, 1, 1]
    done = threading.Event()

    def fit():
        with pytest.raises(CertificateError, match="could not be decided"):
            MaxMargin(kernel="rbf", gamma=1.0, fit_intercept=False).fit(X, y)
        done.set()

    thread = threading.Thread(target=fit, daemon=True)
    thread.start()
    thread.join(60.0)
    assert done.is_set()


def test_nearer_examples_are_decided():
    """exp(-10^4) has 14,427 binary digits before the first that is not zero."""
    clf = MaxMargin(kernel="rbf", gamma=1.0, fit_intercept=False)
    clf.fit([[0.0], [0.0], [100.0]], [0, 1, 1])
    clf.certificate_.verify([[0.0], [0.0], [100.0]], [0, 1, 1])


@pytest.mark.parametrize("size", [1e-309, 1e-300])
@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_tiny_kernel_values_are_refused(size, C, fit_intercept):
    Z = np.random.default_rng(0).standard_normal((20, 3))
    y = np.random.default_rng(1).integers(0, 2, 20)
    with pytest.raises(ValueError, match="so small that weights overflow; multiply"):
        MaxMargin(kernel="precomputed", C=C, fit_intercept=fit_intercept).fit(Z @ Z.T * size, y)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("size", [1e160, 1e-160])
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 31.0)])
def test_a_variance_out_of_range(kernel, size, weights):
    X = size * np.random.default_rng(0).standard_normal((30, 3))
    with pytest.raises(ValueError, match="rescale the features, or give gamma"):
        MaxMargin(kernel=kernel, C=1.0).fit(X, X[:, 0] > 0, sample_weight=weights)


def test_half_precision():
    """scipy holds no sparse float16, and 2**53 is none."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), rng.integers(0, 2, 40)
    X[:, 0] = np.abs(X[:, 0])
    for kind in (Perceptron, MaxMargin):
        clf = kind().fit(X.astype(np.float16), y.astype(np.float16))
        assert clf.classes_.tolist() == [0.0, 1.0]
        clf.certificate_.verify(X.astype(np.float16), y)


def test_spans_near_the_largest_float():
    X = 1e307 * np.random.default_rng(0).standard_normal((30, 3))
    with pytest.raises(ValueError, match="squares of the features overflow"):
        is_separable(X, X[:, 0] > 0.0)
    assert not isinstance(is_separable(X, X[:, 0] > 0.0, scale=True), Inconclusive)
