"""The number of threads of BLAS during a fit, and after it."""

import threading

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

from novikoff import MaxMargin, MaxMarginCV, Perceptron
from novikoff.run.blas import blas_for, blas_for_one


def counts():
    """The numbers of threads that the libraries of numpy and scipy use now."""
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if counts() != {2}:
            pytest.skip("BLAS has one thread only")
        yield


def small():
    rng = np.random.default_rng(0)
    return rng.standard_normal((100, 3)), np.arange(100) % 2


@pytest.mark.parametrize("clf", [MaxMargin(), MaxMargin(C=1.0), Perceptron(random_state=0)])
def test_a_small_fit_uses_one_and_gives_back_what_there_was(clf):
    seen = []
    clf.set_callbacks(lambda line: seen.append(counts())).fit(*small())
    assert seen and all(each == {1} for each in seen)
    assert counts() == {2}


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_the_folds_of_a_cross_validation_use_one(multi_class):
    """They are as small as fits are: the factors of 141 x 751 took 25 times as long with two."""
    seen = []

    def score(estimator, X, y):
        seen.append(counts())
        return 0.0

    X, y = small()
    clf = MaxMarginCV(Cs=2, cv=2, scoring=score, multi_class=multi_class)
    clf.fit(X, np.arange(len(y)) % 3)
    assert seen and all(each == {1} for each in seen)
    assert counts() == {2}


def test_an_error_gives_back_what_there_was():
    def fail(line):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        Perceptron().set_callbacks(fail).fit(*small())
    assert counts() == {2}


def test_large_matrices_keep_their_threads():
    with blas_for(10_000, 1000):
        assert counts() == {2}
    for shape in ((1_000_000, 512), (512, 1_000_000), (2000, 2000)):
        with blas_for(*shape):
            assert counts() == {1}


def test_sparse_data_use_one_whatever_their_shape():
    with blas_for(10_000, 1000, is_sparse=True):
        assert counts() == {1}
    X, y = small()
    seen = []
    wide = sparse.csr_array((X.ravel(), np.arange(300) * 7, np.arange(0, 301, 3)), (100, 50_000))
    MaxMargin(C=1.0).set_callbacks(lambda line: seen.append(counts())).fit(wide, y)
    assert seen and all(each == {1} for each in seen)


def test_one_large_matrix_gets_the_threads_that_there_were():
    with blas_for(10, 10), blas_for(10, 10):
        with blas_for_one(513):
            assert counts() == {2}
        assert counts() == {1}
        with blas_for_one(512):
            assert counts() == {1}
    with blas_for_one(513):
        assert counts() == {2}


def test_fits_that_overlap_give_back_what_there_was():
    """One in another thread that ends last must not keep the limit."""
    entered, leave = threading.Event(), threading.Event()

    def other():
        with blas_for(10, 10):
            entered.set()
            leave.wait(10.0)

    thread = threading.Thread(target=other)
    with blas_for(10, 10):
        thread.start()
        assert entered.wait(10.0)
        with blas_for(10, 10):
            assert counts() == {1}
        assert counts() == {1}
    assert counts() == {2}
    leave.set()
    thread.join()
    assert counts() == {2}
