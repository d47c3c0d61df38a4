"""``novikoff fit``: fit, prove, save, tell."""

from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli import options
from novikoff.cli.files import Source, check_output, not_written
from novikoff.cli.group import Refusal, complain
from novikoff.cli.screen import Screen


def fit(
    data: options.Data,
    target: options.Target = None,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Where model and certificate go."),
    ] = Path("model.json"),
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            metavar="NAME",
            help="classic, margin, scale-free, infinity, scale-free-infinity, dynamic, "
            "passive-aggressive, alma or min-over.",
        ),
    ] = "scale-free",
    rule_param: Annotated[
        list[str] | None,
        typer.Option(
            "--rule-param",
            metavar="NAME=VALUE",
            show_default=False,
            help="A parameter of the rule, such as alpha=1.5; may be repeated.",
        ),
    ] = None,
    no_intercept: options.Intercept = False,
    soft_margin: Annotated[
        float,
        typer.Option(
            "--soft-margin",
            min=0.0,
            metavar="DELTA",
            help="The slack lift's Delta, 0 for the hard margin; LinearSVC's C is 1/(2 Delta^2).",
        ),
    ] = 0.0,
    min_margin: Annotated[
        float,
        typer.Option(
            "--min-margin",
            min=0.0,
            metavar="SHARE",
            rich_help_panel="Limits",
            help="Stop once no separator with this margin, as a share of the radius, can exist; "
            "0 goes on.",
        ),
    ] = 1e-3,
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
    """Fit a perceptron, prove what it achieves, save both, and print the summary.

    The exit code is 0 also where the run stopped at a limit or the verdict is inconclusive: the
    summary says so. Ctrl-C ends the fit early: its best model so far is saved with an
    inconclusive certificate, and the exit code is 1.
    """
    source = Source(data, target, format, tuple(drop or ()), header)
    check_output(out, data, ours="novikoff model")
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"reading {data}")
        table = source.read(labelled=True)

        import novikoff
        from novikoff.certificate import Status
        from novikoff.cli.summary import Summary

        screen.stage(f"fitting {table.X.shape[0]:,} examples")
        try:
            model: Any = novikoff.Perceptron(
                rule=parse_rule(rule, rule_param or []),
                fit_intercept=not no_intercept,
                soft_margin=soft_margin,
                min_margin=min_margin,
                max_iter=max_iter,
                max_updates=max_updates,
                time_limit=time_limit,
                random_state=seed,
            )
            model._callbacks = (screen.progress,)
            with screen.warnings_as_lines():
                model.fit(table.X, table.y)
        except ValueError as error:
            # scikit-learn's convention: what is wrong with the data or a parameter.
            raise Refusal(error) from None
        errors = int((model.predict(table.X) != table.y).sum())
        if table.feature_names is not None:
            remember_names(model, table.feature_names)
        save(model, out, about=source.about(table))
        summary = Summary(data, table, model, out, errors, screen.seconds)
        screen.show(summary.rows(), summary.document())
        if model.status_ is Status.INTERRUPTED:
            complain("interrupted", f"the best model so far was saved to {out}")
            raise typer.Exit(1)


def parse_rule(name: str, settings: list[str]) -> Any:
    """Make the rule with this name and these settings.

    Examples
    --------
    >>> parse_rule("scale-free-infinity", ["alpha=1.2"])
    ScaleFreeInfinity(alpha=1.2)
    """
    from novikoff import rules

    parameters = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not (key and equals and value):
            raise Refusal(f"--rule-param {setting}: write it as NAME=VALUE, such as alpha=1.5")
        parameters[key] = parse_value(value)
    return rules.named(name).set_params(**parameters)


def parse_value(text: str) -> bool | int | float | str:
    """Read a parameter: true, false, a number, or a word.

    Examples
    --------
    >>> [parse_value(text) for text in ("true", "2", "1.5", "inf", "absolute")]
    [True, 2, 1.5, inf, 'absolute']
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


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
