"""Examples of many classes as one sample: the virtual rows of Kesler's construction.

An example of class y has a virtual row for every other class r, ``(e_y - e_r) (x) z / sqrt(2)``,
which a vector ``w`` with one part for each class must have on its positive side. Lengths are those
of the examples, and the margin of ``w`` is a lower bound on the distance of the examples to every
boundary between two classes. For two classes it is the binary problem.
"""

from dataclasses import dataclass, field, fields, replace
from math import inf, sqrt
from typing import Any

import numpy as np

from novikoff.compiled import joint as compiled
from novikoff.compiled.joint import JointExamples
from novikoff.compiled.rows import Rows
from novikoff.compiled.step import Frame, Specification, start
from novikoff.sample.joint_signed import TIGHT, JointSigned, cycle_of
from novikoff.sample.sample import Sample, slacks_of
from novikoff.sample.signed import NOTHING, Worst
from novikoff.sample.storage import Storage
from novikoff.sample.virtual_rows import Floats, Indices, JointMemory, VirtualRows


@dataclass(frozen=True)
class JointSample(JointSigned, Sample):
    """Examples of many classes in the order of visits; nothing of the data is copied.

    Weights are those of ``rows``, the virtual rows that a run has updated on. Build one with
    :meth:`joint`.

    Attributes
    ----------
    codes : array of int64
        The classes of the examples, as numbers.
    steps : array of float64
        The factor on the steps of each class.
    rows : VirtualRows
        The virtual rows that have a weight.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import rules
    >>> from novikoff.run import run
    >>> from novikoff.sample import JointSample, Sample, storage_of
    >>> X, codes = np.array([[0.0, 1.0], [2.0, 0.0], [-2.0, 0.0]]), np.array([0, 1, 2])
    >>> sample = Sample.of(storage_of(X), np.ones(3), affine=False)
    >>> finished = run(JointSample.joint(sample, codes, n_classes=3), rules.Classic())
    >>> finished.status.name, finished.n_updates
    ('CONVERGED', 3)
    >>> finished.memory.w
    array([[ 0.,  1.],
           [ 2., -1.],
           [-2.,  0.]])
    """

    codes: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    steps: Floats = field(default_factory=lambda: np.ones(0))
    rows: VirtualRows = field(default_factory=lambda: VirtualRows(0))

    @classmethod
    def joint(
        cls,
        sample: Sample,
        codes: Indices,
        *,
        n_classes: int,
        steps: Floats | None = None,
        rows: VirtualRows | None = None,
    ) -> "JointSample":
        """Return examples that are measured already with their classes; no pass over the data.

        Parameters
        ----------
        sample : Sample
            The examples; their signs are not read.
        codes : array of int64
            Their classes, as numbers from 0.
        n_classes : int
            How many classes there are.
        steps : array of float64, optional
            The factor on the steps of each class; by default 1.
        rows : VirtualRows, optional
            Those of a run that is continued.
        """
        joint = cls(
            **{one.name: getattr(sample, one.name) for one in fields(Sample)},
            codes=np.asarray(codes, dtype=np.int64),
            steps=np.ones(n_classes) if steps is None else np.asarray(steps, dtype=np.float64),
            rows=VirtualRows(sample.n_examples) if rows is None else rows,
        )
        return joint.lifted_by(joint.codes)

    def memory(self, rule: Specification) -> Any:
        """Return the memory of a run that starts at ``w = 0``."""
        n_classes = self.n_classes
        return JointMemory(
            self.rows,
            self.zeros(),
            np.zeros(n_classes),
            np.zeros(n_classes),
            start(rule),
            np.zeros(self.n_examples),
        )

    def with_equal_steps(self) -> "JointSample":
        """Return the same examples without weights on the steps of classes or examples."""
        return replace(self, steps=np.ones(self.n_classes), shares=NOTHING)

    def with_frame(self, frame: Frame) -> "JointSample":
        """Return the same examples with another lift or slack."""
        return replace(self, frame=frame)

    def of_batch(
        self,
        storage: Storage,
        order: Indices,
        codes: Indices,
        norms2: Floats,
        shares: Floats = NOTHING,
    ) -> "JointSample":
        """Return other examples, read relative to the same centre with the same lift."""
        return replace(
            self,
            storage=storage,
            signs=np.ones(len(order), dtype=np.int8),
            order=order,
            codes=codes,
            norms2=norms2,
            rows=VirtualRows(len(order)),
            shares=shares,
            slacks2=slacks_of(self.frame.slack2, shares),
        )

    def zeros(self) -> Floats:
        """Return zero vectors, one for each class, in the layout that sweeps read."""
        shape = self.n_classes, self.storage.width
        return np.zeros(shape, order="F" if self.is_sparse else "C")

    def sweep(
        self,
        ids: Indices,
        rule: Specification,
        memory: Any,
        *,
        nearness: float = 0.0,
        most: float = np.inf,
        passes: int = 1,
    ) -> tuple[int, int, Indices]:
        """Visit a chunk as :meth:`Sample.sweep` does; the worst wrong class of each decides."""
        memory.make_room(len(ids) * min(passes, self.n_classes - 1))
        examples, here = self._joint_part(ids)
        near = np.empty(len(ids), dtype=np.int64)
        begun, visited, found = compiled.sweep_joint(
            examples, here, ids, rule, memory.arrays(), near, nearness, most, passes
        )
        return begun, visited, near[:found]

    def margins(self, ids: Indices, memory: Any) -> Floats:
        """Return the least ``z . w`` over the wrong classes of the given examples."""
        out = np.empty(len(ids))
        state = memory.arrays()
        done = 0
        for chunk in self.chunks(ids):
            rows, here = self._rows(chunk)
            some = out[done : done + len(chunk)]
            vectors = (state.w, state.along, state.offsets)
            compiled.margins_joint(rows, self.codes, here, chunk, *vectors, some)
            some += self.slack_on(chunk, state.totals)
            done += len(chunk)
        return out

    def combine(self, weights: Floats) -> tuple[Floats, Any]:
        """Return ``sum weights (e_y - e_r) (x) (x - centre)``, and the offsets at the centre.

        The sum runs over the examples with weight, in the order of visits, so that it does not
        depend on any other example.
        """
        support, table = self.table(weights)
        signed = self.signed_weights(support, table).T
        w = self.zeros()
        done = 0
        for chunk in self.chunks(support):
            rows, here = self._rows(chunk)
            some = signed[done : done + len(chunk)]
            compiled.combine_joint(rows, here, some, self.centre, self.at, w)
            done += len(chunk)
        # A sum along the first axis of a C-ordered table adds in the order of visits.
        return w, self.frame.lift2 * signed.sum(axis=0)

    def model(self, weights: Floats) -> tuple[Floats, Any]:
        """Return the scores ``coef . x + intercept`` that a weighting makes, one for each class."""
        w, offsets = self.combine(weights)
        return np.ascontiguousarray(w), offsets - w @ self.centre

    def length(self, weights: Floats, w: Floats) -> float:
        """Return ``|w|`` with the coordinates of slack, one for each example."""
        added = 0.0
        if self.frame.slack2 > 0.0:
            added = self.slack_length2(self.by_example(weights))
        return sqrt(0.5 * float(np.sum(w * w)) + added)

    def step_on(self, worst: Worst, rule: Specification, memory: Any) -> None:
        """Update on the worst virtual rows, in one call, between which no Ctrl-C can come."""
        memory.make_room(len(worst.examples))
        examples, here = self._joint_part(worst.examples)
        state = memory.arrays()
        compiled.step_joint(examples, here, worst.examples, worst.wrong, rule, state)

    def placed(self, weights: Floats) -> tuple[Floats, Any, Indices]:
        """Return the scores whose intercepts make the least margin as large as possible.

        The vectors are those of the weights; also the examples that these intercepts depend on.
        """
        w, _ = self.combine(weights)
        along, zero = w @ self.centre, np.zeros(self.n_classes)
        totals = self.by_example(weights)
        state = start(Specification())
        iterate = JointMemory(self.rows, w, zero, along, state, totals)
        least, who = self.least(self.order, iterate)
        _, mean, potentials = cycle_of(least)
        spare = least + potentials[:, None] - potentials - mean
        tight = spare <= TIGHT * np.abs(least[np.isfinite(least)]).max()
        placing = np.unique(who[tight])
        return np.ascontiguousarray(w), 2.0 * potentials - along, placing

    def offset_of(self, memory: Any) -> Floats:
        """Return a copy of the offsets of an iterate at the centre, one for each class."""
        return np.array(memory.offsets)

    def least(self, ids: Indices, memory: Any) -> tuple[Floats, Indices]:
        """Return the least margin of examples of each class against each other, and whose."""
        shape = self.n_classes, self.n_classes
        least, who = np.full(shape, inf), np.full(shape, -1, dtype=np.int64)
        for chunk in self.chunks(ids):
            examples, here = self._joint_part(chunk)
            compiled.least_joint(examples, here, chunk, memory.arrays(), least, who)
        return least, who

    def _rows(self, ids: Indices) -> tuple[Rows, Indices]:
        rows, gathered = self.storage.part(ids)
        return rows, ids if gathered is None else np.arange(len(ids))

    def _joint_part(self, ids: Indices) -> tuple[JointExamples, Indices]:
        rows, here = self._rows(ids)
        examples = JointExamples(
            rows,
            self.codes,
            self.norms2,
            self.centre,
            self.at,
            self.frame,
            self.steps,
            self.shares,
            self.slacks2,
        )
        return examples, here
