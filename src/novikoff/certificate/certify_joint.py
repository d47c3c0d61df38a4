"""From what a search found for several classes together to what can be claimed of them."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.account import Account
from novikoff.certificate.balance import balanced
from novikoff.certificate.certify import ROUNDING, Certifier
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.exact.hull import HullPoint, margin_above
from novikoff.certificate.exact.leads import Leads
from novikoff.certificate.exact.slack import SQUARED_HINGE, dual_below
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.scaling import in_raw_columns
from novikoff.certificate.feature_space.joint_kernel_model import JointKernelModel
from novikoff.certificate.fields import as_coefs, as_intercepts
from novikoff.certificate.joint_claims import (
    check_refutation,
    leads_of,
    scaled_coefs,
    times,
    weighted_point,
)
from novikoff.certificate.joint_model import JointBound, JointModel, JointRefutation, JointSoft
from novikoff.certificate.kinds.joint import Joint
from novikoff.certificate.kinds.separation import margin_gap
from novikoff.certificate.problem import Problem, problem_of
from novikoff.certificate.status import Status
from novikoff.certificate.verdicts import Bound, Refutation, check_penalty, with_soft


@dataclass(frozen=True)
class JointWeighted:
    """Some examples and their weights, which are not negative: a column for each class.

    The weight in the column of an example's own class is 0. They need not balance.
    """

    support: npt.ArrayLike = ()
    weights: npt.ArrayLike = ()


@dataclass(frozen=True)
class JointCertifier:
    """Makes certificates of several classes together.

    Parameters
    ----------
    problem : Problem
        With no positive class, of three classes or more.
    examples : Examples
        Its data.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.certificate import Account, JointCertifier, JointWeighted, Status
    >>> X, y = np.array([[0.0], [2.0], [4.0]]), ["low", "middle", "top"]
    >>> certifier = JointCertifier.of(X, y, affine=True)
    >>> certificate = certifier.hard(
    ...     Account(status=Status.CONVERGED),
    ...     coef=[[-1.0], [0.0], [1.0]],
    ...     intercept=[1.0, 0.0, -3.0],
    ...     proof=JointWeighted([0, 1, 2], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]),
    ... )
    >>> certificate.lower, certificate.upper
    (0.5, 0.5)
    >>> print(certificate.verify(X, y))
    Verified: the model separates all 3 classes from each other with margin at least 0.5, and no
    linear model has more than 0.5. All 3 examples take part, of the classes 'low' (1),
    'middle' (1) and 'top' (1), without weights; hyperplanes with an intercept.
    """

    problem: Problem
    examples: Examples

    def __post_init__(self) -> None:
        if self.problem.positive is not None or len(self.problem.classes) < 3:
            raise CertificateError("a joint problem has three classes or more, and none positive")

    @classmethod
    def of(
        cls,
        X: Any,
        y: npt.ArrayLike,
        *,
        affine: bool,
        sample_weight: npt.ArrayLike | None = None,
        class_weights: tuple[float, ...] | None = None,
        exponents: tuple[int, ...] | None = None,
    ) -> "JointCertifier":
        """Take the classes and the fingerprint from the data."""
        problem = problem_of(
            X,
            y,
            affine=affine,
            sample_weight=sample_weight,
            class_weights=class_weights,
            exponents=exponents,
        )
        examples = Examples.of(problem, X, y, sample_weight, check_fingerprint=False)
        return cls(problem, examples)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.problem.classes)

    def pair(self, first: int, second: int) -> Certifier:
        """Return who certifies two classes alone, given by their positions; the second is positive.

        Its rows are those of all examples; the examples of the other classes take no part.
        """
        return Certifier(self.problem.between(first, second), self.examples.between(first, second))

    def refute_pair(
        self, first: int, second: int, refutation: Refutation
    ) -> JointRefutation | None:
        """Prove again that no hyperplane separates two classes; ``None`` where that is not proved.

        Parameters
        ----------
        first, second : int
            The positions of the classes; the second is the positive one.
        refutation : Refutation
            Examples of these two classes that combine to zero.
        """
        maker = self.pair(first, second)
        if refutation.slacks is not None:
            found = maker.refute_by_slacks(refutation.slacks, refutation.support)
        else:
            found = maker.refute(refutation.support, refutation.weights)
        if found is None:
            return None
        return JointRefutation(
            pair=(first, second),
            support=found.support,
            weights=found.weights,
            slacks=found.slacks,
        ).checked(self.problem)

    def refute_basis(self, support: npt.ArrayLike, wrong: npt.ArrayLike) -> JointRefutation | None:
        """Prove that pairs of an example and a wrong class combine to zero, all with weight >= 0.

        They must have one relation between them. ``None`` where exact arithmetic denies it, or
        where they are more than :data:`~novikoff.certificate.joint_model.MOST_PAIRS`.
        """
        check_arithmetic()
        given = JointRefutation(support=np.asarray(support), wrong=np.asarray(wrong))
        try:
            basis = given.checked(self.problem)
            check_refutation(basis, self.examples, self.n_classes, affine=self.problem.affine)
        except CertificateError:
            return None
        return basis

    def refute_again(self, refutation: JointRefutation) -> JointRefutation | None:
        """Prove again what was proved of other data, if it is true of these."""
        check_arithmetic()
        try:
            again = refutation.checked(self.problem)
            check_refutation(again, self.examples, self.n_classes, affine=self.problem.affine)
        except CertificateError:
            return None
        return again

    def refuted(
        self,
        refutation: JointRefutation,
        model: JointModel | JointKernelModel | None = None,
        *,
        asked: str = "",
        tol: float | None = None,
        n_updates: int = 0,
    ) -> Joint:
        """Certify that no linear model separates the classes.

        ``model`` is what was fitted nevertheless, if anything was.
        """
        return Joint(
            problem=self.problem,
            account=Account(status=Status.NOT_SEPARABLE, asked=asked, tol=tol, n_updates=n_updates),
            model=model,
            refutation=refutation,
        )

    def hard(
        self,
        account: Account,
        *,
        coef: npt.ArrayLike,
        intercept: npt.ArrayLike | None = None,
        proof: JointWeighted | None = None,
        also: JointWeighted | None = None,
        with_model: bool = True,
    ) -> Joint:
        """Certify the margin of a model and the bound that weights prove on any other's.

        Parameters
        ----------
        account : Account
            What the run says of itself; its status is changed where the bounds contradict it.
        coef, intercept
            The model, for the columns of the data as they are: arrays of shape (n_classes,
            n_features) and (n_classes,).
        proof : JointWeighted, optional
            Weights on pairs for the upper bound.
        also : JointWeighted, optional
            Other weights, which are taken where their bound is smaller.
        with_model : bool
            Whether a certificate whose model does not separate the classes keeps it.
        """
        model = self.model(coef, intercept)
        bound = self.bound(proof)
        if also is not None:
            bound = min(bound, self.bound(also), key=lambda each: each.upper)
        return self.verdict(account, model, bound, with_model=with_model)

    def undecided(self, account: Account, model: JointModel, *, proof: JointWeighted) -> Joint:
        """Certify what is known where the search for a separator ended without a verdict.

        ``model`` is what was fitted instead, with the account of its own run; where it separates
        the classes after all, they are separable.
        """
        bound = self.bound(proof)
        if model.soft is not None and model.soft.upper < bound.upper:
            bound = self.bound(JointWeighted(model.soft.support, model.soft.weights))
        return self.verdict(account, model, bound, with_model=True)

    def soft(self, account: Account, model: JointModel | JointKernelModel) -> Joint:
        """Certify a soft margin; ``model`` comes from :meth:`soft_model`."""
        assert model.soft is not None
        settled = account.settled(gap=model.soft.gap, upper=model.soft.upper, separates=False)
        return Joint(problem=self.problem, account=settled, model=replace(model, account=None))

    def model(self, coef: npt.ArrayLike, intercept: npt.ArrayLike | None = None) -> JointModel:
        """Measure the margin and the errors of a model."""
        check_arithmetic()
        return self._model(leads_of(*self._given(coef, intercept), self.examples))

    def soft_model(
        self,
        coef: npt.ArrayLike,
        intercept: npt.ArrayLike | None = None,
        *,
        C: float,
        proof: JointWeighted | None = None,
        account: Account | None = None,
        rescale: bool = False,
        tol: float = 0.0,
        loss: str = SQUARED_HINGE,
    ) -> JointModel:
        """Measure a model, and how close it is to the optimum of the soft-margin problem.

        Parameters
        ----------
        coef, intercept
            The model, for the columns of the data as they are.
        C : float
            The penalty on margin violations.
        proof : JointWeighted, optional
            Weights on pairs for the lower bound on the objective.
        account : Account, optional
            What the run that made the model says of itself, where the certificate's is another's.
        rescale : bool
            Whether the objective is that of the multiple of the model where it is least.
        tol : float
            The relative gap that was asked for. Where floating-point bounds miss it by no more
            than rounding, they are computed in exact arithmetic.
        loss : str
            ``"squared_hinge"`` or ``"hinge"``.
        """
        check_arithmetic()
        check_penalty(C)
        examples = self.examples
        leads = leads_of(*self._given(coef, intercept), examples)
        scale = leads.best_scale(C, examples.costs) if rescale else 1.0
        multiple = leads
        if scale != 1.0:
            multiple = leads_of(*times(leads.coef, leads.intercept, scale), examples)
        proved = self.bound(proof, C, loss)

        def soft_bounds(point: HullPoint | None, *, thorough: bool) -> JointSoft:
            return JointSoft(
                C=float(C),
                primal=multiple.objective(C, examples.costs, loss=loss, thorough=thorough).high,
                dual=dual_below(point, C, loss),
                upper=margin_above(point),
                support=proved.support,
                weights=proved.weights,
                scale=scale,
                loss=loss,
            )

        soft = soft_bounds(proved.point, thorough=False)
        if tol < soft.gap <= tol + ROUNDING:
            point = self._point(proved.support, proved.weights, costly=True, thorough=True)
            soft = soft_bounds(point, thorough=True)
        return with_soft(self._model(leads), soft, account)

    def _given(self, coef: npt.ArrayLike, intercept: npt.ArrayLike | None) -> tuple[Floats, Floats]:
        """The model for the columns that the problem measures: scaled, if it scales them."""
        problem, n_classes = self.problem, self.n_classes
        W = scaled_coefs(as_coefs(coef, n_classes, problem.n_features), self.examples)
        b = np.zeros(n_classes) if intercept is None else intercept
        return W, as_intercepts(b, n_classes, problem.affine)

    def _model(self, leads: Leads) -> JointModel:
        exponents = self.examples.exponents
        raw = leads.coef
        if exponents is not None:
            raw = np.array([in_raw_columns(w, exponents) for w in leads.coef])
        margin = leads.margin().value if leads.coef.any() else None
        return JointModel(
            coef=raw, intercept=leads.intercept, margin=margin, errors=leads.errors.count
        )

    def bound(
        self,
        weighted: JointWeighted | None,
        C: float | None = None,
        loss: str = SQUARED_HINGE,
        *,
        thorough: bool = False,
    ) -> Bound:
        """The bound that weights prove: the best on the margin, or on the objective for ``C``."""
        weighted = weighted or JointWeighted()
        ways = balanced(
            self.examples.codes,
            weighted.support,
            weighted.weights,
            self.n_classes,
            affine=self.problem.affine,
            taking_part=self.examples.taking_part,
        )
        found = [
            Bound(self._point(*way, costly=C is not None, thorough=thorough), *way) for way in ways
        ]
        nothing = np.empty((0, self.n_classes), dtype=np.int64)
        found.append(Bound(None, np.empty(0, dtype=np.int64), nothing))
        if C is None:
            return min(found, key=lambda each: each.upper)
        return max(found, key=lambda each: dual_below(each.point, C, loss))

    def _point(
        self, support: Indices, weights: npt.NDArray[np.int64], *, costly: bool, thorough: bool
    ) -> HullPoint | None:
        """The point that weights make; ``costly``: with the costs, for the soft margin."""
        return weighted_point(
            support,
            weights,
            self.examples,
            affine=self.problem.affine,
            costs=self.examples.costs if costly else None,
            thorough=thorough,
        )

    def verdict(
        self,
        account: Account,
        model: JointModel | JointKernelModel,
        bound: Bound,
        *,
        with_model: bool,
    ) -> Joint:
        """Certify what a model and a bound prove together."""
        upper = bound.upper
        proved = JointBound(upper=upper, support=bound.support, weights=bound.weights)
        if model.lower > 0.0:
            gap = margin_gap(model.lower, upper)
            return Joint(
                problem=self.problem,
                account=account.settled(gap=gap, upper=upper, separates=True),
                model=replace(model, soft=None, account=None),
                bound=proved,
            )
        settled = account.settled(gap=math.inf, upper=upper, separates=False)
        kept = model if with_model else None
        if upper == 0.0:
            if kept is not None and kept.account is None:
                kept = replace(kept, account=settled)
            settled = replace(settled, status=Status.NOT_SEPARABLE)
        return Joint(problem=self.problem, account=settled, model=kept, bound=proved)
