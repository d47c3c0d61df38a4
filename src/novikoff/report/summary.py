"""What a fit tells its user, in sentences and as JSON."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.certificate import Certificate, NonSeparation, PerClass, SoftOptimum, Status
from novikoff.certificate.escape import printable
from novikoff.certificate.wording import at_least, counted, percent
from novikoff.report.sentences import parts_of, price, told, told_of_classes, verdict

if TYPE_CHECKING:
    from novikoff.data import Table


Row = tuple[str, str]


def described(path: Path, table: "Table") -> list[Row]:
    """The lines that say what the data is."""
    n, d = table.X.shape
    rows = [("Data", f"{path}: {counted(n, 'example')}, {counted(d, 'feature')}")]
    if table.y is not None:
        labels, counts = np.unique(table.y, return_counts=True)
        most = 6
        pairs = zip(labels[:most], counts[:most], strict=True)
        parts = [f"{printable(label)} ({count:,})" for label, count in pairs]
        if len(labels) > most:
            parts.append(f"and {len(labels) - most:,} more")
        target = f"{printable(table.target_name)}: " if table.target_name else ""
        rows.append(("Classes", target + ", ".join(parts)))
    return rows


def soft_certificates(model: Any) -> tuple[SoftOptimum | None, ...]:
    """For each hyperplane how close it is to a soft margin's optimum, where it is a soft one."""
    parts = parts_of(model.certificate_)
    if hasattr(model, "soft_certificate_"):
        soft: Any = model.soft_certificate_
        return soft if isinstance(soft, tuple) else (soft,)
    return tuple(part if isinstance(part, SoftOptimum) else None for part in parts)


@dataclass(frozen=True)
class Summary:
    """A fitted model with what is said of it."""

    path: Path
    table: "Table"
    model: Any
    out: Path
    training_errors: int
    seconds: float

    @cached_property
    def parts(self) -> tuple[Certificate, ...]:
        """What was proved of each hyperplane's classes."""
        return parts_of(self.model.certificate_)

    @cached_property
    def soft(self) -> tuple[SoftOptimum | None, ...]:
        """What was proved of each hyperplane with slack."""
        return soft_certificates(self.model)

    @property
    def supports(self) -> list[Any]:
        """The examples that carry each hyperplane."""
        support = self.model.support_
        return support if isinstance(support, list) else [support]

    @property
    def n_support(self) -> int:
        """How many examples carry the model, over all classes."""
        return len(np.unique(np.concatenate(self.supports)))

    @property
    def status(self) -> Status:
        """How the run for the model ended; the worst, if there were several."""
        pairs = zip(self.parts, self.soft, strict=True)
        ends = [part.status if soft is None else soft.status for part, soft in pairs]
        return max(ends, key=list(Status).index)

    def rows(self) -> list[Row]:
        """The summary for people."""
        model = self.model
        n = self.table.X.shape[0]
        share = percent(self.training_errors / n)
        passes = f"{model.n_iter_:,} full {'pass' if model.n_iter_ == 1 else 'passes'}"
        run = f"{counted(model.n_updates_, 'update')} in {passes}"
        return [
            *described(self.path, self.table),
            *self._proved(),
            ("Support", f"{self.n_support:,} of {counted(n, 'example')} carry the model"),
            ("Errors", f"{self.training_errors:,} of {counted(n, 'example')} ({share})"),
            ("Run", f"{model.certificate_.asked}: {run}. {self.status.value}"),
            ("Saved", f"{self.out}, the model with its certificate"),
            ("Time", f"{self.seconds:.1f} s"),
            ("Check", f"novikoff verify {self.out} {self.path}"),
        ]

    def _proved(self) -> list[Row]:
        certificate = self.model.certificate_
        if isinstance(certificate, PerClass):
            lines = told_of_classes(certificate, self.soft, list(map(len, self.supports)))
            return [("Verdict", "\n".join(lines))]
        part, soft = self.parts[0], self.soft[0]
        if soft is None:
            return [("Verdict", "\n".join(told(part)))]
        if isinstance(part, SoftOptimum):
            lines = told(soft)
            if self.model.margin_ > 0.0:
                least = at_least(self.model.margin_)
                lines.append(f"It separates the examples, with margin at least {least}.")
            return [("Model", "\n".join(lines))]
        lines = told(part)
        if not isinstance(part, NonSeparation):
            # The rest is of the hyperplane that the hard margin came to, not of the model's.
            lines = [lines[0], part.status.value]
        centre = "mean" if self.model.fit_intercept else "origin"
        origin = f"C is 1 / (mean squared distance to the {centre}); --C takes another."
        return [("Verdict", "\n".join(lines)), ("Model", "\n".join([*told(soft), origin]))]

    def document(self) -> dict[str, Any]:
        """The summary for machines; with more than two classes, lists with one entry for each."""
        model = self.model
        certificate = model.certificate_
        n, d = self.table.X.shape
        return {
            "data": str(self.path),
            "n_examples": n,
            "n_features": d,
            "target": self.table.target_name,
            "classes": model.classes_,
            "estimator": type(model).__name__,
            "asked": certificate.asked,
            "certificate": type(certificate).__name__,
            "separable": verdict(certificate),
            "status": certificate.status.name,
            "verdict": str(certificate).splitlines(),
            "margin": model.margin_,
            "margin_upper_bound": model.margin_upper_bound_,
            "gap": self._each([getattr(part, "gap", None) for part in self.parts]),
            "C": getattr(model, "C_", self._each(list(map(price, self.soft)))),
            "objective": self._each([getattr(s, "primal", None) for s in self.soft]),
            "objective_lower_bound": self._each([getattr(s, "dual", None) for s in self.soft]),
            "objective_gap": self._each([getattr(s, "gap", None) for s in self.soft]),
            "objective_status": self._each(
                [None if s is None else s.status.name for s in self.soft]
            ),
            "n_support": self.n_support,
            "n_updates": model.n_updates_,
            "n_iter": model.n_iter_,
            "training_errors": self.training_errors,
            "model": str(self.out),
            "seconds": self.seconds,
        }

    def _each(self, values: list[Any]) -> Any:
        return values if len(self.parts) > 1 else values[0]
