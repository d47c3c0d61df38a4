"""One line of a measured theorem."""

from dataclasses import dataclass, replace
from math import sqrt

from novikoff.certificate import Status
from novikoff.data import Planted
from novikoff.run import Run

ROUNDING = 1e-9


@dataclass(frozen=True)
class Row:
    """One inequality of a theorem beside what a run did.

    Attributes
    ----------
    theorem : str
        Whose inequality it is.
    statement : str
        The inequality.
    data : str
        What the run saw.
    bound, measured : float
        The two sides of the inequality.
    ratio : float
        ``measured / bound``.
    holds : bool or None
        Whether the inequality holds; ``None`` where the run met a limit before its end, so that
        it decides nothing.
    """

    theorem: str
    statement: str
    data: str
    bound: float
    measured: float
    ratio: float
    holds: bool | None


def row(theorem: str, statement: str, data: str, bound: float, measured: float) -> Row:
    """Compare a number with its upper bound."""
    holds = bool(measured <= bound * (1 + ROUNDING))
    return Row(theorem, statement, data, float(bound), float(measured), measured / bound, holds)


def updates_row(theorem: str, statement: str, data: str, finished: Run, bound: float | None) -> Row:
    """Compare the updates of a run with their bound."""
    found = row(theorem, statement, data, _proved(bound), finished.n_updates)
    # A run that is over its bound has refuted it, whether it has ended or not.
    undecided = finished.status is not Status.CONVERGED and found.holds
    return replace(found, holds=None) if undecided else found


def margin_row(
    theorem: str, statement: str, data: str, finished: Run, planted: Planted, bound: float | None
) -> Row:
    """Compare the margin of a run's last iterate with its lower bound."""
    bound = _proved(bound)
    w, _ = finished.sample.model(finished.weights)
    length = sqrt(float(w @ w))
    margin = float((planted.y * (planted.X @ w)).min()) / length if length > 0.0 else 0.0
    decided = finished.status is Status.CONVERGED
    holds = margin >= bound * (1 - ROUNDING) if decided else None
    return Row(theorem, statement, data, bound, margin, margin / bound, holds)


def _proved(bound: float | None) -> float:
    if bound is None:
        raise ValueError("The rule proves no such bound; choose another rule or other data.")
    return float(bound)
