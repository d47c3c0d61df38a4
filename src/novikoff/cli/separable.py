"""``novikoff separable``: yes or no, with proof."""

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli import options
from novikoff.cli.files import Source, check_output, not_written
from novikoff.cli.group import Refusal
from novikoff.cli.screen import Screen


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
    max_updates: options.MaxUpdates = None,
    time_limit: options.TimeLimit = None,
    seed: options.Seed = 0,
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

        from novikoff.cli.summary import described, verdict

        screen.stage(f"deciding {table.X.shape[0]:,} examples")
        try:
            certificate = decide(
                table.X,
                table.y,
                screen,
                fit_intercept=not no_intercept,
                max_iter=max_iter,
                max_updates=max_updates,
                time_limit=time_limit,
                random_state=seed,
            )
        except ValueError as error:
            raise Refusal(error) from None
        if out is not None:
            try:
                certificate.save(out)
            except OSError as error:
                raise not_written(out, error) from None
        answer = verdict(certificate)
        rows = [
            ("Separable", {True: "yes", False: "no", None: "undecided"}[answer]),
            ("Proof" if answer is not None else "Known", str(certificate)),
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


def decide(X: Any, y: Any, screen: Screen, **limits: Any) -> Any:
    """Return the certificate that decides separability, or the best there is."""
    from sklearn.exceptions import ConvergenceWarning

    from novikoff import Perceptron

    # The classic rule asks for a separator and no margin, so it stops soonest.
    model = Perceptron(rule="classic", min_margin=0.0, **limits)
    model._callbacks = (screen.progress,)
    with warnings.catch_warnings():
        # The verdict itself says that a limit was met.
        warnings.simplefilter("ignore", category=ConvergenceWarning)
        return model.fit(X, y).certificate_
