"""The kernel classifier that predicts, and what is claimed of it."""

import math
from dataclasses import dataclass, replace
from typing import Self

from novikoff.certificate.account import Account
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.fields import as_bound, as_intercept, as_signed, as_support, check_errors
from novikoff.certificate.model import Soft, check_agreement
from novikoff.certificate.problem import Problem


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelModel:
    """The classifier ``f(x) = Σ_j coef_j k(x_j, x) + intercept``, and what is claimed of it.

    Parameters
    ----------
    support : array of shape (n_support,)
        Which examples ``x_j`` are.
    coef : array of shape (n_support,)
        Their coefficients, of either sign. In the feature space the normal of the hyperplane is
        ``w = Σ_j coef_j φ(x_j)``.
    intercept : float
        Its intercept.
    margin : float or None
        A lower bound on ``min_i y_i f(x_i)/‖w‖``; ``None`` where every coefficient is zero.
    errors : int
        How many of the examples that take part ``sign(f(x))`` gets wrong, with sign(0) = +1.
    soft : Soft, optional
        How close it is to the optimum of a soft-margin problem. Its ``scale`` multiplies the
        classifier exactly.
    account : Account, optional
        The account of the run that produced it; ``None``: that of the certificate.
    """

    support: Indices
    coef: Floats
    intercept: float
    margin: float | None
    errors: int
    soft: Soft | None = None
    account: Account | None = None

    def checked(self, problem: Problem) -> Self:
        """Return it with its parts made uniform, after checking that they are sound."""
        if problem.kernel is None:
            raise CertificateError("the model is a kernel classifier, but there is no kernel")
        support = as_support(self.support, problem.n_examples)
        coef = as_signed("coef", self.coef, support)
        errors = check_errors(self.errors, problem.n_examples)
        if (self.margin is None) == bool(coef.any()):
            raise CertificateError("a classifier has a margin unless its coef is zero")
        margin = None if self.margin is None else as_bound("margin", self.margin)
        soft = None if self.soft is None else self.soft.checked(problem)
        check_agreement(margin, errors, soft, self.account)
        return replace(
            self,
            support=support,
            coef=coef,
            intercept=as_intercept(self.intercept, problem.affine),
            margin=margin,
            errors=errors,
            soft=soft,
        )

    @property
    def lower(self) -> float:
        """The margin; minus infinity where there is none."""
        return -math.inf if self.margin is None else self.margin
