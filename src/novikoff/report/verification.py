"""What a check has found, in sentences and as JSON. Nothing here imports a solver."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from novikoff.certificate import Certificate, Verified
from novikoff.certificate.escape import printable, quoted, shown_label
from novikoff.certificate.wording import counted
from novikoff.report.describe import (
    MOST_CLASSES,
    MOST_FEATURES,
    Row,
    data_row,
    listed,
    parts_of,
    penalty,
    run_of,
)

if TYPE_CHECKING:
    from novikoff.data import Table


@dataclass(frozen=True)
class Verification:
    """A certificate that was verified, and what was found.

    ``certificate`` is as it was stored; the names of the columns in ``verified.problem`` are
    those that the file of the data has.
    """

    path: Path
    table: "Table"
    certificate: Certificate
    verified: Verified
    compared: bool
    seconds: float

    def rows(self) -> list[Row]:
        """What was found, for people."""
        verified = self.verified
        others = verified.n_taking_part - verified.n_exact
        return [
            ("Verified", verified.sentence.removeprefix("Verified: ")),
            ("Problem", "\n".join(self._problem())),
            data_row(self.path, self.table),
            ("Fingerprint", self._identity()),
            (
                "Arithmetic",
                f"{counted(verified.n_exact, 'example')} checked in exact arithmetic, "
                f"{others:,} by rigorous floating-point bounds",
            ),
            ("Run", "\n".join(f"(not proved) {account}" for account in self._accounts())),
            ("Time", f"{self.seconds:.1f} s"),
        ]

    def _problem(self) -> list[str]:
        verified, problem = self.verified, self.verified.problem
        pairs = list(zip(problem.classes, verified.counts, strict=True))[:MOST_CLASSES]
        classes = [f"{shown_label(label)} ({count:,})" for label, count in pairs]
        n, part = problem.n_examples, verified.n_taking_part
        taking_part = f"all {counted(n, 'example')}"
        if part < n:
            taking_part = f"{part:,} of {counted(n, 'example')}"
        return [
            f"classes {listed(classes, len(problem.classes))}",
            f"{taking_part} take part, {self._weights()}",
            f"{self._penalty()}hyperplanes "
            + ("with an intercept" if problem.affine else "through the origin"),
            *self._names(),
        ]

    def _weights(self) -> str:
        problem = self.verified.problem
        kinds = ["weights of their own"] if problem.weighted else []
        if problem.class_weights is not None:
            weights = [f"{weight:.6g}" for weight in problem.class_weights[:MOST_CLASSES]]
            kinds.append(f"class weights {listed(weights, len(problem.classes))}")
        return f"with {' and '.join(kinds)}" if kinds else "without weights"

    def _penalty(self) -> str:
        values = [penalty(part) for part in parts_of(self.certificate)]
        shown = [f"{value:.6g}" for value in values if value is not None]
        if len(set(shown)) == 1:
            shown = shown[:1]
        return f"C = {listed(shown[:MOST_CLASSES], len(shown))}; " if shown else ""

    def _names(self) -> list[str]:
        """The names that the data has; or those that the certificate gives columns without."""
        problem, stored = self.verified.problem, self.certificate.problem
        words = []
        if problem.target is not None:
            words.append(f"target {printable(problem.target)}")
        if stored.target is not None and stored.target != problem.target:
            words.append(f"target called {quoted(stored.target)} in the certificate")
        if problem.feature_names is not None:
            words.append(f"features {_first(problem.feature_names)}")
        elif stored.feature_names is not None:
            words.append(f"features called {_first(stored.feature_names)} in the certificate")
        return ["; ".join(words)] if words else []

    def _identity(self) -> str:
        if not self.compared:
            return "not compared"
        if self.certificate.problem.sha256 is not None:
            return "SHA-256 matches"
        return "matches: a fast hash that tells other data, no cryptographic identity"

    def _accounts(self) -> list[str]:
        """The run's own account; of two runs the model is the second's."""
        first, last = self.certificate.account, self.certificate.model_account
        return [str(first)] if str(first) == str(last) else [str(first), str(last)]

    def document(self) -> dict[str, Any]:
        """What was found, for machines; ``parts`` has an entry for each of several classes."""
        problem, stored = self.verified.problem, self.certificate.problem
        certificates, parts = parts_of(self.certificate), self.verified.parts
        return {
            "verified": True,
            "certificate": type(self.certificate).__name__,
            "sentence": self.verified.sentence.removeprefix("Verified: "),
            "data": str(self.path),
            "n_examples": problem.n_examples,
            "n_features": problem.n_features,
            "classes": problem.classes,
            "counts": self.verified.counts,
            "n_taking_part": self.verified.n_taking_part,
            "weighted": problem.weighted,
            "class_weights": problem.class_weights,
            "affine": problem.affine,
            "target": problem.target,
            "feature_names": problem.feature_names,
            "fingerprint": stored.fingerprint,
            "fingerprint_compared": self.compared,
            "sha256": stored.sha256,
            **_facts(self.certificate, self.verified),
            "n_exact": self.verified.n_exact,
            "parts": [
                {"class": label, "certificate": type(part).__name__, **_facts(part, found)}
                for label, part, found in zip(problem.classes, certificates, parts, strict=True)
            ]
            if parts
            else [],
            "run": self._run(),
            "seconds": self.seconds,
        }

    def _run(self) -> dict[str, Any]:
        account, of_model = self.certificate.account, self.certificate.model_account
        run = run_of(account)
        return run if of_model == account else {**run, "model": run_of(of_model)}


def _facts(certificate: Certificate, verified: Verified) -> dict[str, Any]:
    return {
        "C": None if verified.parts else penalty(certificate),
        "lower": verified.lower,
        "upper": verified.upper,
        "primal": verified.primal,
        "dual": verified.dual,
        "errors": verified.errors,
    }


def _first(names: tuple[str, ...]) -> str:
    return listed([printable(name) for name in names[:MOST_FEATURES]], len(names))
