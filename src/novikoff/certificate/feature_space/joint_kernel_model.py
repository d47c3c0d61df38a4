"""A kernel classifier with one score for each class, and what is claimed of it."""

import math
from dataclasses import dataclass, replace
from typing import Self

from novikoff.certificate.account import Account
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.fields import (
    as_bound,
    as_coefs,
    as_intercepts,
    as_support,
    check_errors,
)
from novikoff.certificate.joint_model import JointSoft
from novikoff.certificate.model import check_agreement
from novikoff.certificate.problem import Problem


@dataclass(frozen=True, kw_only=True, eq=False)
class JointKernelModel:
    """The class with the largest score ``Σ_j coef_jr k(x_j, x) + intercept_r`` is predicted.

    Parameters
    ----------
    support : array of shape (n_support,)
        Which examples ``x_j`` are.
    coef : array of shape (n_support, n_classes)
        Their coefficients in each score.
    intercept : array of shape (n_classes,)
        The intercepts.
    margin : float or None
        A lower bound on ``min_i min_{r≠y} (f_y(x_i) - f_r(x_i))/(√2 ‖W‖)`` in the feature space;
        ``None`` where every coefficient is zero.
    errors : int
        How many of the examples that take part are predicted wrongly.
    soft : JointSoft, optional
        How close it is to the optimum of a soft-margin problem. Its ``scale`` multiplies the
        scores exactly.
    account : Account, optional
        The account of the run that produced it; ``None``: that of the certificate.
    """

    support: Indices
    coef: Floats
    intercept: Floats
    margin: float | None
    errors: int
    soft: JointSoft | None = None
    account: Account | None = None

    def checked(self, problem: Problem) -> Self:
        """Return it with its parts made uniform, after checking that they are sound."""
        if problem.kernel is None:
            raise CertificateError("the model is a kernel classifier, but there is no kernel")
        n_classes = len(problem.classes)
        support = as_support(self.support, problem.n_examples)
        coef = as_coefs(self.coef, support.size, n_classes)
        if (self.margin is None) == bool(coef.any()):
            raise CertificateError("a model has a margin unless its coef is zero")
        margin = None if self.margin is None else as_bound("margin", self.margin)
        soft = None if self.soft is None else self.soft.checked(problem)
        check_agreement(margin, 0, soft, self.account)
        return replace(
            self,
            support=support,
            coef=coef,
            intercept=as_intercepts(self.intercept, n_classes, problem.affine),
            margin=margin,
            errors=check_errors(self.errors, problem.n_examples),
            soft=soft,
        )

    @property
    def lower(self) -> float:
        """The margin; minus infinity where there is none."""
        return -math.inf if self.margin is None else self.margin
