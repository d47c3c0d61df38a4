"""Learning online: each example once, centre and lift fixed by the first batch."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.certificate.examples.labels import signs_against
from novikoff.compiled.step import (
    ALONG,
    LONGEST2,
    MISTAKES,
    NORM2,
    OFFSET,
    RESCALED,
    SCALE,
    SMALLEST_SHRINK,
    SUM2,
    THRESHOLD,
    UPDATES,
    Frame,
    Specification,
    start,
    threshold,
)
from novikoff.compiled.sweep import Examples, combine, sweep
from novikoff.estimators.joint import is_joint
from novikoff.estimators.labels import (
    Codes,
    codes_among,
    joint_step_weights,
    positives_of,
    step_weights,
)
from novikoff.estimators.online_joint import JointOnline
from novikoff.estimators.options import average_of, check_perceptron_options
from novikoff.estimators.training import Training
from novikoff.rules import Rule, named
from novikoff.sample import JointSample, Memory, Sample, storage_of
from novikoff.sample.lift import lift_after
from novikoff.sample.sample import slacks_of
from novikoff.sample.signed import NOTHING

UNMEASURED = -1.0


@dataclass
class Online:
    """The runs of an online learner, one for each class against the rest."""

    rules: list[Specification]
    """That of each class: a rule in units of the radius depends on the lift."""
    classes: NDArray[Any]
    centre: NDArray[np.float64]
    at: NDArray[np.int64]
    frames: list[Frame]
    w: NDArray[np.float64]
    states: NDArray[np.float64]
    lag: NDArray[np.float64] | None
    """The sum over steps of when they were taken times the step: ``T (w - mean)``, its offset."""
    measured: bool = True
    """Whether an example other than the centre has been seen, so that the lift is known."""
    first: int = 0
    """The class of the centre, where the lift is not known."""

    @classmethod
    def from_fit(
        cls,
        rule: Rule,
        training: Training,
        sample: Sample,
        steps: Any,
        last: dict[int, Any],
        average: bool,
    ) -> "Online | JointOnline":
        """Go on from the last iterates of a fit."""
        classes, memories = training.classes, list(last.values())
        if isinstance(sample, JointSample):
            sample = replace(sample, steps=steps)
            specification = rule.specification(sample.lifted_radius)
            return JointOnline.of(specification, classes, sample, memories[0], average=average)
        samples = [sample.relabelled(signs_against(training.codes, k), steps[k]) for k in last]
        w = np.array([memory.w for memory in memories])
        states = np.array([memory.state for memory in memories])
        lag = None
        if average:
            pairs = zip(samples, memories, strict=True)
            sums = [sample.combine(memory.stamps) for sample, memory in pairs]
            lag = np.array([[*vector, offset] for vector, offset in sums])
        frames = [sample.frame for sample in samples]
        rules = [rule.specification(sample.lifted_radius) for sample in samples]
        return cls(rules, classes, samples[0].centre, samples[0].at, frames, w, states, lag)

    @classmethod
    def from_first_batch(
        cls,
        estimator: Any,
        X: Any,
        y: NDArray[Any],
        classes: ArrayLike | None,
        shares: NDArray[np.float64] = NOTHING,
    ) -> "Online | JointOnline":
        """Fix the classes, the centre, the lift and the rule."""
        check_perceptron_options(estimator)
        rule = named(estimator.rule)
        if classes is None:
            raise ValueError("The first call of partial_fit needs classes, all labels to come.")
        labels = np.unique(np.asarray(classes))
        if len(labels) < 2:
            raise ValueError(f"classes={labels.tolist()!r} must hold at least two labels.")
        codes = codes_among(labels, y)
        if estimator.class_weight == "balanced" and len(np.unique(codes)) < len(labels):
            raise ValueError(
                "class_weight='balanced' counts the first batch, which lacks a class; give a dict."
            )
        weights = shares if shares.size else None
        affine = bool(estimator.fit_intercept)
        storage, signs = storage_of(X), np.where(codes == codes[0], 1, -1).astype(np.int8)
        sample = Sample.of(storage, signs, affine=affine, slack2=0.5 / float(estimator.C))
        average = average_of(estimator) is True
        measured = not affine or sample.radius > 0.0
        specification = rule.specification(sample.lifted_radius)
        if is_joint(estimator.multi_class, labels):
            each = joint_step_weights(estimator.class_weight, labels, codes, weights)
            joint = JointSample.joint(sample, codes, n_classes=len(labels), steps=each)
            memory = joint.memory(specification)
            return JointOnline.of(
                specification,
                labels,
                joint,
                memory,
                average=average,
                measured=measured,
                first=int(codes[0]),
            )
        steps = step_weights(estimator.class_weight, labels, codes, weights)
        positives = positives_of(labels)
        frames = [
            sample.frame._replace(weight_negative=steps[k][0], weight_positive=steps[k][1])
            for k in positives
        ]
        w = np.zeros((len(positives), X.shape[1]))
        states = np.array([start(specification) for _ in positives])
        lag = np.zeros((len(w), w.shape[1] + 1)) if average else None
        rules = [specification] * len(positives)
        first = int(codes[0])
        return cls(rules, labels, sample.centre, sample.at, frames, w, states, lag, measured, first)

    def measure(self, rule: Rule, X: Any, codes: Codes) -> None:
        """Fix the lift by the first batch that holds more than the centre.

        Up to then every example was the centre, and the run lived on the lift alone: under a
        scale-free rule it is the run with the right lift, up to the unit. Any other rule starts
        anew, and only its mistakes stay counted.
        """
        sample = Sample.of(storage_of(X), np.ones(X.shape[0], dtype=np.int8), centre=self.centre)
        if sample.radius == 0.0:
            return
        lift2 = lift_after(1, sample.norms2, (codes == self.first).astype(np.int64))
        factor = lift2 / self.frames[0].lift2
        self.frames = [frame._replace(lift2=lift2) for frame in self.frames]
        radius = sqrt(sample.radius**2 + lift2 + self.frames[0].slack2)
        specification = rule.specification(radius)
        self.rules = [specification] * len(self.states)
        for state in self.states:
            if specification.patience == np.inf or specification.cooling:
                mistakes = state[MISTAKES]
                state[:] = start(specification)
                state[MISTAKES] = mistakes
                continue
            state[[OFFSET, NORM2, LONGEST2, SUM2]] *= factor
            state[SCALE] = state[LONGEST2]
            state[THRESHOLD] = threshold(specification, state)
        if self.lag is not None:
            self.lag[:, -1] *= factor
        self.measured = True

    def learn(self, X: Any, codes: Codes, shares: NDArray[np.float64] = NOTHING) -> None:
        """Visit each example once; a batch with a NaN or an infinity changes nothing."""
        ids = np.arange(len(codes))
        rows, _ = storage_of(X).part(ids)
        unmeasured = np.full(len(codes), UNMEASURED)
        before = self.w.copy(), self.states.copy(), None if self.lag is None else self.lag.copy()
        for k, positive in enumerate(positives_of(self.classes)):
            signs = signs_against(codes, positive)
            stamps = np.zeros(len(codes))
            frame, slacks2 = self.frames[k], slacks_of(self.frames[k].slack2, shares)
            read = (self.centre, self.at, frame, shares, slacks2)
            examples = Examples(rows, signs, unmeasured, *read)
            memory = Memory(np.zeros(len(codes)), stamps, self.w[k], self.states[k])
            rescaled = self.states[k, RESCALED]
            sweep(examples, ids, self.rules[k], memory, np.empty_like(ids), 0.0, np.inf, 1)
            if self.lag is not None:
                self.lag[k] *= SMALLEST_SHRINK ** (self.states[k, RESCALED] - rescaled)
                late = np.flatnonzero(stamps)
                signed = stamps[late] * signs[late]
                combine(rows, late, signed, self.centre, self.at, self.lag[k, :-1])
                self.lag[k, -1] += self.frames[k].lift2 * signed.sum()
        # An update on a row whose square overflows shows in the state before it does in a margin.
        if not np.isfinite(self.states).all():
            self.w, self.states, self.lag = before
            raise ValueError("Input X contains NaN or infinity, or values whose squares overflow.")

    def model(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return coefficients and intercepts: of the last iterate, or of the mean if asked for."""
        if self.lag is None:
            return self.w.copy(), self.states[:, OFFSET] - self.states[:, ALONG]
        delay = self.lag / np.maximum(self.states[:, [UPDATES]], 1.0)
        coef = self.w - delay[:, :-1]
        return coef, self.states[:, OFFSET] - delay[:, -1] - coef @ self.centre

    @property
    def mistakes(self) -> Any:
        """How often an example had ``z . w <= 0`` when it was visited, for each class."""
        counts = self.states[:, MISTAKES].astype(np.int64)
        return int(counts[0]) if len(counts) == 1 else counts

    @property
    def n_updates(self) -> int:
        """How many updates were made, over all classes."""
        return int(self.states[:, UPDATES].sum())
