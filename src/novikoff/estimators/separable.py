"""Is there a hyperplane between the classes? Yes or no, with proof."""

import threading
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificate import Certificate
from novikoff.certificate.threads import threads
from novikoff.estimators.joint import fit_jointly, is_joint
from novikoff.estimators.margin_fit import decide
from novikoff.estimators.maxmargin import MaxMargin
from novikoff.estimators.one_vs_rest import deadline_in, fit_classes
from novikoff.estimators.options import check_max_margin_options, scale_of
from novikoff.estimators.training import Training
from novikoff.run import Callback
from novikoff.run.clock import cancel_on_interrupt


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search; ``certificate`` says what was proved until then."""

    def __init__(self, certificate: Certificate) -> None:
        super().__init__(certificate)
        self.certificate = certificate


def is_separable(
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    scale: bool | Literal["auto"] = "auto",
    multi_class: Literal["joint", "ovr"] = "ovr",
    max_iter: int = 1000,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    callbacks: tuple[Callback, ...] = (),
) -> Certificate:
    """Decide whether some hyperplane separates the classes, with proof.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_examples, n_features)
        The examples.
    y : array-like of shape (n_examples,)
        Their labels.
    sample_weight : array-like of shape (n_examples,), optional
        Examples of weight 0 take no part; other weights do not matter.
    fit_intercept : bool, default=True
        Whether hyperplanes may miss the origin.
    scale : bool or "auto", default="auto"
        Whether to divide each column by a power of two, as MaxMargin does, in a copy of the data.
        The verdict is the same; where columns are of different units, it is found sooner. "auto"
        does so where the spans of the columns differ by more than 1,000 times, if it is exact. The
        margin of the certificate is then in units of the scaled columns, as the certificate says.
    multi_class : {"joint", "ovr"}, default="ovr"
        What is decided of more than two classes: with "ovr", of each class whether a hyperplane
        separates it from all others; with "joint", whether one linear model, a score for each
        class, gives every example the largest score for its own, as ``MaxMargin`` would fit it.
        The second follows from the first, and holds more often.
    max_iter : int, default=1000
        The limit on passes over the data.
    time_limit : float, optional
        The limit in seconds.
    n_jobs : int, optional
        Threads: for each class against the rest, or, of two classes, for passes over the data; -1
        for all processors. The result does not depend on it.
    callbacks : tuple of callables
        Called with a :class:`~novikoff.run.clock.Progress` after every pass.

    Returns
    -------
    Certificate
        True in a condition if the classes are separable, false if they are not: a Separation
        with some separating hyperplane, or a NonSeparation with a combination of examples that is
        exactly zero: of at most ``n_features + 2`` of them, or of all that violate the margin of a
        hyperplane, with weights near their slacks. An Inconclusive, which refuses to be
        either, where a limit was reached, or where the classes are no further apart than rounding:
        then "numerically not separable" is all that is said, unless exact arithmetic (up to 40
        features) finds a combination that vanishes. Slacks prove it where more examples than
        features violate the margin, as with noisy labels, up to 10,000 features. Columns may depend
        on others exactly, up to rounding, or up to a condition of some 1e9; where they depend on
        each other to every degree beyond, as random Fourier features of two numbers do, it does
        not decide. Otherwise, or where the examples are
        nearly separable, it is proved for up to 1,500 features (beyond, for
        what a Gram matrix can tell). Sparse data with a margin of nearly zero, on either side, are
        decided by about 30 factorisations of a matrix of d columns, if d is at most 4,000 once
        indicators that exclude one another are eliminated; other sparse data with more than 3,000
        examples and features only by equal examples with different labels. Where that does not
        decide, ``max_iter`` ends it.

    See Also
    --------
    novikoff.separation : Whether logistic regression has estimates. That no hyperplane separates
        the classes strictly does not mean that it has: the separation may be quasi-complete.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, once the examples have been read; what was proved until then is its
        ``certificate``. A second Ctrl-C raises at once, without a certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import is_separable
    >>> corners = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> print(is_separable(corners, ["even", "even", "odd", "odd"]))
    Not separable: no hyperplane separates the 4 examples.
    ...
    >>> bool(is_separable(corners, ["no", "yes", "no", "no"]))
    True

    Three classes along a line: no hyperplane separates the middle one from both others.

    >>> line = np.array([[0.0], [1.0], [2.0]])
    >>> (
    ...     bool(is_separable(line, [0, 1, 2])),
    ...     bool(is_separable(line, [0, 1, 2], multi_class="joint")),
    ... )
    (False, True)
    """
    scaling = scale_of(scale)
    asked = MaxMargin(
        fit_intercept=fit_intercept,
        multi_class=multi_class,
        max_iter=max_iter,
        time_limit=time_limit,
        n_jobs=n_jobs,
    )
    check_max_margin_options(asked)
    cancel = threading.Event()
    # Also while the examples are read: what is proved until then is that the verdict is open.
    with cancel_on_interrupt(cancel), threads(n_jobs):
        deadline = deadline_in(time_limit)
        training = Training.of(
            asked,
            X,
            y,
            affine=bool(fit_intercept),
            sample_weight=sample_weight,
            scale=scaling,
        )
        costs = training.costs
        order = None if costs is None else np.flatnonzero(costs > 0.0)
        sample = training.sample(order=order, rescale=True)
        how: dict[str, Any] = dict(
            max_iter=max_iter, deadline=deadline, callbacks=callbacks, cancel=cancel
        )
        certificate: Certificate
        if is_joint(multi_class, training.classes):
            from novikoff.estimators.joint_margin_fit import decide_jointly

            fitted, interrupted = fit_jointly(training, sample, decide_jointly, **how)
            certificate = fitted.certificate
        else:
            _, certificate, interrupted = fit_classes(
                training, sample, decide, n_jobs=n_jobs, **how
            )
    if interrupted:
        raise Interrupted(certificate)
    return certificate
