"""Whether anything separates the examples, by soft margins of growing C.

A soft margin costs a few passes over the data, where the widest margin may cost thousands of steps.
If something separates the examples, a soft margin does so from some C on. If nothing does, then the
slacks ``s_i = max(0, 1 - z_i . w)`` of the squared hinge without a penalty on ``w`` satisfy
``sum s_i z_i = 0`` at the optimum, because that sum is half the negative gradient: a combination of
the examples that vanishes. A soft margin of large C has nearly these slacks, and the certificate
corrects what is missing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import place_hard
from novikoff.maxmargin.cores import Core, cores
from novikoff.maxmargin.passes import Passes, Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock

BySlacks = Callable[..., bool]
"""Whether the slacks of a hyperplane ``w . x + b = 0`` prove that nothing separates.

It is called with ``w`` and ``b``, and with the columns ``without=`` which the examples must be.
"""

SoftMargin = Callable[..., Solution]

Seek = Callable[[Solution], Solution | None]
"""Looks for a separator by other means than soft margins, from a hyperplane that is nearly one."""


@dataclass(frozen=True)
class VerdictSettings:
    """Which soft margins are tried, and how exactly they are solved."""

    levels: tuple[float, ...] = (0.1, 10.0, 1e3, 1e5)
    """The values of C, for rows as long as the root of the number of their non-zeros."""

    last: float = 1e7
    """The C that an interior-point method solves where all of these do not decide. Hashed texts,
    6,100 x 2,048, that nothing separates take it 26 iterations, 20 with a hundredth of it, and have
    a proof with both; a larger C finds narrower margins."""

    rough: float = 0.1
    """The gap to which the first, cheap soft margin is solved."""

    fine: float = 1e-7
    """The gap of the others, whose slacks must combine to nearly zero."""

    late: float = 1e3
    """Where a proof from slacks costs more than a soft margin of sparse data, it waits for a C that
    large: one-hot 20,000 x 4,502 has none at C = 10, which takes 14 s to find out. Of dense data
    the next soft margin costs no less: 20,000 x 3,000 takes 9.5 s where proofs wait, else 6.6."""

    zero: float = 1e-14
    """A margin no larger than this, in units of the radius, is taken for rounding."""

    passes: int = 15
    """About how many passes a soft margin takes."""

    core_passes: int = 300
    """How many passes over all examples the cores may take. Three factors of 1,500 equally frequent
    levels in 50,000 examples with 5 % noise take 31 s with 50, because no core is decided."""

    few_mistakes: float = 0.1
    """If the soft margin of the smallest C makes mistakes on no larger a share of the examples, a
    larger C may separate them, and is tried before cores. One-hot 15,000 x 3,120, separable, has
    7 % and takes 37 ms, 77 at half the value and 42 at twice; 30,000 x 2,120 with 10 % noise has
    19 % and takes 0.19, 0.22 and 0.36 s."""

    falling: float = 0.1
    """A still larger C follows if that reduces the mistakes to this share. Five separable sets take
    the same time at half and at twice; nearly separable ones were not compared."""

    doubts: int = 3
    """After so many cores that something separates, a larger C is tried on all examples before the
    other cores, unless it was: something may separate them, too. One-hot 30,000 x 1,840, separable,
    takes 0.2 s, and 0.4 where all cores come first."""

    factor: float = 0.2
    """What the proof from slacks costs for d features, in units of d^3 values read by a pass."""


VERDICT = VerdictSettings()


class Probe:
    """Soft margins of growing C on the examples of a problem.

    Parameters
    ----------
    problem : Problem
        Without slack.
    clock : Clock
        Limits and history, shared with the search for the widest margin.
    soft_margin : callable
        Solves the soft problems.
    by_slacks : callable
        Proves that nothing separates the examples.
    costs : array of shape (n_examples,), optional
        How often each example counts; by default once.
    seek : callable, optional
        Looks for a separator where a soft margin makes few mistakes, but larger C take long.
    settings : VerdictSettings, optional
        Which soft margins are tried.
    """

    def __init__(
        self,
        problem: Problem,
        clock: Clock,
        soft_margin: SoftMargin,
        by_slacks: BySlacks,
        costs: Vector | None = None,
        seek: Seek = lambda nearly: None,
        settings: VerdictSettings = VERDICT,
    ) -> None:
        self.problem = problem
        self.clock = clock
        self.soft_margin = soft_margin
        self.by_slacks = by_slacks
        self.costs = np.ones(problem.sample.n_examples) if costs is None else costs
        self.seek = seek
        self.settings = settings
        self.levels = list(settings.levels)
        self.tried = 0
        self.mistakes = problem.n_examples
        self.found: Solution | None = None

    @property
    def cost(self) -> float:
        """What all levels cost, about, in values read by a pass."""
        soft, proof = self._costs
        return soft * len(self.settings.levels) + proof

    @property
    def _costs(self) -> tuple[float, float]:
        """What a soft margin and a proof from slacks cost."""
        settings, d = self.settings, self.problem.n_features
        soft = settings.passes * self.problem.sample.storage.n_values
        return soft, settings.factor * float(d) ** 3

    def first(self) -> Solution | None:
        """Try the smallest C; return the solution if it separates the examples."""
        return self._try(self.levels.pop(0), self.settings.rough)

    def nearly(self) -> Solution | None:
        """Try larger values of C, for as long as few mistakes are left that become fewer.

        Returns the solution if it separates the examples.
        """
        few = self.settings.few_mistakes * self.problem.n_examples
        return self._larger() if self.mistakes <= few else None

    def _larger(self) -> Solution | None:
        """Try larger values of C roughly, while that makes mistakes far fewer."""
        most = self.mistakes
        while self.tried < len(self.levels) and self.mistakes <= most:
            if self.clock.stop() is not None:
                return None
            most = int(self.settings.falling * self.mistakes)
            separator = self._try(self.levels[self.tried], self.settings.rough)
            self.tried += 1
            if separator is None and self.mistakes <= most and self.tried == 1:
                assert self.found is not None
                separator = self.seek(self.found)
            if separator is not None:
                return separator
        return None

    def others(self) -> Solution | None:
        """Try the other values of C; return the solution that decides, if any."""
        soft, proof = self._costs
        sparse = issparse(self.problem.sample.storage.matrix)
        if sparse and len(self.levels) == len(self.settings.levels) - 1:
            decided = self._at_once() or self.roughly()
            if decided is not None or self.clock.stop() is not None:
                return decided
        earliest = self.settings.late if proof > soft and sparse else 0.0
        while self.levels:
            level = self.levels.pop(0)
            proves = level >= earliest
            decided = self._try(level, self.settings.fine if proves else self.settings.rough)
            if decided is None and proves and self.clock.stop() is None:
                decided = self._refuted()
            if decided is not None:
                return decided
            if self.clock.stop() is not None:
                # With more passes, it would go on here.
                self.levels.insert(0, level)
                return None
        return None

    def _at_once(self) -> Solution | None:
        """Go from the first soft margin to the slacks without a penalty, if it makes many mistakes.

        Of rows with hundreds of values the next soft margin costs more than Newton's method saves
        when it starts there: groups of letters, 9,900 x 1,500, take 1.7 s instead of 2.6.
        """
        if self.mistakes <= self.settings.few_mistakes * self.problem.n_examples:
            return None
        # A proof takes no passes.
        return self._refuted(rough=True) if self.clock.interrupted() is None else None

    def roughly(self) -> Solution | None:
        """Try the next C roughly, and go from there to the slacks without a penalty.

        That costs little for sparse data. Returns the solution that decides, if any.
        """
        level = self.levels.pop(0)
        decided = self._try(level, self.settings.rough)
        # A proof takes no passes.
        if decided is None and self.clock.interrupted() is None:
            decided = self._refuted(rough=True)
        if decided is None and self.clock.stop() is not None:
            # With more passes, it would go on here.
            self.levels.insert(0, level)
        return decided

    def last(self, soft_margin: SoftMargin) -> Solution | None:
        """Try a still larger C by a solver whose work does not grow with it.

        Returns the solution that decides, if any.
        """
        decided = self._try(self.settings.last, self.settings.fine, soft_margin)
        if decided is None and self.clock.stop() is None:
            decided = self._refuted()
        return decided

    def in_cores(self) -> Solution | None:
        """Look for a proof from the examples of a core; for sparse data.

        Returns a separator where cores are separated, and a larger C separates all examples.
        """
        with self.clock.at_most(self.settings.core_passes):
            for looked_at, core in enumerate(cores(self.problem.sample)):
                if looked_at == self.settings.doubts and not self.tried:
                    separator = self._larger()
                    if separator is not None:
                        return separator
                if self.clock.stop() is not None:
                    return None
                found = self._in_core(core)
                if found is not None:
                    return found if self.found is None else found.following(self.found)
        return None

    def _in_core(self, core: Core) -> Solution | None:
        """Return the solution that proves that nothing separates the examples of a core."""
        sample = self.problem.sample
        part = core.of(sample)

        def by_slacks(w: Vector, intercept: float, **how: Any) -> bool:
            return self.by_slacks(core.widened(w), intercept, without=core.without, **how)

        with self.clock.of_part(core.rows.size / sample.order.size) as clock:
            costs = self.costs[core.rows]
            probe = Probe(
                Problem(part), clock, self.soft_margin, by_slacks, costs, settings=self.settings
            )
            found = probe.first()
            if found is None and clock.stop() is None:
                found = probe.roughly()
        if found is None or found.status is not Status.NOT_SEPARABLE:
            return None
        w = core.widened(found.w)
        return replace(
            found,
            w=w,
            offset=found.offset + float(w @ sample.centre) - float(found.w @ part.centre),
            weights=np.zeros(sample.n_examples),
            solver=f"core+{found.solver}",
        )

    def _try(
        self, level: float, tol: float, soft_margin: SoftMargin | None = None
    ) -> Solution | None:
        sample, before = self.problem.sample, self.found
        C = level * self._unit()
        with np.errstate(divide="ignore"):
            soft = Problem(sample, 0.5 / C / self.costs)
        start = None if before is None else before.weights
        with self.clock.until_separated():
            solve = soft_margin or self.soft_margin
            found = solve(soft, tol=tol, clock=self.clock, start=start)
        self.found = found if before is None else found.following(before)
        return self._separator()

    def _unit(self) -> float:
        """Return the C that level 1 stands for."""
        sample = self.problem.sample
        mean = float(sample.norms2[sample.order].mean()) or 1.0
        return sample.storage.n_values / sample.n_examples / mean

    def _separator(self) -> Solution | None:
        """Return the last hyperplane with its best offset, if it separates the examples."""
        assert self.found is not None
        sample, w = self.problem.sample, self.found.w
        passes = Passes(sample, self.clock)
        # A separator is not lost for want of the pass that shows it.
        with passes.without_limits():
            products = passes.products(sample.order, w, float(w @ sample.centre))
        signs = sample.signs[sample.order]
        offset, least, self.mistakes = place_hard(products, signs, sample.affine)
        length = float(np.linalg.norm(w))
        if not least > self.settings.zero * length * sample.radius:
            return None
        return replace(
            self.found,
            w=w / least,
            offset=offset / least,
            status=Status.SEPARATED,
            lower=least / length,
            upper=np.inf,
        )

    def _refuted(self, *, rough: bool = False) -> Solution | None:
        """Return the solution that proves that nothing separates the examples, if it does.

        ``rough``: it may be far from the optimum.
        """
        assert self.found is not None
        found, centre = self.found, self.problem.sample.centre
        if not self.by_slacks(found.w, found.offset - float(found.w @ centre), rough=rough):
            return None
        weights = np.zeros_like(found.weights)
        solver = f"{found.solver}+slacks"
        status = Status.NOT_SEPARABLE
        return replace(
            found, weights=weights, status=status, solver=solver, lower=-np.inf, upper=0.0
        )
