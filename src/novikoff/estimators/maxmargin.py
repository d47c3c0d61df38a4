"""The classifier of largest margin, as a scikit-learn classifier."""

import warnings
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.certificate import Certificate, Joint, Separation, Status
from novikoff.certificate.threads import threads
from novikoff.estimators.joint import fit_jointly, is_joint
from novikoff.estimators.kernel_options import is_linear
from novikoff.estimators.linear import LinearModel, restore_on_error
from novikoff.estimators.margin_fit import MarginFit
from novikoff.estimators.one_vs_rest import deadline_in, fit_classes
from novikoff.estimators.options import check_max_margin_options
from novikoff.estimators.start import joint_weights_of, weights_of
from novikoff.estimators.training import Training


class MaxMargin(LinearModel):
    """The hyperplane of largest margin, hard or soft, with a proof of how close to it it is.

    With ``C=inf`` it separates the examples as widely as any hyperplane can, to within ``tol``,
    or proves that no hyperplane separates them and fits the soft margin instead. With a finite
    ``C`` it minimises ``|w|^2 / 2 + C sum_i s_i max(0, 1 - y_i (w . x_i + b))^2``, or without the
    square if ``loss="hinge"``. That is LinearSVC's meaning of ``C``, but leaves the intercept
    unpenalised; with the hinge it is SVC's problem.

    More than two classes are fitted together: each class ``r`` has a score
    ``f_r(x) = W_r . x + b_r``, the largest of which predicts. The margin is the least
    ``(f_y(x) - f_r(x)) / (sqrt(2) |W|)`` over all examples, where ``y`` is the class of ``x`` and
    ``r`` another, and the soft objective ``|W|^2 + C sum_i s_i max(0, 1 + max_r f_r(x_i) -
    f_y(x_i))^2``, again without the square if ``loss="hinge"``: that is Crammer and Singer's, of
    which ``LinearSVC(multi_class="crammer_singer")`` has half the ``C`` for the same model. Margin
    and objective are those above if there are two classes.

    Parameters
    ----------
    C : float, default=inf
        The penalty on margin violations, as in LinearSVC; ``inf`` is the hard margin.
    loss : "squared_hinge" or "hinge", default="squared_hinge"
        The loss of the soft margin, as in LinearSVC. The hinge weighs large violations less and
        leaves fewer support vectors, but takes more passes, the more the larger ``C`` is; its model
        has no :meth:`risk_certificate`. For the linear kernel.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.
    tol : float, default=1e-3
        The certified relative gap: between the margin reached and the bound on any (hard), or
        between the primal and the dual objective (soft).
    nonseparable : "soft" or "raise", default="soft"
        What a hard margin does when no hyperplane separates the examples: fit the soft margin
        with a ``C`` that the variances of the columns suggest (``C_`` states it; MaxMarginCV
        finds a better one by cross-validation), or raise.
    multi_class : "joint" or "ovr", default="joint"
        How more than two classes are fitted: together, or each against the rest, with a
        certificate for each.
    kernel : str or callable, default="linear"
        ``"linear"``, ``"rbf"``, ``"poly"``, ``"sigmoid"``, ``"laplacian"``, ``"precomputed"`` (then
        ``X`` holds the values of all pairs), or a function that returns the matrix of values for
        two matrices of examples, whose values are then float64. Formulas and names are those of
        scikit-learn's SVC. Margins and certificates are then of the feature space of the kernel.
    gamma : "scale", "auto" or float, default="scale"
        The coefficient of ``rbf``, ``poly``, ``sigmoid`` and ``laplacian``; ``"scale"`` is
        ``1 / (n_features * X.var())`` and ``"auto"`` is ``1 / n_features``.
    degree : int, default=3
        The degree of ``poly``.
    coef0 : float, default=0.0
        The constant of ``poly`` and ``sigmoid``.
    cache_size : float, default=200
        Megabytes for kernel values. What does not fit is computed again when it is needed.
    scale : bool, default=False
        Whether to divide each column by the power of two nearest to half of its range, over the
        examples that take part, in a copy of the data; for columns of different units. The division
        is exact, so ``coef_`` applies to the data as they are, and ``verify`` checks them as they
        are. Margins, norms and objectives are in units of the scaled columns.
    max_iter : int, default=5000
        The limit on passes over the data; a soft margin that replaces the hard one has as many
        again, and at least 10.
    time_limit : float, optional
        The limit in seconds on the search; what it found is certified after that.
    warm_start : bool, default=False
        Whether the next fit starts from the weights of this one, if it has as many examples. On
        the same data and with ``C=inf`` it also keeps what this one proved, where that is more.
    class_weight : dict, "balanced" or None, default=None
        Factors on the weights of the examples of each class, and so on their penalty. A hard
        margin that separates the examples has no violations to weigh: a warning says so.
    n_jobs : int, optional
        Threads: for each class against the rest, or, of two classes, for passes over the data; -1
        for all processors. The result does not depend on it.
    verbose : int, default=0
        Print a line for every pass.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        The normal vector, or one for each class if there are more than two. Scaled so that
        ``y f(x) = 1`` at the margin; jointly, ``f_y(x) - f_r(x) = 1``.
    intercept_ : array of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : array of shape (n_classes,)
        The labels.
    certificate_ : Certificate
        What was proved: a Separation, a NonSeparation, a SoftOptimum, or an Inconclusive where a
        limit was reached; for more than two classes a Joint, or a PerClass with "ovr". Where
        nothing separates the examples, ``certificate_.model.soft`` says how close the model is to
        the soft optimum.
    status_ : Status
        How the run ended, in a sentence.
    margin_, margin_upper_bound_ : float; with "ovr" and more than two classes, an array
        The signed geometric margin of the model, and a bound on that of any; with
        ``scale=True``, in units of the scaled columns.
    support_ : array; with "ovr" and more than two classes, a list of arrays
        The examples that carry the model.
    dual_coef_ : array of shape (n_support,) or (n_classes, n_support); with "ovr" a list
        Their weights times their signs, as in SVC: ``coef_ = dual_coef_ @ X[support_]`` at the
        optimum, and the closer to it the smaller the gap; with a kernel the decision function is
        ``dual_coef_ @ k(support_vectors_, x) + intercept_``. With ``scale=True`` both sides are in
        units of the scaled columns.
    support_vectors_ : array, or list of arrays
        The examples of ``support_``; not for the linear kernel, and empty for a precomputed one.
    C_ : float; with "ovr" and more than two classes, an array
        The C of the model: that of the soft margin where nothing separates the examples.
    n_iter_, n_updates_ : int
        Passes over the data (of the longest run; at most ``max_iter``) and steps on candidates
        (over all classes).
    history_ : list of Progress; with "ovr" and more than two classes, a list of lists
        The bounds after every pass.
    solver_ : str; with "ovr" and more than two classes, a list
        Which method solved the problem; several, joined by "+", where one handed over to the next.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the examples came with names.
    risk_ : Risk
        After :meth:`risk_certificate`: the bound on the error on new data.
    about_ : dict
        After :func:`novikoff.load`: the ``about`` that was given to :func:`novikoff.save`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import MaxMargin
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MaxMargin(tol=1e-6).fit(X, y == 0)
    >>> print(clf.certificate_.verify(X, y == 0))
    Verified: the hyperplane separates True (50) from False (100) with margin at least 0.8175...,
    and no hyperplane has more than 0.8175.... All 150 examples take part, without weights;
    hyperplanes with an intercept.
    >>> clf.certificate_.gap < 1e-6, len(clf.support_)
    (True, 3)
    >>> clf = MaxMargin().fit(X, y == 1)
    >>> bool(clf.certificate_), clf.C_
    (False, 14.82...)

    With the hinge in place of its square:

    >>> clf = MaxMargin(C=1.0, loss="hinge").fit(X, y)
    >>> print(clf.certificate_.verify(X, y))
    Verified: the joint soft margin of all 3 classes. ...

    All three classes together; no hyperplane separates two of them:

    >>> clf = MaxMargin().fit(X, y)
    >>> print(clf.certificate_)
    Not separable: no linear model separates the classes of the 150 examples.
    Two of the classes prove it: no hyperplane separates 1 from 2. ...
    """

    _last: dict[int, NDArray[np.float64]] | NDArray[np.float64] | None = None

    def __init__(
        self,
        *,
        C: float = np.inf,
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        fit_intercept: bool = True,
        tol: float = 1e-3,
        nonseparable: Literal["soft", "raise"] = "soft",
        multi_class: Literal["joint", "ovr"] = "joint",
        kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        cache_size: float = 200,
        scale: bool = False,
        max_iter: int = 5000,
        time_limit: float | None = None,
        warm_start: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.nonseparable = nonseparable
        self.multi_class = multi_class
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.cache_size = cache_size
        self.scale = scale
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _remedy(self) -> str:
        return remedy(scales=self.kernel == "linear" and not self.scale)

    def _remedy_of(self, status: Status) -> str:
        if status is not Status.PRECISION or is_linear(self):
            return self._remedy
        softer = f"a {'finite' if np.inf == self.C else 'smaller'} C"
        if self.kernel == "precomputed" or callable(self.kernel):
            return (
                "Rounding of the given kernel values counts: give X with a kernel by name, values "
                f"in float64 of centred examples, or {softer}; or raise tol."
            )
        return (
            "Rounding of the kernel values counts: centre the features and scale them to about 1, "
            f"or give another gamma or coef0, or {softer}; or raise tol."
        )

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        start: LinearModel | None = None,
    ) -> Self:
        """Fit the model and certify it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples. C-ordered float64, float32 and uint8 arrays and CSR matrices are read
            in place.
        y : array-like of shape (n_examples,)
            The labels: strings, numbers or booleans.
        sample_weight : array-like of shape (n_examples,), optional
            Factors on the penalty ``C``, one for each example. A weight 2 is the example twice, a
            weight 0 leaves it out.
        start : Perceptron or MaxMargin, optional
            A model fitted on the same examples, whose weights (for a perceptron, its counts) are
            where the search begins; with ``warm_start`` it goes before the last fit.

        Returns
        -------
        MaxMargin
            The estimator itself.
        """
        check_max_margin_options(self)
        with restore_on_error(self), threads(self.n_jobs):
            interrupted = self._fit(X, y, sample_weight, start)
        if interrupted:
            raise KeyboardInterrupt
        self._warn_if_cut_short()
        self._warn_if_weights_are_idle(sample_weight)
        return self

    def _warn_if_weights_are_idle(self, sample_weight: ArrayLike | None) -> None:
        """Warn if weights were given and cannot matter: a hard margin violates nothing."""
        parts = self.certificate_.parts
        if not all(is_hard_margin(part) for part in parts):
            return
        idle = []
        if len(set(self.certificate_.problem.class_weights or ())) > 1:
            idle.append("class_weight")
        if sample_weight is not None:
            positive = np.asarray(sample_weight)[np.asarray(sample_weight) > 0.0]
            # Without weight an example is left out, which does matter.
            idle.extend(["sample_weight"] if len(np.unique(positive)) > 1 else [])
        if idle:
            warnings.warn(
                f"The examples are separable, so {' and '.join(idle)} had no effect on the hard "
                "margin; give a finite C, or use MaxMarginCV, for weights to matter.",
                UserWarning,
                stacklevel=3,
            )

    def _read(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, *, of: Any) -> Training:
        """Return the examples as validated for an estimator."""
        return Training.of(
            of,
            X,
            y,
            affine=bool(self.fit_intercept),
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            scale=bool(self.scale),
        )

    def _fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        start: LinearModel | None,
    ) -> bool:
        deadline = deadline_in(self.time_limit)
        training = self._read(X, y, sample_weight, of=self)
        if not is_linear(self):
            return self._fit_kernel(training, start, deadline)
        order = np.arange(len(training.codes))
        if training.costs is not None:
            order = np.flatnonzero(training.costs > 0.0)
        sample = training.sample(order=order, rescale=True)
        asked = float(self.C), float(self.tol), self.nonseparable, self.loss
        how: dict[str, Any] = dict(
            before=self._before,
            max_iter=self.max_iter,
            deadline=deadline,
            callbacks=self._reporters(),
        )
        last = self._last if self.warm_start else None
        self._last = None
        if is_joint(self.multi_class, training.classes):
            # The modules of several classes and of kernels are imported by the fits that need them.
            from novikoff.estimators.joint_margin_fit import JointMarginFit

            weights = last if isinstance(last, np.ndarray) else None
            if start is not None:
                weights = joint_weights_of(start, training)
            fitted, interrupted = fit_jointly(
                training, sample, JointMarginFit(*asked, weights), **how
            )
            self._store([fitted], fitted.certificate, training.classes)
            if self.warm_start:
                self._last = fitted.last
            return interrupted
        starts = last if isinstance(last, dict) else None
        if start is not None:
            starts = weights_of(start, training)
        results, certificate, interrupted = fit_classes(
            training, sample, MarginFit(*asked, starts), n_jobs=self.n_jobs, **how
        )
        self._store(list(results.values()), certificate, training.classes)
        if self.warm_start:
            self._last = {k: result.last for k, result in results.items()}
        return interrupted

    def _fit_kernel(
        self,
        training: Training,
        start: LinearModel | None,
        deadline: float | None,
    ) -> bool:
        if start is not None:
            raise ValueError("start is for the linear kernel; use warm_start.")
        from novikoff.estimators.joint_kernel_margin_fit import JointKernelMarginFit
        from novikoff.estimators.kernel_margin_fit import KernelMarginFit
        from novikoff.estimators.kernel_training import KernelTraining

        last = self._last if self.warm_start else None
        examples = KernelTraining.of(self, training)
        training, rows = examples.training, examples.rows()
        asked = float(self.C), float(self.tol), self.nonseparable, self.loss
        how: dict[str, Any] = dict(
            before=self._before,
            max_iter=self.max_iter,
            deadline=deadline,
            callbacks=self._reporters(),
        )
        self._last = None
        if is_joint(self.multi_class, training.classes):
            weights = last if isinstance(last, np.ndarray) else None
            search = JointKernelMarginFit(*asked, weights)
            one, interrupted = fit_jointly(
                training, rows, search, certifier=examples.joint_certifier, **how
            )
            fitted, certificate = [one], one.certificate
            new: Any = one.last
        else:
            results, certificate, interrupted = fit_classes(
                training,
                rows,
                KernelMarginFit(*asked, last if isinstance(last, dict) else None),
                n_jobs=self.n_jobs,
                certifier=examples.certifier,
                errors=examples.joint_errors,
                **how,
            )
            fitted = list(results.values())
            new = {k: result.last for k, result in results.items()}
        self._machine = examples.machine(certificate, [result.support for result in fitted])
        self._store(fitted, certificate, training.classes)
        if self.warm_start:
            self._last = new
        return interrupted


def is_hard_margin(part: Certificate) -> bool:
    """Whether a certificate is of a hard margin that separates the examples."""
    if isinstance(part, Joint):
        return part.lower > 0.0 and part.soft is None
    return isinstance(part, Separation)


def remedy(*, scales: bool) -> str:
    """Say what helps a run that ended at a limit; ``scales``: whether ``scale=True`` may."""
    if scales:
        return "Raise the limit, raise tol, or scale the features (scale=True)."
    return "Raise the limit, or raise tol."
