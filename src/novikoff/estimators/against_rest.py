"""Each class against the rest: the optimum margin for two classes or more."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

from novikoff.certificate import Label
from novikoff.estimators.checks import signs_against_rest
from novikoff.estimators.claims import Task
from novikoff.estimators.threads import each
from novikoff.run.clock import cancel_on_interrupt
from novikoff.sample import Sample, storage_of

Result = TypeVar("Result")
Fit = Callable[[Task, Sample, Label, Label | None, int], Result]


def fit_each(
    fit: Fit[Result],
    task: Task,
    classes: NDArray[Any],
    codes: NDArray[np.int64],
    *,
    affine: bool,
    jobs: int,
    cancel: threading.Event,
    interrupted: Callable[[Result], bool],
) -> dict[int, Result]:
    """Return what ``fit`` finds for each class; for the second alone if there are two."""
    order = np.arange(len(codes)) if task.costs is None else np.flatnonzero(task.costs > 0.0)
    counts = np.bincount(codes[order], minlength=len(classes))
    if not counts.all():
        label = classes.tolist()[int(counts.argmin())]
        raise ValueError(f"No example of the class {label!r} has a positive weight.")
    positives = [1] if len(classes) == 2 else list(range(len(classes)))
    try:
        sample = Sample.of(
            storage_of(task.X), signs_against_rest(codes, positives[0]), order=order, affine=affine
        )
    except ValueError:
        # The norms have met a NaN or an infinity; only then is it worth a pass to name it.
        assert_all_finite(task.X, input_name="X")
        raise
    if not np.isfinite(sample.norms2).all():
        assert_all_finite(task.X, input_name="X")

    def against_rest(k: int) -> Result:
        result = fit(
            task,
            sample.relabelled(signs_against_rest(codes, k), (1.0, 1.0)),
            classes[k],
            classes[0] if len(classes) == 2 else None,
            k,
        )
        if interrupted(result):
            cancel.set()
        return result

    with cancel_on_interrupt(cancel):
        results = each(against_rest, positives, jobs, cancel)
    return dict(zip(positives, results, strict=True))
