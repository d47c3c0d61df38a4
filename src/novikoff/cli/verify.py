"""``novikoff verify``: check a certificate in exact arithmetic."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.files import Source, as_at_the_fit, check_readable, columns_of, load_model
from novikoff.cli.shared.group import Refusal
from novikoff.cli.shared.screen import Screen

if TYPE_CHECKING:
    from novikoff.certificate import Certificate, SoftOptimum, Verified


def verify(
    model: options.Model,
    data: options.Data,
    target: options.Target = None,
    no_fingerprint: options.Fingerprint = False,
    drop: options.Drop = None,
    header: options.Header = None,
    format: options.Format = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check what a model, or a saved certificate, claims of the data, in exact arithmetic.

    Where nothing separates the examples, that the model is as close to the soft margin's optimum
    as it says is checked as well.

    The model remembers its target and its columns. Exit codes: 0 every claim is true; 1 one is
    false, or the model is not the one that was certified, or the data is not that of the fit;
    2 bad input.
    """
    source = Source(data, target, format, tuple(drop or ()), header)
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"loading {model}")
        from novikoff.certificate import Certificate, CertificateError
        from novikoff.certificate.wording import counted
        from novikoff.estimators.agreement import Disagreement

        try:
            claim = load_claim(model)
        except Refusal as refusal:
            # A file whose two halves contradict each other is readable, and its claim false.
            if isinstance(refusal.__cause__, Disagreement):
                raise not_verified(screen, refusal.__cause__) from None
            raise
        screen.stage(f"reading {data}")
        table = read_again(source, claim)
        certificate = claim if isinstance(claim, Certificate) else claim.certificate_
        screen.stage(f"checking {table.X.shape[0]:,} examples")
        how = {"check_fingerprint": not no_fingerprint}
        try:
            verified = certificate.verify(table.X, table.y, **how)
            parts = verified if isinstance(verified, tuple) else (verified,)
            soft = [check_soft(part, table, how) for part in beside(claim, certificate)]
        except CertificateError as error:
            raise not_verified(screen, error) from None
        sentences = told(certificate, parts, soft)
        n, d = table.X.shape
        exact = sum(part.n_exact for part in (*parts, *soft) if part is not None)
        same = "not compared" if no_fingerprint else "the same as at the fit"
        rows = [
            ("Verified", "\n".join(sentences)),
            ("Data", f"{data}: {counted(n, 'example')}, {counted(d, 'feature')}"),
            ("Fingerprint", same),
            ("Arithmetic", f"{exact:,} examples exactly, the others by a filter of proven error"),
            ("Time", f"{screen.seconds:.1f} s"),
        ]
        document = {
            "verified": True,
            "certificate": type(certificate).__name__,
            "sentences": sentences,
            "lower": [part.lower for part in parts],
            "upper": [part.upper for part in parts],
            "primal": [(b or a).primal for a, b in zip(parts, soft, strict=True)],
            "dual": [(b or a).dual for a, b in zip(parts, soft, strict=True)],
            "n_exact": exact,
            "seconds": screen.seconds,
        }
        screen.show(rows, document)


def not_verified(screen: Screen, error: ValueError) -> typer.Exit:
    """Show why, and return the way out."""
    screen.show(
        [("Not verified", str(error))],
        {"verified": False, "reason": str(error), "seconds": screen.seconds},
    )
    return typer.Exit(1)


def beside(claim: Any, certificate: "Certificate") -> "list[SoftOptimum | None]":
    """Return the soft certificates that a model has beside each part of its certificate."""
    from novikoff.certificate import SoftOptimum
    from novikoff.report.sentences import parts_of

    parts = parts_of(certificate)
    soft = getattr(claim, "soft_certificate_", None)
    several = soft if isinstance(soft, tuple) else (soft,) * len(parts)
    # A certificate that is soft itself has been verified.
    return [
        None if isinstance(part, SoftOptimum) else other
        for part, other in zip(parts, several, strict=True)
    ]


def check_soft(soft: "SoftOptimum | None", table: Any, how: dict[str, bool]) -> "Verified | None":
    """Verify a soft certificate, if there is one."""
    from novikoff.certificate import CertificateError

    if soft is None:
        return None
    try:
        verified: Verified = soft.verify(table.X, table.y, **how)
    except CertificateError as error:
        one_of_several = soft.negative is None
        where = f"class {soft.positive!r}: " if one_of_several else ""
        raise CertificateError(f"{where}the soft margin: {error}") from None
    return verified


def told(
    certificate: "Certificate", parts: "Sequence[Verified]", soft: "Sequence[Verified | None]"
) -> list[str]:
    """Return the sentences on what was verified."""
    from novikoff.certificate import PerClass

    labels = [""]
    if isinstance(certificate, PerClass):
        labels = [f"{label}: " for label in certificate.classes]
    lines = []
    for label, part, slack in zip(labels, parts, soft, strict=True):
        lines.append(label + str(part).removeprefix("Verified: "))
        if slack is not None:
            lines.append(f"{label}the soft margin: " + str(slack).removeprefix("Verified: "))
    return lines


def load_claim(path: Path) -> Any:
    """Read a model, or a certificate that `novikoff separable --out` wrote."""
    from novikoff.certificate import Certificate, CertificateError
    from novikoff.certificate.json import FORMAT

    check_readable(path)
    with path.open("rb") as file:
        if FORMAT.encode() not in file.read(100):
            return load_model(path)
    try:
        return Certificate.load(path)
    except CertificateError as error:
        raise Refusal(f"{path}: {error}") from None


def read_again(source: Source, claim: Any) -> Any:
    """Read the data as the fit did."""
    from novikoff.certificate import Certificate

    if isinstance(claim, Certificate):
        return source.read(labelled=True, n_features=claim.n_features)
    return as_at_the_fit(source, claim).read(labelled=True, **columns_of(claim))
