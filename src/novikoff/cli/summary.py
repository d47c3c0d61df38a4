"""What a fit tells its user, in sentences and as JSON."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.certificate import Certificate, Undecided
from novikoff.certificate.wording import at_least, at_most, counted, digits_between, percent

if TYPE_CHECKING:
    from novikoff.cli.screen import Row
    from novikoff.data import Table


def verdict(certificate: Certificate) -> bool | None:
    """Whether the examples are separable; None where that is undecided."""
    try:
        return bool(certificate)
    except Undecided:
        return None


def described(path: Path, table: "Table") -> list["Row"]:
    """The lines that say what the data is."""
    n, d = table.X.shape
    rows = [("Data", f"{path}: {counted(n, 'example')}, {counted(d, 'feature')}")]
    if table.y is not None:
        labels, counts = np.unique(table.y, return_counts=True)
        most = 6
        parts = [f"{a} ({b:,})" for a, b in zip(labels[:most], counts[:most], strict=True)]
        if len(labels) > most:
            parts.append(f"and {len(labels) - most:,} more")
        target = f"{table.target_name}: " if table.target_name else ""
        rows.append(("Classes", target + ", ".join(parts)))
    return rows


@dataclass(frozen=True)
class Summary:
    """A fitted model with what is said of it."""

    path: Path
    table: "Table"
    model: Any
    out: Path
    training_errors: int
    seconds: float

    @property
    def support(self) -> int:
        """How many examples carry the model, over all classes."""
        support = self.model.support_
        return len(np.unique(np.concatenate(support) if isinstance(support, list) else support))

    def rows(self) -> list["Row"]:
        """The summary for people."""
        model = self.model
        n = self.table.X.shape[0]
        share = percent(self.training_errors / n)
        return [
            *described(self.path, self.table),
            ("Verdict", str(model.certificate_)),
            *self._margin(),
            ("Support", f"{self.support:,} of {counted(n, 'example')} carry the model"),
            ("Updates", f"{model.n_updates_:,} in {model.n_iter_:,} full passes"),
            ("Errors", f"{self.training_errors:,} of {counted(n, 'example')} ({share})"),
            ("Model", f"{self.out}, with its certificate"),
            ("Time", f"{self.seconds:.1f} s"),
            ("Check", f"novikoff verify {self.out} {self.path}"),
        ]

    def _margin(self) -> list["Row"]:
        lower, upper = self.model.margin_, self.model.margin_upper_bound_
        # One class against the rest has little to do with another: their sentences tell.
        if np.ndim(lower) or not np.isfinite([lower, upper]).all():
            return []
        digits = digits_between(lower, upper)
        low, high = at_least(lower, digits), at_most(upper, digits)
        return [("Margin", f"{low} (this model's) to {high} (no hyperplane has more)")]

    def document(self) -> dict[str, Any]:
        """The summary for machines."""
        model = self.model
        certificate = model.certificate_
        n, d = self.table.X.shape
        return {
            "data": str(self.path),
            "n_examples": n,
            "n_features": d,
            "target": self.table.target_name,
            "classes": model.classes_,
            "certificate": type(certificate).__name__,
            "separable": verdict(certificate),
            "status": certificate.status.name,
            "verdict": str(certificate).splitlines(),
            "margin": model.margin_,
            "margin_upper_bound": model.margin_upper_bound_,
            "n_support": self.support,
            "n_updates": model.n_updates_,
            "n_iter": model.n_iter_,
            "training_errors": self.training_errors,
            "model": str(self.out),
            "seconds": self.seconds,
        }
