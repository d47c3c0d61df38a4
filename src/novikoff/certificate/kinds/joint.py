"""One linear model of several classes: what is proved of it, and of every other."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.certificate.base import Certificate
from novikoff.certificate.claims import Findings
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.escape import format_label
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.joint_model import JointBound, JointModel, JointRefutation, JointSoft
from novikoff.certificate.kinds.binary import (
    bounds_sentence,
    no_more_than,
    penalty_of,
    soft_headline,
)
from novikoff.certificate.kinds.separation import margin_gap
from novikoff.certificate.status import Status
from novikoff.certificate.wording import (
    at_least,
    at_most,
    counted,
    digits_between,
    format_bounds,
    gap_in_percent,
    in_full,
    prove,
)

_NO_ROWS: Indices = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Joint(Certificate):
    """What is proved of the classes together: one linear model, with a score for each class.

    A linear model separates the classes if every example has its largest score in its own class
    alone. The claims are those of its parts, each of which may be absent, but not all.

    Parameters
    ----------
    problem : Problem
        With no positive class, of three classes or more.
    model : JointModel, optional
        The model that predicts, its margin, its errors, and bounds on the soft-margin objective.
    bound : JointBound, optional
        An upper bound on the margin of every linear model.
    refutation : JointRefutation, optional
        The proof that no linear model separates the classes.

    Notes
    -----
    True if the model has a positive margin, false if it is proved that none has (by a refutation,
    or by an upper bound of 0); otherwise the truth value is undecided.
    """

    model: JointModel | JointKernelModel | None = None
    bound: JointBound | None = None
    refutation: JointRefutation | None = None

    def __post_init__(self) -> None:
        problem = self.problem
        if problem.positive is not None or len(problem.classes) < 3:
            raise CertificateError("a Joint is of three classes or more, and has no positive one")
        for name in ("model", "bound", "refutation"):
            part = getattr(self, name)
            if part is not None:
                object.__setattr__(self, name, part.checked(problem))
        if self.model is None and self.bound is None and self.refutation is None:
            raise CertificateError("a Joint needs a model, a bound or a refutation")
        if self.lower > self.upper or (self.refutation is not None and self.lower > 0.0):
            raise CertificateError(
                f"the margin {self.lower!r} is above the upper bound {self.upper!r}"
            )
        if self.model is not None and self.model.account is not None:
            if self.soft_only or self.lower > 0.0:
                raise CertificateError("the model has no account besides the certificate's")
            if self.model.soft is None:
                self.model.account.check("model", gap=math.inf, upper=self.upper)
        kind = {True: "Separation", False: "NonSeparation", None: "undecided"}[self._verdict]
        if self.soft_only:
            kind = "soft margin"
        self.account.check(kind, gap=self.gap, upper=self.upper)

    @property
    def soft_only(self) -> bool:
        """Whether a soft margin is all that the certificate is about."""
        soft = None if self.model is None else self.model.soft
        return soft is not None and self.bound is None and self.refutation is None

    @property
    def _verdict(self) -> bool | None:
        """Whether the classes are separable; ``None`` where that is undecided."""
        if self.lower > 0.0:
            return True
        vanishes = self.bound is not None and self.bound.upper == 0.0
        return False if vanishes or self.refutation is not None else None

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels."""
        return self.problem.classes

    @property
    def coefs(self) -> Floats | None:
        """The coefficients of the scores, a row for each class; ``None`` with a kernel."""
        return self.model.coef if isinstance(self.model, JointModel) else None

    @property
    def intercepts(self) -> Floats | None:
        """The intercepts of the scores."""
        return None if self.model is None else self.model.intercept

    @property
    def errors(self) -> int | None:
        """How many examples the model gets wrong."""
        return None if self.model is None else self.model.errors

    @property
    def soft(self) -> JointSoft | None:
        """The bounds on the soft-margin objective, if there are some."""
        return None if self.model is None else self.model.soft

    @property
    def lower(self) -> float:
        """The margin of the model; minus infinity where there is none."""
        return -math.inf if self.model is None else self.model.lower

    @property
    def upper(self) -> float:
        """No linear model has a larger margin."""
        if self.refutation is not None:
            return 0.0
        return min(
            math.inf if self.bound is None else self.bound.upper,
            math.inf if self.soft is None else self.soft.upper,
        )

    @property
    def gap(self) -> float:
        """Relative gap of the objective if a soft margin is all there is, else of the margin.

        It is infinity where the model does not separate the classes.
        """
        if self.soft_only:
            assert self.soft is not None
            return self.soft.gap
        return margin_gap(self.lower, self.upper) if self.lower > 0.0 else math.inf

    @property
    def support(self) -> Indices:
        """The examples that prove the bound, or the refutation, or else the soft-margin bounds."""
        return next((part.support for part in self._proofs), _NO_ROWS)

    @property
    def weights(self) -> Any:
        """Their weights; ``None`` where the refutation has none."""
        nothing = np.empty((0, len(self.classes)), dtype=np.int64)
        return next((part.weights for part in self._proofs), nothing)

    @property
    def _proofs(self) -> list[Any]:
        parts = (self.bound, self.refutation, self.soft)
        return [part for part in parts if part is not None]

    def __bool__(self) -> bool:
        verdict = self._verdict
        if verdict is None:
            if self.soft_only:
                raise Undecided("undecided: a soft-margin optimum says nothing on separability")
            raise Undecided(f"undecided: {self._undecided()}")
        return verdict

    @property
    def _models(self) -> str:
        """The noun for the linear models of this problem, in the singular."""
        model = "linear model" if self.problem.affine else "linear model without intercepts"
        return model if self.problem.kernel is None else f"{model} of the feature space"

    def _problem_text(self) -> str:
        return self.problem.described(f"{len(self.classes):,} classes jointly")

    def sentences(self) -> list[str]:
        """What is proved, in whole sentences."""
        model = self.model
        sentences = [self._first_sentence()]
        if self.refutation is not None:
            sentences.append(self._proof_sentence(self.refutation))
        elif self.bound is not None and self.bound.upper == 0.0:
            n = self.bound.support.size
            text = f"{counted(n, 'example')} {prove(n)} it"
            sentences.append(f"{text}: a weighted sum of them is zero exactly.")
        if model is not None:
            sentences += self._model_sentences(model)
        return [*(text for text in sentences if text), *self.problem.units]

    def _first_sentence(self) -> str:
        classes, examples = f"all {len(self.classes):,} classes", self.problem.examples
        if self.soft_only:
            return ""
        if self._verdict is True:
            bounds = bounds_sentence(self.lower, self.upper, self._models)
            gap = f" (gap {gap_in_percent(self.gap)})" if math.isfinite(self.upper) else ""
            return (
                f"Separable: the model separates {classes} of {examples} from each other with "
                f"{bounds}{gap}."
            )
        if self._verdict is False:
            return f"Not separable: no {self._models} separates the classes of {examples}."
        return f"Inconclusive: {self._undecided()}."

    def _undecided(self) -> str:
        start = (
            f"it is neither proved that a {self._models} separates the classes of "
            f"{self.problem.examples} nor that none does"
        )
        if not math.isfinite(self.upper):
            return start
        asked, digits = self.account.min_margin, 4
        excluded = self.status is Status.NO_SUCH_MARGIN and asked is not None
        if excluded and asked is not None:
            # As many digits as show that the bound is below the margin.
            digits = digits_between(self.upper, asked)
        known = f"{start}; {no_more_than(self.upper, self._models, digits)}"
        return f"{known}, so none has a margin of {in_full(asked)}" if excluded and asked else known

    def _proof_sentence(self, refutation: JointRefutation) -> str:
        planes = self.problem.hyperplanes
        support, weights = refutation.support, refutation.weights
        if refutation.pair is None:
            pairs, verb = counted(support.size, "pair"), prove(support.size)
            return (
                f"{pairs} of an example and a wrong class {verb} it: "
                "a weighted sum is zero exactly."
            )
        first, second = (format_label(self.classes[code]) for code in refutation.pair)
        what = f"Two of the classes prove it: no {planes} separates {first} from {second}."
        if refutation.slacks is not None:
            return (
                f"{what} The slacks of a hyperplane, changed on "
                f"{counted(support.size, 'example')}, are weights with which the signed examples "
                "sum to zero exactly."
            )
        n = support.size if weights is None else int((weights > 0).sum())
        return f"{what} A weighted sum of {counted(n, 'signed example')} is zero exactly."

    def _model_sentences(
        self, model: JointModel | JointKernelModel, found: Findings | None = None
    ) -> list[str]:
        sentences = []
        if model.soft is not None:
            sentences.append(self._soft_sentence(model.soft, found))
        lower = model.lower if found is None or found.lower is None else found.lower
        if self.soft_only and lower > 0.0:
            sentences.append(
                f"It separates all {len(self.classes):,} classes of {self.problem.examples} from "
                f"each other, with margin at least {at_least(lower)}."
            )
        if model.errors or self._verdict is not True:
            errors = counted(model.errors, "error")
            sentences.append(f"The model makes {errors} on {self.problem.examples}.")
        return sentences

    def _soft_sentence(self, soft: JointSoft, found: Findings | None = None) -> str:
        primal = soft.primal if found is None or found.primal is None else found.primal
        dual = soft.dual if found is None or found.dual is None else found.dual
        low, high = format_bounds(dual, primal)
        model = "the model" if soft.scale == 1.0 else f"{in_full(soft.scale)} times the model"
        gap = f" (gap {gap_in_percent(soft.gap)})" if found is None else ""
        return (
            f"For {penalty_of(soft)} the joint soft-margin objective of {model} is at most "
            f"{high}, and no {self._models} has less than {low}{gap}."
        )

    def headline(self) -> str:
        """What is proved, in a few words."""
        if self.soft_only:
            assert self.soft is not None
            return f"{len(self.classes):,} classes jointly, {soft_headline(self.soft)}"
        if self._verdict is True:
            low, high = format_bounds(self.lower, self.upper)
            bounds = f"margin {low} to {high} (gap {gap_in_percent(self.gap)})"
            if math.isinf(self.upper):
                bounds = f"margin at least {low}"
            return f"{len(self.classes):,} classes are separable from each other, {bounds}"
        what = "not separable" if self._verdict is False else "undecided"
        if self.refutation is not None and self.refutation.pair is not None:
            first, second = (format_label(self.classes[code]) for code in self.refutation.pair)
            what += f", no {self.problem.hyperplanes} separates {first} from {second}"
        elif self._verdict is None and math.isfinite(self.upper):
            what += f", no margin above {at_most(self.upper)}"
        start = f"{len(self.classes):,} classes jointly: {what}"
        return start if self.soft is None else f"{start}; {soft_headline(self.soft)}"

    def _check(self, examples: Examples) -> Findings:
        # A fit needs none of what a check does.
        from novikoff.certificate.joint_claims import (
            check_bound,
            check_joint_model,
            check_refutation,
        )

        affine, n_classes = self.problem.affine, len(self.classes)
        found = check_joint_model(self.model, examples, affine=affine)
        closer = found.lower is not None and found.lower > 0.0 and not self.lower > 0.0
        # Floating-point bounds of a kernel may be closer than those that the claim was made with.
        if closer and self.problem.kernel is None:
            raise CertificateError("the model separates the classes, so they are not undecided")
        rows, uppers = [found.exact_rows], [] if found.upper is None else [found.upper]
        if self.bound is not None:
            upper, exact = check_bound(self.bound, examples, affine=affine)
            uppers.append(upper)
            rows.append(exact)
        n_carriers = 0 if self.bound is None else self.bound.support.size
        if self.refutation is not None:
            n_carriers, exact = check_refutation(
                self.refutation, examples, n_classes, affine=affine
            )
            uppers.append(0.0)
            rows.append(exact)
        upper = min(uppers, default=math.inf)
        sentences = [self._found_sentence(found.lower, upper, n_carriers, examples)]
        if self.model is not None:
            sentences += self._model_sentences(self.model, found)
        return Findings(
            lower=found.lower,
            upper=upper,
            primal=found.primal,
            dual=found.dual,
            errors=found.errors,
            exact_rows=np.unique(np.concatenate(rows)),
            sentences=tuple(sentences),
        )

    def _found_sentence(
        self, lower: float | None, upper: float, n_carriers: int, examples: Examples
    ) -> str:
        """What was found of the separability of the classes, with what proves it."""
        classes = f"all {len(self.classes):,} classes"
        if self.soft_only:
            return f"the joint soft margin of {classes}."
        if self._verdict is True:
            assert lower is not None
            bounds = bounds_sentence(lower, upper, self._models)
            return f"the model separates {classes} from each other with {bounds}."
        if self._verdict is None:
            claim = f"it is not decided whether a {self._models} separates the classes"
            if math.isfinite(upper):
                claim += f"; {no_more_than(upper, self._models)}"
            return f"{claim}."
        claim = f"no {self._models} separates the classes"
        if self.refutation is None:
            return f"{claim}; a weighted sum of {counted(n_carriers, 'example')} is exactly zero."
        if self.refutation.pair is None:
            pairs = counted(n_carriers, "pair")
            return (
                f"{claim}; a weighted sum of {pairs} of an example and a wrong class is exactly "
                "zero."
            )
        counts = examples.counts(self.classes)
        first, second = (
            f"{format_label(self.classes[code])} ({counts[code]:,})"
            for code in self.refutation.pair
        )
        return (
            f"{claim}: no {self.problem.hyperplanes} separates {first} from {second}; a weighted "
            f"sum of {counted(n_carriers, 'signed example')} is exactly zero."
        )
