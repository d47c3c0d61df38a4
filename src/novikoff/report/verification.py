"""What a check has found, in sentences and as JSON. Nothing here imports a solver."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from novikoff.certificate import Certificate, Verified
from novikoff.certificate.escape import format_label, quoted
from novikoff.certificate.exact.slack import HINGE
from novikoff.certificate.wording import counted, in_full
from novikoff.report.describe import (
    MOST_CLASSES,
    MOST_FEATURES,
    Row,
    accounts_of,
    data_row,
    first_of,
    penalty,
    run_of,
)
from novikoff.report.features import feature_rows

if TYPE_CHECKING:
    from novikoff.certificate.risk import Risk
    from novikoff.data import Table


@dataclass(frozen=True)
class Verification:
    """A certificate that was verified, and what was found.

    ``target`` and ``drop`` are the columns of the file that were read as the labels, and left out
    where columns have no names.
    """

    path: Path
    table: "Table"
    target: str | None
    drop: tuple[str, ...]
    certificate: Certificate
    verified: Verified
    compared: bool
    seconds: float
    risk: "Risk | None" = None

    def rows(self) -> list[Row]:
        """What was found, for people."""
        verified = self.verified
        others = verified.n_taking_part - verified.n_exact
        return [
            ("Verified", verified.sentence.removeprefix("Verified: ")),
            *([] if self.risk is None else [("Risk", "\n".join(self.risk.sentences()))]),
            ("Problem", "\n".join(self._problem())),
            data_row(self.path, self.table),
            *feature_rows(self.table),
            ("Fingerprint", self._identity()),
            (
                "Arithmetic",
                f"{counted(verified.n_exact, 'example')} checked in exact arithmetic, "
                f"{others:,} by rigorous floating-point bounds",
            ),
            ("Run", "\n".join(f"(not proved) {run}" for run in accounts_of(self.certificate))),
            ("Time", f"{self.seconds:.1f} s"),
        ]

    def _problem(self) -> list[str]:
        verified, problem = self.verified, self.verified.problem
        pairs = list(zip(problem.classes, verified.counts, strict=True))[:MOST_CLASSES]
        classes = [f"{format_label(label)} ({count:,})" for label, count in pairs]
        n, part = problem.n_examples, verified.n_taking_part
        taking_part = f"all {counted(n, 'example')}"
        if part < n:
            taking_part = f"{part:,} of {counted(n, 'example')}"
        return [
            f"classes {first_of(classes, len(problem.classes))}",
            f"{taking_part} take part, {problem.conditions}",
            *self._penalty(),
            *self._names(),
        ]

    def _penalty(self) -> list[str]:
        values = [penalty(part) for part in self.certificate.parts]
        shown = [in_full(value) for value in values if value is not None]
        if set(shown) == {"inf"}:
            return ["C = inf (hard margin)"]
        if len(set(shown)) == 1:
            shown = shown[:1]
        softs = [getattr(part.hyperplane, "soft", None) for part in self.certificate.parts]
        loss = ", hinge loss" if HINGE in {getattr(soft, "loss", None) for soft in softs} else ""
        return [f"C = {first_of(shown[:MOST_CLASSES], len(shown))}{loss}"] if shown else []

    def _names(self) -> list[str]:
        """The names that the file has; and those in the certificate, where they are others."""
        table, stored = self.table, self.certificate.problem
        words, target = [], table.target_name or self.target
        if target is not None:
            words.append(f"target {quoted(target)}")
        if stored.target is not None and stored.target != target:
            words.append(f"target {quoted(stored.target)} in the certificate (not checked)")
        if table.feature_names is not None:
            words.append(f"features {_first_names(table.feature_names)}")
        elif stored.feature_names is not None:
            names = _first_names(stored.feature_names)
            words.append(f"features {names} in the certificate (not checked)")
        if self._left_out:
            words.append(f"columns left out: {_first_names(self._left_out)}")
        return ["; ".join(words)] if words else []

    @property
    def _left_out(self) -> tuple[str, ...]:
        """The columns that were not read.

        Of a file with names these are all others: a certificate's list of features chooses too.
        """
        return self.drop if self.table.feature_names is None else self.table.left_out

    def _identity(self) -> str:
        if not self.compared:
            return "not compared"
        if self.certificate.problem.sha256 is not None:
            return "SHA-256 matches"
        return "matches: a fast hash that detects other data, not a cryptographic identity"

    def document(self) -> dict[str, Any]:
        """What was found, for machines; ``parts`` has an entry for each of several classes."""
        table, problem = self.table, self.certificate.problem
        certificates, parts = self.certificate.parts, self.verified.parts
        accounts = accounts_of(self.certificate)
        return {
            "verified": True,
            "certificate": type(self.certificate).__name__,
            "sentence": self.verified.sentence.removeprefix("Verified: "),
            "new_data": None if self.risk is None else self.risk.to_dict(),
            "data": str(self.path),
            "n_examples": problem.n_examples,
            "n_features": problem.n_features,
            "classes": problem.classes,
            "counts": self.verified.counts,
            "n_taking_part": self.verified.n_taking_part,
            "weighted": problem.weighted,
            "class_weights": problem.class_weights,
            "affine": problem.affine,
            "target": table.target_name or self.target,
            "drop": self._left_out,
            "feature_names": table.feature_names,
            "not_checked": {"target": problem.target, "feature_names": problem.feature_names},
            "encoding": None if table.encoding is None else table.encoding.to_json(),
            "rows_left_out": len(table.dropped),
            "fingerprint": problem.fingerprint,
            "fingerprint_compared": self.compared,
            "sha256": problem.sha256,
            **_facts(self.certificate, self.verified),
            "n_exact": self.verified.n_exact,
            "parts": [
                {"class": label, "certificate": type(part).__name__, **_facts(part, found)}
                for label, part, found in zip(problem.classes, certificates, parts, strict=True)
            ]
            if parts
            else [],
            "run": {**run_of(accounts[0]), "of_model": run_of(accounts[-1])},
            "seconds": self.seconds,
        }


def _facts(certificate: Certificate, verified: Verified) -> dict[str, Any]:
    return {
        "C": None if verified.parts else penalty(certificate),
        "lower": verified.lower,
        "upper": verified.upper,
        "primal": verified.primal,
        "dual": verified.dual,
        "errors": verified.errors,
    }


def _first_names(names: tuple[str, ...]) -> str:
    return first_of([quoted(name) for name in names[:MOST_FEATURES]], len(names))
