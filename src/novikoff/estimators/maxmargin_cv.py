"""The classifier of largest margin whose C is chosen by cross-validation."""

import math
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from novikoff.certificate.exact.slack import SQUARED_HINGE
from novikoff.certificate.threads import threads
from novikoff.estimators.fold_models import FoldModels
from novikoff.estimators.folds import Score, scoring_of, split
from novikoff.estimators.grid import beyond, may_improve, nearest, values_of
from novikoff.estimators.joint import is_joint
from novikoff.estimators.joint_folds import JointFoldModels
from novikoff.estimators.labels import checked_weights
from novikoff.estimators.linear import LinearModel, restore_on_error
from novikoff.estimators.margin_search import in_data_units
from novikoff.estimators.maxmargin import MaxMargin, is_hard_margin, remedy
from novikoff.estimators.one_vs_rest import deadline_in
from novikoff.estimators.options import check_max_margin_options
from novikoff.estimators.usual_cost import usual_cost
from novikoff.run import Limits
from novikoff.run.blas import blas_for

SEARCH_SHARE = 0.75
"""The share of a time limit that the search for C may take."""


class MaxMarginCV(LinearModel):
    """MaxMargin with the C that predicts best in cross-validation, with its certificate.

    Each C is scored on folds that its models have not seen; the best one, or the smallest of
    several best, is fitted to all examples as MaxMargin does, and certified. With more than two
    classes, which are fitted together, one C serves them all. The models of the folds are solved
    roughly and together, without certificates, so that the search costs much less than as many
    fits.

    Parameters
    ----------
    Cs : int or array of floats, default=10
        The values of C: so many on a grid, or those given. The grid is in units of the data: its
        last value is the hard margin, ``inf``, and the others are spaced evenly in logarithm around
        the C that the variances of the columns suggest. Where the largest of these is within a
        standard error of the best and the models of the folds still err on what they were fitted
        to, up to three larger values are tried, as long as each is better than all before and takes
        few passes. A model of a fold may take five times the passes that smaller values of C took
        there, or 100 if that is more, and is scored as it is then. The hard margin competes where
        every fold is separable, and that is found in few passes, at most half of those that the
        soft margins took or 100; else its scores are nan.
    cv : int, splitter or iterable, default=5
        The folds, as in scikit-learn; a number of folds is stratified by class, and reduced, with a
        warning, to the number of examples of the smallest class.
    scoring : str or callable, default=None
        The score to maximise, as in scikit-learn; by default accuracy. Scorers that take
        ``sample_weight`` are given it.
    loss : "squared_hinge" or "hinge", default="squared_hinge"
        The loss of the soft margins, as in MaxMargin.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.
    multi_class : "joint" or "ovr", default="joint"
        How more than two classes are fitted, as in MaxMargin.
    scale : bool, default=False
        Whether to divide each column by a power of two, as in MaxMargin; the same powers for all
        folds.
    tol : float, default=1e-3
        The certified relative gap of the final model, as in MaxMargin.
    max_iter : int, default=1000
        The limit on passes over the data, for each model.
    time_limit : float, optional
        The limit in seconds on the search for C and the final model together; a quarter of it is
        kept for the final model. Values of C that it leaves unscored have nan for scores, which a
        warning says; if none is scored, C is the value nearest to the one that the variances of the
        columns suggest.
    class_weight : dict, "balanced" or None, default=None
        Factors on the weights of the examples of each class, and so on their penalty.
    n_jobs : int, optional
        Threads, as in MaxMargin.
    verbose : int, default=0
        Print a line for every C, and for every pass of the final fit.

    Attributes
    ----------
    C_ : float
        The C that was chosen; ``inf`` is the hard margin.
    Cs_ : array of shape (n_Cs,)
        The values of C that were tried, ascending.
    scores_ : array of shape (n_folds, n_Cs)
        The scores on the examples held out.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        The normal vector, or one for each class if there are more than two.
    intercept_ : array of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : array of shape (n_classes,)
        The labels.
    certificate_ : Certificate
        What was proved of the final model, as in MaxMargin.
    status_ : Status
        How the final fit ended, in a sentence.
    margin_, margin_upper_bound_ : float; with "ovr" and more than two classes, an array
        The signed geometric margin of the model, and a bound on that of any.
    support_ : array; with "ovr" and more than two classes, a list of arrays
        The examples that carry the model.
    dual_coef_ : array of shape (n_support,) or (n_classes, n_support); with "ovr" a list
        Their weights times their signs, as in MaxMargin.
    n_iter_, n_updates_ : int
        Passes over the data and steps of the final fit.
    history_ : list of Progress; with "ovr" and more than two classes, a list of lists
        The bounds after every pass of the final fit.
    solver_ : str; with "ovr" and more than two classes, a list
        Which method solved the final problem.
    risk_ : Risk
        After :meth:`risk_certificate`: the bound on the error on new data.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the examples came with names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from novikoff import MaxMarginCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = MaxMarginCV(Cs=5).fit(X, y)
    >>> clf.scores_.mean(axis=0).round(3)
    array([0.951, 0.951, 0.963, 0.949, 0.947])
    >>> clf.Cs_.tolist().index(clf.C_), clf.certificate_.gap < 1e-3
    (2, True)
    """

    warm_start = False

    def __init__(
        self,
        *,
        Cs: int | ArrayLike = 10,
        cv: Any = 5,
        scoring: Any = None,
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        fit_intercept: bool = True,
        multi_class: Literal["joint", "ovr"] = "joint",
        scale: bool = False,
        tol: float = 1e-3,
        max_iter: int = 1000,
        time_limit: float | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _remedy(self) -> str:
        return remedy(scales=not self.scale)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose C by cross-validation, fit the model to all examples and certify it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples, as in MaxMargin.
        y : array-like of shape (n_examples,)
            The labels: strings, numbers or booleans.
        sample_weight : array-like of shape (n_examples,), optional
            Factors on the penalty ``C``, one for each example, and on how much it counts in the
            score. A weight 0 leaves it out.

        Returns
        -------
        MaxMarginCV
            The estimator itself.
        """
        check_max_margin_options(self.with_C(math.inf))
        with restore_on_error(self), threads(self.n_jobs):
            interrupted = self._fit(X, y, sample_weight)
        if interrupted:
            raise KeyboardInterrupt
        self._warn_if_cut_short()
        return self

    def with_C(self, C: float, **parameters: Any) -> MaxMargin:
        """Return MaxMargin with this C and the parameters that both have, not fitted.

        Parameters
        ----------
        C : float
            The penalty on margin violations.
        **parameters
            They replace those of this estimator.

        Returns
        -------
        MaxMargin
            A new estimator.
        """
        theirs = MaxMargin().get_params(deep=False)
        shared = {
            name: value for name, value in self.get_params(deep=False).items() if name in theirs
        }
        return MaxMargin(**{**shared, **parameters, "C": C})

    def final_model(self) -> MaxMargin:
        """Return the final model as a fitted MaxMargin; :func:`novikoff.save` stores this.

        Returns
        -------
        MaxMargin
            With the C that was chosen, and the same hyperplanes and certificate.
        """
        check_is_fitted(self)
        model = self.with_C(self.C_)
        ours = ("C_", "Cs_", "scores_")
        for name, value in vars(self).items():
            if name.endswith("_") and name not in ours:
                setattr(model, name, value)
        model.C_ = self._C_of_model
        model._chosen_from = self._chosen_from
        return model

    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> bool:
        deadline = deadline_in(self.time_limit)
        usual = self._choose(X, y, sample_weight)
        means = self.scores_.mean(axis=0)
        # Of several best, argmax is the first: the smallest C.
        best = int(np.nanargmax(means)) if np.isfinite(means).any() else nearest(self.Cs_, usual)
        interrupted = self._refit(float(self.Cs_[best]), X, y, sample_weight, deadline)
        finite = np.isfinite(self.Cs_) & np.isfinite(means)
        soft = not np.isfinite(self.Cs_[best]) and not self._is_hard
        if soft and finite.any() and not interrupted:
            # Every fold is separable, but not all examples together.
            best = int(np.nanargmax(np.where(finite, means, np.nan)))
            interrupted = self._refit(float(self.Cs_[best]), X, y, sample_weight, deadline)
        self.C_ = float(self.Cs_[best])
        self._forget("risk_")
        # How many values there were; 0 where the data placed them.
        self._chosen_from = 0 if np.ndim(self.Cs) == 0 else len(self.Cs_)
        return interrupted

    @property
    def _is_hard(self) -> bool:
        return all(is_hard_margin(part) for part in self.certificate_.parts)

    def _choose(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> float:
        """Score every C in every fold; return the one that the columns suggest."""
        limit = self.time_limit
        deadline = deadline_in(None if limit is None else SEARCH_SHARE * limit)
        training = self.with_C(math.inf)._read(X, y, sample_weight, of=self)
        weights = checked_weights(sample_weight, len(training.codes))
        order = np.arange(len(training.codes))
        if training.costs is not None:
            order = np.flatnonzero(training.costs > 0.0)
        sample = training.sample(order=order, rescale=True)
        folds = split(self.cv, training, weights)
        score = scoring_of(self, self.scoring, training, weights)
        joint = is_joint(self.multi_class, training.classes)
        own = usual_cost(sample, training.costs, len(training.classes) if joint else 2)
        usual = in_data_units(own, 2 * sample.exponent)
        limits = Limits(max_iter=self.max_iter, deadline=deadline)
        kind = JointFoldModels if joint else FoldModels
        squared = self.loss == SQUARED_HINGE
        models = kind(training, sample, folds, tol=float(self.tol), limits=limits, squared=squared)
        # Products of all folds at once are large, where those of one are small.
        with (
            nullcontext()
            if models.batched
            else blas_for(*training.X.shape, is_sparse=issparse(training.X))
        ):
            self._score(models, score, values_of(self.Cs, usual))
        unscored = int(np.isnan(self.scores_).any(axis=0).sum())
        if unscored and limits.is_over:
            warnings.warn(
                f"The time limit of {limit} s left {unscored} of {len(self.Cs_)} values of C "
                "without a score; raise it, or give fewer values.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return usual

    def _score(
        self, models: FoldModels | JointFoldModels, score: Score, Cs: NDArray[np.float64]
    ) -> None:
        """Score the values of C, larger ones as long as that helps, and the hard margin."""
        self.Cs_, self.scores_ = np.empty(0), np.empty((len(models.folds), 0))
        finite = Cs[np.isfinite(Cs)].tolist()
        for C in finite:
            self._append(C, self._scores_of(models, score, partial(models.soft, C)))
        for C in beyond(self.Cs, finite[-1]) if finite else ():
            first = len(self.Cs_) == len(finite)
            # The hard margin is the limit where the models make no mistakes.
            if not may_improve(self.scores_, within_error=first) or not models.mistakes:
                break
            scores = self._scores_of(models, score, partial(models.soft, C, in_few_passes=True))
            if np.isnan(scores).any():
                break
            self._append(C, scores)
        if len(finite) < len(Cs):
            self._append(math.inf, self._scores_of(models, score, models.hard))

    def _scores_of(
        self, models: FoldModels | JointFoldModels, score: Score, solve: Callable[[], bool]
    ) -> NDArray[np.float64]:
        if models.limits.is_over or not solve():
            return np.full(len(models.folds), np.nan)
        return np.array([score(fold, models.held_out(k)) for k, fold in enumerate(models.folds)])

    def _append(self, C: float, scores: NDArray[np.float64]) -> None:
        self.Cs_ = np.append(self.Cs_, C)
        self.scores_ = np.column_stack([self.scores_, scores])
        if self.verbose:
            print(f"C={C:.6g}: mean score {scores.mean():.6g}", file=sys.stderr)

    def _refit(
        self,
        C: float,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        deadline: float | None,
    ) -> bool:
        left = None if deadline is None else max(0.0, deadline - time.perf_counter())
        model = self.with_C(C, time_limit=left).set_callbacks(*self._callbacks)
        interrupted = model._fit(X, y, sample_weight, None)
        self._forget("risk_")
        self.__dict__.update(
            {name: value for name, value in vars(model).items() if name.endswith("_")}
        )
        self._C_of_model = model.C_
        return interrupted
