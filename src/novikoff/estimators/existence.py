"""Do the estimates of a logistic regression exist? Complete, quasi-complete, or overlap, proved."""

import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificate import Account, SeparationVerdict, Status, Undecided
from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.examples.counts import expanded
from novikoff.certificate.examples.labels import signs_against
from novikoff.certificate.integers import Integers
from novikoff.certificate.kinds.verdict import COMPLETE, OVERLAP, QUASI
from novikoff.certificate.threads import threads
from novikoff.estimators.maxmargin import MaxMargin
from novikoff.estimators.options import check_max_margin_options
from novikoff.estimators.training import Training
from novikoff.facial import Split, find_coefficients, split_rows

MOST_VALUES = 1 << 29
"""Values of the signed rows, which are stored densely: 4 GB."""


class SeparationFunction:
    """Decide whether the maximum-likelihood estimates of a logistic regression exist, with proof.

    Call it: ``novikoff.separation(X, y)``.
    """

    def __call__(
        self,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        fit_intercept: bool = True,
        time_limit: float | None = None,
    ) -> SeparationVerdict:
        """Decide how far the classes are separated, exactly.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples, without a column for the intercept unless ``fit_intercept`` is false.
        y : array-like of shape (n_examples,) or (n_examples, 2)
            Their labels; or for binomial data the successes and failures of each row. With more
            than two classes the regression is multinomial, and all classes are decided at once.
        sample_weight : array-like of shape (n_examples,), optional
            Examples of weight 0 take no part; other weights do not matter.
        fit_intercept : bool, default=True
            Whether the regression has an intercept.
        time_limit : float, optional
            The limit in seconds.

        Returns
        -------
        SeparationVerdict
            A certificate. Its ``kind`` is "complete" (a direction has all examples strictly on
            their side), "quasi-complete" (some strictly, the others on the boundary) or "overlap".
            The maximum-likelihood estimate of logistic or probit regression exists if and only if
            it is an overlap. ``columns``, computed when asked for, says of each coefficient whether
            its estimate is finite.

        Raises
        ------
        Undecided
            If the time limit is reached.

        Examples
        --------
        >>> import novikoff
        >>> dose, cured = [[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> verdict = novikoff.separation(dose, cured)
        >>> verdict.kind, verdict.separated.tolist(), verdict.direction.tolist()
        ('quasi-complete', [True, False, False, True], [-2, 1])
        >>> verdict.columns
        {'(Intercept)': '-inf', 'x0': '+inf'}
        >>> print(verdict.verify(dose, cured))
        Verified: quasi-complete separation of 0 (2) and 1 (2): 2 examples separated, 2 not. ...
        """
        asked = MaxMargin(fit_intercept=fit_intercept, time_limit=time_limit)
        check_max_margin_options(asked)
        deadline = np.inf if time_limit is None else time.perf_counter() + time_limit
        y = getattr(y, "to_numpy", lambda: y)() if np.ndim(y) == 2 else y
        X, y, sample_weight = expanded(X, y, sample_weight)
        with threads(None):
            training = Training.of(
                asked, X, y, affine=bool(fit_intercept), sample_weight=sample_weight
            )
            return _decide(training, deadline)

    def explain(
        self,
        model_matrix: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        time_limit: float | None = None,
    ) -> str:
        """Say in sentences whether estimates exist, and which are infinite.

        Parameters
        ----------
        model_matrix : array, sparse matrix or data frame of shape (n_examples, n_columns)
            All columns of the model, as statsmodels' ``exog`` has them: a column of ones is the
            intercept. Where there is none, as for scikit-learn, an intercept is added.
        y : array-like
            As for :meth:`__call__`.
        sample_weight, time_limit
            As for :meth:`__call__`.

        Examples
        --------
        >>> import novikoff
        >>> print(novikoff.separation.explain([[1, 0], [1, 0], [1, 1], [1, 1]], [0, 1, 1, 1]))
        Quasi-complete separation: a direction has 2 of the 4 examples strictly on their side ...
        The estimate of x1 is +infinity: all 2 examples with x1 = 1 have the class = 1.
        ...
        """
        verdict = self(
            model_matrix,
            y,
            sample_weight=sample_weight,
            fit_intercept=not _has_constant(model_matrix),
            time_limit=time_limit,
        )
        verdict = verdict.with_columns()
        return "\n".join([*verdict.sentences(), *advice(verdict)])

    def __repr__(self) -> str:
        return "<function novikoff.separation(X, y, *, sample_weight, fit_intercept, time_limit)>"


separation = SeparationFunction()


def advice(verdict: SeparationVerdict) -> list[str]:
    """What to do about it, in one line; nothing where the estimates exist."""
    if verdict.exists:
        return []
    return [
        "What to do: Firth's penalised likelihood or a ridge penalty gives finite estimates, and "
        "exact conditional logistic regression gives intervals; Wald tests of estimates that are "
        "not finite mean nothing."
    ]


def _has_constant(model_matrix: Any) -> bool:
    columns = model_matrix.toarray() if hasattr(model_matrix, "toarray") else model_matrix
    values = np.asarray(columns)
    if values.ndim != 2 or not len(values):
        return False
    constant = (values == values[:1]).all(axis=0)
    return bool((constant & (values[0] != 0)).any())


def _decide(training: Training, deadline: float) -> SeparationVerdict:
    problem = training.problem
    if len(problem.classes) == 2:
        problem = problem.against(problem.classes[1])
    examples = training.examples(signs_against(training.codes, 1))
    start = time.perf_counter()

    def check() -> None:
        if time.perf_counter() >= deadline:
            raise Undecided(
                f"undecided after {time.perf_counter() - start:.1f} s: the time limit is reached"
            )

    def certificate(split: Split) -> SeparationVerdict:
        kind = COMPLETE if not split.boundary.size else QUASI if split.separated.size else OVERLAP
        several = len(problem.classes) > 2
        listed = problem.weighted or several or split.separated.size <= split.boundary.size
        status = Status.SEPARATED if kind == COMPLETE else Status.NOT_SEPARABLE
        return SeparationVerdict(
            problem=problem,
            account=Account(status=status, asked="separation"),
            verdict=kind,
            separated_rows=split.separated if listed else None,
            boundary_rows=None if listed else split.boundary,
            vector=Integers(split.direction),
            basis=split.basis,
            support=split.support,
            weights=Integers(split.weights),
        )

    lifted = Lifted(
        training.X, training.codes, len(problem.classes), problem.affine, examples.taking_part
    )
    n_rows = len(training.codes) * (len(problem.classes) - 1)
    if n_rows * lifted.width > MOST_VALUES:
        raise ValueError(
            f"The regression has {n_rows:,} signed rows of {lifted.width:,} coefficients, more "
            f"than {MOST_VALUES:,} values; leave out examples or columns."
        )
    check()
    split = split_rows(lifted, check)
    return certificate(split).computing(lambda: find_coefficients(lifted, split))
