"""Claim 4.3 measured: what sparse strategies lose, compared with the value of the game."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from novikoff import rules
from novikoff.certificate import Status
from novikoff.data import planted
from novikoff.geometry import PointGame
from novikoff.reproduce.measurement import Row, row
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of, visit_order

N_VECTORS, N_FEATURES, MARGIN = 300, 8, 0.1
ALPHAS = (1.2, 1.4, 1.6)
ACCURACIES = (0.3, 0.1, 0.01)


def reproduce_game(
    random_state: int | np.random.RandomState | None = 0, *, max_updates: int = 3_000_000
) -> list[Row]:
    """Measure Claim 4.3 and the constant 3 in it, which other rules bring to 1.

    The first rows are the claim: every strategy of the perceptron with the threshold ``R^2`` loses
    at most ``R sqrt(3 / t)``, and the last at most 3 times the value of the game. The others have
    the last strategy's loss over the value under other rules.

    Parameters
    ----------
    random_state : int, RandomState or None, default=0
        Draws the vectors and the order of visits.
    max_updates : int, default=3_000_000
        The limit on the updates of a run; if it is reached, its rows are undecided.

    Returns
    -------
    list of Row

    Examples
    --------
    >>> from novikoff.reproduce import reproduce_game
    >>> all(row.holds for row in reproduce_game())
    True
    """
    rng = check_random_state(random_state)
    p = planted(N_VECTORS, N_FEATURES, MARGIN, random_state=rng)
    V = p.X * p.y[:, None]
    game = PointGame(V)
    value = game.solve(rtol=1e-9)
    description = f"{N_VECTORS} vectors x {N_FEATURES}, value = {value.value_upper:.4g}"
    return [
        *_claim(game, value.value_lower, description),
        *_rules(V, value.value_lower, game.R, description, rng, max_updates),
    ]


def _claim(game: PointGame, value: float, description: str) -> Iterator[Row]:
    theorem = "Claim 4.3, threshold R^2"
    worst, last = 0.0, None
    for last in game.play():
        worst = max(worst, last.value / last.bound)
    assert last is not None
    yield row(
        theorem,
        "loss of every strategy <= R sqrt(3 / t), at most t vectors",
        f"{description}, t to {last.t}; the largest ratio",
        1.0,
        worst,
    )
    yield row(theorem, "loss of the last strategy <= 3 value", description, 3 * value, last.value)
    least = game.R**2 / (3.0 * value**2)
    yield row(theorem, "t >= R^2 / (3 value^2) at the end", description, last.t, least)


def _rules(
    V: NDArray[np.float64],
    value: float,
    R: float,
    description: str,
    rng: np.random.RandomState,
    max_updates: int,
) -> Iterator[Row]:
    order = visit_order(len(V), V.nbytes, rng)
    for alpha in ALPHAS:
        rule = rules.ScaleFreeInfinity(alpha=alpha)
        loss, t, done = _last(V, order, rule, max_updates)
        bound = 1.0 / (alpha / 2.0 - t ** (1.0 - alpha) / 2.0)
        yield _constant(
            f"Algorithms 3 and 4 combined, alpha = {alpha}",
            "loss / value <= 1 / (alpha / 2 - t^(1 - alpha) / 2)",
            f"{description}, t = {t:,}",
            bound,
            loss / value,
            done,
        )
    for accuracy in ACCURACIES:
        rule_min = rules.MinOver(accuracy=accuracy)
        loss, t, done = _last(V, order, rule_min, max_updates)
        harmonic = float(np.sum(1.0 / np.arange(1, t + 1)))
        bound = 1.0 + ((R / value) ** 2 - 1.0) * harmonic / (2.0 * t)
        yield _constant(
            f"MinOver, accuracy = {accuracy}",
            "loss / value <= 1 + (R^2 / value^2 - 1) H_t / (2 t)",
            f"{description}, t = {t:,}",
            bound,
            loss / value,
            done,
        )


def _constant(
    theorem: str, statement: str, data: str, bound: float, ratio: float, done: bool
) -> Row:
    found = row(theorem, statement, data, bound, ratio)
    if done:
        return found
    return Row(theorem, statement, data, bound, ratio, found.ratio, None)


def _last(
    V: NDArray[np.float64], order: NDArray[np.int64], rule: rules.Rule, max_updates: int
) -> tuple[float, int, bool]:
    """Return the loss of a run's last strategy, its updates, and whether it ended by itself."""
    sample = Sample.of(storage_of(V), np.ones(len(V), dtype=np.int8), order=order, affine=False)
    limits = Limits(max_iter=max_updates, max_updates=max_updates)
    finished = run(sample, rule, clock=Clock(limits))
    counts = np.asarray(finished.memory.weights, dtype=np.float64)
    loss = float(np.linalg.norm(counts @ V)) / float(counts.sum())
    done = finished.status in (Status.CONVERGED, Status.GAP_REACHED)
    return loss, max(1, round(counts.sum())), done
