"""The perceptron with every rule of the paper, as a scikit-learn classifier."""

import threading
import time
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_random_state

from novikoff.certificate import Status, row_hashes
from novikoff.compiled.step import UPDATES
from novikoff.estimators.binary import Fitted, Task, fit_binary
from novikoff.estimators.checks import (
    averages,
    check_options,
    signs_against_rest,
    step_weights,
    warn_if_cut_short,
)
from novikoff.estimators.linear import LinearModel, examples_of, or_as_before
from novikoff.estimators.online import Online, validated_batch
from novikoff.estimators.threads import LastRun, each, print_progress
from novikoff.rules import Rule, named
from novikoff.run import Callback, Limits, cancel_on_interrupt
from novikoff.sample import Sample, storage_of, visit_order

CLAIMS_OF_A_FIT = (
    "certificate_",
    "margin_",
    "margin_upper_bound_",
    "support_",
    "dual_coef_",
    "history_",
    "n_iter_",
)


class Perceptron(LinearModel):
    """A perceptron that says what it proved.

    Runs a rule of the paper *On the Perceptron's Compression* until no example is violated, and
    returns a hyperplane with a certificate: the margin it achieves, an upper bound on the margin
    of any hyperplane, and the few examples that carry the model. With the defaults it also
    serves noisy data: the run ends as soon as it has proved that no separator with margin at
    least ``min_margin * R`` exists, and the model is then the average over updates.

    Parameters
    ----------
    rule : str or Rule, default="scale-free"
        When an example is violated and how far to step: ``"classic"``, ``"margin"``,
        ``"scale-free"``, ``"infinity"``, ``"scale-free-infinity"``, ``"dynamic"``,
        ``"passive-aggressive"``, ``"alma"``, ``"min-over"``, or an object of
        :mod:`novikoff.rules`.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin. Examples are then read relative to the first
        one visited and lifted by the largest distance to it, which makes the fit invariant under
        translation; nothing is copied. ``"min-over"`` needs no lift: it steps on differences.
    soft_margin : float, default=0.0
        The slack lift's Delta; LinearSVC's C is ``1 / (2 Delta^2)``. 0 is the hard margin. The
        certificate is then a :class:`~novikoff.certificate.SoftOptimum`.
    average : bool or "auto", default="auto"
        Whether the model is the average over updates. ``"auto"``: only where the run neither
        satisfied its rule nor met an iterate without a training error.
    min_margin : float, default=1e-3
        In units of R, the largest distance to the centre (with ``fit_intercept=False``, the
        largest norm): end as soon as no separator with at least this margin can exist. 0: never.
    max_iter : int, default=1000
        The limit on full passes; cheap passes over near-violated examples are not counted.
    max_updates : int, optional
        The limit on updates.
    time_limit : float, optional
        The limit in seconds.
    shuffle : bool, default=True
        Whether the order of visits is drawn at random, once; data larger than a cache keep runs
        of neighbouring rows (up to 256 kB) together.
    random_state : int, RandomState or None, default=None
        Draws the order.
    warm_start : bool, default=False
        Whether the next fit on the same data goes on from where this one stopped. On other data
        a fit starts anew, since ``w`` must be a sum of the examples it is judged by.
    class_weight : dict, "balanced" or None, default=None
        Scales the steps of a class. The certificate holds whatever the steps; the bounds on
        updates and margin that a rule states are for steps of equal length.
    n_jobs : int, optional
        Threads for more than two classes.
    verbose : int, default=0
        Print a line for every full pass.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        The normal vectors; one for each class, against the rest, if there are more than two.
    intercept_ : array of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : array of shape (n_classes,)
        The labels.
    certificate_ : Certificate
        What was proved; ``PerClass`` for more than two classes.
    status_ : Status
        How the run ended, in a sentence.
    margin_, margin_upper_bound_ : float or array of shape (n_classes,)
        The signed geometric margin of the model as returned, and a bound on that of any
        hyperplane.
    support_ : array, or list of arrays
        The examples that the model is a function of, in the order of visits. Refitting on them
        alone with ``shuffle=False`` gives the same model, bit for bit, whenever the rule was
        satisfied and is one with unit steps.
    dual_coef_ : array, or list of arrays
        The weights of ``support_`` times their signs, so that
        ``coef_ = dual_coef_ @ (X[support_] - centre_)``; integers for unit steps. A weight 0
        marks an example that shaped the run but not the model, such as the most distant one.
    centre_ : array of shape (n_features,)
        What the examples are read relative to; zero if there is no intercept.
    n_updates_, n_iter_ : int
        Updates (over all classes) and full passes (of the longest run).
    history_ : list of Progress, or list of lists
        Updates, mistakes and bounds after every full pass.
    mistakes_ : int or array of shape (n_classes,)
        After ``partial_fit``: how often an example was met on the wrong side.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the examples came with names.
    about_ : dict
        After :func:`novikoff.load`: what :func:`novikoff.save` was told beside the model.

    Notes
    -----
    There is no ``sample_weight``: a step is taken on an example because it is violated, and a
    weight on it would be neither a step length nor a repetition. ``novikoff.MaxMargin`` will
    have them, where they weigh the slack and equal repetition.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import Perceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = Perceptron(random_state=0).fit(X, y == 0)
    >>> clf.score(X, y == 0), bool(clf.certificate_)
    (1.0, True)
    >>> clf.certificate_.lower <= clf.margin_ <= clf.margin_upper_bound_
    True
    >>> print(clf.certificate_.verify(X, y == 0))
    Verified: the hyperplane separates all 150 examples with margin at least ..., and no hyperplane
    has more than ....
    """

    _callbacks: tuple[Callback, ...] = ()
    _remedy = (
        "Raise the limit, scale the features, ask less of the rule, or allow slack (soft_margin)."
    )
    _last: LastRun | None = None
    _online: Online | None = None

    def __init__(
        self,
        *,
        rule: str | Rule = "scale-free",
        fit_intercept: bool = True,
        soft_margin: float = 0.0,
        average: bool | Literal["auto"] = "auto",
        min_margin: float = 1e-3,
        max_iter: int = 1000,
        max_updates: int | None = None,
        time_limit: float | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.soft_margin = soft_margin
        self.average = average
        self.min_margin = min_margin
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.time_limit = time_limit
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the model and certify it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples. C-ordered float64, float32 and uint8 arrays and CSR matrices are read
            in place.
        y : array-like of shape (n_examples,)
            The labels: strings, numbers or booleans.

        Returns
        -------
        Perceptron
            The estimator itself.
        """
        with or_as_before(self):
            self._fit(X, y)
        warn_if_cut_short(self)
        return self

    def _fit(self, X: Any, y: ArrayLike) -> None:
        started = time.perf_counter()
        check_options(self)
        X, classes, codes = examples_of(self, X, y)
        storage, hashes = storage_of(X), row_hashes(X)
        positives = [1] if len(classes) == 2 else list(range(len(classes)))
        steps = step_weights(self.class_weight, classes, codes)
        last = self._last if self.warm_start else None
        weights = tuple(steps[k] for k in positives)
        asked = (repr(named(self.rule)), self.fit_intercept, self.soft_margin, weights)
        if last is not None and not last.fits(asked, hashes, codes):
            last = None
        random_state = check_random_state(self.random_state) if self.shuffle else None
        order = last.order if last else visit_order(len(codes), storage.nbytes, random_state)
        cancel = threading.Event()
        deadline = None if self.time_limit is None else started + self.time_limit
        task = Task(
            X=X,
            hashes=hashes,
            rule=named(self.rule),
            soft_margin=float(self.soft_margin),
            average=averages(self),
            min_margin=float(self.min_margin),
            limits=Limits(self.max_iter, self.max_updates, deadline, cancel.is_set),
            callbacks=(*self._callbacks, *((print_progress,) if self.verbose else ())),
        )
        try:
            sample = Sample.of(
                storage,
                signs_against_rest(codes, positives[0]),
                order=order,
                affine=bool(self.fit_intercept),
                slack2=task.soft_margin**2,
            )
        except ValueError:
            # The norms have met a NaN or an infinity; only then is it worth a pass to name it.
            assert_all_finite(X, input_name="X")
            raise

        def against_rest(k: int) -> Fitted:
            fitted = fit_binary(
                task,
                sample.relabelled(signs_against_rest(codes, k), steps[k]),
                classes[k],
                classes[0] if len(classes) == 2 else None,
                last.memories[k] if last else None,
            )
            if fitted.certificate.status is Status.INTERRUPTED:
                cancel.set()
            return fitted

        with cancel_on_interrupt(cancel):
            results = each(against_rest, positives, effective_n_jobs(self.n_jobs), cancel)
        self.classes_ = classes
        self.centre_ = sample.centre
        self._store(results)
        self.__dict__.pop("mistakes_", None)
        self._online = Online.from_fit(
            task.rule.specification(sample.lifted_radius),
            classes,
            [sample.relabelled(signs_against_rest(codes, k), steps[k]) for k in positives],
            [result.memory for result in results],
            task.average is True,
        )
        self._last = None
        if self.warm_start:
            memories = {k: result.memory for k, result in zip(positives, results, strict=True)}
            self._last = LastRun(asked, hashes, codes, order, memories)

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Go through some examples once, online.

        The centre is the first example, and the lift is fixed by the first batch that holds
        another. ``mistakes_`` counts the examples met on the wrong side, z.w <= 0, which for the
        classic rule is at most ``(R / gamma)^2`` on any sequence of margin gamma and radius R,
        both those of the lifted examples. An online run makes no certificate: it
        does not see its examples again. The model is the current iterate, or the mean over updates
        if ``average=True``; after ``fit`` it goes on from the last iterate.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples.
        y : array-like of shape (n_examples,)
            Their labels.
        classes : array-like, optional
            All labels that will ever come; needed in the first call only.

        Returns
        -------
        Perceptron
            The estimator itself.
        """
        first = self._online is None
        if first and hasattr(self, "certificate_"):
            raise ValueError("A stored model does not hold its last iterate; fit it again first.")
        X, labels = validated_batch(self, X, y, first)
        online = self._online or Online.from_first_batch(self, X, labels, classes)
        if not online.measured:
            online.measure(named(self.rule), X)
        if classes is not None and not np.array_equal(np.unique(classes), online.classes):
            raise ValueError("classes are not those of the first call of partial_fit.")
        online.learn(X, labels)
        for claim in CLAIMS_OF_A_FIT:
            self.__dict__.pop(claim, None)
        self._online = online
        self.classes_ = online.classes
        self.centre_ = online.centre
        self.coef_, self.intercept_ = online.model()
        self.mistakes_ = int(online.mistakes[0]) if len(online.w) == 1 else online.mistakes
        self.n_updates_ = int(online.states[:, UPDATES].sum())
        return self
