"""What the certificates of one class against the others share."""

import math
from dataclasses import dataclass

from novikoff.certificate.base import Certificate
from novikoff.certificate.claims import Findings
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.escape import format_label
from novikoff.certificate.exact.slack import HINGE
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.model import Model, Soft
from novikoff.certificate.wording import (
    at_least,
    at_most,
    counted,
    format_bounds,
    gap_in_percent,
    in_full,
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Binary(Certificate):
    """A certificate of one class against the others."""

    def __post_init__(self) -> None:
        if self.problem.positive is None:
            raise CertificateError(f"a {type(self).__name__} needs the positive class")

    def _reject_with_kernel(self, **parts: object) -> None:
        """Refuse parts that are claimed of the features, and not of a feature space."""
        if self.problem.kernel is None:
            return
        for name, value in parts.items():
            if value is not None:
                raise CertificateError(f"a certificate with a kernel has no {name}")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def _predictor(self) -> str:
        """The noun for ``model``: of more than two classes, the whole model has one for each."""
        if self.problem.negative is not None:
            return "model"
        return (
            f"{self.problem.classifier} of {format_label(self.problem.positive)} against the rest"
        )

    def _model_sentences(
        self, model: Model | KernelModel | None, found: Findings | None = None
    ) -> list[str]:
        """Say what is claimed, or was found, of a model that does not separate the examples."""
        if model is None:
            return []
        errors = counted(model.errors, "error")
        sentences = [f"The {self._predictor} makes {errors} on {self.problem.examples}."]
        if model.soft is not None:
            sentences.append(self._soft_sentence(model.soft, found))
        return sentences

    def _soft_sentence(self, soft: Soft, found: Findings | None = None) -> str:
        primal = soft.primal if found is None or found.primal is None else found.primal
        dual = soft.dual if found is None or found.dual is None else found.dual
        low, high = format_bounds(dual, primal)
        model = f"the {self._predictor}"
        if soft.scale != 1.0:
            model = f"{in_full(soft.scale)} times {model}"
        gap = f" (gap {gap_in_percent(soft.gap)})" if found is None else ""
        return (
            f"For {penalty_of(soft)} the soft-margin objective of {model} is at most {high}, "
            f"and no {self.problem.hyperplanes} has less than {low}{gap}."
        )


def penalty_of(soft: Soft) -> str:
    """Name the penalty, and the loss where it is not the squared hinge."""
    penalty = f"C = {in_full(soft.C)}"
    return f"{penalty} and the hinge loss" if soft.loss == HINGE else penalty


def soft_headline(soft: Soft) -> str:
    """What is proved of a soft margin, in a few words."""
    low, high = format_bounds(soft.dual, soft.primal)
    gap = gap_in_percent(soft.gap)
    return f"soft margin, {penalty_of(soft)}, objective {low} to {high} (gap {gap})"


def bounds_sentence(lower: float, upper: float, hyperplanes: str) -> str:
    """Say the margin of a hyperplane and the bound on any other's."""
    low, high = format_bounds(lower, upper)
    if math.isinf(upper):
        return f"margin at least {at_least(lower)}; no upper bound was proved"
    return f"margin at least {low}, and no {hyperplanes} has more than {high}"


def no_more_than(upper: float, hyperplanes: str, digits: int = 4) -> str:
    """Say the upper bound on the margin of any hyperplane."""
    return f"no {hyperplanes} has a margin above {at_most(upper, digits)}"
