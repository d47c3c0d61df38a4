"""One line of a measured theorem."""

from dataclasses import dataclass, replace
from math import sqrt

from novikoff.certificate import Status
from novikoff.data import Planted
from novikoff.run import Run

ROUNDING = 1e-9


@dataclass(frozen=True)
class Row:
    """One inequality of a theorem, and what was measured in a run.

    Attributes
    ----------
    theorem : str
        The theorem that states it.
    statement : str
        The inequality.
    data : str
        A description of the data of the run.
    bound, measured : float
        The two sides of the inequality.
    ratio : float
        ``measured / bound``.
    holds : bool or None
        Whether the inequality holds; ``None`` where the run stopped at a limit, so that it
        decides nothing.
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
    found = row(theorem, statement, data, _known(bound), finished.n_updates)
    # Too many updates break the bound even if the run was cut short.
    undecided = finished.status is not Status.CONVERGED and found.holds
    return replace(found, holds=None) if undecided else found


def margin_row(
    theorem: str, statement: str, data: str, finished: Run, planted: Planted, bound: float | None
) -> Row:
    """Compare the margin of a run's last iterate with its lower bound."""
    bound = _known(bound)
    w, _ = finished.sample.model(finished.weights)
    length = sqrt(float(w @ w))
    margin = float((planted.y * (planted.X @ w)).min()) / length if length > 0.0 else 0.0
    decided = finished.status is Status.CONVERGED
    holds = margin >= bound * (1 - ROUNDING) if decided else None
    return Row(theorem, statement, data, bound, margin, margin / bound, holds)


def _known(bound: float | None) -> float:
    if bound is None:
        raise ValueError("The rule proves no such bound; choose another rule or other data.")
    return float(bound)
