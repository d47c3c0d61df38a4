"""What a fit tells its user, in sentences and as JSON."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.certificate import Certificate, Joint, SoftOptimum
from novikoff.certificate.wording import counted, enumerated
from novikoff.report.columns import Columns
from novikoff.report.confusion import WIDTH, Confusion
from novikoff.report.describe import (
    Row,
    accounts_of,
    class_rows,
    data_row,
    missing_labels,
    penalty,
    run_of,
    saved_rows,
    share,
    verdict,
)
from novikoff.report.estimates import Estimates
from novikoff.report.features import feature_rows
from novikoff.report.risk import risk_row
from novikoff.report.validation import CrossValidation, choice_document, choice_row

if TYPE_CHECKING:
    from novikoff.certificate.risk import Risk
    from novikoff.data import Table


@dataclass(frozen=True)
class Summary:
    """A fitted model with what is said of it.

    ``repeat`` are the options that ``novikoff verify`` needs again; ``validation`` is the
    cross-validated error, if it was asked for; ``risk`` what is proved about new data, or why not.
    """

    path: Path
    table: "Table"
    model: Any
    out: Path
    repeat: list[str]
    seconds: float
    validation: CrossValidation | None = None
    risk: "Risk | str | None" = None

    @cached_property
    def certificate(self) -> Certificate:
        """What was proved."""
        proved: Certificate = self.model.certificate_
        return proved

    @cached_property
    def parts(self) -> tuple[Certificate, ...]:
        """What was proved of each hyperplane."""
        return self.certificate.parts

    @property
    def errors(self) -> int:
        """The number of training errors, which is part of the certificate."""
        owner: Any = self.certificate if len(self.parts) > 1 else self.certificate.hyperplane
        return int(owner.errors)

    @property
    def n_taking_part(self) -> int:
        """How many examples take part: all, but for those of weight 0."""
        weights = self.table.weights
        return int(self.table.X.shape[0] if weights is None else (weights > 0.0).sum())

    @property
    def n_support(self) -> int:
        """How many examples carry the model, over all classes."""
        support = self.model.support_
        return len(np.unique(np.concatenate(support if isinstance(support, list) else [support])))

    @cached_property
    def confusion(self) -> Confusion:
        """How often each class was predicted for examples of each class that take part."""
        model, weights = self.model, self.table.weights
        y: Any = self.table.y
        predicted = model.predict(self.table.X) if self.errors else y
        if weights is not None:
            y, predicted = y[weights > 0.0], predicted[weights > 0.0]
        return Confusion.of(model.classes_, y, predicted)

    def warnings(self) -> list[str]:
        """What the user should know before using the model."""
        balanced = getattr(self.model, "class_weight", None) is not None
        table, left_out = self.table, []
        if len(table.dropped) > table.X.shape[0]:
            left_out = [
                "more than half of the rows are left out, because a value is missing: "
                "--missing indicator keeps them"
            ]
        return [*missing_labels(table), *left_out, *self.confusion.warnings(balanced=balanced)]

    @cached_property
    def columns(self) -> Columns:
        """Columns that the user should know about."""
        return Columns.of(self.table, self.certificate.problem.exponents)

    def rows(self, width: int = WIDTH) -> list[Row]:
        """The summary for people; a table of errors has at most so many characters in a line."""
        n = self.n_taking_part
        return [
            data_row(self.path, self.table),
            *feature_rows(self.table),
            *class_rows(self.table),
            *self.columns.rows(),
            ("Proved", "\n".join(self.certificate.sentences())),
            *self._chosen_penalty(),
            ("Support", f"{self.n_support:,} of {counted(n, 'example')} carry the model"),
            ("Errors", "\n".join([self._error_rate(), *self.confusion.lines(width)])),
            *([] if self.validation is None else [self.validation.row()]),
            *([] if self.risk is None else [risk_row(self.risk)]),
            ("Run", "\n".join(self._runs())),
            *saved_rows(
                self.out, self.path, self.repeat, "the model with its certificate", self.seconds
            ),
        ]

    def _error_rate(self) -> str:
        n = self.n_taking_part
        return f"{self.errors:,} of {counted(n, 'example')} ({share(self.errors, n)})"

    def _chosen_penalty(self) -> list[Row]:
        """Say where C comes from: cross-validation, or a soft margin instead of the hard one."""
        if hasattr(self.model, "Cs_"):
            return [choice_row(self.model)]
        if not any(self._is_soft_instead(part) for part in self.parts):
            return []
        return [("C", "from the variances of the columns; --C auto finds one by cross-validation")]

    @staticmethod
    def _is_soft_instead(part: Certificate) -> bool:
        model = part.hyperplane
        asked = isinstance(part, SoftOptimum) or (isinstance(part, Joint) and part.soft_only)
        return not asked and model is not None and model.soft is not None

    def _runs(self) -> list[str]:
        """The run's own account, which is not proved."""
        n_iter, solver = self.model.n_iter_, self.model.solver_
        solvers = dict.fromkeys([solver] if isinstance(solver, str) else solver)
        passes = f"{n_iter:,} full {'pass' if n_iter == 1 else 'passes'} over the data"
        work = f"{passes}; solver: {enumerated(list(solvers))}"
        return [*map(str, accounts_of(self.certificate)), work]

    def document(self) -> dict[str, Any]:
        """The summary for machines; with more than two classes, lists with one entry for each."""
        model, problem = self.model, self.certificate.problem
        models = [part.hyperplane for part in self.parts]
        softs = [None if m is None else m.soft for m in models]
        accounts = accounts_of(self.certificate)
        return {
            "data": str(self.path),
            "n_examples": problem.n_examples,
            "n_features": problem.n_features,
            "target": problem.target,
            "classes": problem.classes,
            "weighted": problem.weighted,
            "affine": problem.affine,
            "scaled": problem.exponents is not None,
            "columns": self.columns.document(),
            "estimator": type(model).__name__,
            "certificate": type(self.certificate).__name__,
            "separable": verdict(self.certificate),
            "proved": self.certificate.sentences(),
            "margin": model.margin_,
            "margin_upper_bound": model.margin_upper_bound_,
            "gap": self._each([getattr(part, "gap", None) for part in self.parts]),
            "C": self._each([penalty(part) for part in self.parts]),
            "loss": self._each([getattr(soft, "loss", None) for soft in softs]),
            "objective": self._each([getattr(soft, "primal", None) for soft in softs]),
            "objective_lower_bound": self._each([getattr(soft, "dual", None) for soft in softs]),
            "objective_gap": self._each([getattr(soft, "gap", None) for soft in softs]),
            "training_errors": self.errors,
            "by_class": self.confusion.document(),
            "encoding": None if self.table.encoding is None else self.table.encoding.to_json(),
            "rows_left_out": len(self.table.dropped),
            "choice_of_C": choice_document(model) if hasattr(model, "Cs_") else None,
            "validation": None if self.validation is None else self.validation.document(),
            "new_data": self.risk if isinstance(self.risk, str | None) else self.risk.to_dict(),
            "n_support": self.n_support,
            "run": {
                **run_of(accounts[0]),
                "of_model": run_of(accounts[-1]),
                "n_iter": model.n_iter_,
                "solver": model.solver_,
            },
            "model": str(self.out),
            "seconds": self.seconds,
        }

    def _each(self, values: list[Any]) -> Any:
        return values if len(self.parts) > 1 else values[0]


@dataclass(frozen=True)
class SeparabilitySummary:
    """A verdict on separability with what is said of it.

    ``repeat`` are the options that ``novikoff verify`` needs again; ``estimates`` says whether
    logistic regression has estimates, and ``estimates_out`` where the proof of that was written.
    """

    path: Path
    table: "Table"
    certificate: Certificate
    out: Path | None
    repeat: list[str]
    seconds: float
    estimates: Estimates
    estimates_out: Path | None = None

    @property
    def answer(self) -> bool | None:
        """Whether the examples are separable; None where that is undecided."""
        return verdict(self.certificate)

    def rows(self) -> list[Row]:
        """The summary for people."""
        answer = self.answer
        saved = saved_rows(self.out, self.path, self.repeat, "the certificate", self.seconds)
        if self.estimates_out is not None:
            what = "the certificate on the estimates"
            more = saved_rows(self.estimates_out, self.path, self.repeat, what, self.seconds)
            saved = [*saved, *(row for row in more if row[0] != "Time")]
        return [
            ("Separable", self.estimates.answer(answer, joint=isinstance(self.certificate, Joint))),
            ("Proved", "\n".join(self.certificate.sentences())),
            *self.estimates.rows(),
            data_row(self.path, self.table, self._for_the_estimates()),
            *feature_rows(self.table),
            *class_rows(self.table),
            ("Run", str(self.certificate.account)),
            *saved,
        ]

    def _for_the_estimates(self) -> str:
        verdict = self.estimates.verdict
        if verdict is None or verdict.problem.n_features == self.table.X.shape[1]:
            return ""
        return f"; {verdict.problem.n_features:,} for the estimates, without first levels of words"

    def document(self) -> dict[str, Any]:
        """The summary for machines."""
        return {
            "data": str(self.path),
            "separable": self.answer,
            "proved": self.certificate.sentences(),
            "estimates": self.estimates.document(),
            "run": run_of(self.certificate.account),
            "certificate": self.certificate.to_dict(),
            "seconds": self.seconds,
        }
