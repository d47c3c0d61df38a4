"""From a kernel classifier of several classes together to what can be claimed of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.account import Account
from novikoff.certificate.certify_joint import JointCertifier, JointWeighted
from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.exact.hull import HullPoint
from novikoff.certificate.exact.slack import dual_below
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.certify_kernel import KernelCertifier
from novikoff.certificate.feature_space.enclosed import (
    MAKER_ROOM,
    agreeing_dual,
    agreeing_margin,
    best_scale,
    margin_below,
    primal_value,
)
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.kernel_leads import KernelLeads
from novikoff.certificate.fields import as_coefs, as_intercepts, as_support
from novikoff.certificate.joint_claims import weighted_point
from novikoff.certificate.joint_model import JointRefutation, JointSoft
from novikoff.certificate.kinds.joint import Joint
from novikoff.certificate.problem import problem_of
from novikoff.certificate.verdicts import Refutation, check_penalty, with_soft


@dataclass(frozen=True)
class JointKernelCertifier:
    """Makes certificates of several classes together in the feature space of a kernel.

    Parameters
    ----------
    problem : Problem
        With its kernel and no positive class, of three classes or more.
    examples : Examples
        Its data, with the function of a kernel that is one.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.certificate import (
    ...     Account,
    ...     JointKernelCertifier,
    ...     JointWeighted,
    ...     Kernel,
    ...     Status,
    ... )
    >>> X, y = np.array([[0.0], [2.0], [4.0]]), ["low", "middle", "top"]
    >>> certifier = JointKernelCertifier.of(X, y, kernel=Kernel("linear"), affine=True)
    >>> certificate = certifier.hard(
    ...     Account(status=Status.CONVERGED),
    ...     support=[2],
    ...     coef=[[-0.25, 0.0, 0.25]],
    ...     intercept=[1.0, 0.0, -3.0],
    ...     proof=JointWeighted([0, 1, 2], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]),
    ... )
    >>> certificate.lower, certificate.upper
    (0.5, 0.5)
    >>> print(certificate.verify(X, y))
    Verified: the model separates all 3 classes from each other with margin at least 0.5, and no
    linear model of the feature space has more than 0.5. All 3 examples take part, of the classes
    'low' (1), 'middle' (1) and 'top' (1), without weights; hyperplanes with an intercept; kernel
    linear. Margins and objectives are in the feature space of the kernel x.x'.
    """

    problem: Any
    examples: Examples

    @classmethod
    def of(
        cls,
        X: Any,
        y: npt.ArrayLike,
        *,
        kernel: Kernel,
        affine: bool,
        function: Callable[[Any, Any], Any] | None = None,
        sample_weight: npt.ArrayLike | None = None,
        class_weights: tuple[float, ...] | None = None,
    ) -> "JointKernelCertifier":
        """Take the classes and the fingerprint from the data."""
        problem = problem_of(
            X,
            y,
            affine=affine,
            sample_weight=sample_weight,
            class_weights=class_weights,
            kernel=kernel,
        )
        examples = Examples.of(
            problem, X, y, sample_weight, check_fingerprint=False, function=function
        )
        return cls(problem, examples)

    def pair(self, first: int, second: int) -> KernelCertifier:
        """Return who certifies two classes alone, given by their positions; the second is positive.

        The examples of the other classes take no part.
        """
        examples = self.examples.between(first, second)
        return KernelCertifier(self.problem.between(first, second), examples)

    def refute_pair(
        self, first: int, second: int, refutation: Refutation
    ) -> JointRefutation | None:
        """Prove again that no hyperplane separates two classes; ``None`` where it is not proved."""
        assert refutation.weights is not None
        found = self.pair(first, second).refute(refutation.support, refutation.weights)
        if found is None:
            return None
        return JointRefutation(
            pair=(first, second), support=found.support, weights=found.weights
        ).checked(self.problem)

    def refuted(
        self,
        refutation: JointRefutation,
        model: JointKernelModel | None = None,
        *,
        asked: str = "",
        tol: float | None = None,
        n_updates: int = 0,
    ) -> Joint:
        """Certify that no linear model of the feature space separates the classes."""
        return self._maker.refuted(refutation, model, asked=asked, tol=tol, n_updates=n_updates)

    def hard(
        self,
        account: Account,
        *,
        support: npt.ArrayLike,
        coef: npt.ArrayLike,
        intercept: npt.ArrayLike | None = None,
        proof: JointWeighted | None = None,
        also: JointWeighted | None = None,
        with_model: bool = True,
    ) -> Joint:
        """Certify the margin of a model and the bound that weights prove on any other's.

        ``coef`` has a row for each example of the support and a column for each class; the other
        parameters are those of :meth:`~novikoff.certificate.JointCertifier.hard`.
        """
        model = self.model(support, coef, intercept)
        bound = self._maker.bound(proof)
        if also is not None:
            bound = min(bound, self._maker.bound(also), key=lambda each: each.upper)
        return self._verdict(account, model, bound, with_model=with_model)

    def undecided(
        self, account: Account, model: JointKernelModel, *, proof: JointWeighted
    ) -> Joint:
        """Certify what is known where the search for a separator ended without a verdict."""
        bound = self._maker.bound(proof)
        if model.soft is not None and model.soft.upper < bound.upper:
            bound = self._maker.bound(JointWeighted(model.soft.support, model.soft.weights))
        return self._verdict(account, model, bound, with_model=True)

    def soft(self, account: Account, model: JointKernelModel) -> Joint:
        """Certify a soft margin; ``model`` comes from :meth:`soft_model`."""
        return self._maker.soft(account, model)

    def model(
        self, support: npt.ArrayLike, coef: npt.ArrayLike, intercept: npt.ArrayLike | None = None
    ) -> JointKernelModel:
        """Measure the margin and the errors of a model."""
        return self._model(self._leads(support, coef, intercept))

    def soft_model(
        self,
        support: npt.ArrayLike,
        coef: npt.ArrayLike,
        intercept: npt.ArrayLike | None = None,
        *,
        C: float,
        proof: JointWeighted | None = None,
        account: Account | None = None,
        rescale: bool = False,
        thorough: bool = False,
    ) -> JointKernelModel:
        """Measure a model, and how close it is to the optimum of the soft-margin problem.

        As :meth:`~novikoff.certificate.JointCertifier.soft_model`; with ``thorough``, in exact
        arithmetic where that is affordable.
        """
        check_penalty(C)
        leads, costs = self._leads(support, coef, intercept), self.examples.costs
        scale = best_scale(leads, C, costs) if rescale else 1.0
        primal = primal_value(leads, C, costs, scale=scale, thorough=thorough).high
        model, bound = self._model(leads), self._maker.bound(proof, C, thorough=thorough)
        dual = agreeing_dual(dual_below(bound.point, C), primal, self.problem.kernel)
        if dual > primal or model.lower > bound.upper:
            bound = self._contradicted()
            dual = dual_below(bound.point, C)
        soft = JointSoft(
            C=float(C),
            primal=primal,
            dual=dual,
            upper=bound.upper,
            support=bound.support,
            weights=bound.weights,
            scale=scale,
        )
        return with_soft(model, soft, account)

    @property
    def _maker(self) -> "_Maker":
        return _Maker(self.problem, self.examples)

    def _contradicted(self) -> Any:
        """The bound that nothing proves: without a feature space, others may be contradictory."""
        assert not self.problem.kernel.is_semidefinite
        return self._maker.bound(None)

    def _verdict(
        self, account: Account, model: JointKernelModel, bound: Any, *, with_model: bool
    ) -> Joint:
        if model.lower > bound.upper:
            bound = self._contradicted()
        return self._maker.verdict(account, model, bound, with_model=with_model)

    def _leads(
        self, support: npt.ArrayLike, coef: npt.ArrayLike, intercept: npt.ArrayLike | None
    ) -> KernelLeads:
        check_arithmetic()
        n_classes = len(self.problem.classes)
        rows = as_support(support, self.problem.n_examples)
        offsets = np.zeros(n_classes) if intercept is None else intercept
        return KernelLeads.of_classes(
            self.examples,
            rows,
            as_coefs(np.reshape(coef, (-1, n_classes)), rows.size, n_classes),
            as_intercepts(offsets, n_classes, self.problem.affine),
            room=MAKER_ROOM,
        )

    def _model(self, leads: KernelLeads) -> JointKernelModel:
        part = self.examples.taking_part
        margin = margin_below(leads, part).value if leads.coef.any() else None
        return JointKernelModel(
            support=leads.support,
            coef=leads.coef,
            intercept=leads.offsets,
            margin=agreeing_margin(margin, leads.errors.count),
            errors=leads.errors.count,
        )


class _Maker(JointCertifier):
    """What models with a kernel share with linear ones: balanced weights, verdicts, accounts."""

    def _point(
        self, support: Indices, weights: npt.NDArray[np.int64], *, costly: bool, thorough: bool
    ) -> HullPoint | None:
        return weighted_point(
            support,
            weights,
            self.examples,
            affine=self.problem.affine,
            costs=self.examples.costs if costly else None,
            thorough=thorough,
            room=MAKER_ROOM,
        )
