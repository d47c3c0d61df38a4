"""What the makers of binary certificates share: from a model and a bound to a verdict."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy.typing as npt

from novikoff.certificate.account import Account
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.hull import HullPoint, margin_above
from novikoff.certificate.exact.relation import integer_weights
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.joint_model import JointModel
from novikoff.certificate.kinds import Inconclusive, NonSeparation, Separation, SoftOptimum
from novikoff.certificate.kinds.separation import margin_gap
from novikoff.certificate.model import Model
from novikoff.certificate.problem import Problem
from novikoff.certificate.slacks import Slacks
from novikoff.certificate.status import Status

AnyModel = TypeVar("AnyModel", Model, KernelModel, JointModel, JointKernelModel)


@dataclass(frozen=True)
class Weighted:
    """Some examples and their weights, which are not negative."""

    support: npt.ArrayLike = ()
    weights: npt.ArrayLike = ()


@dataclass(frozen=True)
class Refutation:
    """Examples that combine to zero exactly; ``weights`` is ``None`` for a basis.

    With ``slacks`` the weights are those of a hyperplane, changed on the support.
    """

    support: Indices
    weights: npt.NDArray[Any] | None
    slacks: Slacks | None = None


@dataclass(frozen=True)
class Bound:
    """Weighted examples with the point that they make, which bounds every margin."""

    point: HullPoint | None
    support: Indices
    weights: npt.NDArray[Any]

    @property
    def upper(self) -> float:
        """The bound; infinity without a point."""
        return margin_above(self.point)


@dataclass(frozen=True)
class BinaryCertifier(ABC):
    """Makes certificates of one class against the others, in some space.

    ``model`` below is that of the space: a hyperplane, or a kernel classifier.
    """

    problem: Problem
    examples: Examples

    @abstractmethod
    def refute(self, support: npt.ArrayLike, weights: npt.ArrayLike) -> Refutation | None:
        """Prove that signed examples combine to zero; ``None`` where that is not proved."""

    @abstractmethod
    def _bound(self, weighted: Weighted | None, costs: Floats | None = None) -> Bound:
        """The upper bound that weights prove; ``costs`` are needed for the soft margin alone."""

    def refuted(
        self,
        refutation: Refutation,
        model: Any = None,
        *,
        asked: str = "",
        tol: float | None = None,
        n_updates: int = 0,
    ) -> NonSeparation:
        """Certify that no hyperplane separates the examples."""
        return NonSeparation(
            problem=self.problem,
            account=Account(status=Status.NOT_SEPARABLE, asked=asked, tol=tol, n_updates=n_updates),
            support=refutation.support,
            weights=refutation.weights,
            model=model,
            slacks=refutation.slacks,
        )

    def undecided(
        self, account: Account, model: Any, *, proof: Weighted
    ) -> Separation | Inconclusive | NonSeparation:
        """Certify what is known where the search for a separator ended without a verdict.

        ``model`` is what was fitted instead, with the account of its own run; where it separates
        the examples after all, they are separable.
        """
        bound = self._bound(proof)
        if model.soft is not None and model.soft.upper < bound.upper:
            bound = self._bound(Weighted(model.soft.support, model.soft.weights))
        return self._verdict(account, model, bound, with_model=True)

    def soft(self, account: Account, model: Any) -> SoftOptimum:
        """Certify a soft margin; ``model`` comes from ``soft_model``."""
        assert model.soft is not None
        settled = account.settled(gap=model.soft.gap, upper=model.soft.upper, separates=False)
        return SoftOptimum(problem=self.problem, account=settled, model=model)

    def _agreeing(self, model: Any, bound: Bound) -> Bound:
        """Return a bound that is not below the margin of the model."""
        return bound

    def _spread(self, bound: Bound) -> float | None:
        """Return how far apart the weighted examples are, if the bound is rounding beside it."""
        return None

    def _verdict(
        self, account: Account, model: Any, bound: Bound, *, with_model: bool
    ) -> Separation | Inconclusive | NonSeparation:
        bound = self._agreeing(model, bound)
        upper = bound.upper
        if model.lower > 0.0:
            gap = margin_gap(model.lower, upper)
            if model.soft is not None or model.account is not None:
                model = replace(model, soft=None, account=None)
            return Separation(
                problem=self.problem,
                account=account.settled(gap=gap, upper=upper, separates=True),
                model=model,
                upper=upper,
                support=bound.support,
                weights=bound.weights,
            )
        settled = account.settled(gap=math.inf, upper=upper, separates=False)
        refutation = self._refutation(bound) if upper == 0.0 else None
        if refutation is not None:
            stated = model if model.account is not None else replace(model, account=settled)
            return self.refuted(
                refutation,
                stated if with_model else None,
                asked=account.asked,
                tol=account.tol,
                n_updates=account.n_updates,
            )
        return Inconclusive(
            problem=self.problem,
            account=settled,
            upper=upper,
            support=bound.support,
            weights=bound.weights,
            spread=self._spread(bound),
            model=model if with_model else None,
        )

    def _refutation(self, bound: Bound) -> Refutation | None:
        """Prove that nothing separates the examples; ``None``: its weights are too large."""
        weights = integer_weights(
            self.examples.signs[bound.support], bound.weights, affine=self.problem.affine
        )
        return None if weights is None else self.refute(bound.support, weights)


def check_penalty(C: float) -> None:
    """Refuse a penalty that no soft margin has."""
    if not 0.0 < C < math.inf:
        raise CertificateError(f"C must be positive and finite, not {C!r}")


def with_soft(model: AnyModel, soft: Any, account: Account | None) -> AnyModel:
    """Return a model with its soft-margin bounds, and what its own run says of itself."""
    if account is not None:
        account = account.settled(gap=soft.gap, upper=soft.upper, separates=False)
    return replace(model, soft=soft, account=account)
