"""One binary problem in one, two and three threads: wall-clock time, and equal bits."""

import inspect
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import numpy as np

from benchmarks import datasets
from benchmarks.generators import gaussian
from benchmarks.part import Part, Selection
from novikoff import MaxMargin
from novikoff.compiled import blocks

SPEEDUP = 1.6
ROUNDS = 3
THREADS = (1, 2, 3)

Work = Callable[[int], Any]


def wall(work: Work, threads: int) -> tuple[float, Any]:
    started = time.perf_counter()
    done = work(threads)
    return time.perf_counter() - started, done


def cases(quick: bool) -> Iterator[tuple[str, Any, Any, float]]:
    """The data, and the C of the fit."""
    n = 100_000 if quick else 1_000_000
    X, y = gaussian(n, 100, 0, noise=0.1)
    yield f"{n:,} x 100, noisy, soft", X, y, 1.0
    X, y = gaussian(n, 100, 0, wide=True)
    yield f"{n:,} x 100, separable, hard", X, y, np.inf
    if not quick:
        X, y = datasets.even_odd_pixels()
        yield "MNIST even-v-odd, soft", X, y, 1.0
    X, y = datasets.pixels(0, 1)
    yield "MNIST 0-v-1, hard", X, y, np.inf


def measure(selection: Selection) -> None:
    part = Part("threads", "One problem in two threads", selection)
    for case, X, y, C in cases(selection.quick):
        if selection.substring.lower() not in case.lower():
            continue

        def fit(threads: int, X: Any = X, y: Any = y, C: float = C) -> Any:
            return MaxMargin(C=C, n_jobs=threads).fit(X, y)

        def equal(a: Any, b: Any) -> bool:
            same = np.array_equal(a.coef_, b.coef_) and np.array_equal(a.intercept_, b.intercept_)
            return same and np.array_equal(a.dual_coef_, b.dual_coef_)

        model = fit(1)
        _compare(part, case, fit, equal)
        _ceiling(part, case, X)
        certificate = model.certificate_

        def verify(threads: int, X: Any = X, y: Any = y, certificate: Any = certificate) -> Any:
            return certificate.verify(X, y, n_jobs=threads)

        if "n_jobs" in inspect.signature(certificate.verify).parameters:
            _compare(part, f"{case}, verify", verify, lambda a, b: a == b)
        else:
            part.add(_row(f"{case}, verify", note="not offered"))
    part.finish()


def _compare(part: Part, case: str, work: Work, equal: Callable[[Any, Any], bool]) -> None:
    """Time the work alternately with each number of threads, and compare what it returns."""
    runs = [{k: wall(work, k) for k in THREADS} for _ in range(ROUNDS)]
    seconds = {k: median(each[k][0] for each in runs) for k in THREADS}
    same = all(equal(runs[0][1][1], each[k][1]) for each in runs for k in THREADS)
    speedup = seconds[1] / seconds[2]
    note = "equal bits" if same else "bits differ"
    part.add(_row(case, seconds, speedup, note))
    part.report.add(case, speedup, "times faster", at_least=SPEEDUP, note=f"{seconds[2]:.3g} s")
    part.report.add(f"{case}, runs that differ", float(not same), "", at_most=0.0)


def _ceiling(part: Part, case: str, X: Any) -> None:
    """Time one product of all rows with a vector, half of them in each of two threads.

    Where memory is the bottleneck, no solver that reads the data can gain more.
    """
    n, d = X.shape
    w, halves = np.ones(d), (slice(0, n // 2), slice(n // 2, n))
    out = np.empty(n)

    def scan(which: slice) -> None:
        blocks.products(X, np.arange(which.start, which.stop), w, 0.0, out[which])

    def work(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(scan, halves))

    work(1)
    runs = [{k: wall(work, k)[0] for k in THREADS} for _ in range(3 * ROUNDS)]
    seconds = {k: median(each[k] for each in runs) for k in THREADS}
    speedup = seconds[1] / seconds[2]
    part.add(_row(f"{case}, one scan alone", seconds, speedup))
    part.report.add(f"{case}, one scan alone", speedup, "times faster")


def _row(
    case: str,
    seconds: dict[int, float] | None = None,
    speedup: float | None = None,
    note: str = "",
) -> dict[str, Any]:
    taken = {f"threads: {k}": (seconds or {}).get(k) for k in THREADS}
    return {"case": case, **taken, "times faster": speedup, "note": note}
