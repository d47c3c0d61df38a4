"""From what a search in a feature space found to what can be claimed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from novikoff.certificate.account import Account
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.exact.slack import dual_below
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.enclosed import (
    MAKER_ROOM,
    Enclosed,
    agreeing_dual,
    agreeing_margin,
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
from novikoff.certificate.kinds import Inconclusive, NonSeparation, Separation
from novikoff.certificate.model import Soft
from novikoff.certificate.problem import problem_of
from novikoff.certificate.verdicts import (
    BinaryCertifier,
    Bound,
    Refutation,
    Weighted,
    check_penalty,
    with_soft,
)


@dataclass(frozen=True)
class KernelCertifier(BinaryCertifier):
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
        thorough: bool = False,
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
        thorough : bool
            Whether exact arithmetic is used where it is affordable.
        """
        check_penalty(C)
        found, costs = self._enclosed(support, coef, intercept), self.examples.costs
        scale = best_scale(found, C, costs) if rescale else 1.0
        primal = primal_value(found, C, costs, scale=scale, thorough=thorough).high
        model = self._model(found)
        bound = self._bound(proof, costs, thorough=thorough)
        assert self.problem.kernel is not None
        dual = agreeing_dual(dual_below(bound.point, C), primal, self.problem.kernel)
        upper = bound.upper
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
        return with_soft(model, soft, account)

    def _check_contradiction(self) -> None:
        """Refuse bounds that contradict each other, unless the kernel may not have a space."""
        kernel = self.problem.kernel
        assert kernel is not None and not kernel.is_semidefinite

    def _agreeing(self, model: KernelModel, bound: Bound) -> Bound:
        if model.lower <= bound.upper:
            return bound
        self._check_contradiction()
        return self._bound(None)

    def _enclosed(self, support: npt.ArrayLike, coef: npt.ArrayLike, intercept: float) -> Enclosed:
        check_arithmetic()
        rows = as_support(support, self.problem.n_examples)
        values = as_signed("coef", coef, rows)
        b = as_intercept(intercept, self.problem.affine)
        return Enclosed.of(self.examples, rows, values, b, room=MAKER_ROOM)

    def _model(self, found: Enclosed) -> KernelModel:
        part = self.examples.taking_part
        errors = count_errors(found, part).count
        margin = margin_below(found, part).value if found.coef.any() else None
        return KernelModel(
            support=found.support,
            coef=found.coef,
            intercept=found.intercept,
            margin=agreeing_margin(margin, errors),
            errors=errors,
        )

    def _bound(
        self, weighted: Weighted | None, costs: Floats | None = None, *, thorough: bool = False
    ) -> Bound:
        """The upper bound that weights prove; ``costs`` are needed for the soft margin alone."""
        weighted = weighted or Weighted()
        support = as_support(weighted.support, self.problem.n_examples)
        weights = as_weights(weighted.weights, support)
        self.examples.check_takes_part(support, weights)
        if not support.size:
            return Bound(None, support, weights)
        point = hull_point(
            table_of(self.examples),
            self.examples.signs,
            support,
            weights,
            affine=self.problem.affine,
            costs=costs,
            room=MAKER_ROOM,
            thorough=thorough,
        )
        return Bound(point, support, weights)
