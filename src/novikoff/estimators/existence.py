"""Do the estimates of a logistic regression exist? Complete, quasi-complete, or overlap, proved."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import assert_all_finite

from novikoff.certificate import Account, SeparationVerdict, Status, Undecided
from novikoff.certificate.coefficients import Coefficients
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
from novikoff.run.clock import Clock, Limits, Stopped

MOST_VALUES = 1 << 29
"""Values of the signed rows, which are stored densely: 4 GB."""


_NEARLY = 1e-9
"""How far from 1 a combination of columns may be to count as the intercept."""


class SeparationFunction:
    """Decide whether the maximum-likelihood estimates of a logistic regression exist, with proof.

    ``novikoff.separation(X, y, *, sample_weight=None, fit_intercept=True, time_limit=None)``
    returns a certificate: its ``kind`` is "complete", "quasi-complete" or "overlap", and the
    estimates exist if and only if it is an overlap; ``columns`` says which of them are infinite.
    ``novikoff.separation.explain(X, y)`` says so in sentences. The parameters are described below,
    at ``__call__`` and ``explain``.

    Examples
    --------
    >>> import novikoff
    >>> verdict = novikoff.separation([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> verdict.kind, verdict.exists
    ('quasi-complete', False)
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
            The limit in seconds; of ``columns``, which are computed when asked for, once more.

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
            If the time limit is reached, or the next step would end after it.

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
        clock = _clock(time_limit)
        y = getattr(y, "to_numpy", lambda: y)() if np.ndim(y) == 2 else y
        X, y, sample_weight = expanded(X, y, sample_weight)
        with threads(None):
            training = Training.of(
                asked, X, y, affine=bool(fit_intercept), sample_weight=sample_weight
            )
            assert_all_finite(training.X, input_name="X")
            return _decide(training, clock, time_limit)

    def explain(
        self,
        model_matrix: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        fit_intercept: bool | None = None,
        time_limit: float | None = None,
    ) -> str:
        """Say in sentences whether estimates exist, and which are infinite.

        Parameters
        ----------
        model_matrix : array, sparse matrix or data frame of shape (n_examples, n_columns)
            All columns of the model, as statsmodels' ``exog`` has them, or the examples of
            scikit-learn.
        y : array-like
            As for :meth:`__call__`.
        fit_intercept : bool, optional
            Whether to add an intercept. By default one is added, as scikit-learn does, unless the
            columns contain one: a column of ones, or indicators of all levels, which sum to it.
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
        clock = _clock(time_limit)
        added = not _has_constant(model_matrix) if fit_intercept is None else fit_intercept
        verdict = self(
            model_matrix,
            y,
            sample_weight=sample_weight,
            fit_intercept=added,
            time_limit=time_limit,
        )
        verdict = verdict.with_columns(
            time_limit=None if time_limit is None else clock.seconds_left
        )
        return "\n".join([*verdict.sentences(), *advice(verdict)])

    def __repr__(self) -> str:
        return "<function novikoff.separation(X, y, *, sample_weight, fit_intercept, time_limit)>"


separation = SeparationFunction()


def _clock(time_limit: float | None) -> Clock:
    return Clock(Limits(deadline=None if time_limit is None else time.perf_counter() + time_limit))


@contextmanager
def _undecided_when_stopped(clock: Clock) -> Iterator[None]:
    try:
        yield
    except Stopped:
        seconds = time.perf_counter() - clock.started
        raise Undecided(f"undecided after {seconds:.1f} s: the time limit is reached") from None


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
    """Whether columns combine to a constant: one column, or the indicators of all levels.

    More columns than rows combine to anything: there only a single column counts.
    """
    is_sparse = sparse.issparse(model_matrix)
    columns: Any = model_matrix.tocsr() if is_sparse else np.asarray(model_matrix)
    if columns.ndim != 2 or columns.dtype.kind not in "biuf":
        return False
    n, d = columns.shape
    if n <= d or not d:
        dense = columns.toarray() if is_sparse else columns
        return n > 0 and bool(((dense == dense[:1]).all(axis=0) & (dense[0] != 0)).any())
    some = np.random.default_rng(0).permutation(n)[: 4 * d + 100]
    part = np.asarray(columns[some].toarray() if is_sparse else columns[some], dtype=np.float64)
    sizes = np.abs(part).max(axis=0)
    sizes[~((sizes > 0.0) & np.isfinite(sizes))] = 1.0
    part = np.where(np.isfinite(part), part / sizes, 0.0)
    factors = np.linalg.lstsq(part, np.ones(len(part)), rcond=None)[0] / sizes
    return bool(np.abs(columns @ factors - 1.0).max() < _NEARLY)


def _decide(training: Training, clock: Clock, time_limit: float | None) -> SeparationVerdict:
    problem = training.problem
    if len(problem.classes) == 2:
        problem = problem.against(problem.classes[1])
    examples = training.examples(signs_against(training.codes, 1))

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
    with _undecided_when_stopped(clock):
        clock.check()
        split = split_rows(lifted, clock.check)

    def columns(limit: float | None) -> Coefficients:
        again = _clock(time_limit if limit is None else limit)
        with _undecided_when_stopped(again):
            return find_coefficients(lifted, split, again.check)

    return certificate(split).computing(columns)
