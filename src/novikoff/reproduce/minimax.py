"""Theorem 3.1 of Bartlett's notes, measured: the risk of four learners on the hard source."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from novikoff.estimators import MaxMargin, Perceptron
from novikoff.theory.minimax import guessing_risk, hard_source, minimax_bound

CASES = ((10, 5), (5, 20), (20, 20), (40, 10))
WITHIN = 4.0
"""How many standard errors a mean may be off by chance."""


@dataclass(frozen=True)
class Risk:
    """The mean risk of a learner on the hard source, beside what the theorem says.

    Attributes
    ----------
    learner : str
        The learner.
    n, d : int
        The number of examples that it sees, and their dimension.
    draws : int
        How often the labels and the examples were drawn.
    bound : float
        No learner's mean risk is smaller.
    guessing : float
        The mean risk of every learner that is right on what it has seen.
    measured, standard_error : float
        The mean of the risks, and its standard error.
    consistent : bool
        Whether the learner was right on what it had seen, in every draw.
    holds : bool
        Whether the measured risk is at least the bound, and for a consistent learner equal to that
        of guessing, up to four standard errors.
    """

    learner: str
    n: int
    d: int
    draws: int
    bound: float
    guessing: float
    measured: float
    standard_error: float
    consistent: bool
    holds: bool


def reproduce_minimax(
    random_state: int | np.random.RandomState | None = 0,
    *,
    draws: int = 300,
    cases: Sequence[tuple[int, int]] = CASES,
) -> list[Risk]:
    """Measure the risk of the perceptron, MaxMargin, a decision tree and k-nearest neighbours.

    Each draw is a choice of labels and a sample; the risk is then exact. Where a sample has one
    label only, a classifier cannot be fitted, and the constant predictor stands in.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=0
        Draws the labels and the samples.
    draws : int, default=300
        How many times.
    cases : sequence of (int, int)
        Numbers of examples and dimensions.

    Returns
    -------
    list of Risk

    Examples
    --------
    >>> from novikoff.reproduce import reproduce_minimax
    >>> rows = reproduce_minimax(draws=20, cases=[(5, 20)])
    >>> [(row.learner, row.holds) for row in rows][:2]
    [('Perceptron', True), ('MaxMargin', True)]
    """
    if draws < 2:
        raise ValueError(f"draws={draws!r} must be at least 2, for a standard error.")
    rng = check_random_state(random_state)
    return [row for n, d in cases for row in _case(n, d, draws, rng)]


def _case(n: int, d: int, draws: int, rng: np.random.RandomState) -> Iterator[Risk]:
    learners = _learners(n)
    risks = np.empty((len(learners), draws))
    consistent = np.ones(len(learners), dtype=bool)
    for draw in range(draws):
        source = hard_source(n, d, rng)
        X, y = source.sample(random_state=rng)
        one_label = bool((y == y[0]).all())
        for i, learner in enumerate(learners.values()):
            fitted = (DummyClassifier() if one_label else learner).fit(X, y)
            risks[i, draw] = source.risk(fitted.predict)
            consistent[i] &= bool((fitted.predict(X) == y).all())
    bound, guessing = minimax_bound(n, d), guessing_risk(n, d)
    for name, found, right in zip(learners, risks, consistent, strict=True):
        mean, error = float(found.mean()), float(found.std(ddof=1) / np.sqrt(draws))
        holds = mean >= bound - WITHIN * error
        if right:
            holds &= abs(mean - guessing) <= WITHIN * error
        yield Risk(name, n, d, draws, bound, guessing, mean, error, bool(right), bool(holds))


def _learners(n: int) -> dict[str, Any]:
    k = min(3, n)
    return {
        "Perceptron": Perceptron(random_state=0),
        "MaxMargin": MaxMargin(),
        "decision tree": DecisionTreeClassifier(random_state=0),
        f"{k} nearest neighbours": KNeighborsClassifier(n_neighbors=k),
    }
