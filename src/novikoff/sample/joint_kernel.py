"""Examples of many classes in the feature space of a kernel: one score for each class.

The virtual rows of :mod:`novikoff.sample.multiclass`, known by their products alone as in
:mod:`novikoff.sample.kernel_sample`. What is kept of an example is its scores, ``n_classes`` of
them; a column of the kernel serves all classes.
"""

from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import joint_kernel as compiled
from novikoff.compiled.joint import JointState
from novikoff.compiled.joint_kernel import JointKernelExamples
from novikoff.compiled.kernel_sweep import Part
from novikoff.compiled.step import Specification, start
from novikoff.sample.joint_signed import TIGHT, JointSigned, cycle_of
from novikoff.sample.kernel import Ids
from novikoff.sample.kernel_memory import Scores
from novikoff.sample.kernel_sample import KernelSample
from novikoff.sample.kernel_scores import Vector
from novikoff.sample.signed import NOTHING, Worst
from novikoff.sample.virtual_rows import JointMemory, VirtualRows


@dataclass
class JointKernelMemory(JointMemory):
    """The memory of a joint run on a kernel: ``w`` holds one number, its length without lifts."""

    known: dict[Any, Scores] = field(default_factory=dict)

    def arrays(self) -> JointState:
        """Return the arrays that compiled code changes in place; there are no vectors."""
        return super().arrays()._replace(w=np.zeros((len(self.offsets), 0)))


@dataclass(frozen=True)
class JointKernelSample(JointSigned, KernelSample):
    """Examples of many classes in feature space, in the order of visits. Build: :meth:`joint`.

    The attributes are those of :class:`~novikoff.sample.JointSample` and
    :class:`~novikoff.sample.kernel_sample.KernelSample`.

    Examples
    --------
    Three points on a line, whose middle is of a class of its own:

    >>> import numpy as np
    >>> from novikoff import rules
    >>> from novikoff.run import run
    >>> from novikoff.sample.joint_kernel import JointKernelSample
    >>> from novikoff.sample.kernel import KernelFunction, KernelMatrix
    >>> from novikoff.sample.kernel_sample import KernelSample
    >>> X = np.array([[-1.0], [0.0], [1.0]])
    >>> matrix = KernelMatrix(X, KernelFunction("poly", gamma=1.0, degree=2, coef0=1.0))
    >>> sample = KernelSample.of(matrix, np.ones(3))
    >>> finished = run(JointKernelSample.joint(sample, np.arange(3), n_classes=3), rules.Classic())
    >>> finished.status.name
    'CONVERGED'
    """

    codes: Ids = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    steps: Vector = field(default_factory=lambda: np.ones(0))
    rows: VirtualRows = field(default_factory=lambda: VirtualRows(0))

    @classmethod
    def joint(
        cls,
        sample: KernelSample,
        codes: NDArray[Any],
        *,
        n_classes: int,
        steps: Vector | None = None,
        rows: VirtualRows | None = None,
    ) -> "JointKernelSample":
        """Return examples with their classes; as :meth:`.multiclass.JointSample.joint`."""
        joint = cls(
            **{one.name: getattr(sample, one.name) for one in fields(KernelSample)},
            codes=np.asarray(codes, dtype=np.int64),
            steps=np.ones(n_classes) if steps is None else np.asarray(steps, dtype=np.float64),
            rows=VirtualRows(sample.n_examples) if rows is None else rows,
        )
        return joint.lifted_by(joint.codes)

    @property
    def settles(self) -> bool:
        """With several classes so many examples have weight that to satisfy them takes longer."""
        return self.eager and self.n_classes == 2

    def with_equal_steps(self) -> "JointKernelSample":
        """Return the same examples without weights on the steps of classes or examples."""
        return replace(self, steps=np.ones(self.n_classes), shares=NOTHING)

    def memory(self, rule: Specification) -> Any:
        """Return the memory of a run that starts at ``w = 0``."""
        zero = np.zeros(self.n_classes)
        totals = np.zeros(self.n_examples)
        return JointKernelMemory(self.rows, np.zeros(1), zero, zero.copy(), start(rule), totals)

    def length(self, weights: Vector, w: Vector) -> float:
        """Return ``|w|`` with the coordinates of slack, one for each example."""
        totals = self.by_example(weights)
        return float(np.sqrt(w @ w + self.slack_length2(totals)))

    def offset_of(self, memory: Any) -> Vector:
        """Return a copy of the offsets of an iterate at the centre, one for each class."""
        return np.array(memory.offsets)

    def sweep(
        self,
        ids: Ids,
        rule: Specification,
        memory: Any,
        *,
        nearness: float = 0.0,
        most: float = np.inf,
        passes: int = 1,
        **order: Any,
    ) -> tuple[int, int, Ids]:
        """Visit a chunk as :meth:`KernelSample.sweep` does; the worst wrong class decides."""
        memory.make_room(len(ids) * min(passes, self.n_classes - 1))
        how: dict[str, Any] = dict(nearness=nearness, most=most, passes=passes, **order)
        return super().sweep(ids, rule, memory, **how)

    def step_on(self, worst: Worst, rule: Specification, memory: Any) -> None:
        """Update on the worst virtual rows, in one call, between which no Ctrl-C can come."""
        ids = worst.examples
        memory.make_room(len(ids))
        known = self._fresh(ids, memory, self._columns(len(ids), len(ids)))
        self._bring_up_to_date(known, memory)
        assert known.columns is not None
        known.columns.add(ids, lambda some: self._block(some, ids))
        part = Part(ids, known.values, known.columns.values, known.columns.slots)
        compiled.step_joint_kernel(part, worst.wrong, self._examples, rule, memory.arrays())
        self._note(known, memory)

    def least(self, ids: Ids, memory: Any) -> tuple[Vector, Ids]:
        """Return the least margin of examples of each class against each other, and whose."""
        shape = self.n_classes, self.n_classes
        least, who = np.full(shape, inf), np.full(shape, -1, dtype=np.int64)
        for chunk, scores in self._parts(ids, memory):
            compiled.least_of_classes(scores, chunk, self._examples, memory.arrays(), least, who)
        return least, who

    def combine(self, weights: Vector) -> tuple[Vector, Any]:
        """Return the length of the vectors that weights make, and the offsets at the centre."""
        carriers, signed = self._signed(weights)
        scores = self._scores(carriers, carriers, signed)
        norm2 = 0.5 * float(np.sum(scores.T * signed))
        return np.array([np.sqrt(max(norm2, 0.0))]), self.frame.lift2 * signed.sum(axis=0)

    def model(self, weights: Vector) -> tuple[Vector, Any]:
        """Return ``coef``, a row for each example, and the intercepts of all scores."""
        carriers, signed = self._signed(weights)
        coef = np.zeros((self.n_examples, self.n_classes))
        coef[carriers] = signed
        if not self.affine:
            return coef, np.zeros(self.n_classes)
        total = signed.sum(axis=0)
        first = int(self.order[0])
        middle = 0.5 * float(self.matrix.diagonal[first])
        # In the order of visits, so that rounding does not depend on that of the rows.
        along = signed.T @ self.towards[carriers]
        intercepts = self.frame.lift2 * total - along + total * middle
        coef[first] -= total
        return coef, intercepts

    def placed(self, weights: Vector) -> tuple[Vector, Any, Ids]:
        """Return the length of the vectors, the offsets that make the least margin largest.

        The offsets are those of the scores relative to the centre, without lifts; also the
        examples that they depend on.
        """
        length, _ = self.combine(weights)
        iterate: Any = self.memory(Specification())
        iterate.all_weights, iterate.totals = weights, self.by_example(weights)
        least, who = self.least(self.order, iterate)
        _, mean, potentials = cycle_of(least)
        spare = least + potentials[:, None] - potentials - mean
        tight = spare <= TIGHT * np.abs(least[np.isfinite(least)]).max()
        return length, 2.0 * potentials, np.unique(who[tight])

    @property
    def _examples(self) -> JointKernelExamples:
        return JointKernelExamples(
            self.codes, self.norms2, self.frame, self.steps, self.shares, self.slacks2
        )

    def _zeros(self, count: int) -> Vector:
        return np.zeros((self.n_classes, count))

    def _signed(self, weights: Vector) -> tuple[Ids, Vector]:
        """Return the examples that have weight, and their weights in the scores of all classes."""
        rows = np.flatnonzero(weights)
        owner, wrong = self.rows.owner[rows], self.rows.wrong[rows]
        # In the order of visits, so that sums do not depend on when a row got its number.
        carriers = self.order[np.isin(self.order, owner)]
        place = np.empty(self.n_examples, dtype=np.int64)
        place[carriers] = np.arange(len(carriers))
        signed = np.zeros((len(carriers), self.n_classes))
        signed[place[owner], wrong] = -weights[rows]
        np.add.at(signed, (place[owner], self.codes[owner]), weights[rows])
        return carriers, signed

    def _margins(self, ids: Ids, scores: Vector, memory: Any) -> Vector:
        shifted = scores + memory.offsets[:, None]
        here = np.arange(len(ids))
        own = shifted[self.codes[ids], here]
        shifted[self.codes[ids], here] = -inf
        margins = 0.5 * (own - shifted.max(axis=0))
        return np.asarray(margins + self.slack_on(ids, memory.totals))

    def _lifted(self, memory: Any) -> float:
        frame, added = self.frame, 0.0
        if frame.lift2 > 0.0:
            added = 0.5 * float(memory.offsets @ memory.offsets) / frame.lift2
        return added + self.slack_length2(memory.totals)

    def _sweep_part(
        self, part: Part, visits: Ids, rule: Specification, memory: Any, how: tuple[Any, ...]
    ) -> int:
        state = memory.arrays()
        return int(compiled.sweep_joint_kernel(part, visits, self._examples, rule, state, *how))

    def _upcoming(
        self, part: Part, visits: Ids, begin: int, share: float, memory: Any, found: Ids
    ) -> int:
        how = (self._examples, share, memory.arrays())
        return int(compiled.upcoming_joint(part, visits, begin, *how, found))
