"""Each class against the rest, in threads if there are several; of two classes, the second."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from scipy.sparse import issparse

from novikoff.certificate import Certificate, Certifier, Examples, PerClass, Problem, Status
from novikoff.certificate.exact.prediction import joint_errors
from novikoff.certificate.examples.labels import signs_against
from novikoff.certificate.threads import count_threads
from novikoff.estimators.fitted import Fitted, Task
from novikoff.estimators.training import Training
from novikoff.run import Callback, Clock, Limits
from novikoff.run.blas import blas_for
from novikoff.run.clock import SecondInterrupt, cancel_on_interrupt

Search = Callable[[Task], Fitted]


def fit_classes(
    training: Training,
    sample: Any,
    search: Search,
    *,
    before: Certificate | None = None,
    steps: dict[int, tuple[float, float]] | None = None,
    max_iter: int,
    max_updates: int | None = None,
    deadline: float | None = None,
    callbacks: Sequence[Callback] = (),
    n_jobs: int | None = None,
    certifier: Callable[[Problem, Examples], Any] = Certifier,
    errors: Callable[[list[Certificate]], int | None] | None = None,
    cancel: threading.Event | None = None,
    copies: Any = None,
) -> tuple[dict[int, Fitted], Certificate, bool]:
    """Return what the search finds for each class, the certificate, and whether Ctrl-C came.

    Of two classes, only the second is fitted against the first. A search can use what
    ``before``, an earlier certificate, proves of the same problem. Ctrl-C cancels the searches,
    each of which then gives back the best that it has. ``certifier`` makes what certifies one
    class; ``errors`` counts those of all classes together, where the models are not hyperplanes.
    ``cancel`` is set by Ctrl-C, and may be before the searches begin. ``copies`` are the examples
    as a run visits them, if ``sample`` is of these.
    """
    known = () if before is None else before.parts
    cancel = threading.Event() if cancel is None else cancel
    limits = Limits(max_iter, max_updates, deadline, cancel.is_set)

    def against_rest(code: int) -> Fitted:
        signs = signs_against(training.codes, code)
        mine = sample
        visited = signs if copies is None else signs_against(copies.training.codes, code)
        if steps is not None or (visited != sample.signs).any():
            mine = sample.relabelled(visited, (1.0, 1.0) if steps is None else steps[code])
        problem = training.problem.against(training.problem.classes[code])
        task = Task(
            code=code,
            sample=mine,
            certifier=certifier(problem, training.examples(signs)),
            clock=Clock(limits, callbacks),
            hashes=training.hashes,
            costs=training.costs,
            before=next((part for part in known if part.problem == problem), None),
            copies=copies,
        )
        try:
            fitted = search(task)
        except BaseException:
            # The results of the other classes would be lost: cancel their searches.
            cancel.set()
            raise
        if task.clock.interrupted() is Status.INTERRUPTED:
            cancel.set()
        return fitted

    with cancel_on_interrupt(cancel), blas_for(*training.X.shape, is_sparse=issparse(training.X)):
        found = _each(against_rest, training.positives, count_threads(n_jobs))
    results = dict(zip(training.positives, found, strict=True))
    certificates = [fitted.certificate for fitted in found]
    return results, combined(certificates, training, errors), cancel.is_set()


def deadline_in(time_limit: float | None) -> float | None:
    """Return the reading of the clock at which a time limit is over."""
    return None if time_limit is None else time.perf_counter() + time_limit


def combined(
    certificates: list[Certificate],
    training: Training,
    count: Callable[[list[Certificate]], int | None] | None = None,
) -> Certificate:
    """Return the certificate of two classes, or of each class against the rest."""
    if len(certificates) == 1:
        return certificates[0]
    if count is not None:
        return PerClass(
            problem=training.problem,
            certificates=tuple(certificates),
            errors=count(certificates),
        )
    models = [part.hyperplane for part in certificates]
    errors = None
    if all(model is not None for model in models):
        coef = np.array([part.coef for part in certificates])
        intercept = np.array([part.intercept for part in certificates])
        costs = training.costs
        part = None if costs is None or costs.all() else costs > 0.0
        errors = joint_errors(training.X, training.codes, coef, intercept, taking_part=part).count
    return PerClass(problem=training.problem, certificates=tuple(certificates), errors=errors)


def _each(function: Callable[[int], Any], items: Sequence[int], jobs: int) -> list[Any]:
    if jobs == 1 or len(items) == 1:
        return [function(item) for item in items]
    pool, wait = ThreadPoolExecutor(jobs), True
    try:
        return list(pool.map(function, items))
    except SecondInterrupt:
        # Exact arithmetic may go on for seconds; nobody waits for what it finds.
        wait = False
        raise
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)
