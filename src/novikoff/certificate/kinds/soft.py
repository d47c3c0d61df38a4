"""The optimum of the soft-margin problem, between two bounds."""

import math
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.exact.dyadic import relative_gap
from novikoff.certificate.exact.hull import hull_point
from novikoff.certificate.exact.slack import dual_below, primal_value
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.labels import Signs
from novikoff.certificate.fields import (
    as_bound,
    as_coef,
    as_intercept,
    as_support,
    as_weights,
    check_carried,
    check_takes_part,
)
from novikoff.certificate.wording import at_least, at_most, counted, digits_between, percent


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SoftOptimum(Certificate):
    """The least ``‖w‖²/2 + C Σ s_i max(0, 1 - y_i(w·x_i + b))²`` lies between two bounds.

    Here ``C = 1/(2 delta²)``, ``s_i`` are the costs, and the intercept is not penalised (it is 0
    where hyperplanes pass through the origin). It claims ``dual <= optimum``, from ``support``
    and ``weights``, and that ``coef`` and ``intercept`` attain at most ``primal``. It says
    nothing on separability.
    """

    coef: Floats
    intercept: float
    delta: float
    primal: float
    dual: float
    support: Indices
    weights: npt.NDArray[Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("coef", as_coef(self.coef, self.n_features))
        self._set("intercept", as_intercept(self.intercept, self.affine))
        for name in ("delta", "primal", "dual"):
            self._set(name, as_bound(name, getattr(self, name)))
        if not 0.0 < self.delta < math.inf:
            raise CertificateError(f"delta must be positive and finite, not {self.delta!r}")
        if not 0.0 <= self.dual < math.inf:
            raise CertificateError(
                f"dual must be a finite bound that is not negative: {self.dual!r}"
            )
        if self.primal < 0.0:
            raise CertificateError(f"primal is {self.primal!r}, but the objective is not negative")
        self._set("support", as_support(self.support, self.n_examples))
        self._set("weights", as_weights(self.weights, self.support))
        check_carried("dual", self.dual, 0.0, self.support)
        check_takes_part(self.support, self.weights, self.costs)

    @property
    def C(self) -> float:
        """The penalty on squared margin violations."""
        return 0.5 / self.delta / self.delta

    @property
    def gap(self) -> float:
        """Relative gap ``(primal - dual)/primal``."""
        return relative_gap(self.dual, self.primal) if self.primal > 0.0 else 0.0

    def __bool__(self) -> bool:
        raise Undecided("undecided: a soft-margin optimum says nothing on separability")

    def __str__(self) -> str:
        digits = digits_between(self.dual, self.primal)
        return "\n".join(
            [
                f"Soft margin: the hyperplane returned has objective at most "
                f"{at_most(self.primal, digits)}, and no {self._hyperplanes()} has less than "
                f"{at_least(self.dual, digits)} (gap {percent(self.gap)}), "
                f"for C = {1.0 / (2.0 * self.delta) / self.delta:.4g}.",
                f"{int((self.weights > 0).sum()):,} of {counted(self.n_examples, 'example')} "
                "carry the lower bound.",
                *self._idle(),
                self._run(),
            ]
        )

    def __repr__(self) -> str:
        digits = digits_between(self.dual, self.primal)
        low, high = at_least(self.dual, digits), at_most(self.primal, digits)
        return f"<SoftOptimum: {low} <= optimum <= {high}>"

    def _check(self, X: Any, signs: Signs) -> Verified:
        claim = (X, signs, self.coef, self.intercept, self.C, self.costs)
        primal = primal_value(*claim)
        if primal.low <= self.primal < primal.high and not primal.exact:
            primal = primal_value(*claim, thorough=True)
        if self.primal < primal.high:
            raise CertificateError(
                f"the hyperplane does not attain {self.primal!r}: "
                f"its objective is at least {primal.low!r}"
            )
        weighted = (X, signs, self.support, self.weights)
        point = hull_point(*weighted, affine=self.affine, costs=self.costs)
        if point is not None and not point.exact and self.dual > dual_below(point, self.C):
            point = hull_point(*weighted, affine=self.affine, costs=self.costs, thorough=True)
        dual = dual_below(point, self.C)
        if self.dual > dual:
            raise CertificateError(f"the weights prove the lower bound {dual!r}, not {self.dual!r}")
        sentence = (
            f"Verified: the hyperplane's objective is at most {at_most(primal.high)}, "
            f"and the optimum is at least {at_least(dual)}."
        )
        n_exact = primal.exact_rows.size + (0 if point is None else point.exact_rows.size)
        return Verified(primal=primal.high, dual=dual, n_exact=n_exact, sentence=sentence)
