"""Signed examples ``z_i = y_i (x_i - centre, lift)``, with the slack lift where asked for."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate.threads import in_order
from novikoff.compiled import blocks
from novikoff.compiled import sweep as compiled
from novikoff.compiled.rows import Rows
from novikoff.compiled.step import (
    ALONG,
    OFFSET,
    RESCALED,
    SMALLEST_SHRINK,
    STATE_SIZE,
    Frame,
    Specification,
    start,
)
from novikoff.compiled.sweep import Examples, Memory
from novikoff.sample.centre import HEADS, Anchor, anchor_of, heads_of, median_of
from novikoff.sample.lift import lift_of
from novikoff.sample.signed import NOTHING, SignedSample
from novikoff.sample.storage import Storage

Part = tuple[Rows, NDArray[np.int64], slice]

FEW_VALUES = 1 << 15
"""So few values are centred and signed by numpy, for which nothing is compiled (0.1 s, once): 10
microseconds for 4,000 and 41 at this size, in a compiled loop 7 and 25; at twice the size 490 and
47."""


@dataclass(frozen=True)
class Sample(SignedSample):
    """Signed examples in the order of visits; nothing of the data is copied.

    The affine case reads each example relative to a centre, and lifts it by one coordinate ``c``,
    which makes runs translation invariant and costs the margin at most a factor sqrt(2). The centre
    is the first example in order, and the lift the distance from there to the first example of
    another class (:mod:`novikoff.sample.lift`); or both come from the first few examples
    (:mod:`novikoff.sample.centre`). Build one with :meth:`of`.

    Attributes
    ----------
    storage : Storage
        The rows.
    signs : array of +1 and -1
        The labels.
    order : array of int64
        The examples in the order of visits.
    centre : array of float64
        What the rows are read relative to; zero if hyperplanes pass through the origin.
    at : array of int64
        The columns in which the centre is not zero.
    norms2 : array of float64
        The squared distances to the centre.
    frame : Frame
        The squares of the lift and of the slack, and the weights of the classes.
    affine : bool
        Whether hyperplanes may miss the origin.
    longest : int
        The example that is farthest from the centre, the first in order of those.
    exponent : int
        The rows are those of the data times two to this power.
    lifting : tuple of int, or None
        The examples that the lift depends on, beside the centre; ``None`` where it was given.
    anchor : Anchor, or None
        The first examples, where the centre and the lift come from these.
    shares, slacks2 : array of float64
        For each example the factor on its steps, and the square of its slack coordinate. Where they
        are empty, all factors are 1, and all squares are that of the frame.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample import Sample, storage_of
    >>> sample = Sample.of(storage_of(np.array([[999.0], [1001.0]])), np.array([1, -1]))
    >>> sample.radius, float(sample.frame.lift2)
    (2.0, 4.0)
    """

    storage: Storage
    signs: NDArray[np.int8]
    order: NDArray[np.int64]
    centre: NDArray[np.float64]
    at: NDArray[np.int64]
    norms2: NDArray[np.float64]
    frame: Frame
    affine: bool
    longest: int
    exponent: int = 0
    lifting: tuple[int, ...] | None = ()
    anchor: Anchor | None = None
    shares: NDArray[np.float64] = field(default_factory=lambda: NOTHING)
    slacks2: NDArray[np.float64] = field(default_factory=lambda: NOTHING)

    @classmethod
    def of(
        cls,
        storage: Storage,
        signs: NDArray[np.int8],
        *,
        order: NDArray[np.int64] | None = None,
        affine: bool = True,
        slack2: float = 0.0,
        class_weights: tuple[float, float] = (1.0, 1.0),
        centre: NDArray[np.float64] | None = None,
        lift: float | None = None,
        classes: NDArray[np.int64] | None = None,
        shares: NDArray[np.float64] = NOTHING,
    ) -> "Sample":
        """Measure the examples (one pass) and return the sample.

        Parameters
        ----------
        storage : Storage
            The rows.
        signs : array of +1 and -1
            The labels.
        order : array of int64, optional
            The order of visits; by default that of the rows.
        affine : bool
            Whether hyperplanes may miss the origin.
        slack2 : float
            The square of the slack coordinate ``Delta`` of every example, ``1 / (2 C)`` for the
            soft margin with penalty C; 0 is the hard margin.
        class_weights : (float, float)
            The steps of negative and positive examples.
        centre : array of float64, optional
            Read relative to this point; by default the first example in order.
        lift : float, optional
            The lift's constant; by default the distance of the first example to the first of
            another class, or from a ``centre`` that is given to the farthest example.
        classes : array of int64, optional
            The classes of the examples as numbers; then the centre is the median of the first
            examples, and the lift is that of :mod:`novikoff.sample.centre`.
        shares : array of float64
            The factor on the steps of each example, by which its slack coordinate squared is
            divided; by default 1.
        """
        n = storage.shape[0]
        order = np.arange(n, dtype=np.int64) if order is None else order
        given = centre is not None or lift is not None
        heads = heads_of(order, classes) if affine and classes is not None else None
        if heads is not None:
            centre = median_of(storage, heads[:HEADS])
        elif centre is None:
            centre = storage.dense_row(int(order[0])) if affine else np.zeros(storage.width)
        signs, at = np.asarray(signs, dtype=np.int8), np.flatnonzero(centre)
        norms2 = distances2_of(storage, centre, at)
        longest = int(order[np.argmax(norms2[order])])
        largest = float(norms2[longest])
        _check_scale(largest)
        lift2: float = 0.0
        lifting: tuple[int, ...] | None = None
        if affine and not given and heads is None:
            lift2, lifting = lift_of(norms2, order, signs, longest)
        elif affine:
            lift2 = largest or 1.0 if lift is None else lift * lift
        sample = cls(
            storage=storage,
            signs=signs,
            order=order,
            centre=centre,
            at=at,
            norms2=norms2,
            frame=Frame(lift2, slack2, *map(float, class_weights)),
            affine=affine,
            longest=longest,
            lifting=lifting,
            anchor=None if heads is None else anchor_of(storage, heads, centre),
            shares=shares,
            slacks2=slacks_of(slack2, shares),
        )
        if largest == 0.0:
            _check_scale(largest, vanished=not sample._coincide())
        if affine and not given and heads is not None:
            return replace(sample, lifting=()).lifted_by(signs)
        return sample

    def relabelled(self, signs: NDArray[np.int8], class_weights: tuple[float, float]) -> "Sample":
        """Return the same examples with other labels; no pass over the data."""
        negative, positive = class_weights
        frame = self.frame._replace(weight_negative=negative, weight_positive=positive)
        signs = np.asarray(signs, dtype=np.int8)
        return replace(self, signs=signs, frame=frame).lifted_by(signs)

    def with_lift(self, lift2: float, lifting: tuple[int, ...]) -> Self:
        """Return the same examples with a lift, and those that it depends on."""
        return replace(self, frame=self.frame._replace(lift2=lift2), lifting=lifting)

    def with_shares(self, shares: NDArray[np.float64], slacks2: NDArray[np.float64]) -> Self:
        """Return the same examples with other factors on their steps, and other slacks."""
        return replace(self, shares=shares, slacks2=slacks2)

    @property
    def n_examples(self) -> int:
        """How many examples there are."""
        return self.storage.shape[0]

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are those of a sparse matrix."""
        return bool(sparse.issparse(self.storage.matrix))

    def memory(self, rule: Specification) -> Memory:
        """Return the memory of a run that starts at ``w = 0``."""
        n = self.n_examples
        return Memory(np.zeros(n), np.zeros(n), np.zeros(self.storage.width), start(rule))

    def chunks(self, ids: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Yield consecutive parts of ``ids``, each quick to sweep."""
        for begin in range(0, len(ids), self.storage.chunk):
            yield ids[begin : begin + self.storage.chunk]

    def nearest(self, near: NDArray[np.int64], memory: Memory) -> NDArray[np.int64]:
        """Return the examples that cheap passes go over: all that are violated or near it."""
        return near

    def parts(self, ids: NDArray[np.int64]) -> Iterator[Part]:
        """Return the parts of a pass: see :func:`parts_of`."""
        return parts_of(self.storage, ids)

    def sweep(
        self,
        ids: NDArray[np.int64],
        rule: Specification,
        memory: Memory,
        *,
        nearness: float = 0.0,
        most: float = np.inf,
        passes: int = 1,
    ) -> tuple[int, int, NDArray[np.int64]]:
        """Visit a chunk, updating on violated examples, until a pass makes no update.

        Makes at most ``passes`` passes. Returns how many were begun, how many examples the last
        one visited (fewer than all once ``most`` updates are made), and which of them were violated
        or near it.
        """
        examples, here, moved = self._part(ids)
        near = np.empty(len(ids), dtype=np.int64)
        local = _part_of(memory, ids) if moved else memory
        rescaled = memory.state[RESCALED]
        try:
            begun, visited, found = compiled.sweep(
                examples, here, rule, local, near, nearness, most, passes
            )
        finally:
            # Ctrl-C during a sweep raises when it returns; w has changed, so must the weights.
            if moved:
                if memory.state[RESCALED] != rescaled:
                    factor = SMALLEST_SHRINK ** (memory.state[RESCALED] - rescaled)
                    memory.weights[:] *= factor
                    memory.stamps[:] *= factor
                memory.weights[ids], memory.stamps[ids] = local.weights, local.stamps
        return begun, visited, ids[near[:found]] if moved else near[:found]

    def margins(self, ids: NDArray[np.int64], memory: Memory) -> NDArray[np.float64]:
        """Return ``z . w`` of the given examples, lifts included."""
        out = np.empty(len(ids))
        along, offset = memory.state[[ALONG, OFFSET]].tolist()
        done = 0
        for chunk in self.chunks(ids):
            examples, here, _ = self._part(chunk)
            some = out[done : done + len(chunk)]
            compiled.margins(examples.rows, examples.signs, here, memory.w, (along, offset), some)
            some += self.slack_on(chunk, memory.weights)
            done += len(chunk)
        return out

    def products(self, w: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``(x_i - centre) . w`` of all examples in order, unsigned."""
        along = float(w[self.at] @ self.centre[self.at])
        out = np.empty(len(self.order))

        def fill(part: Part) -> None:
            rows, here, those = part
            blocks.products(rows, here, w, along, out[those])

        for _ in in_order(fill, self.parts(self.order)):
            pass
        return out

    def matrix(self, ids: NDArray[np.int64]) -> Any:
        """Return the given rows, not centred, as a float64 array or CSR matrix of their own."""
        return self.storage.matrix[ids].astype(np.float64, copy=False)

    def signed_rows(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return ``y_i (x_i - centre)`` of the given examples, dense."""
        rows, signs = self.storage.matrix, self.signs[ids].astype(np.float64)
        if type(rows) is np.ndarray and len(ids) * self.storage.width <= FEW_VALUES:
            return np.asarray((rows[ids] - self.centre) * signs[:, None])
        out = np.empty((len(ids), self.storage.width))
        for rows, here, those in self.parts(ids):
            blocks.scaled(rows, here, self.centre, signs[those], out[those])
        return out

    def combine(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Return ``sum_i weights_i y_i (x_i - centre)`` and the offset at the centre.

        The sum runs over the examples with weight, in the order of visits, so that it does not
        depend on any other example.
        """
        ids = self.order[weights[self.order] != 0.0]
        w = np.zeros(self.storage.width)
        signed = weights * self.signs
        for chunk in self.chunks(ids):
            examples, here, _ = self._part(chunk)
            compiled.combine(examples.rows, here, signed[chunk], self.centre, self.at, w)
        # Python's sum, like the compiled loop, adds in the order of visits.
        offset = self.frame.lift2 * sum(signed[ids].tolist())
        return w, float(offset)

    def model(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Return the hyperplane ``coef . x + intercept = 0`` that a weighting makes."""
        w, offset = self.combine(weights)
        return w, offset - float(w @ self.centre)

    def placed(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Any, NDArray[np.int64]]:
        """Return the hyperplane midway between the two worst examples, slack allowed for.

        The normal vector is that of the weights; also these two examples.
        """
        w, _ = self.combine(weights)
        state = np.zeros(STATE_SIZE)
        along = state[ALONG] = float(w @ self.centre)
        margins = self.margins(self.order, Memory(weights, weights, w, state))
        pair = np.array([side[np.argmin(margins[side])] for side in self.sides])
        positive, negative = margins[pair].tolist()
        return w, (negative - positive) / 2 - along, self.order[pair]

    def hull_distance(self, weights: NDArray[np.float64], w: NDArray[np.float64]) -> float:
        """Return the distance of the two weighted class means, given ``w`` of these weights."""
        positive = self.signs > 0
        fewer = positive == (np.count_nonzero(weights[positive]) < np.count_nonzero(weights) / 2)
        part, _ = self.combine(np.where(fewer, weights, 0.0))
        rest = w - part
        # y = +1 in one of the two sums and -1 in the other: the means are subtracted by adding.
        distance = part / weights[fewer].sum() + rest / weights[~fewer].sum()
        return float(np.linalg.norm(distance))

    def _part(self, ids: NDArray[np.int64]) -> tuple[Examples, NDArray[np.int64], bool]:
        """Return a chunk for compiled code, its row numbers there, and whether it was copied."""
        rows, gathered = self.storage.part(ids)
        own: tuple[Any, ...] = (self.signs, self.norms2, self.shares, self.slacks2)
        here = ids
        if gathered is not None:
            here = np.arange(len(ids))
            own = tuple(values[ids] if values.size else values for values in own)
        signs, norms2, shares, slacks2 = own
        examples = Examples(rows, signs, norms2, self.centre, self.at, self.frame, shares, slacks2)
        return examples, here, gathered is not None

    def _coincide(self) -> bool:
        """Whether every example lies exactly at the centre."""
        for chunk in self.chunks(self.order):
            rows = self.matrix(chunk)
            if sparse.issparse(rows):
                # Columns are listed once in a row, so equal counts mean equal columns.
                missing = np.count_nonzero(rows.data) != len(chunk) * len(self.at)
                if missing or (rows.data != self.centre[rows.indices]).any():
                    return False
            elif (rows != self.centre).any():
                return False
        return True


def distances2_of(
    storage: Storage, centre: NDArray[np.float64], at: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the squared distances of all examples to the centre; ``at``: where it is not zero."""
    out = np.zeros(storage.shape[0])

    def fill(part: Part) -> None:
        rows, here, those = part
        blocks.distances2(rows, here, centre, at, out[those])

    for _ in in_order(fill, parts_of(storage, np.arange(len(out)))):
        pass
    return out


def parts_of(storage: Storage, ids: NDArray[np.int64]) -> Iterator[Part]:
    """Yield rows, the row numbers of the next ``ids`` in them, and the slice of ``ids``."""
    for begin in range(0, len(ids), storage.chunk):
        chunk = ids[begin : begin + storage.chunk]
        rows, gathered = storage.part(chunk)
        here = chunk if gathered is None else np.arange(len(chunk))
        yield rows, here, slice(begin, begin + len(chunk))


def slacks_of(slack2: float, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared slack coordinates of examples that take shares of a step."""
    return slack2 / shares if slack2 > 0.0 and shares.size else NOTHING


def _part_of(memory: Memory, ids: NDArray[np.int64]) -> Memory:
    return memory._replace(weights=memory.weights[ids], stamps=memory.stamps[ids])


class ScaleError(ValueError):
    """The squares of the features overflow or underflow."""


def _check_scale(largest: float, *, vanished: bool = False) -> None:
    # A sum of T examples has T^2 times the square of one: room for 2^40 updates is left.
    if not largest < np.finfo(np.float64).max * 2.0**-80:
        raise ScaleError(
            "The squares of the features overflow; divide the features by their largest magnitude."
        )
    if vanished or 0.0 < largest < np.finfo(np.float64).tiny / np.finfo(np.float64).eps:
        raise ScaleError(
            "The squares of the features underflow; multiply the features by a large constant."
        )
