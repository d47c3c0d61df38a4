"""The perceptron with every rule of the paper, as a scikit-learn classifier."""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.certificate.threads import threads
from novikoff.estimators.kernel_options import is_linear
from novikoff.estimators.linear import LinearModel, restore_on_error
from novikoff.estimators.linear_perceptron import fit_rows, visits_of
from novikoff.estimators.online import Online
from novikoff.estimators.online_batch import learned, unless_scaled
from novikoff.estimators.online_joint import JointOnline
from novikoff.estimators.options import check_perceptron_options
from novikoff.estimators.perceptron_advice import LongRun, warn_of_units
from novikoff.estimators.rule_fit import LastRun
from novikoff.estimators.rule_problem import Outcome, RuleProblem
from novikoff.rules import Rule, named

CLAIMS_OF_A_FIT = (
    "_visits",
    "certificate_",
    "margin_",
    "margin_upper_bound_",
    "C_",
    "support_",
    "dual_coef_",
    "history_",
    "solver_",
    "n_iter_",
    "risk_",
)


class Perceptron(LinearModel):
    """A perceptron that says what it proved.

    Runs a rule of the paper *On the Perceptron's Compression* until no example is violated, and
    returns a hyperplane with a certificate: the margin it achieves, an upper bound on the margin
    of any hyperplane, and the few examples that carry the model. With the defaults it also
    serves noisy data: the run ends as soon as it has proved that no separator with margin at
    least ``min_margin * R`` exists, and the model is then the average over updates. Where a run on
    little data lasts, it looks for a proof that nothing separates the examples, and if there is one
    it makes a model in few passes; otherwise it goes on as its rule says.

    Parameters
    ----------
    rule : str or Rule, default="mean-norm"
        When an example is violated and how far to step: ``"classic"``, ``"margin"``,
        ``"mean-norm"``, ``"scale-free"``, ``"infinity"``, ``"scale-free-infinity"``,
        ``"dynamic"``, ``"passive-aggressive"``, ``"alma"``, ``"min-over"``, or an object of
        :mod:`novikoff.rules`.
    multi_class : "joint" or "ovr", default="joint"
        How more than two classes are fitted; of two, both are the same. ``"joint"``: one model of
        all classes, whose largest score decides (Kesler's construction). An example is violated
        where the margin to its worst wrong class is, and a step adds it to the vector of its own
        class and subtracts it from that of the wrong one. The bounds of the rules hold with
        ``margin = min (f_y - f_r) / (sqrt(2) |W|)``, a lower bound on the distance to every
        boundary between two classes. On noisy data it makes at least ten passes, and
        the mean leaves out the first quarter to half of them. ``"ovr"``: each class against the
        rest, with a certificate for each.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin. Examples are then read relative to the median
        of the first 32 that are visited, column by column, and lifted by a distance between
        these (:mod:`novikoff.sample.centre`), which makes the fit invariant under
        translation; nothing is copied. ``"min-over"`` needs no lift: it steps on differences.
    C : float, default=inf
        The penalty on margin violations, as in LinearSVC; ``inf`` is the hard margin. With a
        finite C the run sees each example with a coordinate of its own (the slack lift), which
        makes every data set separable, and the certificate is a
        :class:`~novikoff.certificate.SoftOptimum`. Not the ``C`` of
        :class:`~novikoff.rules.PassiveAggressive`, which limits the length of a step. Kernels
        such as ``rbf`` separate all distinct examples, mislabelled ones too: give a finite C where
        labels are noisy.
    average : bool or "auto", default="auto"
        Whether the model is the average over updates. ``"auto"``: only where the run neither
        satisfied its rule nor found an iterate without a training error; over the updates of the
        last passes, where it is proved that nothing separates the examples.
    min_margin : float, default=1e-3
        In units of R, the largest distance to the centre (with ``fit_intercept=False``, the
        largest norm): end as soon as no separator with at least this margin can exist. 0: never,
        and look for no proof on the way that there is no separator at all.
    kernel : str or callable, default="linear"
        ``"linear"``, ``"rbf"``, ``"poly"``, ``"sigmoid"``, ``"laplacian"``, ``"precomputed"`` (then
        ``X`` holds the values of all pairs), or a function that returns the matrix of values for
        two matrices of examples, whose values are then float64. Formulas and names are those of
        scikit-learn's SVC. Margins and certificates are then of the feature space of the kernel.
    gamma : "scale", "auto" or float, default="scale"
        The coefficient of ``rbf``, ``poly``, ``sigmoid`` and ``laplacian``; ``"scale"`` is
        ``1 / (n_features * X.var())``, with each example as often as it weighs, and ``"auto"`` is
        ``1 / n_features``.
    degree : int, default=3
        The degree of ``poly``.
    coef0 : float, default=0.0
        The constant of ``poly`` and ``sigmoid``.
    cache_size : float, default=200
        Megabytes for kernel values. Where those between the examples that carry weight do not fit,
        the order of visits depends on it, and so does the model.
    budget : int, optional
        How many examples may have weight, with a kernel (one-vs-rest: in each model); a prediction
        costs as many kernel values, and one for the centre. Once so many have weight, no other is
        taken in, and the run only satisfies these. If others are violated then, it ends with the
        status ``BUDGET``: the bounds of the rule on updates and margin are then not claimed. The
        certificate states what is proved of the model on all examples, as always; there is no
        :meth:`risk_certificate`. Not for ``"min-over"``.
    scale : bool, default=False
        Whether to divide each column by the power of two nearest to half of its range, over the
        examples that take part, in a copy of the data; for columns of different units. The division
        is exact, so ``coef_`` applies to the data as they are, and ``verify`` checks them as they
        are. Margins, norms and objectives are in units of the scaled columns.
    max_iter : int, default=1000
        The limit on full passes; cheap passes over near-violated examples are not counted.
    max_updates : int, optional
        The limit on updates.
    time_limit : float, optional
        The limit in seconds.
    shuffle : bool, default=True
        Whether the order of visits is drawn at random, once. Up to 1 MB of data, or 1,000 visits
        in a pass with a kernel, it does not depend on the order of the rows; larger data keep runs
        of neighbouring rows (up to 256 kB) together, and of a kernel the positions of the rows are
        shuffled.
    schedule : "sweep" or "compress", default="sweep"
        ``"compress"`` makes the support small, and with it the bound of :meth:`risk_certificate`:
        visit the examples that have weight until they are satisfied, and only then the worst of
        all, at a pass over the data for each; and read the examples relative to the first one, not
        to a median. Any rule may go about its run like this (but
        ``"min-over"``, which picks the worst anyhow); for the linear kernel.
    random_state : int, RandomState or None, default=None
        Draws the order.
    warm_start : bool, default=False
        Whether the next fit on the same data continues where this one stopped, and with
        ``C=inf`` keeps its upper bound where that is smaller. On other data a fit starts anew,
        since ``w`` must be a sum of the examples that it is certified for.
    class_weight : dict, "balanced" or None, default=None
        Scales the steps of a class, and with a finite C what its slack costs, as in LinearSVC;
        ``"balanced"`` counts an example as often as it weighs. The certificate is valid for any
        steps; the bounds on updates and margin that a rule states are for steps of equal length.
    n_jobs : int, optional
        Threads: for each class against the rest, or else for passes over the data; -1 for all
        processors. The result does not depend on it.
    verbose : int, default=0
        Print a line for every full pass.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        The normal vectors; one for each class if there are more than two.
    intercept_ : array of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : array of shape (n_classes,)
        The labels.
    certificate_ : Certificate
        What was proved; of more than two classes a ``Joint``, or a ``PerClass``.
    status_ : Status
        How the run ended, in a sentence.
    margin_, margin_upper_bound_ : float or array of shape (n_classes,)
        The signed geometric margin of the model as returned, and a bound on that of any
        hyperplane; with ``scale=True``, in units of the scaled columns. Here and below, arrays of
        shape (n_classes,) and lists are those of ``multi_class="ovr"``.
    support_ : array, or list of arrays
        The examples that the model is a function of, in the order of visits. Refitting on them
        alone with ``shuffle=False`` gives the same model, bit for bit, whenever the rule was
        satisfied and is one with unit steps, and the examples had no ``sample_weight``. With
        ``scale=True`` the powers of two come from all examples: the support alone may have other
        ranges, and then gives another model.
    dual_coef_ : array, or list of arrays
        The weights of ``support_`` times their signs, so that
        ``coef_ = dual_coef_ @ (X[support_] - centre_)``; integers for unit steps. Jointly, of shape
        (n_classes, n_support): for each example the sum of its weights at its own class, and minus
        its weight against each other class. A weight 0
        marks an example that shaped the run but not the model, such as the most distant one. With
        ``scale=True`` both sides are in units of the scaled columns.
    centre_ : array of shape (n_features,)
        The origin that the examples are read relative to; zero if there is no intercept. With a
        kernel they are read relative to the first example visited, in feature space: the decision
        function is ``dual_coef_ @ (k(support_vectors_, x) - k(centre, x))`` plus a constant.
    support_vectors_ : array, or list of arrays
        The examples of ``support_``; not for the linear kernel, and empty for a precomputed one.
    n_updates_, n_iter_ : int
        Updates (over all classes) and full passes (of the longest run).
    history_ : list of Progress, or list of lists
        Updates, mistakes and bounds after every full pass; of those after a proof that nothing
        separates the examples, after some.
    C_ : float or array of shape (n_classes,)
        The C of the model.
    solver_ : str, or list of str
        The name of the rule.
    mistakes_ : int or array of shape (n_classes,)
        After ``partial_fit``: how often an example was on the wrong side when it was visited;
        jointly, how often another class had a score as large as its own.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the examples came with names.
    risk_ : Risk
        After :meth:`risk_certificate`: the bound on the error on new data.
    about_ : dict
        After :func:`novikoff.load`: the ``about`` that was given to :func:`novikoff.save`.

    Notes
    -----
    ``sample_weight`` equals repetition. An example of weight s is visited ``ceil(s)`` times in a
    pass, each time with ``s / ceil(s)`` of a step: a whole number is so many copies of the row, to
    the last bit of the model, and zero is absence. Copies are visited apart from each other, as
    repeated rows are: the order of visits is drawn for what an example is (the ranks of its values
    in their columns; with a kernel, its distances to the others in feature space), not for where it
    stands. The model is that of rows repeated in place where the data are larger than 1 MB, or with
    a kernel have more than 1,000 copies; with ``shuffle=False``; and with a kernel, among examples
    that a symmetry of all distances exchanges. With fractions the bounds on updates and margin that
    a rule states do not hold, which are for steps of equal length. The certificate is valid for any
    weights: with ``C=inf`` it is about all examples of positive weight alike, and with a finite C
    the squared slack of an example costs s times as much, as in :class:`~novikoff.MaxMargin`. A
    copy of the repeated rows is made; weights that would make too many are refused. Weights are
    counts: those that sum to 1 make tiny steps, and most rules then need many more passes, so
    divide weights by their mean.

    A kernel is visited in the same order by its name, as a function and as a matrix of its values.
    Values that differ by rounding may give another model, where a margin is within rounding of the
    threshold of the rule; by the rounding of float64, they change the order itself less often than
    once in 1,000 fits of 1,000 examples.

    Ctrl-C ends a fit early: the best model so far is stored, with a certificate of what is proved
    of it, and KeyboardInterrupt is raised.

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
    Verified: the hyperplane separates True (50) from False (100) with margin at least ..., and no
    hyperplane has more than .... All 150 examples take part, without weights; hyperplanes with an
    intercept.

    Several classes together:

    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = Perceptron(random_state=0).fit(X, y)
    >>> clf.score(X, y), clf.coef_.shape, bool(clf.certificate_)
    (1.0, (10, 64), True)
    >>> (clf.coef_ == clf.dual_coef_ @ (X[clf.support_] - clf.centre_)).all()
    np.True_
    """

    _last: LastRun | None = None
    _visits: NDArray[np.int64] | None = None
    _online: Online | JointOnline | None = None

    def __init__(
        self,
        *,
        rule: str | Rule = "mean-norm",
        multi_class: Literal["joint", "ovr"] = "joint",
        fit_intercept: bool = True,
        C: float = np.inf,
        average: bool | Literal["auto"] = "auto",
        min_margin: float = 1e-3,
        kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        cache_size: float = 200,
        budget: int | None = None,
        scale: bool = False,
        max_iter: int = 1000,
        max_updates: int | None = None,
        time_limit: float | None = None,
        shuffle: bool = True,
        schedule: Literal["sweep", "compress"] = "sweep",
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rule = rule
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.C = C
        self.average = average
        self.min_margin = min_margin
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.cache_size = cache_size
        self.budget = budget
        self.scale = scale
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.time_limit = time_limit
        self.shuffle = shuffle
        self.schedule = schedule
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _remedy(self) -> str:
        has_scale = self.scale or self.kernel != "linear"
        scale = "Use" if has_scale else "Set scale=True, or use"
        hard = self.C == np.inf
        rule = "ask less of the rule, or give a finite C" if hard else "or ask less of the rule"
        return f"{scale} MaxMargin, which needs few passes; or raise the limit, {rule}."

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of a rule that is given by its name.

        Parameters
        ----------
        **params : dict
            As in scikit-learn; ``rule__beta`` is the ``beta`` of the rule.

        Returns
        -------
        Perceptron
            The estimator itself.
        """
        rule = params.get("rule", self.rule)
        if isinstance(rule, str) and any(name.startswith("rule__") for name in params):
            params = {**params, "rule": named(rule)}
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model and certify it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples. C-ordered float64, float32 and uint8 arrays and CSR matrices are read
            in place.
        y : array-like of shape (n_examples,)
            The labels: strings, numbers or booleans.
        sample_weight : array-like of shape (n_examples,), optional
            How often an example counts: it is visited ``ceil(s)`` times in a pass, each time with
            ``s / ceil(s)`` of a step. See the notes.

        Returns
        -------
        Perceptron
            The estimator itself.
        """
        check_perceptron_options(self)
        with restore_on_error(self), threads(self.n_jobs):
            problem = RuleProblem.of(self, X, y, sample_weight)
            interrupted = self._fit(problem)
        if interrupted:
            raise KeyboardInterrupt
        if not self._warn_if_cut_short() and is_linear(self) and not self.scale:
            warn_of_units(self.certificate_, problem.training)
        return self

    def _fit(self, problem: RuleProblem) -> bool:
        if is_linear(self):
            outcome = self._fit_rows(problem)
        else:
            # Imported here, as few fits need it.
            from novikoff.estimators.kernel_perceptron import fit_in_feature_space

            outcome, self._machine = fit_in_feature_space(self, problem, self._reporters())
            self._forget("centre_", "_visits")
            self._online = None
        self._store(outcome.fitted, outcome.certificate, problem.training.classes)
        self._forget("mistakes_")
        self._last = problem.last_run(outcome) if self.warm_start else None
        return outcome.interrupted

    def _fit_rows(self, problem: RuleProblem) -> Outcome:
        advice = [LongRun(self.max_iter, self._remedy)] if problem.C == np.inf else []
        outcome = fit_rows(self, problem, (*self._reporters(), *advice))
        self.centre_ = problem.training.unscaled(outcome.sample.centre)
        self._visits = visits_of(problem, outcome)
        self._online = None
        if not self.scale:
            steps = problem.step_weights(self.class_weight)
            run = (problem.rule, problem.copies.training, outcome.sample, steps, outcome.memories)
            self._online = Online.from_fit(*run, problem.average is True)
        return outcome

    @unless_scaled
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go through some examples once, online.

        The centre is the first example, and the lift is fixed by the first batch that contains
        another: the distance to the first of another class, or else to the farthest. ``mistakes_``
        counts the visits to examples on the wrong side, z.w <= 0, which for the classic rule is at
        most ``(R / gamma)^2`` on any sequence of margin gamma and radius R, both those of the
        lifted examples, jointly of their virtual rows, where all steps have the same length. An
        online run has no certificate, since it does not see its examples again. The model is the
        current iterate, or the mean over updates if ``average=True``; after ``fit``, learning
        continues from the last iterate. With ``scale=True`` there is no ``partial_fit``: the ranges
        of the columns are those of all examples.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples.
        y : array-like of shape (n_examples,)
            Their labels.
        classes : array-like, optional
            All labels that will ever occur; needed in the first call only.
        sample_weight : array-like of shape (n_examples,), optional
            As in :meth:`fit`; the visits to an example are right after each other.

        Returns
        -------
        Perceptron
            The estimator itself.
        """
        online = learned(self, X, y, classes, sample_weight)
        self._forget(*CLAIMS_OF_A_FIT)
        self._online = online
        self.classes_ = online.classes
        self.centre_ = online.centre
        self.coef_, self.intercept_ = online.model()
        self.mistakes_ = online.mistakes
        self.n_updates_ = online.n_updates
        return self
