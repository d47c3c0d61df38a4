"""The proof that no hyperplane separates the examples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.claims import NO_ROWS, Findings, check_model
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.relation import carriers, is_zero_combination
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.fields import as_support, as_weights
from novikoff.certificate.kinds.binary import Binary, soft_headline
from novikoff.certificate.model import Model
from novikoff.certificate.slacks import Slacks
from novikoff.certificate.wording import counted, prove


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NonSeparation(Binary):
    """No hyperplane separates the examples: a combination of the signed ones is exactly zero.

    It claims ``Σ weights_i y_i (x_i, 1) = 0`` over the support, without the 1 where the
    hyperplanes pass through the origin, with weights that are not negative and not all zero.
    Where ``weights`` is ``None`` the support is a basis: the check proves for itself that it has
    such a combination, by solving for it or by bounds on its weights that leave no doubt.
    Where there are ``slacks``, the weights are those of a hyperplane, changed on the support, and
    carried by all examples that violate its margin. ``model`` is what was fitted nevertheless, if
    anything was.
    """

    support: Indices
    weights: npt.NDArray[Any] | None
    model: Model | KernelModel | None = None
    slacks: Slacks | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._reject_with_kernel(slacks=self.slacks)
        if self.problem.kernel is not None and self.weights is None:
            raise CertificateError("a NonSeparation with a kernel needs weights")
        self._set("support", as_support(self.support, self.problem.n_examples))
        if not self.support.size:
            raise CertificateError("a NonSeparation needs a support")
        if self.weights is not None:
            self._set("weights", as_weights(self.weights, self.support))
        if self.slacks is not None:
            self._set("slacks", self.slacks.checked(self.problem))
            if self.weights is not None:
                raise CertificateError("the weights are those of the slacks: there are no others")
        if self.model is not None:
            self._set("model", self.model.checked(self.problem))
            if self.model.lower > 0.0:
                raise CertificateError(
                    "the model separates the examples, which contradicts the proof that none does"
                )
            if self.model.account is not None and self.model.soft is None:
                self.model.account.check("model", gap=np.inf, upper=0.0)
        self.account.check("NonSeparation", gap=np.inf, upper=0.0)

    @property
    def lower(self) -> float:
        """The margin of the model; minus infinity where there is none."""
        return -np.inf if self.model is None else self.model.lower

    @property
    def upper(self) -> float:
        """No hyperplane has a positive margin."""
        return 0.0

    def __bool__(self) -> bool:
        return False

    def sentences(self) -> list[str]:
        """What is proved, in whole sentences."""
        problem = self.problem
        what = (
            "a weighted average of one class equals one of the other"
            if problem.affine
            else "a weighted sum of the signed examples is zero"
        )
        n = self._carried_by
        proof = (
            f"{counted(n, 'example')} of {problem.n_examples:,} {prove(n)} it: "
            # A single signed example that is zero with its weight is zero itself.
            + ("it is zero exactly." if n == 1 else f"{what}, exactly.")
        )
        if self.slacks is not None:
            proof = (
                "The slacks of a hyperplane prove it: with weights that differ from them on "
                f"{counted(self.support.size, 'example')}, {what}, exactly."
            )
        return [
            f"Not separable: no {problem.hyperplanes} separates {problem.examples}.",
            proof,
            *self._model_sentences(self.model),
            *([] if self.model is None or self.model.soft is None else problem.units),
        ]

    def headline(self) -> str:
        """What is proved, in a few words."""
        n = self._carried_by
        proof = f"not separable, {counted(n, 'example')} {prove(n)} it"
        if self.slacks is not None:
            proof = "not separable, the slacks of a hyperplane prove it"
        if self.model is None or self.model.soft is None:
            return proof
        return f"{proof}; {soft_headline(self.model.soft)}"

    @property
    def _carried_by(self) -> int:
        """How many examples carry weight; of a basis, all do unless the data says otherwise."""
        return self.support.size if self.weights is None else int((self.weights > 0).sum())

    def _check(self, examples: Examples) -> Findings:
        affine = self.problem.affine
        exact_rows = self.support
        examples.check_takes_part(self.support, self.weights)
        if examples.kernel is not None:
            from novikoff.certificate.feature_space import kernel_claims

            kernel_claims.check_zero(self.support, self.weights, examples, affine=affine)
            n_carriers = self._carried_by
        elif self.slacks is not None:
            rows = self.slacks.check(examples, self.support, affine=affine)
            n_carriers, exact_rows = rows.size, rows if self.slacks.relations else NO_ROWS
        elif self.weights is None:
            carried = carriers(examples.X, examples.signs, self.support, affine=affine)
            n_carriers = int(carried.sum())
        else:
            n_carriers = self._carried_by
            if not is_zero_combination(
                examples.X, examples.signs, self.support, self.weights, affine=affine
            ):
                raise CertificateError(
                    "the weighted sum of the signed examples is not exactly zero"
                )
        found = check_model(self.model, examples, affine=affine)
        proof = (
            f"no {self.problem.hyperplanes} separates {self._subject(examples)}; "
            f"a weighted sum of {counted(n_carriers, 'signed example')} is exactly zero."
        )
        return Findings(
            lower=found.lower,
            upper=0.0,
            primal=found.primal,
            dual=found.dual,
            errors=found.errors,
            exact_rows=np.union1d(found.exact_rows, exact_rows),
            sentences=(proof, *self._model_sentences(self.model, found)),
        )
