"""``novikoff separable``: whether a hyperplane separates the classes, and estimates exist."""

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.group import Refusal, complain, safe
from novikoff.cli.shared.input import WITHOUT_FIRST, Source, with_names
from novikoff.cli.shared.output import check_output, write
from novikoff.cli.shared.screen import Screen


def separable(
    data: options.Data,
    target: options.Target = None,
    failures: options.Failures = None,
    weights: options.Weights = None,
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
    estimates_out: Annotated[
        Path | None,
        typer.Option(
            "--estimates",
            metavar="FILE",
            show_default=False,
            help="Where to write the certificate on the estimates of logistic regression.",
        ),
    ] = None,
    multi_class: Annotated[
        str,
        typer.Option(
            "--multi-class",
            metavar="joint|ovr",
            help="Of more than two classes: whether one linear model separates all of them, or "
            "each is separable from the rest.",
        ),
    ] = "ovr",
    no_intercept: options.Intercept = False,
    scale: Annotated[
        bool | None,
        typer.Option(
            "--scale/--no-scale",
            show_default=False,
            help="Whether to divide each column by a power of two, which is exact and keeps the "
            "verdict. By default where the units of columns differ.",
        ),
    ] = None,
    max_iter: options.MaxIter = 1000,
    time_limit: options.TimeLimit = None,
    sha256: options.Sha256 = False,
    drop: options.Drop = None,
    header: options.Header = None,
    format: options.Format = None,
    missing: options.Missing = None,
    words: options.Words = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na: options.Na = None,
    dates: options.Dates = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Decide whether some hyperplane separates the classes, and prove it.

    With more than two classes: whether each is separable from the rest, or, with --multi-class
    joint, whether one linear model separates all of them. Also decide whether logistic
    regression has estimates: they exist only if not even some of the examples are separated with
    the others on the boundary. Exit codes: 0 decided, yes or no; 1 undecided within the limits; 130
    Ctrl-C.
    """
    if multi_class not in ("joint", "ovr"):
        raise Refusal(f"--multi-class {safe(multi_class)}: give joint or ovr")
    source = Source(
        data,
        target,
        weights,
        format,
        tuple(drop or ()),
        header,
        missing,
        tuple(words or ()),
        decimal,
        dates,
        thousands,
        tuple(na or ()),
        suggests=True,
        failures=failures,
    )
    for path in (out, estimates_out):
        if path is not None:
            check_output(path, data, ours="novikoff certificate")
    if out is not None and out == estimates_out:
        raise Refusal("--out and --estimates name the same file: name another")
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"reading {data}")
        table = source.read(labelled=True)

        from novikoff import is_separable
        from novikoff.data.regression import without_first_levels
        from novikoff.report.advice import with_options
        from novikoff.report.describe import continuous_target, doubtful_classes
        from novikoff.report.estimates import Estimates
        from novikoff.report.summary import SeparabilitySummary

        if reason := continuous_target(table):
            raise Refusal(f"{safe(data)}: {reason}")
        for warning in doubtful_classes(table):
            screen.warn(warning)
        screen.stage(f"searching for a hyperplane between {table.X.shape[0]:,} examples")
        labels: Any = table.y
        about = source.about(table)
        written = False
        try:
            certificate = is_separable(
                table.X,
                labels,
                sample_weight=table.weights,
                fit_intercept=not no_intercept,
                scale="auto" if scale is None else scale,
                multi_class=cast(Any, multi_class),
                max_iter=max_iter,
                time_limit=time_limit,
                callbacks=(screen.progress,),
            )
            certificate = with_names(certificate, table, sha256=sha256)
            if out is not None:
                # Before the estimates, which may fail or be interrupted.
                write(out, lambda path: certificate.save(path, about=about))
                written = True
            screen.stage("deciding whether logistic regression has estimates")
            left = None if time_limit is None else max(time_limit - screen.seconds, 0.0)
            regression = without_first_levels(table, affine=not no_intercept)
            estimates = Estimates.of(regression, affine=not no_intercept, time_limit=left)
        except ValueError as error:
            raise Refusal(with_options(str(error))) from None
        except KeyboardInterrupt:
            if not written:
                raise
            screen.clear()
            complain("interrupted", f"{safe(out)} was written, but estimates were not decided")
            raise typer.Exit(130) from None
        proved = estimates.verdict
        if estimates_out is not None and proved is not None:
            about = about if regression is table else {**about, "levels": WITHOUT_FIRST}
            write(estimates_out, lambda path: proved.save(path, about=about))
        repeat = source.options_to_repeat()
        summary = SeparabilitySummary(
            data,
            table,
            certificate,
            out,
            repeat,
            screen.seconds,
            estimates,
            None if proved is None else estimates_out,
        )
        screen.show(summary.rows(), summary.document())
        if summary.answer is None:
            raise typer.Exit(1)
