"""The hyperplane that predicts, and what is claimed of it."""

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy.typing as npt

from novikoff.certificate.account import Account
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import relative_gap
from novikoff.certificate.exact.slack import HINGE, LOSSES, SQUARED_HINGE
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.fields import (
    as_bound,
    as_coef,
    as_intercept,
    as_support,
    as_weights,
    check_carried,
    check_errors,
)
from novikoff.certificate.problem import Problem


@dataclass(frozen=True, kw_only=True, eq=False)
class Soft:
    """Bounds on the least ``‖w‖²/2 + C Σ s_i max(0, 1 - y_i(w·x_i + b))²``.

    With the ``loss`` ``"hinge"`` the hinges are not squared. Here ``s_i`` are the costs of the
    examples, and the intercept is not penalised (it is 0 where hyperplanes pass through the
    origin). It claims that the model's hyperplane, its numbers multiplied by ``scale`` in float64,
    attains at most ``primal``; from ``support`` and ``weights``, that no hyperplane attains less
    than ``dual``, and that none has a margin above ``upper``.
    """

    C: float
    primal: float
    dual: float
    upper: float
    support: Indices
    weights: npt.NDArray[Any]
    scale: float = 1.0
    loss: str = SQUARED_HINGE

    @property
    def gap(self) -> float:
        """Relative gap ``(primal - dual)/primal``."""
        return relative_gap(self.dual, self.primal) if self.primal > 0.0 else 0.0

    def checked(self, problem: Problem) -> Self:
        """Return it with its parts made uniform, after checking that they are sound."""
        numbers: dict[str, Any] = {name: as_bound(name, getattr(self, name)) for name in _NUMBERS}
        for name in ("C", "scale"):
            if not 0.0 < numbers[name] < math.inf:
                raise CertificateError(f"{name} must be positive and finite, not {numbers[name]!r}")
        if not 0.0 <= numbers["dual"] < math.inf:
            raise CertificateError(f"dual must be finite and not negative: {numbers['dual']!r}")
        for name in ("primal", "upper"):
            if numbers[name] < 0.0:
                raise CertificateError(f"{name} must not be negative: {numbers[name]!r}")
        if numbers["dual"] > numbers["primal"]:
            raise CertificateError(
                f"dual is {numbers['dual']!r}, above the objective {numbers['primal']!r}"
            )
        if self.loss not in LOSSES:
            raise CertificateError(f"loss must be one of {', '.join(LOSSES)}, not {self.loss!r}")
        if self.loss == HINGE and problem.kernel is not None:
            raise CertificateError("the soft margin of a kernel has the squared hinge")
        support = as_support(self.support, problem.n_examples)
        check_carried("dual", numbers["dual"], 0.0, support)
        check_carried("upper", numbers["upper"], math.inf, support)
        weights = self._checked_weights(support, problem)
        return replace(self, support=support, weights=weights, **numbers)

    def _checked_weights(self, support: Indices, problem: Problem) -> npt.NDArray[Any]:
        return as_weights(self.weights, support)


_NUMBERS = ("C", "primal", "dual", "upper", "scale")


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """The hyperplane that predicts, and what is claimed of it.

    Parameters
    ----------
    coef : array of shape (n_features,)
        Its normal vector, for the columns of the data as they are.
    intercept : float
        Its intercept.
    margin : float or None
        A lower bound on ``min_i y_i (w·x_i + b)/‖w‖``; ``None`` where ``w = 0``. Where the problem
        scales its columns, ``x`` and ``w`` are those of the scaled columns.
    errors : int
        How many of the examples that take part ``sign(w·x + b)`` gets wrong, with sign(0) = +1.
    soft : Soft, optional
        How close it is to the optimum of a soft-margin problem.
    account : Account, optional
        The account of the run that produced it; ``None``: that of the certificate.
    """

    coef: Floats
    intercept: float
    margin: float | None
    errors: int
    soft: Soft | None = None
    account: Account | None = None

    def checked(self, problem: Problem) -> Self:
        """Return it with its parts made uniform, after checking that they are sound."""
        if problem.kernel is not None:
            raise CertificateError("the model is a hyperplane, but the problem has a kernel")
        coef = as_coef(self.coef, problem.n_features)
        errors = check_errors(self.errors, problem.n_examples)
        if (self.margin is None) == bool(coef.any()):
            raise CertificateError("a hyperplane has a margin unless its coef is zero")
        margin = None if self.margin is None else as_bound("margin", self.margin)
        soft = None if self.soft is None else self.soft.checked(problem)
        check_agreement(margin, errors, soft, self.account)
        return replace(
            self,
            coef=coef,
            intercept=as_intercept(self.intercept, problem.affine),
            margin=margin,
            errors=errors,
            soft=soft,
        )

    @property
    def lower(self) -> float:
        """The margin; minus infinity where ``w = 0``."""
        return -math.inf if self.margin is None else self.margin


def check_agreement(
    margin: float | None, errors: int, soft: Soft | None, account: Account | None
) -> None:
    """Refuse claims on a model that contradict each other."""
    if margin == math.inf:
        raise CertificateError("the margin must be finite")
    if margin is not None and margin > 0.0 and errors:
        raise CertificateError("a hyperplane with a positive margin makes no errors")
    if soft is not None and margin is not None and margin > soft.upper:
        raise CertificateError(f"the margin {margin!r} is above the upper bound {soft.upper!r}")
    if account is not None and soft is not None:
        account.check("model", gap=soft.gap, upper=soft.upper)
