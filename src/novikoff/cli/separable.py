"""``novikoff separable``: whether a hyperplane separates the classes, and estimates exist."""

from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.group import Refusal
from novikoff.cli.shared.input import Source, with_names
from novikoff.cli.shared.output import check_output, write
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
            help="Where to write the certificate, for `novikoff verify`.",
        ),
    ] = None,
    no_intercept: options.Intercept = False,
    scale: options.Scale = False,
    max_iter: options.MaxIter = 1000,
    time_limit: options.TimeLimit = None,
    sha256: options.Sha256 = False,
    drop: options.Drop = None,
    header: options.Header = None,
    format: options.Format = None,
    missing: options.Missing = None,
    words: options.Words = None,
    decimal: options.Decimal = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Decide whether some hyperplane separates the classes, and prove it.

    With more than two classes: whether each is separable from the rest. Also decide whether
    logistic regression has estimates: they exist only if not even some of the examples are
    separated with the others on the boundary. Exit codes: 0 decided, yes or no; 1 undecided within
    the limits; 130 Ctrl-C.
    """
    source = Source(
        data,
        target,
        None,
        format,
        tuple(drop or ()),
        header,
        missing,
        tuple(words or ()),
        decimal,
        suggests=True,
    )
    if out is not None:
        check_output(out, data, ours="novikoff certificate")
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"reading {data}")
        table = source.read(labelled=True)

        from novikoff import is_separable
        from novikoff.report.describe import verdict
        from novikoff.report.estimates import Estimates
        from novikoff.report.summary import SeparabilitySummary

        screen.stage(f"searching for a hyperplane between {table.X.shape[0]:,} examples")
        labels: Any = table.y
        try:
            certificate = is_separable(
                table.X,
                labels,
                fit_intercept=not no_intercept,
                scale=scale,
                max_iter=max_iter,
                time_limit=time_limit,
                callbacks=(screen.progress,),
            )
            certificate = with_names(certificate, table, sha256=sha256)
            estimates = Estimates(None)
            if verdict(certificate) is not None:
                screen.stage("looking for estimates of logistic regression")
                left = None if time_limit is None else max(time_limit - screen.seconds, 1e-9)
                estimates = Estimates.of(table, affine=not no_intercept, time_limit=left)
        except ValueError as error:
            raise Refusal(error) from None
        if out is not None:
            about = source.about(table)
            write(out, lambda path: certificate.save(path, about=about))
        repeat = source.options_to_repeat()
        summary = SeparabilitySummary(
            data, table, certificate, out, repeat, screen.seconds, estimates
        )
        screen.show(summary.rows(), summary.document())
        if summary.answer is None:
            raise typer.Exit(1)
