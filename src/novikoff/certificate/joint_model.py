"""A linear model with one score for each class, and what is claimed of it."""

import math
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novikoff.certificate.account import Account
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.fields import (
    as_bound,
    as_codes,
    as_coefs,
    as_intercepts,
    as_pair_weights,
    as_support,
    as_weights,
    check_carried,
    check_errors,
)
from novikoff.certificate.model import Soft
from novikoff.certificate.problem import Problem
from novikoff.certificate.slacks import Slacks

MOST_PAIRS = 1000
"""The largest basis of pairs that is solved: its relation takes time that grows with the cube."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointBound:
    """No linear model has a margin above ``upper``.

    ``weights`` are whole numbers, with a row for each example of the support and a column for each
    class: those of the pairs of an example and a class that is not its own. With intercepts, what
    they bring to each class is exactly what they take from it;
    :mod:`novikoff.certificate.exact.flow` has the proof.
    """

    upper: float
    support: Indices
    weights: npt.NDArray[np.int64]

    def checked(self, problem: Problem) -> Self:
        """Return it with its parts made uniform, after checking that they are sound."""
        upper = as_bound("upper", self.upper)
        if upper < 0.0:
            raise CertificateError(f"upper is {upper!r}; an upper bound is not negative")
        support = as_support(self.support, problem.n_examples)
        check_carried("upper", upper, math.inf, support)
        weights = as_pair_weights(self.weights, support, len(problem.classes))
        return replace(self, upper=upper, support=support, weights=weights)


@dataclass(frozen=True, kw_only=True, eq=False)
class JointSoft(Soft):
    """Bounds on the least ``‖W‖² + C Σ s_i max(0, 1 + max_{r≠y} f_r(x_i) - f_y(x_i))²``.

    With the ``loss`` ``"hinge"`` the hinges are not squared. Here ``y`` is the class of example
    ``i``, ``s_i`` its cost, ``‖W‖`` the Frobenius norm, and
    intercepts are not penalised. The claims are those of :class:`Soft`, of linear models in place
    of hyperplanes; the weights are those of a :class:`JointBound`.
    """

    def _checked_weights(self, support: Indices, problem: Problem) -> npt.NDArray[Any]:
        return as_pair_weights(self.weights, support, len(problem.classes))


@dataclass(frozen=True, kw_only=True, eq=False)
class JointModel:
    """A linear model: the class with the largest score ``w_r·x + b_r`` is predicted.

    Parameters
    ----------
    coef : array of shape (n_classes, n_features)
        The coefficients of the scores, for the columns of the data as they are.
    intercept : array of shape (n_classes,)
        The intercepts.
    margin : float or None
        A lower bound on ``min_i min_{r≠y} (f_y(x_i) - f_r(x_i))/(√2 ‖W‖)``, which is at most the
        distance of each example to every boundary between its class and another; ``None`` where
        ``W = 0``. Where the problem scales its columns, ``x`` and ``W`` are those of the scaled
        columns.
    errors : int
        How many of the examples that take part are predicted wrongly: by the first class whose
        score, rounded to float64, is largest (a score that is not zero is not rounded to zero).
    soft : JointSoft, optional
        How close it is to the optimum of a soft-margin problem.
    account : Account, optional
        The account of the run that produced it; ``None``: that of the certificate.
    """

    coef: Floats
    intercept: Floats
    margin: float | None
    errors: int
    soft: JointSoft | None = None
    account: Account | None = None

    def checked(self, problem: Problem) -> Self:
        """Return it with its parts made uniform, after checking that they are sound."""
        if problem.kernel is not None:
            raise CertificateError("the model is linear, but the problem has a kernel")
        n_classes = len(problem.classes)
        coef = as_coefs(self.coef, n_classes, problem.n_features)
        if (self.margin is None) == bool(coef.any()):
            raise CertificateError("a model has a margin unless its coef is zero")
        margin = None if self.margin is None else as_bound("margin", self.margin)
        if margin == math.inf:
            raise CertificateError("the margin must be finite")
        soft = None if self.soft is None else self.soft.checked(problem)
        if soft is not None and margin is not None and margin > soft.upper:
            raise CertificateError(f"the margin {margin!r} is above the upper bound {soft.upper!r}")
        if self.account is not None and soft is not None:
            self.account.check("model", gap=soft.gap, upper=soft.upper)
        return replace(
            self,
            coef=coef,
            intercept=as_intercepts(self.intercept, n_classes, problem.affine),
            margin=margin,
            errors=check_errors(self.errors, problem.n_examples),
            soft=soft,
        )

    @property
    def lower(self) -> float:
        """The margin; minus infinity where ``W = 0``."""
        return -math.inf if self.margin is None else self.margin


@dataclass(frozen=True, kw_only=True, eq=False)
class JointRefutation:
    """No linear model separates the classes: weighted examples combine to zero exactly.

    Parameters
    ----------
    pair : pair of int, optional
        Two classes between which there is no hyperplane; the signed examples of the support
        combine to zero as in a :class:`NonSeparation`, the second class being the positive one.
        The other examples take no part. ``None``: the proof takes more than two classes.
    support : array of int
        The examples; without a pair, one for each entry of ``wrong``, so that they may repeat.
    wrong : array of int
        Without a pair: a class for each example, not its own. The vectors ``(e_y - e_wrong) ⊗
        (x, 1)``, without the 1 where there are no intercepts, have one relation, and its weights
        are not negative. At most :data:`MOST_PAIRS`.
    weights : array, optional
        Of a pair: the weights; ``None`` where the support is a basis.
    slacks : Slacks, optional
        Of a pair: the weights as slacks of a hyperplane.
    """

    support: Indices
    pair: tuple[int, int] | None = None
    wrong: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    weights: npt.NDArray[Any] | None = None
    slacks: Slacks | None = None

    def checked(self, problem: Problem) -> Self:
        """Return it with its parts made uniform, after checking that they are sound."""
        n_classes = len(problem.classes)
        if not np.size(self.support):
            raise CertificateError("a proof that nothing separates the classes needs a support")
        if self.pair is None:
            return self._checked_basis(problem)
        codes = as_codes("pair", self.pair, n_classes).tolist()
        if len(set(codes)) != 2 or len(codes) != 2:
            raise CertificateError("a pair is of two different classes")
        if np.size(self.wrong):
            raise CertificateError("the examples of a pair have no wrong classes besides")
        support = as_support(self.support, problem.n_examples)
        weights = None if self.weights is None else as_weights(self.weights, support)
        slacks = None if self.slacks is None else self.slacks.checked(problem)
        if slacks is not None and weights is not None:
            raise CertificateError("the weights are those of the slacks: there are no others")
        wrong = as_codes("wrong", self.wrong, n_classes)
        return replace(
            self,
            pair=(codes[0], codes[1]),
            support=support,
            wrong=wrong,
            weights=weights,
            slacks=slacks,
        )

    def _checked_basis(self, problem: Problem) -> Self:
        wrong = as_codes("wrong", self.wrong, len(problem.classes))
        if self.weights is not None or self.slacks is not None:
            raise CertificateError("a basis of pairs has no weights: they are computed")
        rows = np.array(self.support)
        if rows.shape != wrong.shape:
            raise CertificateError("every example of a basis of pairs has one wrong class")
        if rows.size > MOST_PAIRS:
            raise CertificateError(f"a basis has at most {MOST_PAIRS} pairs, not {rows.size}")
        as_support(np.unique(rows), problem.n_examples)
        if len(set(zip(rows.tolist(), wrong.tolist(), strict=True))) < rows.size:
            raise CertificateError("a basis of pairs has a pair twice")
        rows = rows.astype(np.int64)
        rows.flags.writeable = False
        return replace(self, support=rows, wrong=wrong)
