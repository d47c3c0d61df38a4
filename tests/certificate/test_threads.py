"""Work in threads: results in order, errors raised, the same for any number of threads."""

import threading
import time

import numpy as np
import pytest

from novikoff.certificate.threads import SLICE, by_slices, count_threads, in_order, threads


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
def test_results_come_in_order(n_jobs):
    def slow_at_first(k):
        time.sleep(0.002 if k < 3 else 0.0)
        return k * k

    with threads(n_jobs):
        assert list(in_order(slow_at_first, range(40))) == [k * k for k in range(40)]


def test_work_runs_in_threads_of_its_own():
    with threads(2):
        names = set(in_order(lambda _: threading.current_thread().name, range(20)))
        assert threading.current_thread().name not in names
    assert set(in_order(lambda _: threading.current_thread().name, range(3))) == {
        threading.current_thread().name
    }


def test_threads_of_the_pool_use_no_threads():
    def inner(_):
        return list(in_order(lambda _: threading.current_thread(), range(3)))

    with threads(2):
        for found in in_order(inner, range(4)):
            assert len(set(found)) == 1


def test_an_error_ends_the_work():
    done = []

    def fails(k):
        done.append(k)
        if k == 2:
            raise ValueError("the third")
        return k

    with threads(2), pytest.raises(ValueError, match="the third"):
        list(in_order(fails, range(1000)))
    assert len(done) < 100


def test_few_items_are_taken_before_results_are_used():
    taken = []

    def items():
        for k in range(100):
            taken.append(k)
            yield k

    with threads(2):
        results = in_order(abs, items())
        assert next(results) == 0
        assert len(taken) <= 6
        results.close()


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("length", [0, 1, SLICE, SLICE + 1, 3 * SLICE])
def test_slices_cover_a_vector_in_order(n_jobs, length):
    with threads(n_jobs):
        parts = list(by_slices(lambda part: np.arange(length)[part], length))
    assert np.array_equal(np.concatenate(parts), np.arange(length))
    assert len(parts) == max(1, -(-length // SLICE))


def test_numbers_of_threads():
    assert count_threads(None) == 1
    assert count_threads(5) == 5
    assert count_threads(-1) >= 1
    assert count_threads(-1000) == 1
