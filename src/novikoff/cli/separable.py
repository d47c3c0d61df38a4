"""``novikoff separable``: yes or no, with proof."""

from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.files import Source, check_output, not_written
from novikoff.cli.shared.group import Refusal
from novikoff.cli.shared.screen import Screen


def separable(
    data: options.Data,
    target: options.Target = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Where the certificate goes; `novikoff verify` checks it.",
        ),
    ] = None,
    no_intercept: options.Intercept = False,
    max_iter: options.MaxIter = 1000,
    time_limit: options.TimeLimit = None,
    drop: options.Drop = None,
    header: options.Header = None,
    format: options.Format = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Tell whether some hyperplane separates the classes, and prove it.

    With more than two classes: whether each is separable from the rest. Exit codes: 0 decided,
    yes or no; 1 undecided within the limits.
    """
    source = Source(data, target, format, tuple(drop or ()), header)
    if out is not None:
        check_output(out, data, ours="novikoff certificate")
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"reading {data}")
        table = source.read(labelled=True)

        from novikoff import is_separable
        from novikoff.report.sentences import told, verdict
        from novikoff.report.summary import described

        screen.stage(f"deciding {table.X.shape[0]:,} examples")
        labels: Any = table.y
        try:
            certificate = is_separable(
                table.X,
                labels,
                fit_intercept=not no_intercept,
                max_iter=max_iter,
                time_limit=time_limit,
                callbacks=(screen.progress,),
            )
        except ValueError as error:
            raise Refusal(error) from None
        if out is not None:
            try:
                certificate.save(out)
            except OSError as error:
                raise not_written(out, error) from None
        answer, lines = verdict(certificate), told(certificate)
        if answer is None:
            lines.append(certificate.status.value)
        rows = [
            ("Separable", {True: "yes", False: "no", None: "undecided"}[answer]),
            ("Proof" if answer is not None else "Known", "\n".join(lines)),
            *described(data, table),
            *([("Saved", f"{out}, the certificate")] if out is not None else []),
            ("Time", f"{screen.seconds:.1f} s"),
        ]
        document = {
            "data": str(data),
            "separable": answer,
            "status": certificate.status.name,
            "verdict": str(certificate).splitlines(),
            "certificate": certificate.to_dict(),
            "seconds": screen.seconds,
        }
        screen.show(rows, document)
        if answer is None:
            raise typer.Exit(1)
