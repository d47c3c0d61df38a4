"""One certificate for each class against the rest."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novikoff.certificate.account import Account
from novikoff.certificate.base import Certificate, Verified
from novikoff.certificate.claims import Findings
from novikoff.certificate.errors import CertificateError, Undecided
from novikoff.certificate.escape import format_label
from novikoff.certificate.exact.prediction import Errors, joint_errors
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.labels import Label
from novikoff.certificate.fields import check_errors
from novikoff.certificate.kinds.binary import Binary
from novikoff.certificate.kinds.inconclusive import Inconclusive
from novikoff.certificate.kinds.nonseparation import NonSeparation
from novikoff.certificate.kinds.separation import Separation
from novikoff.certificate.kinds.soft import SoftOptimum
from novikoff.certificate.problem import Problem
from novikoff.certificate.status import Status
from novikoff.certificate.wording import counted, enumerated


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PerClass(Certificate):
    """What was proved of each class against the rest.

    Parameters
    ----------
    problem : Problem
        With no positive class.
    certificates : tuple of Certificate
        One for each of ``problem.classes``, in their order.
    errors : int or None
        How many of the examples that take part the class of the largest decision value gets wrong
        (the first, if several are equal after rounding to float64, where a value that is not zero
        is not rounded to zero); ``None`` where there are no models.

    Notes
    -----
    True if every class is separated from the rest, false if some class is proved not to be;
    otherwise the truth value is undecided. The account's ``status`` is the worst of the classes'.
    """

    certificates: tuple[Certificate, ...]
    errors: int | None = None
    account: Account = field(init=False)

    def __post_init__(self) -> None:
        set_field, certificates = object.__setattr__, tuple(self.certificates)
        problem = self.problem
        if problem.positive is not None or len(problem.classes) < 3:
            raise CertificateError("a PerClass is of three classes or more, each against the rest")
        if len(certificates) != len(problem.classes):
            raise CertificateError(
                f"there are {len(certificates)} certificates for {len(problem.classes)} classes"
            )
        for label, part in zip(problem.classes, certificates, strict=True):
            shown = format_label(label)
            if not isinstance(part, Binary):
                raise CertificateError(f"class {shown} has no certificate of its own")
            if part.problem != problem.against(label):
                raise CertificateError(f"the certificate of class {shown} is of another problem")
        set_field(self, "certificates", certificates)
        models = [part.hyperplane for part in certificates]
        if (self.errors is None) != any(model is None for model in models):
            raise CertificateError(
                "errors are claimed where every class has a model, and only there"
            )
        if self.errors is not None:
            set_field(self, "errors", check_errors(self.errors, problem.n_examples))
        set_field(self, "account", combined_account([part.account for part in certificates]))

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels."""
        return self.problem.classes

    @property
    def parts(self) -> tuple[Certificate, ...]:
        """The certificates of the classes against the rest."""
        return self.certificates

    @property
    def model_account(self) -> Account:
        """How the runs ended that made the models; the worst of them."""
        return combined_account([part.model_account for part in self.certificates])

    def __bool__(self) -> bool:
        if any(isinstance(part, NonSeparation) for part in self.certificates):
            return False
        for label, part in zip(self.classes, self.certificates, strict=True):
            try:
                bool(part)
            except Undecided as error:
                shown = format_label(label)
                raise Undecided(f"class {shown} against the rest: {error}") from None
        return True

    def sentences(self) -> list[str]:
        """What is proved: how many of the classes are separable, then a line for each."""
        parts = self.certificates
        counts = {
            "separable": sum(isinstance(part, Separation) for part in parts),
            "proved not to be separable": sum(isinstance(part, NonSeparation) for part in parts),
            "undecided": sum(isinstance(part, Inconclusive) for part in parts),
            "fitted with slack": sum(isinstance(part, SoftOptimum) for part in parts),
        }
        found = [f"{n:,} {'is' if n == 1 else 'are'} {what}" for what, n in counts.items() if n]
        lines = [f"Of {len(parts):,} classes, each against the rest, {enumerated(found)}."]
        lines += [
            f"{format_label(label)}: {part.headline()}"
            for label, part in zip(self.classes, parts, strict=True)
        ]
        return [*lines, *self._errors_sentence(), *self.problem.units]

    def headline(self) -> str:
        """What is proved, in a few words."""
        separated = sum(isinstance(part, Separation) for part in self.certificates)
        verb = "is" if separated == 1 else "are"
        return f"{separated} of {len(self.classes)} classes {verb} separable from the rest"

    def _errors_sentence(self) -> list[str]:
        if self.errors is None:
            return []
        errors = counted(self.errors, "error")
        return [f"The model makes {errors} on {self.problem.examples}."]

    def _with(self, problem: Problem) -> "PerClass":
        parts = tuple(
            part._with(problem.against(label))
            for label, part in zip(problem.classes, self.certificates, strict=True)
        )
        return PerClass(problem=problem, certificates=parts, errors=self.errors)

    def _verified(self, examples: Examples) -> Verified:
        found = self._check(examples)
        parts, rows = [], [found.exact_rows]
        lines = [" ".join(self._conditions(examples, classes=False))]
        for code, (label, part) in enumerate(zip(self.classes, self.certificates, strict=True)):
            mine = examples.against(code)
            try:
                of_class = part._check(mine)
            except CertificateError as error:
                raise CertificateError(f"class {format_label(label)}: {error}") from None
            parts.append(part._stated(of_class, mine))
            rows.append(of_class.exact_rows)
            lines.append(f"{format_label(label)}: {' '.join(of_class.sentences)}")
        lines += self._errors_sentence()
        return Verified(
            problem=self.problem,
            counts=examples.counts(self.classes),
            errors=found.errors,
            n_exact=int(np.unique(np.concatenate(rows)).size),
            sentence="Verified: " + "\n".join(lines),
            parts=tuple(parts),
        )

    def _check(self, examples: Examples) -> Findings:
        """Check the number of errors that the classes make together."""
        if self.errors is None:
            return Findings()
        models = [part.hyperplane for part in self.certificates]
        found = _errors_of([model for model in models if model is not None], examples)
        if found.count != self.errors:
            raise CertificateError(
                f"the model makes {counted(found.count, 'error')} on the examples, "
                f"not {self.errors:,}"
            )
        return Findings(errors=found.count, exact_rows=found.exact_rows)


def _errors_of(models: list[Any], examples: Examples) -> Errors:
    if examples.kernel is not None:
        from novikoff.certificate.feature_space import kernel_claims

        return kernel_claims.joint_errors(models, examples)
    coef = np.array([examples.scaled(model.coef) for model in models])
    intercept = np.array([model.intercept for model in models])
    return joint_errors(
        examples.X, examples.codes, coef, intercept, taking_part=examples.taking_part
    )


def combined_account(accounts: list[Account]) -> Account:
    """Return one account of several runs: the worst status, all updates."""
    worst = max((account.status for account in accounts), key=list(Status).index)
    first = accounts[0]
    # Where the classes were asked for different gaps, all that is true of each is the largest.
    gaps = [account.tol for account in accounts if account.tol is not None]
    return Account(
        status=worst,
        asked=first.asked,
        tol=max(gaps, default=None),
        n_updates=sum(account.n_updates for account in accounts),
    )
