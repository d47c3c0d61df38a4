"""From what a search found to what can be claimed: bounds computed rigorously, rounded outward."""

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from novikoff.certificate.account import Account
from novikoff.certificate.claims import times
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.exact.filter import signed_values
from novikoff.certificate.exact.hull import hull_point, spread_below
from novikoff.certificate.exact.margins import close_margin, margin_below
from novikoff.certificate.exact.prediction import count_errors
from novikoff.certificate.exact.relation import carriers, is_zero_combination
from novikoff.certificate.exact.slack import SQUARED_HINGE, best_scale, dual_below, primal_value
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.scaling import in_raw_columns
from novikoff.certificate.fields import (
    as_coef,
    as_intercept,
    as_support,
    as_weights,
)
from novikoff.certificate.kinds import Inconclusive, NonSeparation, Separation
from novikoff.certificate.kinds.inconclusive import is_numerical
from novikoff.certificate.model import Model, Soft
from novikoff.certificate.problem import problem_of
from novikoff.certificate.slacks import Slacks
from novikoff.certificate.verdicts import (
    BinaryCertifier,
    Bound,
    Refutation,
    Weighted,
    check_penalty,
    with_soft,
)

ROUNDING = 2.0**-30
"""More than the rounding of two bounds in floating point, relative to them."""


@dataclass(frozen=True)
class Certifier(BinaryCertifier):
    """Makes certificates of one problem.

    Parameters
    ----------
    problem : Problem
        With its positive class.
    examples : Examples
        Its data.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.certificate import Account, Certifier, Status, Weighted
    >>> X, y = np.array([[999.0], [1001.0]]), ["high", "low"]
    >>> certifier = Certifier.of(X, y, positive="high", affine=True)
    >>> certificate = certifier.hard(
    ...     Account(status=Status.CONVERGED),
    ...     coef=[-1.0],
    ...     intercept=1000.0,
    ...     proof=Weighted([0, 1], [1, 1]),
    ... )
    >>> certificate.lower, certificate.upper
    (1.0, 1.0)
    >>> print(certificate.verify(X, y))
    Verified: the hyperplane separates 'high' (1) from 'low' (1) with margin at least 1, and no
    hyperplane has more than 1. All 2 examples take part, without weights; hyperplanes with an
    intercept.
    """

    @classmethod
    def of(
        cls,
        X: Any,
        y: npt.ArrayLike,
        *,
        positive: Any,
        affine: bool,
        sample_weight: npt.ArrayLike | None = None,
        class_weights: tuple[float, ...] | None = None,
        exponents: tuple[int, ...] | None = None,
    ) -> "Certifier":
        """Take the classes and the fingerprint from the data."""
        problem = problem_of(
            X,
            y,
            affine=affine,
            sample_weight=sample_weight,
            class_weights=class_weights,
            exponents=exponents,
        ).against(positive)
        examples = Examples.of(problem, X, y, sample_weight, check_fingerprint=False)
        return cls(problem, examples)

    def refute(
        self, support: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> Refutation | None:
        """Prove that examples combine to zero; ``None`` where exact arithmetic denies it.

        With ``weights`` the combination they make must be exactly zero. Without, ``support`` must
        be a basis: examples with one relation between them, whose weights have one sign. Examples
        whose weight is zero are dropped.
        """
        check_arithmetic()
        examples, affine = self.examples, self.problem.affine
        rows = as_support(support, self.problem.n_examples)
        values: npt.NDArray[Any] | None = None
        try:
            if weights is None:
                rows = rows[carriers(examples.X, examples.signs, rows, affine=affine)]
            else:
                values = as_weights(weights, rows)
                rows, values = rows[values > 0], values[values > 0]
                if not is_zero_combination(examples.X, examples.signs, rows, values, affine=affine):
                    return None
            examples.check_takes_part(rows, values)
        except CertificateError:
            return None
        return Refutation(rows, values)

    def refute_by_slacks(
        self, slacks: Slacks, support: npt.ArrayLike, **known: Any
    ) -> Refutation | None:
        """Prove that the slacks of a hyperplane are close to weights that combine to zero.

        ``None`` where that is not proved. The support has as many examples as there are independent
        features, on which the slacks are changed; :mod:`novikoff.certificate.exact.vanishing` has
        the conditions, and :meth:`Slacks.check` takes what is ``known``.
        """
        check_arithmetic()
        try:
            rows = as_support(support, self.problem.n_examples)
            checked = slacks.checked(self.problem)
            checked.check(self.examples, rows, affine=self.problem.affine, **known)
        except CertificateError:
            return None
        return Refutation(rows, None, checked)

    def refute_again(self, proof: NonSeparation) -> Refutation | None:
        """Prove again what was proved of other data, if it is true of these."""
        if proof.slacks is not None:
            return self.refute_by_slacks(proof.slacks, proof.support)
        return self.refute(proof.support, proof.weights)

    def hard(
        self,
        account: Account,
        *,
        coef: npt.ArrayLike,
        intercept: float = 0.0,
        proof: Weighted | None = None,
        also: Weighted | None = None,
        with_model: bool = True,
    ) -> Separation | Inconclusive | NonSeparation:
        """Certify the margin of a hyperplane and the bound that weights prove on any other's.

        Parameters
        ----------
        account : Account
            What the run says of itself; its status is changed where the bounds contradict it.
        coef, intercept
            The hyperplane, for the columns of the data as they are.
        proof : Weighted, optional
            Weights on examples for the upper bound.
        also : Weighted, optional
            Other weights, which are taken where their bound is smaller.
        with_model : bool
            Whether a certificate that is not a Separation keeps the hyperplane.

        Returns
        -------
        Separation
            If every example is on its side, exactly.
        NonSeparation
            If the weights make the upper bound 0 (and are such that they can be stored).
        Inconclusive
            Otherwise.
        """
        model = self.model(coef, intercept)
        bound = self._bound(proof)
        if also is not None:
            bound = min(bound, self._bound(also), key=lambda each: each.upper)
        return self._verdict(account, model, bound, with_model=with_model)

    def model(self, coef: npt.ArrayLike, intercept: float = 0.0) -> Model:
        """Measure the margin and the errors of a hyperplane."""
        check_arithmetic()
        w, b = self._hyperplane(coef, intercept)
        examples = self.examples
        if examples.taking_part is None:
            margin = close_margin(examples.X, examples.signs, w, b)
            if margin is not None:
                raw = in_raw_columns(w, examples.exponents)
                return Model(coef=raw, intercept=b, margin=margin, errors=0)
        return self._model(w, b, self._values(w, b))

    def soft_model(
        self,
        coef: npt.ArrayLike,
        intercept: float = 0.0,
        *,
        C: float,
        proof: Weighted | None = None,
        account: Account | None = None,
        rescale: bool = False,
        tol: float = 0.0,
        loss: str = SQUARED_HINGE,
    ) -> Model:
        """Measure a hyperplane, and how close it is to the optimum of the soft-margin problem.

        Parameters
        ----------
        coef, intercept
            The hyperplane, for the columns of the data as they are.
        C : float
            The penalty on margin violations.
        proof : Weighted, optional
            Weights on examples for the lower bound on the objective.
        account : Account, optional
            What the run that made the model says of itself, where the certificate's is another's.
        rescale : bool
            Whether the objective is that of the multiple of the hyperplane where it is least.
        tol : float
            The relative gap that was asked for. Where floating-point bounds miss it by no more
            than rounding, they are computed in exact arithmetic.
        loss : str
            ``"squared_hinge"`` or ``"hinge"``.
        """
        check_arithmetic()
        check_penalty(C)
        w, b = self._hyperplane(coef, intercept)
        examples = self.examples
        values = self._values(w, b)
        claim = (examples.X, examples.signs)
        scale = best_scale(*claim, w, b, C, examples.costs) if rescale else 1.0
        multiple = (w, b) if scale == 1.0 else times(w, b, scale)
        seen = values if scale == 1.0 else None

        def soft_bounds(thorough: bool) -> Soft:
            objective = (*claim, *multiple, C, examples.costs)
            squared = C if loss == SQUARED_HINGE else None
            bound = self._bound(proof, examples.costs, thorough=thorough, slack=True, C=squared)
            return Soft(
                C=float(C),
                primal=primal_value(*objective, loss=loss, thorough=thorough, values=seen).high,
                dual=dual_below(bound.point, C, loss),
                upper=bound.upper,
                support=bound.support,
                weights=bound.weights,
                scale=scale,
                loss=loss,
            )

        soft = soft_bounds(thorough=False)
        if tol < soft.gap <= tol + ROUNDING:
            soft = soft_bounds(thorough=True)
        return with_soft(self._model(w, b, values), soft, account)

    def _spread(self, bound: Bound) -> float | None:
        if bound.point is None:
            return None
        carriers = bound.support[bound.weights > 0]
        spread = spread_below(self.examples.X, carriers, affine=self.problem.affine)
        return spread if is_numerical(bound.upper, spread) else None

    def _hyperplane(self, coef: npt.ArrayLike, intercept: float) -> tuple[Floats, float]:
        """The hyperplane for the columns that the problem measures: scaled, if it scales them."""
        problem = self.problem
        w = self.examples.scaled(as_coef(coef, problem.n_features))
        return w, as_intercept(intercept, problem.affine)

    def _values(self, w: Floats, b: float) -> tuple[Floats, Floats]:
        return signed_values(self.examples.X, self.examples.signs, w, b)

    def _model(self, w: Floats, b: float, values: tuple[Floats, Floats]) -> Model:
        examples = self.examples
        claim = (examples.X, examples.signs, w, b)
        part = examples.taking_part
        margin = None
        if w.any():
            margin = margin_below(*claim, part, values=values).value
        errors = count_errors(*claim, values=values, taking_part=part).count
        raw = in_raw_columns(w, examples.exponents)
        return Model(coef=raw, intercept=b, margin=margin, errors=errors)

    def _bound(
        self,
        weighted: Weighted | None,
        costs: Floats | None = None,
        *,
        thorough: bool = False,
        slack: bool = False,
        C: float | None = None,
    ) -> Bound:
        """The upper bound that weights prove; ``costs`` are needed for the soft margin alone."""
        weighted = weighted or Weighted()
        support = as_support(weighted.support, self.problem.n_examples)
        weights = as_weights(weighted.weights, support)
        examples = self.examples
        examples.check_takes_part(support, weights)
        point = hull_point(
            examples.X,
            examples.signs,
            support,
            weights,
            affine=self.problem.affine,
            costs=costs,
            thorough=thorough,
            slack=slack,
            C=C,
            closely=True,
        )
        return Bound(point, support, weights)
