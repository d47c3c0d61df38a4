"""The candidates of the exact solver, pairs of an example and a wrong class, and their corral.

The point of least norm of the virtual rows, by Wolfe's method on their Gram matrix
(:mod:`novikoff.compiled.wolfe`). With intercepts the flow between classes must balance: K equality
constraints. The method of multipliers leaves Wolfe's problem as it is: a virtual row is lifted by
``sqrt(pull) (e_y - e_r + shift)``, of which weights that sum to 1 make ``sqrt(pull) (t + shift)``
with the flow ``t``, and the shift moves by ``t`` until that vanishes.
"""

import numpy as np

from novikoff.compiled import factor
from novikoff.compiled import wolfe as compiled
from novikoff.compiled.factor import GramCorral
from novikoff.maxmargin.joint.problem import Ids, JointProblem, Vector
from novikoff.maxmargin.joint.settings import CorralSettings
from novikoff.maxmargin.wolfe.candidates import DenseRows, GramRows, SparseRows
from novikoff.maxmargin.wolfe.settings import WOLFE
from novikoff.maxmargin.wolfe.working_set import power_below
from novikoff.run.clock import Clock


class Candidates:
    """Virtual rows of a problem, and the point of least norm among them."""

    def __init__(self, problem: JointProblem, settings: CorralSettings) -> None:
        sample = problem.sample
        self.problem = problem
        self.settings = settings
        # The rows of the examples, unsigned: the virtual rows are made of their products.
        plain = sample.relabelled(np.ones(sample.n_examples, dtype=np.int8), (1.0, 1.0))
        far = float(sample.centre @ sample.centre) > WOLFE.far * sample.radius**2
        self._rows: GramRows = (
            SparseRows(plain) if sample.is_sparse and not far else DenseRows(plain)
        )
        self.examples: Ids = np.empty(0, dtype=np.int64)
        """The distinct examples."""
        self._products = np.empty((0, 0))
        self._place = np.full(sample.n_examples, -1)
        self.taken = np.zeros((sample.n_examples, problem.n_classes), dtype=np.bool_)
        """Which virtual rows are candidates."""
        self.rows: Ids = np.empty(0, dtype=np.int64)
        self.wrong: Ids = np.empty(0, dtype=np.int64)
        """The examples and wrong classes of the candidates."""
        self.shift: Vector = np.zeros(problem.n_classes)
        unit = sample.radius**2
        if problem.slack2 is not None:
            unit += float(problem.slack2[sample.order].mean())
        self.pull = settings.pull * (unit or 1.0) if sample.affine else 0.0
        self.members: Ids = np.empty(0, dtype=np.int64)
        """The places of the corral's members among the candidates."""
        self.weights: Vector = np.empty(0)
        """Their weights, which sum to 1."""

    def add(self, rows: Ids, wrong: Ids) -> int:
        """Take virtual rows in; return how many of them are new."""
        keys = np.unique(rows * self.problem.n_classes + wrong)
        rows, wrong = keys // self.problem.n_classes, keys % self.problem.n_classes
        new = ~self.taken[rows, wrong]
        rows, wrong = rows[new], wrong[new]
        self.taken[rows, wrong] = True
        self.rows = np.concatenate([self.rows, rows])
        self.wrong = np.concatenate([self.wrong, wrong])
        examples = np.unique(rows[self._place[rows] < 0])
        if len(examples):
            before = len(self.examples)
            self._place[examples] = before + np.arange(len(examples))
            self.examples = np.concatenate([self.examples, examples])
            found = self._rows.add(examples)
            products = np.empty(2 * (len(self.examples),))
            products[:before, :before] = self._products
            products[:, before:] = found
            products[before:, :before] = found[:before].T
            self._products = products
        return len(rows)

    def begin(self, rows: Ids, wrong: Ids, weights: Vector) -> None:
        """Start from these virtual rows, which become candidates."""
        self.add(rows, wrong)
        places = np.full(self.taken.shape, -1)
        places[self.rows, self.wrong] = np.arange(len(self.rows))
        self.members = places[rows, wrong]
        self.weights = weights / weights.sum()

    @property
    def ends(self) -> Vector:
        """``e_y - e_r`` of every candidate."""
        ends = np.zeros((len(self.rows), self.problem.n_classes))
        places = np.arange(len(self.rows))
        ends[places, self.problem.codes[self.rows]] = 1.0
        ends[places, self.wrong] = -1.0
        return ends

    @property
    def flow(self) -> Vector:
        """What the weights make flow between the classes."""
        return np.asarray(self.weights @ self.ends[self.members])

    @property
    def offsets(self) -> Vector:
        """The intercepts, in units in which the vectors are half the weighted sums."""
        offsets = self.pull * (self.flow + self.shift)
        return np.asarray(offsets - offsets.mean())

    def vectors(self) -> Vector:
        """Return the vectors of the classes that the weights make, relative to the centre."""
        shares = np.zeros((len(self.examples), self.problem.n_classes))
        members = self.members
        places = self._place[self.rows[members]]
        np.add.at(shares, (places, self.problem.codes[self.rows[members]]), self.weights)
        np.add.at(shares, (places, self.wrong[members]), -self.weights)
        carrying = np.flatnonzero(shares.any(axis=1))
        return 0.5 * np.array(
            [self._rows.combine(carrying, column) for column in shares[carrying].T]
        )

    def _gram(self, between: Vector) -> Vector:
        """Return the products of the virtual rows, with slack and without lift.

        ``between`` are the products of their ``e_y - e_r``.
        """
        places = self._place[self.rows]
        gram: Vector = self._products[np.ix_(places, places)]
        gram *= 0.5 * between
        if self.problem.slack2 is not None:
            same = places[:, None] == places[None, :]
            gram += np.where(same, self.problem.slack2[self.rows], 0.0)
        return gram

    def solve(self, tol: float, zero: float, clock: Clock) -> bool:
        """Find the point of least norm among the candidates; whether there was time and digits."""
        ends, settings = self.ends, self.settings
        between = ends @ ends.T
        gram = self._gram(between)
        lifted = np.empty_like(gram)
        scale = power_below(float(np.sqrt(gram.diagonal().max() + 2.0 * self.pull))) ** 2
        before = np.inf
        for number in range(settings.multipliers if self.problem.sample.affine else 1):
            # (e + shift) . (e' + shift), without a product of matrices for every shift.
            along = ends @ self.shift + 0.5 * float(self.shift @ self.shift)
            np.add(between, along[:, None], out=lifted)
            lifted += along
            lifted *= self.pull
            lifted += gram
            lifted *= scale
            done = self._descend(lifted, tol, zero * np.sqrt(scale), clock)
            if not done or not self.problem.sample.affine:
                return done
            flow = self.flow
            imbalance = float(np.abs(flow).sum())
            if imbalance <= settings.balanced:
                self._balance(gram)
                return True
            # The members may be those of the optimum; the next descent tells.
            if number < settings.leaps and self._balance(gram):
                continue
            self.shift = self.shift + flow
            if imbalance > 0.5 * before:
                # Slow: the penalty is too small for what flows.
                self.pull *= 4.0
                self.shift /= 4.0
                scale = power_below(float(np.sqrt(gram.diagonal().max() + 2.0 * self.pull))) ** 2
            before = imbalance
        return True

    def _balance(self, gram: Vector) -> bool:
        """Solve for the members' weights with balanced flow; whether none becomes negative."""
        members, ends = self.members, self.ends[self.members]
        k, n_classes = len(members), self.problem.n_classes
        # Stationary: G a + E b = level, with balanced flow and weights that sum to 1.
        system = np.zeros((k + n_classes + 1, k + n_classes + 1))
        unit = float(gram.diagonal().max()) or 1.0
        system[:k, :k] = gram[np.ix_(members, members)] / unit
        system[:k, k:-1], system[k:-1, :k] = ends, ends.T
        system[:k, -1], system[-1, :k] = -1.0, -1.0
        right = np.zeros(len(system))
        right[-1] = -1.0
        try:
            # The offsets are determined up to a constant.
            system[k:-1, k:-1] -= 1.0
            found = np.linalg.solve(system, right)
        except np.linalg.LinAlgError:
            return False
        weights: Vector = found[:k].astype(np.float64)
        offsets: Vector = unit * found[k:-1].astype(np.float64)
        exact = np.abs(system @ found - right).max() <= 1e-10
        if not exact or not (weights > 0.0).all() or np.abs(weights @ ends).sum() > 1e-12:
            return False
        self.weights = weights
        self.shift = offsets / self.pull
        return True

    def _descend(self, gram: Vector, tol: float, zero: float, clock: Clock) -> bool:
        """Run Wolfe's method on a Gram matrix, from the members at hand."""
        most = min(len(self.rows), self.settings.most_members + 1)
        corral = GramCorral(
            gram=gram,
            classes=np.zeros(len(gram), dtype=np.int64),
            unit=1.0,
            members=np.zeros(most, dtype=np.int64),
            weights=np.zeros(most),
            factor=np.zeros((most, most)),
            halves=np.zeros((1, most)),
        )
        begun, weights = self.members[:most], self.weights[:most]
        taken = np.empty(len(begun), dtype=np.bool_)
        size = factor.fill(corral, 0, begun, taken)
        corral.weights[:size] = weights[taken] / weights[taken].sum()
        ended = compiled.EXHAUSTED
        while ended == compiled.EXHAUSTED:
            if clock.interrupted() is not None:
                break
            ended, size, steps = compiled.descend(
                corral, size, tol, zero, self.settings.burst_steps
            )
            clock.updates += int(steps)
        self.members, self.weights = corral.members[:size].copy(), corral.weights[:size].copy()
        return bool(ended in (compiled.SATISFIED, compiled.STALLED))
