"""Mistakes of the perceptron on streams, beside their bounds as the streams grow."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from novikoff.data import planted
from novikoff.theory.mistakes import comparator_bounds

Floats = NDArray[np.float64]
# Shown the weights, gives the next signed example, or None at the end.
Next = Callable[[Floats], Floats | None]

N_FEATURES = 10
MOST_ORTHOGONAL = 1000
ROUNDING = 1e-9


@dataclass(frozen=True)
class Checkpoint:
    """The mistakes on the first rounds of a stream, and what was proved of them.

    Attributes
    ----------
    stream : str
        How the examples come.
    statement : str
        The bound.
    rounds : int
        The number of rounds.
    mistakes : int
        How many of them were mistakes.
    bound : float
        The bound for these rounds, given by the comparator of the stream.
    holds : bool
        Whether there were no more mistakes than that.
    """

    stream: str
    statement: str
    rounds: int
    mistakes: int
    bound: float
    holds: bool


class _Stream(NamedTuple):
    """How examples come, and the comparator of the bound.

    Without a comparator, it is the sum of the examples so far; without gamma, its margin on them.
    """

    name: str
    statement: str
    n_features: int
    comparator: Floats | None
    gamma: float | None
    next_example: Next


def reproduce_online(
    random_state: int | np.random.RandomState | None = 0, *, rounds: int = 2000
) -> list[Checkpoint]:
    """Run the perceptron on streams of examples, and compare its mistakes with the bounds.

    The streams: examples in random order; the same examples in the order of an adversary, who
    always shows the one that is most wrong; examples that an adversary makes, each of them just
    barely wrong; orthogonal examples, which attain the bound in every round; and examples some of
    whose labels are turned, with the two bounds for imperfect comparators.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=0
        Draws the examples.
    rounds : int, default=2000
        The length of the streams; an adversary's may end before, when no mistake is left.

    Returns
    -------
    list of Checkpoint
        At rounds 1, 2, 5, 10, 20 and so on, and at the last round of each stream.

    Examples
    --------
    >>> from novikoff.reproduce import reproduce_online
    >>> rows = reproduce_online(rounds=100)
    >>> all(row.holds for row in rows)
    True
    >>> orthogonal = [row for row in rows if row.stream.startswith("orthogonal")]
    >>> [(row.rounds, row.mistakes, round(row.bound)) for row in orthogonal][-2:]
    [(50, 50, 50), (100, 100, 100)]
    """
    if rounds < 1:
        raise ValueError(f"rounds={rounds!r} must be a positive integer.")
    rng = check_random_state(random_state)
    return [row for stream in _streams(rng, rounds) for row in _played(stream, rounds)]


def draw(rows: list[Checkpoint], path: Path) -> None:
    """Draw mistakes and bounds over the rounds, a panel for each stream; needs matplotlib."""
    from matplotlib.figure import Figure

    streams = list(dict.fromkeys((row.stream, row.statement) for row in rows))
    figure = Figure(figsize=(9.0, 2.6 * ((len(streams) + 1) // 2)), layout="constrained")
    panels = figure.subplots((len(streams) + 1) // 2, 2, squeeze=False).ravel()
    for axes, (stream, statement) in zip(panels, streams, strict=False):
        mine = [row for row in rows if (row.stream, row.statement) == (stream, statement)]
        at = [row.rounds for row in mine]
        axes.plot(at, [row.bound for row in mine], label=f"bound: {statement}")
        axes.plot(at, [row.mistakes for row in mine], marker=".", label="mistakes")
        axes.set(xscale="log", yscale="log", xlabel="round")
        axes.set_title(stream, fontsize="small")
        axes.legend(fontsize="x-small")
    for axes in panels[len(streams) :]:
        axes.set_axis_off()
    temporary = path.with_name(f".{path.name}")
    try:
        figure.savefig(temporary, dpi=120, format=path.suffix.lstrip(".") or "png")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _streams(rng: np.random.RandomState, rounds: int) -> Iterator[_Stream]:
    novikoff, d = "(R / gamma)^2", N_FEATURES
    p = planted(rounds, d, 0.05, random_state=rng)
    Z = p.X * p.y[:, None]
    yield _Stream("margin 0.05, random order", novikoff, d, p.coef, None, _in_order(Z))
    name = "the same examples, the most wrong first"
    yield _Stream(name, novikoff, d, p.coef, None, _most_wrong(Z))
    name = "made by an adversary, margin 0.05"
    yield _Stream(name, novikoff, d, np.eye(d)[0], None, _adversary(0.05))
    n = min(rounds, MOST_ORTHOGONAL)
    yield _Stream("orthogonal examples", novikoff, n, None, None, _in_order(np.eye(n)))
    gamma = 0.2
    noisy = planted(rounds, d, gamma, noise=0.05, random_state=rng)
    Z = noisy.X * noisy.y[:, None]
    name = "5 % of the labels turned, random order"
    hinge, deviation = "((R/gamma + sqrt((R/gamma)^2 + 4 L)) / 2)^2", "((R + D) / gamma)^2"
    for statement in (hinge, deviation):
        yield _Stream(name, statement, d, noisy.coef, gamma, _in_order(Z))


def _played(stream: _Stream, rounds: int) -> Iterator[Checkpoint]:
    """Play a stream, and give account of it at some rounds."""
    Z: list[Floats] = []
    wrong: list[bool] = []
    w = np.zeros(stream.n_features)
    while len(Z) < rounds:
        z = stream.next_example(w)
        if z is None:
            break
        wrong.append(bool(z @ w <= 0.0))
        if wrong[-1]:
            w = w + z
        Z.append(z)
    examples, mistaken = np.array(Z), np.array(wrong)
    for t in _checkpoints(len(Z)):
        bound = _bound(stream, examples[:t], mistaken[:t])
        mistakes = int(mistaken[:t].sum())
        holds = mistakes <= bound * (1.0 + ROUNDING)
        yield Checkpoint(stream.name, stream.statement, t, mistakes, bound, bool(holds))


def _bound(stream: _Stream, Z: Floats, mistaken: NDArray[np.bool_]) -> float:
    ones = np.ones(len(Z))
    u = Z.sum(axis=0) if stream.comparator is None else stream.comparator
    if stream.gamma is None:
        least = float((Z @ u).min() / np.linalg.norm(u))
        return comparator_bounds(Z, ones, u, least).best
    found = comparator_bounds(Z, ones, u, stream.gamma, mistakes=mistaken)
    return found.by_deviation if "D" in stream.statement else found.by_hinge


def _checkpoints(last: int) -> list[int]:
    """1, 2, 5, 10, ... up to the last, and the last."""
    found = [m * 10**e for e in range(len(str(last))) for m in (1, 2, 5) if m * 10**e < last]
    return [*found, last]


def _in_order(Z: Floats) -> Next:
    rows = iter(Z)
    return lambda w: next(rows, None)


def _most_wrong(Z: Floats) -> Next:
    def choose(w: Floats) -> Floats | None:
        margins = Z @ w
        i = int(np.argmin(margins))
        return Z[i] if margins[i] <= 0.0 else None

    return choose


def _adversary(gamma: float) -> Next:
    """Unit vectors with margin gamma along the first axis, each as little wrong as can be.

    That makes w as long as it can get, and all but one of the mistakes that the bound allows.
    """
    axis, across = np.eye(N_FEATURES)[0], np.eye(N_FEATURES)[1:]

    def make(w: Floats) -> Floats | None:
        length = float(np.linalg.norm(w[1:]))
        back = w[1:] / length if length > 0.0 else np.eye(N_FEATURES - 1)[0]
        side = np.eye(N_FEATURES - 1)[int(np.argmin(np.abs(back)))]
        side = side - (side @ back) * back
        wrong = (gamma * w[0] + 1e-9) / length if length > 0.0 else 0.0
        if wrong**2 > 1.0 - gamma**2:
            return None
        sideways = np.sqrt(1.0 - gamma**2 - wrong**2) / np.linalg.norm(side)
        return np.asarray(gamma * axis + (sideways * side - wrong * back) @ across)

    return make
