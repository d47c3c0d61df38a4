"""All classes together: what a search for one linear model is given, and what it gives back."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from novikoff.certificate import Certificate, Examples, Joint, Problem, Status
from novikoff.certificate.examples.labels import signs_against
from novikoff.estimators.fitted import Fitted
from novikoff.estimators.training import Training
from novikoff.run import Callback, Clock, Limits
from novikoff.run.blas import blas_for
from novikoff.run.clock import cancel_on_interrupt
from novikoff.sample import Sample

if TYPE_CHECKING:
    from novikoff.certificate import JointCertifier, JointWeighted


@dataclass(frozen=True)
class JointTask:
    """What a search is given: the examples, the clock, and the certifier of its result."""

    sample: Sample
    certifier: "JointCertifier"
    clock: Clock
    hashes: NDArray[np.uint64]
    costs: NDArray[np.float64] | None
    before: Joint | None = None
    """What an earlier fit proved of the same problem."""
    copies: Any = None
    """The :class:`~.copies.Copies` that a run visits; ``None`` in other searches."""

    @property
    def bound_before(self) -> "JointWeighted | None":
        """The weights that proved the upper bound on the margin in the earlier fit."""
        bound = None if self.before is None else self.before.bound
        if bound is None:
            return None
        from novikoff.certificate import JointWeighted

        return JointWeighted(bound.support, bound.weights)


def is_joint(multi_class: str, classes: NDArray[np.generic]) -> bool:
    """Whether one model of all classes is fitted; two classes are one problem either way."""
    return multi_class == "joint" and len(classes) > 2


def fit_jointly(
    training: Training,
    sample: Any,
    search: Callable[[JointTask], Fitted],
    *,
    before: Certificate | None = None,
    max_iter: int,
    max_updates: int | None = None,
    deadline: float | None = None,
    callbacks: Sequence[Callback] = (),
    certifier: Callable[[Problem, Examples], Any] | None = None,
    cancel: threading.Event | None = None,
    copies: Any = None,
) -> tuple[Fitted, bool]:
    """Return what the search finds for all classes together, and whether Ctrl-C came.

    A search can use what ``before``, an earlier certificate, proves of the same problem. Ctrl-C
    cancels the search, which then gives back the best that it has. ``certifier`` makes what
    certifies its result; by default a `JointCertifier`. ``cancel`` is set by Ctrl-C, and may be
    before the search begins. ``copies`` are the examples as a run visits them, if ``sample`` is of
    these.
    """
    if certifier is None:
        from novikoff.certificate import JointCertifier

        certifier = JointCertifier
    cancel = threading.Event() if cancel is None else cancel
    problem = training.problem
    task = JointTask(
        sample=sample,
        certifier=certifier(problem, training.examples(signs_against(training.codes, 0))),
        clock=Clock(Limits(max_iter, max_updates, deadline, cancel.is_set), callbacks),
        hashes=training.hashes,
        costs=training.costs,
        before=before if isinstance(before, Joint) and before.problem == problem else None,
        copies=copies,
    )
    with cancel_on_interrupt(cancel), blas_for(*training.X.shape, is_sparse=issparse(training.X)):
        fitted = search(task)
    interrupted = cancel.is_set() or task.clock.interrupted() is Status.INTERRUPTED
    return fitted, interrupted
