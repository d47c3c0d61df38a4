"""``novikoff verify``: check a certificate in exact arithmetic, without the solver."""

from typing import Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.group import Refusal, safe
from novikoff.cli.shared.input import (
    WITHOUT_FIRST,
    Source,
    columns_of,
    load_claim,
    with_names,
    with_rows_of_file,
)
from novikoff.cli.shared.screen import Screen


def verify(
    model: options.Claim,
    data: options.Data,
    target: options.Target = None,
    weights: options.Weights = None,
    no_fingerprint: Annotated[
        bool,
        typer.Option(
            "--no-fingerprint",
            show_default=False,
            help="Do not compare the fingerprint of the data: the arithmetic alone decides.",
        ),
    ] = False,
    sha256: Annotated[
        bool,
        typer.Option(
            "--sha256",
            show_default=False,
            help="Require a SHA-256 hash in the certificate, and that DATA has this hash.",
        ),
    ] = False,
    drop: options.Drop = None,
    header: options.Header = None,
    format: options.Format = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na: options.Na = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check every claim of a model's certificate against the data, in exact arithmetic.

    No code of the solvers is used, except to repeat the run of a perceptron that has a bound on
    new data. A model remembers which column is its target, which are its
    features, and how they were read. Weights are part of the data: name their column if the fit had
    one.

    Exit codes: 0 every claim is true; 1 one is false, or this is not the data of the fit; 2 bad
    usage, a file that cannot be read, or a certificate that contradicts itself.
    """
    if sha256 and no_fingerprint:
        raise Refusal("--sha256 and --no-fingerprint exclude each other: leave one out")
    source = Source(
        data,
        target,
        weights,
        format,
        tuple(drop or ()),
        header,
        decimal=decimal,
        thousands=thousands,
        na=tuple(na or ()),
    )
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"loading {model}")
        certificate, about, stated, risk, document = load_claim(model)
        problem = certificate.problem
        if sha256 and problem.sha256 is None:
            raise Refusal(f"{safe(model)}: it stores no SHA-256: fit again with --sha256")
        if problem.weighted and weights is None:
            raise Refusal(
                f"{safe(model)}: the certificate is of weighted examples: "
                "name the column of their weights with --weights"
            )
        screen.stage(f"reading {data}")
        source = source.as_at_the_fit(about, problem)
        remembered = about.get("target", problem.target)
        wanted = columns_of(model, problem, about)
        table = source.read(labelled=True, default_target=remembered, **wanted)
        if about.get("levels") == WITHOUT_FIRST:
            from novikoff.data.regression import without_first_levels

            table = without_first_levels(table, affine=problem.affine)

        from novikoff.certificate import CertificateError, SeparationVerdict
        from novikoff.certificate.stated import check_stated
        from novikoff.certificate.verify import check_risk
        from novikoff.report.verification import Verification

        if not problem.weighted and table.weights is not None and (table.weights != 1.0).any():
            raise Refusal(
                f"{safe(model)}: the certificate is of examples without weights: "
                "leave out --weights"
            )
        screen.stage(f"checking {table.X.shape[0]:,} examples")
        labels: Any = table.y
        try:
            # Without the certificate's names for the columns: this file has its own.
            certified = certificate.named()
            if isinstance(certificate, SeparationVerdict):
                certified = with_names(certificate, table, sha256=False)
            verified = certified.verify(
                table.X,
                labels,
                sample_weight=table.weights,
                check_fingerprint=not no_fingerprint,
            )
            check_stated(certificate, stated, table.X, labels)
            if risk is not None:
                check_risk(risk, certificate, document, table.X, labels)
        except CertificateError as error:
            reason = with_rows_of_file(str(error), table)
            refuted = {"verified": False, "reason": reason, "seconds": screen.seconds}
            screen.show([("Not verified", reason)], refuted)
            raise typer.Exit(1) from None
        found = Verification(
            path=data,
            table=table,
            target=source.target_or(remembered),
            drop=source.drop if table.feature_names is None else (),
            certificate=certificate,
            verified=verified,
            compared=not no_fingerprint,
            seconds=screen.seconds,
            risk=risk,
        )
        screen.show(found.rows(), found.document())
