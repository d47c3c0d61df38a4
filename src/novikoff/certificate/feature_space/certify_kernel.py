"""From what a search in a feature space found to what can be claimed."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from novikoff.certificate.account import Account
from novikoff.certificate.certify import Refutation, Weighted
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.exact.hull import HullPoint, margin_above
from novikoff.certificate.exact.relation import integer_weights
from novikoff.certificate.exact.slack import dual_below
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.enclosed import (
    MAKER_ROOM,
    Enclosed,
    best_scale,
    count_errors,
    margin_below,
    primal_value,
    table_of,
)
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.feature_space.mean_distance import hull_point, is_zero_combination
from novikoff.certificate.fields import as_intercept, as_signed, as_support, as_weights
from novikoff.certificate.kinds import Inconclusive, NonSeparation, Separation, SoftOptimum
from novikoff.certificate.kinds.separation import margin_gap
from novikoff.certificate.model import Soft
from novikoff.certificate.problem import Problem, problem_of
from novikoff.certificate.status import Status


@dataclass(frozen=True)
class KernelCertifier:
    """Makes certificates of one problem in the feature space of its kernel.

    Parameters
    ----------
    problem : Problem
        With its kernel and its positive class.
    examples : Examples
        Its data, with the function of a kernel that is one.

    Examples
    --------
    The exclusive or, which no line separates, has a margin in the feature space of a polynomial:

    >>> import numpy as np
    >>> from novikoff.certificate import Account, Kernel, KernelCertifier, Status, Weighted
    >>> X, y = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), [0, 0, 1, 1]
    >>> certifier = KernelCertifier.of(
    ...     X, y, kernel=Kernel("poly", gamma=1.0, degree=2, coef0=0.0), positive=1, affine=True
    ... )
    >>> certificate = certifier.hard(
    ...     Account(status=Status.CONVERGED),
    ...     support=[0, 1, 2, 3],
    ...     coef=[-0.125, -0.125, 0.125, 0.125],
    ...     proof=Weighted([0, 1, 2, 3], [1, 1, 1, 1]),
    ... )
    >>> certificate.lower, certificate.upper
    (1.414213562373095, 1.4142135623730951)
    >>> print(certificate.verify(X, y))
    Verified: the kernel classifier separates 1 (2) from 0 (2) with margin at least 1.41421, and no
    hyperplane of the feature space has more than 1.41422. All 4 examples take part, without
    weights; hyperplanes with an intercept; kernel poly. Margins and objectives are in the feature
    space of the kernel (gamma x.x' + coef0)^degree, gamma = 1, degree = 2, coef0 = 0.
    """

    problem: Problem
    examples: Examples

    @classmethod
    def of(
        cls,
        X: Any,
        y: npt.ArrayLike,
        *,
        kernel: Kernel,
        positive: Any,
        affine: bool,
        function: Callable[[Any, Any], Any] | None = None,
        sample_weight: npt.ArrayLike | None = None,
        class_weights: tuple[float, ...] | None = None,
    ) -> "KernelCertifier":
        """Take the classes and the fingerprint from the data."""
        problem = problem_of(
            X,
            y,
            affine=affine,
            sample_weight=sample_weight,
            class_weights=class_weights,
            kernel=kernel,
        ).against(positive)
        examples = Examples.of(
            problem, X, y, sample_weight, check_fingerprint=False, function=function
        )
        return cls(problem, examples)

    def refute(self, support: npt.ArrayLike, weights: npt.ArrayLike) -> Refutation | None:
        """Prove that signed examples combine to zero in the feature space.

        ``None`` where that is not proved. It is where the weights of equal examples cancel, for
        every kernel; otherwise the kernel must be positive semidefinite and the support small.
        """
        check_arithmetic()
        rows = as_support(support, self.problem.n_examples)
        values = as_weights(weights, rows)
        rows, values = rows[values > 0], values[values > 0]
        try:
            self.examples.check_takes_part(rows, values)
        except CertificateError:
            return None
        table = table_of(self.examples)
        affine = self.problem.affine
        if not is_zero_combination(table, self.examples.signs, rows, values, affine=affine):
            return None
        return Refutation(rows, values)

    def refuted(
        self,
        refutation: Refutation,
        model: KernelModel | None = None,
        *,
        asked: str = "",
        tol: float | None = None,
        n_updates: int = 0,
    ) -> NonSeparation:
        """Certify that no hyperplane of the feature space separates the examples."""
        return NonSeparation(
            problem=self.problem,
            account=Account(status=Status.NOT_SEPARABLE, asked=asked, tol=tol, n_updates=n_updates),
            support=refutation.support,
            weights=refutation.weights,
            model=model,
        )

    def hard(
        self,
        account: Account,
        *,
        support: npt.ArrayLike,
        coef: npt.ArrayLike,
        intercept: float = 0.0,
        proof: Weighted | None = None,
        also: Weighted | None = None,
        with_model: bool = True,
    ) -> Separation | Inconclusive | NonSeparation:
        """Certify the margin of a classifier and the bound that weights prove on any other's.

        Parameters
        ----------
        account : Account
            What the run says of itself; its status is changed where the bounds contradict it.
        support, coef, intercept
            The classifier ``f(x) = Σ_j coef_j k(x_support[j], x) + intercept``.
        proof, also : Weighted, optional
            Weights on examples for the upper bound; the smaller bound is taken.
        with_model : bool
            Whether a certificate that is not a Separation keeps the classifier.

        Returns
        -------
        Separation
            If every example is proved to be on its side.
        NonSeparation
            If the weights make the upper bound 0 exactly.
        Inconclusive
            Otherwise.
        """
        model = self.model(support, coef, intercept)
        bound = self._bound(proof)
        if also is not None:
            bound = min(bound, self._bound(also), key=lambda each: each.upper)
        return self._verdict(account, model, bound, with_model=with_model)

    def undecided(
        self, account: Account, model: KernelModel, *, proof: Weighted
    ) -> Separation | Inconclusive | NonSeparation:
        """Certify what is known where the search for a separator ended without a verdict.

        ``model`` is what was fitted instead, with the account of its own run; where it separates
        the examples after all, they are separable.
        """
        bound = self._bound(proof)
        if model.soft is not None and model.soft.upper < bound.upper:
            bound = self._bound(Weighted(model.soft.support, model.soft.weights))
        return self._verdict(account, model, bound, with_model=True)

    def soft(self, account: Account, model: KernelModel) -> SoftOptimum:
        """Certify a soft margin; ``model`` comes from :meth:`soft_model`."""
        assert model.soft is not None
        settled = account.settled(gap=model.soft.gap, upper=model.soft.upper, separates=False)
        return SoftOptimum(problem=self.problem, account=settled, model=model)

    def model(
        self, support: npt.ArrayLike, coef: npt.ArrayLike, intercept: float = 0.0
    ) -> KernelModel:
        """Measure the margin and the errors of a classifier."""
        return self._model(self._enclosed(support, coef, intercept))

    def soft_model(
        self,
        support: npt.ArrayLike,
        coef: npt.ArrayLike,
        intercept: float = 0.0,
        *,
        C: float,
        proof: Weighted | None = None,
        account: Account | None = None,
        rescale: bool = False,
    ) -> KernelModel:
        """Measure a classifier, and how close it is to the optimum of the soft-margin problem.

        Parameters
        ----------
        support, coef, intercept
            The classifier, as in :meth:`hard`.
        C : float
            The penalty on margin violations.
        proof : Weighted, optional
            Weights on examples for the lower bound on the objective.
        account : Account, optional
            What the run that made the model says of itself, where the certificate's is another's.
        rescale : bool
            Whether the objective is that of the multiple of the classifier where it is least.
        """
        if not 0.0 < C < math.inf:
            raise CertificateError(f"C must be positive and finite, not {C!r}")
        found, costs = self._enclosed(support, coef, intercept), self.examples.costs
        scale = best_scale(found, C, costs) if rescale else 1.0
        primal = primal_value(found, C, costs, scale=scale).high
        model = self._model(found)
        bound = self._bound(proof, costs)
        dual, upper = dual_below(bound.point, C), bound.upper
        if dual > primal or model.lower > upper:
            self._check_contradiction()
            bound, dual, upper = self._bound(None), 0.0, math.inf
        soft = Soft(
            C=float(C),
            primal=primal,
            dual=dual,
            upper=upper,
            support=bound.support,
            weights=bound.weights,
            scale=scale,
        )
        if account is None:
            return replace(model, soft=soft)
        settled = account.settled(gap=soft.gap, upper=soft.upper, separates=False)
        return replace(model, soft=soft, account=settled)

    def _check_contradiction(self) -> None:
        """Refuse bounds that contradict each other, unless the kernel may not have a space."""
        kernel = self.problem.kernel
        assert kernel is not None and not kernel.is_semidefinite

    def _enclosed(self, support: npt.ArrayLike, coef: npt.ArrayLike, intercept: float) -> Enclosed:
        check_arithmetic()
        rows = as_support(support, self.problem.n_examples)
        values = as_signed("coef", coef, rows)
        b = as_intercept(intercept, self.problem.affine)
        return Enclosed.of(self.examples, rows, values, b, room=MAKER_ROOM)

    def _model(self, found: Enclosed) -> KernelModel:
        part = self.examples.taking_part
        margin = margin_below(found, part).value if found.coef.any() else None
        return KernelModel(
            support=found.support,
            coef=found.coef,
            intercept=found.intercept,
            margin=margin,
            errors=count_errors(found, part).count,
        )

    def _verdict(
        self, account: Account, model: KernelModel, bound: "_Bound", *, with_model: bool
    ) -> Separation | Inconclusive | NonSeparation:
        if model.lower > bound.upper:
            self._check_contradiction()
            bound = self._bound(None)
        upper = bound.upper
        if model.lower > 0.0:
            gap = margin_gap(model.lower, upper)
            return Separation(
                problem=self.problem,
                account=account.settled(gap=gap, upper=upper, separates=True),
                model=replace(model, soft=None, account=None),
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
            model=model if with_model else None,
        )

    def _refutation(self, bound: "_Bound") -> Refutation | None:
        weights = integer_weights(
            self.examples.signs[bound.support], bound.weights, affine=self.problem.affine
        )
        return None if weights is None else self.refute(bound.support, weights)

    def _bound(self, weighted: Weighted | None, costs: Floats | None = None) -> "_Bound":
        """The upper bound that weights prove; ``costs`` are needed for the soft margin alone."""
        weighted = weighted or Weighted()
        support = as_support(weighted.support, self.problem.n_examples)
        weights = as_weights(weighted.weights, support)
        self.examples.check_takes_part(support, weights)
        if not support.size:
            return _Bound(None, support, weights)
        point = hull_point(
            table_of(self.examples),
            self.examples.signs,
            support,
            weights,
            affine=self.problem.affine,
            costs=costs,
            room=MAKER_ROOM,
        )
        return _Bound(point, support, weights)


@dataclass(frozen=True)
class _Bound:
    point: HullPoint | None
    support: Indices
    weights: npt.NDArray[Any]

    @property
    def upper(self) -> float:
        return margin_above(self.point)
