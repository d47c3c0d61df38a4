"""The proof that no hyperplane separates the examples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.claims import Findings, check_model
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.relation import carriers, is_zero_combination
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.fields import as_support, as_weights
from novikoff.certificate.kinds.binary import Binary, soft_headline
from novikoff.certificate.model import Model
from novikoff.certificate.wording import counted


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NonSeparation(Binary):
    """No hyperplane separates the examples: a combination of the signed ones is exactly zero.

    It claims ``Σ weights_i y_i (x_i, 1) = 0`` over the support, without the 1 where the
    hyperplanes pass through the origin, with weights that are not negative and not all zero.
    Where ``weights`` is ``None`` the support is a basis: the check proves for itself that it has
    such a combination, by solving for it or by bounds on its weights that leave no doubt.
    ``model`` is what was fitted nevertheless, if anything was.
    """

    support: Indices
    weights: npt.NDArray[Any] | None
    model: Model | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("support", as_support(self.support, self.problem.n_examples))
        if not self.support.size:
            raise CertificateError("a NonSeparation needs a support")
        if self.weights is not None:
            self._set("weights", as_weights(self.weights, self.support))
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
            "two class averages that coincide" if problem.affine else "a weighted sum that is zero"
        )
        return [
            f"Not separable: no {problem.hyperplanes} separates {problem.examples}.",
            f"{counted(self._carried_by, 'example')} of {problem.n_examples:,} prove it: "
            f"they have {what} exactly.",
            *self._model_sentences(self.model),
        ]

    def headline(self) -> str:
        """What is proved, in a few words."""
        proof = f"not separable, {counted(self._carried_by, 'example')} prove it"
        if self.model is None or self.model.soft is None:
            return proof
        return f"{proof}; {soft_headline(self.model.soft)}"

    @property
    def _carried_by(self) -> int:
        """How many examples carry weight; of a basis, all do unless the data says otherwise."""
        return self.support.size if self.weights is None else int((self.weights > 0).sum())

    def _check(self, examples: Examples) -> Findings:
        affine = self.problem.affine
        examples.check_takes_part(self.support, self.weights)
        if self.weights is None:
            carried = carriers(examples.X, examples.signs, self.support, affine=affine)
        else:
            carried = self.weights > 0
            if not is_zero_combination(
                examples.X, examples.signs, self.support, self.weights, affine=affine
            ):
                raise CertificateError(
                    "the weighted sum of the signed examples is not exactly zero"
                )
        found = check_model(self.model, examples, affine=affine)
        proof = (
            f"no {self.problem.hyperplanes} separates {self._subject(examples)}; "
            f"a weighted sum of {counted(int(carried.sum()), 'signed example')} is exactly zero."
        )
        return Findings(
            lower=found.lower,
            upper=0.0,
            primal=found.primal,
            dual=found.dual,
            errors=found.errors,
            exact_rows=np.union1d(found.exact_rows, self.support),
            sentences=(proof, *self._model_sentences(self.model, found)),
        )
