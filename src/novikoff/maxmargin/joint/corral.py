"""Wolfe's method on a working set of virtual rows: the exact solver where few of them matter.

Solve on the candidates, scan all the examples once, add the rows that lie deepest below the level
of the members, repeat; as :mod:`novikoff.maxmargin.wolfe.search` does for two classes.
"""

from math import inf, sqrt

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.joint.bounds import place_hard, place_soft
from novikoff.maxmargin.joint.candidates import Candidates
from novikoff.maxmargin.joint.passes import products
from novikoff.maxmargin.joint.problem import Ids, JointProblem, JointSolution, Vector
from novikoff.maxmargin.joint.settings import CORRAL, CorralSettings
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Clock, Stopped


def joint_corral(
    problem: JointProblem,
    *,
    tol: float,
    clock: Clock,
    aim: float | None = None,
    start: Vector | None = None,
    settings: CorralSettings = CORRAL,
) -> JointSolution:
    """Find the point of least norm until the relative gap between the bounds is at most ``tol``.

    Without slack the status is NOT_SEPARABLE where the norm vanishes up to rounding; the weights
    are those of the combination that does.

    Parameters
    ----------
    problem : JointProblem
        Hard or soft.
    tol : float
        Stop when ``1 - lower / upper`` is no larger.
    clock : Clock
        Limits and history.
    aim : float, optional
        A smaller gap to try for; missing it is no failure.
    start : array of shape (n_examples, n_classes), optional
        Weights to start from.
    settings : CorralSettings, optional
        Sizes, and accuracies.
    """
    run = _Run(problem, tol if aim is None else min(tol, aim), clock, settings)
    try:
        run.begin(start)
        status = run.rounds()
    except Stopped as stopped:
        status = stopped.status
    return run.solution(status, tol)


class _Run:
    def __init__(
        self, problem: JointProblem, aim: float, clock: Clock, settings: CorralSettings
    ) -> None:
        self.problem, self.sample = problem, problem.sample
        self.hard = problem.slack2 is None
        self.aim, self.clock, self.settings = aim, clock, settings
        self.passes = Passes(problem.sample, clock)
        self.candidates = Candidates(problem, settings)
        self.codes = problem.codes[self.sample.order]
        self.vectors = np.zeros((problem.n_classes, problem.n_features))
        self.offsets = np.zeros(problem.n_classes)
        self.lower, self.upper = -inf if self.hard else 0.0, inf
        self.mistakes = problem.n_examples
        self.factor = 1.0
        self.gave_up = False

    def begin(self, start: Vector | None) -> None:
        """Take the first candidates: those with weight, or the worst along the class means."""
        order, n_classes = self.sample.order, self.problem.n_classes
        if start is not None and start[order].any():
            rows, wrong = np.nonzero(start)
            rows, wrong = rows[np.isin(rows, order)], wrong[np.isin(rows, order)]
            weights = start[rows, wrong]
            most = self.settings.most_members
            if len(rows) > most:
                heaviest = np.argpartition(-weights, most)[:most]
                rows, wrong, weights = rows[heaviest], wrong[heaviest], weights[heaviest]
            self._add_every_pair()
            self.candidates.begin(rows, wrong, weights)
            return
        if self.problem.n_rows <= self.settings.take_all:
            rows = np.repeat(order, n_classes)
            wrong = np.tile(np.arange(n_classes), len(order))
            other = self.problem.codes[rows] != wrong
            self.candidates.add(rows[other], wrong[other])
        self._add_every_pair()
        first = np.array([0])
        self.candidates.members, self.candidates.weights = first, np.ones(1)

    def _add_every_pair(self) -> None:
        """Add a row of every class for every wrong class, so that some flow can balance.

        Of many classes, a row of each for the next class alone: a circle.
        """
        present, first = np.unique(self.codes, return_index=True)
        rows, n_classes = self.sample.order[first], self.problem.n_classes
        if n_classes**2 > self.settings.take_all:
            self.candidates.add(rows, np.roll(present, -1))
            return
        rows = np.repeat(rows, n_classes)
        wrong = np.tile(np.arange(n_classes), len(first))
        other = self.problem.codes[rows] != wrong
        self.candidates.add(rows[other], wrong[other])

    def rounds(self) -> Status:
        """Go on until the bounds are close enough, the norm vanishes, or no digits are left."""
        candidates, settings = self.candidates, self.settings
        zero = settings.zero * self.sample.radius if self.hard else 0.0
        while True:
            settled = candidates.solve(settings.share_of_tol * self.aim, zero, self.clock)
            self.passes.check()
            vectors = candidates.vectors()
            slack_norm2, eased = self._slack()
            norm2 = 2.0 * float((vectors**2).sum())
            balanced = float(np.abs(candidates.flow).sum()) <= 1e-6 or not self.sample.affine
            if self.hard and balanced and sqrt(norm2) <= zero:
                self.upper = sqrt(norm2)
                return Status.NOT_SEPARABLE
            depths = self._scan(vectors, norm2 + slack_norm2, eased, balanced)
            if self._is_within(self.aim):
                return Status.GAP_REACHED
            if not self.clock.fits(1.0):
                return Status.MAX_ITER
            few = len(candidates.rows) <= settings.most_candidates
            self.gave_up = not few or len(candidates.members) > settings.most_members
            if self.gave_up:
                return Status.PRECISION
            least = settings.share_of_tol * self.aim * (norm2 + slack_norm2)
            if not (self._add_deepest(depths, least) and settled):
                return Status.PRECISION

    def _is_within(self, tol: float) -> bool:
        least = self.settings.zero * self.sample.radius if self.hard else 0.0
        return self.lower > least and self.lower >= (1.0 - tol) * self.upper

    def _slack(self) -> tuple[float, Vector]:
        """Return the slack's part of the squared norm, and what it adds to every example."""
        eased = np.zeros(self.sample.n_examples)
        if self.problem.slack2 is None:
            return 0.0, eased
        members = self.candidates.rows[self.candidates.members]
        np.add.at(eased, members, self.candidates.weights)
        sums = eased[np.unique(members)]
        slack2 = self.problem.slack2[np.unique(members)]
        eased[np.unique(members)] = sums * slack2
        return float(sums**2 @ slack2), eased

    def _scan(self, vectors: Vector, norm2: float, eased: Vector, balanced: bool) -> Vector:
        """Bring the bounds up to date; return how deep each virtual row lies below the level."""
        order, centre = self.sample.order, self.sample.centre
        offsets = self.candidates.offsets
        found = products(self.passes, order, vectors, vectors @ centre)
        if self.problem.slack2 is None:
            self._hard_bounds(vectors, found, norm2, balanced)
        else:
            self._soft_bounds(vectors, offsets, found, norm2, balanced, self.problem.slack2)
        self.clock.report(self.mistakes, self.lower, self.upper)
        scores = found + offsets
        leads = scores[np.arange(len(order)), self.codes][:, None] - scores
        leads += eased[order][:, None]
        members = self.candidates.members
        places = np.full(self.sample.n_examples, -1)
        places[order] = np.arange(len(order))
        rows = places[self.candidates.rows[members]]
        level = self.candidates.weights @ leads[rows, self.candidates.wrong[members]]
        depths = float(level) - leads
        depths[np.arange(len(order)), self.codes] = -inf
        return np.asarray(depths)

    def _hard_bounds(self, vectors: Vector, found: Vector, norm2: float, balanced: bool) -> None:
        length = sqrt(norm2)
        if balanced and length < self.upper:
            self.upper = length
        offsets, margin, mistakes, _ = place_hard(found, self.codes, free=self.sample.affine)
        if length > 0.0 and (-mistakes, margin / length) > (-self.mistakes, self.lower):
            self.mistakes, self.lower = mistakes, margin / length
            factor = 1.0 / margin if margin > 0.0 else 1.0
            self.vectors, self.offsets = factor * vectors, factor * offsets

    def _soft_bounds(
        self,
        vectors: Vector,
        offsets: Vector,
        found: Vector,
        norm2: float,
        balanced: bool,
        slack2: Vector,
    ) -> None:
        factor = 1.0 / norm2
        if balanced:
            self.lower = max(self.lower, 0.5 * factor)
        placed = place_soft(
            float(((factor * vectors) ** 2).sum()),
            factor * found,
            self.codes,
            slack2[self.sample.order],
            factor * offsets,
            free=self.sample.affine,
        )
        if placed.value < self.upper:
            self.upper, self.mistakes = placed.value, placed.mistakes
            self.vectors = placed.factor * factor * vectors
            self.offsets = placed.offsets

    def _add_deepest(self, depths: Vector, least: float) -> int:
        """Add the deepest rows of each class to the candidates; return how many are new."""
        order, settings = self.sample.order, self.settings
        most = min(settings.per_class, max(1, settings.per_scan // self.problem.n_classes))
        depths[self.candidates.taken[order]] = -inf
        wrong = depths.argmax(axis=1)
        deepest = depths[np.arange(len(order)), wrong]
        chosen: list[Ids] = []
        for k in range(self.problem.n_classes):
            mine = np.flatnonzero((self.codes == k) & (deepest > least))
            if len(mine) > most:
                mine = mine[np.argpartition(-deepest[mine], most)[:most]]
            chosen.append(mine)
        places = np.concatenate(chosen)
        return self.candidates.add(order[places], wrong[places])

    def solution(self, status: Status, tol: float) -> JointSolution:
        """Return the best model, and the weights of the last point."""
        if status is not Status.NOT_SEPARABLE and self._is_within(tol):
            status = Status.GAP_REACHED
        candidates = self.candidates
        weights = np.zeros((self.sample.n_examples, self.problem.n_classes))
        norm2 = 2.0 * float((candidates.vectors() ** 2).sum()) + self._slack()[0]
        factor = 1.0 / norm2 if norm2 > 0.0 and status is not Status.NOT_SEPARABLE else 1.0
        members = candidates.members
        weights[candidates.rows[members], candidates.wrong[members]] = factor * candidates.weights
        return JointSolution(
            vectors=self.vectors,
            offsets=self.offsets,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver="joint-wolfe",
            mistakes=self.mistakes,
            gave_up=self.gave_up,
        )
