"""``novikoff fit``: fit, prove, save, tell."""

from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.estimator import Asked
from novikoff.cli.shared.files import Source, check_output, not_written
from novikoff.cli.shared.group import Refusal, complain
from novikoff.cli.shared.screen import Screen

_MARGIN = "The largest margin"
_PERCEPTRON = "A perceptron instead"


def fit(
    data: options.Data,
    target: options.Target = None,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Where model and certificate go."),
    ] = Path("model.json"),
    no_intercept: options.Intercept = False,
    C: Annotated[
        float | None,
        typer.Option(
            "--C",
            metavar="PRICE",
            show_default="inf",
            rich_help_panel=_MARGIN,
            help="The price of slack, in LinearSVC's sense; inf is the hard margin.",
        ),
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option(
            "--tol",
            metavar="SHARE",
            show_default="0.001",
            rich_help_panel=_MARGIN,
            help="The gap to the optimum that is good enough, as a share of it.",
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            metavar="NAME",
            show_default=False,
            rich_help_panel=_PERCEPTRON,
            help="Fit a perceptron by this rule: classic, margin, scale-free, infinity, "
            "scale-free-infinity, dynamic, passive-aggressive, alma or min-over.",
        ),
    ] = None,
    rule_param: Annotated[
        list[str] | None,
        typer.Option(
            "--rule-param",
            metavar="NAME=VALUE",
            show_default=False,
            rich_help_panel=_PERCEPTRON,
            help="A parameter of the rule, such as alpha=1.5; may be repeated.",
        ),
    ] = None,
    soft_margin: Annotated[
        float | None,
        typer.Option(
            "--soft-margin",
            min=0.0,
            metavar="DELTA",
            show_default="0.0",
            rich_help_panel=_PERCEPTRON,
            help="The slack lift's Delta, 0 for the hard margin; LinearSVC's C is 1/(2 Delta^2).",
        ),
    ] = None,
    min_margin: Annotated[
        float | None,
        typer.Option(
            "--min-margin",
            min=0.0,
            metavar="SHARE",
            show_default="0.001",
            rich_help_panel=_PERCEPTRON,
            help="Stop once no separator with this margin, as a share of the radius, can exist; "
            "0 goes on.",
        ),
    ] = None,
    max_updates: Annotated[
        int | None,
        typer.Option(
            "--max-updates",
            min=1,
            metavar="N",
            show_default=False,
            rich_help_panel=_PERCEPTRON,
            help="At most N updates.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            min=0,
            metavar="N",
            show_default="0",
            rich_help_panel=_PERCEPTRON,
            help="The seed of the random order.",
        ),
    ] = None,
    max_iter: options.MaxIter = 1000,
    time_limit: options.TimeLimit = None,
    drop: options.Drop = None,
    header: options.Header = None,
    format: options.Format = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit the hyperplane of largest margin, prove it, save both, and print the summary.

    Where nothing separates the examples, that is proved, and the model is the soft margin with
    a C that the summary states. With --rule a perceptron is fitted instead.

    The exit code is 0 also where the run stopped at a limit or the verdict is inconclusive: the
    summary says so. Ctrl-C ends the fit early, with exit code 1: the best model so far, if there
    is one, is saved with an inconclusive certificate.
    """
    asked = Asked(
        rule,
        of_max_margin={"C": C, "tol": tol},
        of_perceptron={
            "rule_param": rule_param or None,
            "soft_margin": soft_margin,
            "min_margin": min_margin,
            "max_updates": max_updates,
            "seed": seed,
        },
        shared={
            "fit_intercept": not no_intercept,
            "max_iter": max_iter,
            "time_limit": time_limit,
        },
    )
    asked.refuse_strangers()
    source = Source(data, target, format, tuple(drop or ()), header)
    check_output(out, data, ours="novikoff model")
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"reading {data}")
        table = source.read(labelled=True)

        from novikoff.certificate import Status
        from novikoff.report.summary import Summary

        screen.stage(f"fitting {table.X.shape[0]:,} examples")
        try:
            model = asked.estimator()
            model._callbacks = (screen.progress,)
            with screen.warnings_as_lines():
                model.fit(table.X, table.y)
        except ValueError as error:
            # scikit-learn's convention: what is wrong with the data or a parameter.
            raise Refusal(error) from None
        except KeyboardInterrupt:
            screen.clear()
            complain("interrupted", "there was no model yet, and nothing was written")
            raise typer.Exit(1) from None
        errors = int((model.predict(table.X) != table.y).sum())
        if table.feature_names is not None:
            remember_names(model, table.feature_names)
        save(model, out, about=source.about(table))
        summary = Summary(data, table, model, out, errors, screen.seconds)
        screen.show(summary.rows(), summary.document())
        if Status.INTERRUPTED in (model.status_, summary.status):
            complain("interrupted", f"the best model so far was saved to {out}")
            raise typer.Exit(1)


def remember_names(model: Any, names: tuple[str, ...]) -> None:
    """Give the model the names of its features, as a fit on a data frame would."""
    import numpy as np

    model.feature_names_in_ = np.array(names, dtype=object)


def save(model: Any, out: Path, about: dict[str, str]) -> None:
    """Save the model, or refuse in one line; an old file stays whole."""
    import novikoff

    try:
        novikoff.save(model, out, about=about)
    except OSError as error:
        raise not_written(out, error) from None
