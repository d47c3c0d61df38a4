"""The optimum of the soft-margin problem, between two bounds."""

from dataclasses import dataclass

from novikoff.certificate.claims import Findings, check_model
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.kernel_model import KernelModel
from novikoff.certificate.kinds.binary import Binary, soft_headline
from novikoff.certificate.model import Model, Soft
from novikoff.certificate.wording import at_least


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SoftOptimum(Binary):
    """The optimum of the soft-margin problem lies between two bounds; see :class:`Soft`.

    It says nothing on separability, even where its hyperplane separates the examples.
    """

    model: Model | KernelModel

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("model", self.model.checked(self.problem))
        if self.model.soft is None:
            raise CertificateError("a SoftOptimum needs bounds on the soft-margin objective")
        if self.model.account is not None:
            raise CertificateError("the model of a SoftOptimum has no account of its own")
        self.account.check("SoftOptimum", gap=self.gap, upper=self.upper)

    @property
    def soft(self) -> Soft:
        """The bounds on the soft-margin objective."""
        assert self.model.soft is not None
        return self.model.soft

    @property
    def lower(self) -> float:
        """The margin of the model; minus infinity where ``w = 0``."""
        return self.model.lower

    @property
    def upper(self) -> float:
        """No hyperplane has a larger margin."""
        return self.soft.upper

    @property
    def C(self) -> float:
        """The penalty on margin violations."""
        return self.soft.C

    @property
    def primal(self) -> float:
        """The objective that the model attains at most."""
        return self.soft.primal

    @property
    def dual(self) -> float:
        """The objective that no hyperplane goes below."""
        return self.soft.dual

    @property
    def gap(self) -> float:
        """Relative gap ``(primal - dual)/primal``."""
        return self.soft.gap

    def __bool__(self) -> bool:
        raise Undecided("undecided: a soft-margin optimum says nothing on separability")

    def sentences(self) -> list[str]:
        """What is proved, in whole sentences."""
        sentences = [self._soft_sentence(self.soft), self._errors_sentence(self.lower)]
        return [*sentences, *self.problem.units]

    def headline(self) -> str:
        """What is proved, in a few words."""
        return soft_headline(self.soft)

    def _errors_sentence(self, lower: float) -> str:
        if lower > 0.0:
            return f"It separates {self.problem.examples}, with margin at least {at_least(lower)}."
        return self._model_sentences(self.model)[0]

    def _check(self, examples: Examples) -> Findings:
        found = check_model(self.model, examples, affine=self.problem.affine)
        assert found.lower is not None
        subject = f"the soft margin of {self._subject(examples, 'against')}."
        return Findings(
            lower=found.lower,
            upper=found.upper,
            primal=found.primal,
            dual=found.dual,
            errors=found.errors,
            exact_rows=found.exact_rows,
            sentences=(
                subject,
                self._soft_sentence(self.soft, found),
                self._errors_sentence(found.lower),
            ),
        )
