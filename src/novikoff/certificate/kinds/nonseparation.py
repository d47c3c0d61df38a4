"""The proof that no hyperplane separates the examples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.relation import carriers, is_zero_combination
from novikoff.certificate.examples.blocks import Indices
from novikoff.certificate.examples.labels import Signs
from novikoff.certificate.fields import as_support, as_weights, check_takes_part
from novikoff.certificate.wording import counted


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NonSeparation(Certificate):
    """No hyperplane separates the examples: a combination of the signed ones is exactly zero.

    It claims ``Σ weights_i y_i (x_i, 1) = 0`` over the support, without the 1 where the
    hyperplanes pass through the origin, with weights that are not negative and not all zero.
    Where ``weights`` is ``None`` the support is a basis: the check proves for itself that it has
    such a combination, by solving for it or by bounds on its weights that leave no doubt.
    """

    support: Indices
    weights: npt.NDArray[Any] | None

    def _check_status(self) -> None:
        """Every status goes with this proof."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("support", as_support(self.support, self.n_examples))
        if not self.support.size:
            raise CertificateError("a NonSeparation needs a support")
        if self.weights is not None:
            self._set("weights", as_weights(self.weights, self.support))
        check_takes_part(self.support, self.weights, self.costs)

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        what = "two class averages that coincide" if self.affine else "a weighted sum that is zero"
        return "\n".join(
            [
                f"Not separable: no {self._hyperplanes()} separates the examples.",
                f"{counted(self.support.size, 'example')} of {self.n_examples:,} prove it: "
                f"they have {what} exactly.",
                *self._idle(),
                self._run(),
            ]
        )

    def __repr__(self) -> str:
        return f"<NonSeparation: {self.support.size} of {counted(self.n_examples, 'example')}>"

    def _check(self, X: Any, signs: Signs) -> Verified:
        if self.weights is None:
            carriers(X, signs, self.support, affine=self.affine)
        elif not is_zero_combination(X, signs, self.support, self.weights, affine=self.affine):
            raise CertificateError("the weighted sum of the signed examples is not exactly zero")
        sentence = (
            f"Verified: no {self._hyperplanes()} separates the examples; "
            f"{counted(self.support.size, 'example')} combine to zero exactly."
        )
        return Verified(upper=0.0, n_exact=int(np.size(self.support)), sentence=sentence)
