"""Block principal pivoting in the dual: the soft margin of few examples, or carried by few.

L. F. Portugal, J. J. Judice & L. N. Vicente, "A comparison of block pivoting and interior-point
algorithms for linear least squares problems with nonnegative variables", Mathematics of Computation
63 (1994).

The weights of some examples, the free ones, solve the dual without regard to signs; those that come
out negative are free no longer, and those with a slope that lets them grow become free, all at
once. That takes five to ten factors of the Gram matrix of free examples, where an active-set method
takes a step for each of them. All this happens among members; a scan of all examples gives the
bounds, and adds those that are misjudged to the members.
"""

from contextlib import nullcontext
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import dual_objective, dual_variables, place_soft
from novikoff.maxmargin.passes import Ids, Passes, Vector
from novikoff.maxmargin.pivoting.gram import Gram
from novikoff.maxmargin.pivoting.settings import PIVOTING, PivotingSettings
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock, Stopped

Flags = NDArray[np.bool_]


def block_pivoting(
    problem: Problem,
    *,
    tol: float,
    clock: Clock,
    before: Solution | None = None,
    start: Vector | None = None,
    precise: bool = False,
    settings: PivotingSettings = PIVOTING,
) -> Solution:
    """Maximise the soft margin's dual until the relative gap is at most ``tol``.

    Parameters
    ----------
    problem : Problem
        With slack.
    tol : float
        Stop when ``(primal - dual) / primal`` is no larger.
    clock : Clock
        Limits and history. Limits are in passes over the examples; each scan is reported.
    before : Solution, optional
        Where another solver has led: the examples next to its hyperplane are the first members, and
        those with weight are free.
    start : array of shape (n_examples,), optional
        Weights to start from. Of sparse data, with ``before``: the examples that have some are the
        first members, in place of those next to the hyperplane.
    precise : bool
        Work in double precision from the start; else where the problem asks for it.
    settings : PivotingSettings, optional
        Sizes and accuracies.

    Returns
    -------
    Solution
        Its hyperplane is that of the best primal bound seen, its weights those of the best dual.
    """
    run = _Run(problem, tol, clock, precise, settings)
    try:
        run.begin(before, start)
        status = run.rounds()
    except Stopped as stopped:
        status = stopped.status
    return run.solution(status)


class _Run:
    def __init__(
        self,
        problem: Problem,
        tol: float,
        clock: Clock,
        precise: bool,
        settings: PivotingSettings,
    ) -> None:
        if problem.slack2 is None:
            raise ValueError("Pivoting is for the soft margin; the problem has no slack.")
        self.problem = problem
        self.sample = problem.sample
        self.slack2 = problem.slack2
        self.order = self.sample.order
        self.signs = self.sample.signs[self.order].astype(np.float64)
        self.tol = tol
        self.clock = clock
        self.settings = settings
        self.passes = Passes(problem.sample, clock)
        radius2, range_ = self.sample.radius**2, settings.single_range**2
        self.precise = (
            precise
            or tol < settings.single
            or not 1.0 / range_ < radius2 < range_
            or float(self.slack2[self.order].min()) < settings.single_slack * radius2
        )
        self.gram = self._gram()
        self.free = np.zeros(self.sample.n_examples, dtype=np.bool_)
        self.gave_up = self.nearly = False
        self.lower, self.upper = -inf, inf
        self.w, self.offset, self.mistakes = np.zeros(problem.n_features), 0.0, len(self.order)
        self.weights = np.zeros(self.sample.n_examples)

    def _gram(self) -> Gram:
        return Gram(self.passes, precise=self.precise, block_values=self.settings.block_values)

    def begin(self, before: Solution | None, start: Vector | None) -> None:
        """Choose the first members and which of them are free."""
        settings, members, weights = self.settings, self.order, start
        most = int(settings.members_per_feature * self.problem.n_features)
        most = max(most, settings.least_members)
        if before is not None:
            weights = before.weights if start is None else start
            self._take(before)
        self.free[self.order] = True if weights is None else weights[self.order] > 0.0
        if before is not None and start is not None and self.sample.is_sparse:
            members = self.order[self.free[self.order]]
        elif before is not None and self.sample.is_sparse:
            margins = self.signs * (self._products(before.w) + before.offset)
            self.free[self.order] |= margins < 1.0
            members = self.order[self.free[self.order]]
        elif before is not None and len(members) > most:
            margins = self.signs * (self._products(before.w) + before.offset)
            members = self.order[np.sort(np.argpartition(margins, most)[:most])]
            self.free[self.order] = margins < 1.0
        self.gram.extend(members)

    def _take(self, before: Solution) -> None:
        self.lower, self.upper = before.lower, before.upper
        self.w, self.offset, self.weights = before.w, before.offset, before.weights

    def rounds(self) -> Status:
        """Solve among members, scan all, take in more, until the gap is small.

        Where exchanges go in circles, softer problems lead to the one that was posed.
        """
        settings = self.settings
        softness, settled, factor = 1.0, inf, settings.harder
        while True:
            found = self._pivot(softness)
            if found is not None:
                # Without the first scan there may be no hyperplane to return.
                with nullcontext() if self.upper < inf else self.passes.without_limits():
                    new = self._scan(*found)
                if self._reached():
                    return Status.GAP_REACHED
                status = self.clock.stop()
                if status is not None:
                    return status
                if len(new):
                    self.free[new] = True
                    self.gram.extend(new)
                if softness > 1.0:
                    settled, softness = softness, max(1.0, softness / factor)
                    factor = min(settings.harder, factor**settings.bolder)
                elif not len(new) and not self._made_precise():
                    return Status.PRECISION
                else:
                    settled = inf
            elif self.nearly and self._made_precise():
                # Rounding misplaces the last few.
                continue
            elif settled < inf and factor > settings.least_factor:
                factor = sqrt(factor)
                softness = max(1.0, settled / factor)
            elif settled == inf and softness < settings.softest:
                softness *= settings.softer
            elif not self._made_precise():
                self.gave_up = True
                return Status.PRECISION

    def _reached(self) -> bool:
        return self.lower > 0.0 and self.lower >= (1.0 - self.tol) * self.upper

    def _made_precise(self) -> bool:
        """Go over to double precision, if that is not where this is."""
        if self.precise:
            return False
        self.precise, members = True, self.gram.members
        self.gram = self._gram()
        self.gram.extend(members)
        return True

    def _pivot(self, softness: float) -> tuple[Vector, float] | None:
        """Exchange misplaced members until none are left or the gap among them is small.

        Returns their signed weights and the offset, or ``None`` where exchanges go in circles.
        """
        settings, gram, self.nearly = self.settings, self.gram, False
        free = self.free[gram.members]
        signs, slack2 = self._terms(softness)
        aim = settings.share_of_tol * (self.tol if softness == 1.0 else settings.soft_tol)
        least, patience, noise = len(free) + 1, settings.patience, settings.rounding * gram.eps
        quick = self._scans_are_quick()
        while True:
            self.passes.check()
            found = self._solve(free, signs, slack2)
            if found is None:
                return None
            weights, offset, values = found
            self.clock.updates += 1
            sizes, slopes = signs * weights, signs * (values + offset) - 1.0
            gap = self._gap(weights, offset, values, signs, slack2)
            misplaced = np.where(
                free,
                sizes < -noise * float(np.abs(sizes).max()),
                slopes < -noise * max(1.0, float(np.abs(values).max())),
            )
            count = int(np.count_nonzero(misplaced))
            if gap <= aim or not count:
                self.free[gram.members] = free
                return weights, offset
            if quick:
                before = self.lower, self.upper
                new = self._scan(weights, offset)
                if self._reached():
                    return weights, offset
                # Where the bounds stay, those that join would not let the others settle.
                quick = before != (self.lower, self.upper)
                if len(new):
                    gram.extend(new)
                    count += len(new)
                    free = np.append(free, np.zeros(len(new), dtype=np.bool_))
                    misplaced = np.append(misplaced, np.ones(len(new), dtype=np.bool_))
                    sizes, slopes = (
                        np.append(each, np.zeros(len(new))) for each in (sizes, slopes)
                    )
                    signs, slack2 = self._terms(softness)
            patience = settings.patience if count < least else patience - 1
            least = min(count, least)
            self.nearly = count <= settings.few_misplaced
            if -patience >= (settings.singles if self.nearly and self.precise else 0):
                return None
            if patience <= 0:
                # One at a time, the last: that does not go in circles.
                misplaced[: np.flatnonzero(misplaced)[-1]] = False
            elif patience < settings.patience:
                # Fewer at once, those farthest from their place, go in circles less often.
                for kind, beyond in ((free, -sizes), (~free, -slopes)):
                    those = misplaced & kind
                    farthest = float(beyond[those].max(initial=0.0))
                    misplaced[those & (beyond < settings.farthest * farthest)] = False
            free = free ^ misplaced

    def _terms(self, softness: float) -> tuple[Vector, Vector]:
        """Return the signs of the members, and their ``Delta^2`` in a softer problem."""
        members = self.gram.members
        return self.sample.signs[members].astype(np.float64), softness * self.slack2[members]

    def _scans_are_quick(self) -> bool:
        """Whether reading all sparse examples takes no longer than a product with the Gram matrix.

        Then each exchange is judged on all of them, and those that are misjudged join the members
        at once.
        """
        storage = self.sample.storage
        return self.sample.is_sparse and storage.n_values <= len(self.gram.members) ** 2

    def _worst_outside(self, products: Vector, offset: float) -> Ids:
        """Return the worst of the examples within the margin that are no members yet."""
        slopes = self.signs * (products + offset) - 1.0
        member = np.zeros(self.sample.n_examples, dtype=np.bool_)
        member[self.gram.members] = True
        (worse,) = np.nonzero((slopes < 0.0) & ~member[self.order])
        most = max(int(self.settings.growth * len(self.gram.members)), self.settings.least_members)
        if len(worse) > most:
            worse = worse[np.argpartition(slopes[worse], most)[:most]]
        return self.order[np.sort(worse)]

    def _solve(
        self, free: Flags, signs: Vector, slack2: Vector
    ) -> tuple[Vector, float, Vector] | None:
        """Return the signed weights of free members, the offset, and ``w . (x - centre)``."""
        places = np.flatnonzero(free)
        if not len(places):
            # A start beyond the margin opens no hinge: w = 0, from which every hinge is open.
            return np.zeros(len(free)), 0.0, np.zeros(len(free))
        right = np.column_stack([signs[places], np.ones(len(places))])
        if not self.sample.affine:
            right = right[:, :1]
        solved = self.gram.solve(places, slack2[places], right)
        if solved is None:
            return None
        weights, offset = np.zeros(len(free)), 0.0
        weights[places] = solved[:, 0]
        if self.sample.affine:
            # The signed weights sum to zero.
            offset = float(solved[:, 0].sum() / solved[:, 1].sum())
            weights[places] -= offset * solved[:, 1]
        return weights, offset, self.gram.products(weights)

    def _gap(
        self, weights: Vector, offset: float, values: Vector, signs: Vector, slack2: Vector
    ) -> float:
        """Return the relative gap among members, between the point and its weights, clipped."""
        hinges = np.maximum(0.0, 1.0 - signs * (values + offset))
        primal = 0.5 * float(weights @ values + (hinges**2 / slack2).sum())
        clipped = np.maximum(signs * weights, 0.0)
        if self.sample.affine:
            totals = [float(clipped[signs == sign].sum()) for sign in (1.0, -1.0)]
            if not (totals[0] > 0.0 and totals[1] > 0.0):
                return inf
            clipped /= np.where(signs > 0.0, totals[0], totals[1])
        signed = signs * clipped
        # Of tiny rows the weights are so large that their squares overflow.
        norm2 = float(signed @ self.gram.products(signed) + (clipped * slack2) @ clipped)
        if not (norm2 > 0.0 and primal > 0.0):
            return inf
        return 1.0 - 0.5 * (float(clipped.sum()) / sqrt(norm2)) ** 2 / primal

    def _scan(self, weights: Vector, offset: float) -> Ids:
        """Judge the weights on all examples; return those that join the members."""
        affine, some = self.sample.affine, np.flatnonzero(weights)
        ids, weights = self.gram.members[some], weights[some]
        signs = self.sample.signs[ids].astype(np.float64)
        clipped = np.maximum(signs * weights, 0.0)
        each = (clipped,) if (signs * weights >= 0.0).all() else (clipped, signs * weights)
        proven, *_, plain = 2 * [*self.passes.class_sums(ids, *each)]
        # The signed weights sum to zero, or the centre is zero.
        w = plain[0] - plain[1]
        totals = np.array([clipped[signs > 0.0].sum(), clipped[signs < 0.0].sum()])
        sums = proven - np.outer(totals, self.sample.centre)
        dual = dual_objective(sums, totals, signs, clipped, self.slack2[ids], affine)
        if dual > self.lower:
            self.lower, self.weights = dual, np.zeros(self.sample.n_examples)
            self.weights[ids] = clipped
        products = self._products(w)
        best, primal, mistakes = place_soft(
            w, products, self.signs, self.slack2[self.order], affine
        )
        if primal < self.upper:
            self.w, self.offset, self.upper, self.mistakes = w, best, primal, mistakes
        self.clock.report(self.mistakes, self.lower, self.upper)
        return self._worst_outside(products, offset)

    def _judge_at_origin(self) -> None:
        """Take the bounds of ``w = 0``, where no scan was made in time."""
        nothing, slack2, affine = (
            np.zeros(len(self.order)),
            self.slack2[self.order],
            self.sample.affine,
        )
        self.offset, self.upper, self.mistakes = place_soft(
            self.w, nothing, self.signs, slack2, affine
        )
        weights = np.maximum(0.0, 1.0 - self.signs * self.offset) / slack2
        with self.passes.without_limits():
            (sums,) = self.passes.class_sums(self.order, weights)
        totals = np.array([weights[self.signs > 0.0].sum(), weights[self.signs < 0.0].sum()])
        sums = sums - np.outer(totals, self.sample.centre)
        self.lower = dual_objective(sums, totals, self.signs, weights, slack2, affine)
        self.weights[self.order] = weights

    def _products(self, w: Vector) -> Vector:
        """Return ``(x - centre) . w`` of all examples in order."""
        return self.passes.products(self.order, w, float(w @ self.sample.centre))

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane and the weights of the best bound."""
        if self.upper == inf:
            self._judge_at_origin()
        if status.at_limit and 0.0 < self.lower >= (1.0 - self.tol) * self.upper:
            status = Status.GAP_REACHED
        return Solution(
            w=self.w,
            offset=self.offset,
            weights=dual_variables(self.weights, self.sample.signs, self.lower, self.sample.affine),
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver="pivoting",
            gave_up=self.gave_up,
        )
