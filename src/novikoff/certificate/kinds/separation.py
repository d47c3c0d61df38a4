"""A hyperplane separates the examples."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.claims import Findings, check_model, check_upper
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import relative_gap
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.fields import as_bound, as_support, as_weights, check_carried
from novikoff.certificate.kinds.binary import Binary, bounds_sentence
from novikoff.certificate.model import Model
from novikoff.certificate.wording import format_bounds, gap_in_percent


def margin_gap(lower: float, upper: float) -> float:
    """Relative gap ``(upper - lower)/upper``, rounded up; infinity without an upper bound."""
    return relative_gap(lower, upper) if math.isfinite(upper) else math.inf


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Separation(Binary):
    """A hyperplane separates the examples, with bounds on its margin and on every other's.

    It claims ``model.margin <= min_i y_i (w·x_i + b)/‖w‖``, with ``model.margin > 0``; and that no
    hyperplane has a margin above ``upper``, from ``support`` and ``weights``: the norm of the
    weighted mean of the signed examples, or with an intercept half the distance of the two
    weighted class means.
    """

    model: Model | KernelModel
    upper: float
    support: Indices
    weights: npt.NDArray[Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("model", self.model.checked(self.problem))
        self._set("upper", as_bound("upper", self.upper))
        self._set("support", as_support(self.support, self.problem.n_examples))
        self._set("weights", as_weights(self.weights, self.support))
        check_carried("upper", self.upper, math.inf, self.support)
        if not self.lower > 0.0:
            raise CertificateError(f"a Separation needs a positive margin, not {self.lower!r}")
        if self.lower > self.upper:
            raise CertificateError(
                f"the margin {self.lower!r} is above the upper bound {self.upper!r}"
            )
        if self.model.soft is not None or self.model.account is not None:
            raise CertificateError("a Separation has no soft-margin bounds")
        self.account.check("Separation", gap=self.gap, upper=self.upper)

    @property
    def lower(self) -> float:
        """The margin that the hyperplane has at least."""
        return self.model.lower

    @property
    def gap(self) -> float:
        """Relative gap ``(upper - lower)/upper`` between the bounds."""
        return margin_gap(self.lower, self.upper)

    def __bool__(self) -> bool:
        return True

    def sentences(self) -> list[str]:
        """What is proved, in whole sentences."""
        gap = f" (gap {gap_in_percent(self.gap)})" if math.isfinite(self.upper) else ""
        bounds = bounds_sentence(self.lower, self.upper, self.problem.hyperplanes)
        examples = self.problem.examples
        verdict = (
            f"Separable: the {self.problem.classifier} separates {examples} with {bounds}{gap}."
        )
        return [verdict, *self.problem.units]

    def headline(self) -> str:
        """What is proved, in a few words."""
        low, high = format_bounds(self.lower, self.upper)
        if math.isinf(self.upper):
            return f"separable, margin at least {low}"
        return f"separable, margin {low} to {high} (gap {gap_in_percent(self.gap)})"

    def _check(self, examples: Examples) -> Findings:
        problem = self.problem
        found = check_model(self.model, examples, affine=problem.affine)
        upper, exact = check_upper(
            self.upper, self.support, self.weights, examples, affine=problem.affine
        )
        assert found.lower is not None
        bounds = bounds_sentence(found.lower, upper, problem.hyperplanes)
        claim = f"the {problem.classifier} separates {self._subject(examples)} with {bounds}."
        return Findings(
            lower=found.lower,
            upper=upper,
            errors=0,
            exact_rows=np.union1d(found.exact_rows, exact),
            sentences=(claim,),
        )
