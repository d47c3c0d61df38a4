"""``novikoff fit``: fit a model, prove what can be proved of it, save both."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.estimator import EstimatorOptions, kernel_options, parse_C
from novikoff.cli.shared.group import Refusal, complain, safe
from novikoff.cli.shared.input import Source, with_names
from novikoff.cli.shared.output import check_output, write
from novikoff.cli.shared.screen import Screen, text_width

if TYPE_CHECKING:
    from novikoff.data import Table
    from novikoff.report.validation import CrossValidation

_MARGIN = "The largest margin"
_KERNEL = "A kernel"
_PERCEPTRON = "A perceptron instead"


def fit(
    data: options.Data,
    target: options.Target = None,
    weights: options.Weights = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where to write the model with its certificate."
        ),
    ] = Path("model.json"),
    no_intercept: options.Intercept = False,
    scale: options.Scale = False,
    C: Annotated[
        str | None,
        typer.Option(
            "--C",
            metavar="C|auto",
            show_default="inf",
            help="The penalty on margin violations, as in LinearSVC; inf is the hard margin, auto "
            "the one that predicts best in cross-validation.",
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            "--cv",
            min=2,
            metavar="FOLDS",
            show_default=False,
            help="Report the error on examples held out, in so many folds.",
        ),
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option(
            "--tol",
            metavar="GAP",
            show_default="0.001",
            rich_help_panel=_MARGIN,
            help="Stop when the relative gap between the proved bounds is this small.",
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss",
            metavar="squared_hinge|hinge",
            show_default="squared_hinge",
            rich_help_panel=_MARGIN,
            help="The loss of the soft margin, as in LinearSVC.",
        ),
    ] = None,
    class_weight: Annotated[
        str | None,
        typer.Option(
            "--class-weight",
            metavar="balanced",
            show_default=False,
            help="balanced: weigh examples so that every class has the same total weight.",
        ),
    ] = None,
    multi_class: Annotated[
        str | None,
        typer.Option(
            "--multi-class",
            metavar="joint|ovr",
            show_default="joint",
            help="Fit more than two classes together, or each against the rest.",
        ),
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            "--kernel",
            metavar="NAME",
            show_default="linear",
            rich_help_panel=_KERNEL,
            help="rbf, poly, sigmoid or laplacian: fit in the feature space of this kernel.",
        ),
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option(
            "--gamma",
            metavar="G",
            show_default="scale",
            rich_help_panel=_KERNEL,
            help="Its coefficient: a number, scale or auto, as in SVC.",
        ),
    ] = None,
    degree: Annotated[
        int | None,
        typer.Option(
            "--degree",
            min=1,
            metavar="N",
            show_default="3",
            rich_help_panel=_KERNEL,
            help="The degree of poly.",
        ),
    ] = None,
    coef0: Annotated[
        float | None,
        typer.Option(
            "--coef0",
            metavar="NUMBER",
            show_default="0",
            rich_help_panel=_KERNEL,
            help="The constant of poly and sigmoid.",
        ),
    ] = None,
    cache_size: Annotated[
        float | None,
        typer.Option(
            "--cache-size",
            metavar="MB",
            show_default="200",
            rich_help_panel=_KERNEL,
            help="The most memory for its values.",
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            metavar="NAME",
            show_default=False,
            rich_help_panel=_PERCEPTRON,
            help="Fit a perceptron by this rule: classic, margin, mean-norm, scale-free, infinity, "
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
    min_margin: Annotated[
        float | None,
        typer.Option(
            "--min-margin",
            min=0.0,
            metavar="SHARE",
            show_default="0.001",
            rich_help_panel=_PERCEPTRON,
            help="Stop as soon as it is proved that no hyperplane has this margin, as a share of "
            "the largest distance to the centre; 0 disables this stop.",
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
    max_iter: options.FitMaxIter = None,
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
    """Fit the hyperplane of largest margin, prove how large it is, and save model and proof.

    Where no hyperplane separates the examples, that is proved, and the model is the soft margin
    with a C that the summary states. With --C auto it is chosen by cross-validation, and the hard
    margin competes. With --rule a perceptron is fitted instead.

    In CSV and Parquet files, a column of words becomes a feature of 0 and 1 for each word, one of
    true and false 0 and 1, one of dates (2026-01-31, 31/01/2026 or 31 Jan 2026, or with a time) the
    days since 1970-01-01. The summary lists what was done, and the model remembers it for predict
    and verify.

    The exit code is 0 also where the run stopped at a limit or the verdict is inconclusive: the
    summary says so. Ctrl-C ends the fit early, with exit code 1: the best model so far, if there
    is one, is saved with what is proved of it.
    """
    chosen = EstimatorOptions(
        rule,
        of_max_margin={"tol": tol, "loss": loss},
        of_perceptron={
            "rule_param": rule_param or None,
            "min_margin": min_margin,
            "max_updates": max_updates,
            "seed": seed,
        },
        of_both={
            "C": parse_C(C),
            "class_weight": class_weight,
            "multi_class": multi_class,
            **kernel_options(kernel, gamma, degree, coef0, cache_size),
            "fit_intercept": not no_intercept,
            "scale": scale,
            "max_iter": max_iter,
            "time_limit": time_limit,
        },
        cv=cv,
    )
    chosen.reject_incompatible_options()
    if multi_class not in (None, "joint", "ovr"):
        raise Refusal(f"--multi-class {safe(multi_class)}: give joint or ovr")
    if class_weight not in (None, "balanced"):
        raise Refusal(f"--class-weight {class_weight}: the only choice is balanced")
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
    )
    check_output(out, data, ours="novikoff model")
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"reading {data}")
        table = source.read(labelled=True)

        import novikoff
        from novikoff.report.advice import with_options
        from novikoff.report.describe import continuous_target, doubtful_classes
        from novikoff.report.risk import risk_or_reason
        from novikoff.report.summary import Summary

        if reason := continuous_target(table):
            raise Refusal(f"{safe(data)}: {reason}")
        # Before the fit, which takes long with many classes.
        for warning in doubtful_classes(table):
            screen.warn(warning)
        screen.stage(f"fitting {table.X.shape[0]:,} examples")
        try:
            model = chosen.estimator().set_callbacks(screen.progress)
            interrupted = fit_or_interrupt(model, table, screen)
            model.certificate_ = with_names(model.certificate_, table, sha256=sha256)
        except ValueError as error:
            # scikit-learn's convention: what is wrong with the data or a parameter.
            raise Refusal(with_options(str(error))) from None
        about = source.about(table)
        risk = None if interrupted else risk_or_reason(model, table)
        write(out, lambda path: novikoff.save(model, path, about=about))
        validation = None
        if cv is not None and not interrupted:
            validation = validate_or_interrupt(model, table, cv, screen)
            interrupted = validation is None
        repeat = source.options_to_repeat()
        summary = Summary(data, table, model, out, repeat, screen.seconds, validation, risk)
        screen.show(summary.rows(text_width()), summary.document())
        for warning in summary.warnings():
            complain("warning", warning)
        if interrupted:
            complain("interrupted", f"the best model so far was saved to {safe(out)}")
            raise typer.Exit(1)


def fit_or_interrupt(model: Any, table: "Table", screen: Screen) -> bool:
    """Fit the model; return whether Ctrl-C ended it early, and exit if there is no model."""
    weights = {} if table.weights is None else {"sample_weight": table.weights}
    try:
        with screen.warnings_as_lines():
            model.fit(table.X, table.y, **weights)
    except KeyboardInterrupt:
        screen.clear()
        if hasattr(model, "certificate_"):
            return True
        complain("interrupted", "there was no model yet, and nothing was written")
        raise typer.Exit(130) from None
    return False


def validate_or_interrupt(
    model: Any, table: "Table", cv: int, screen: Screen
) -> "CrossValidation | None":
    """Return the cross-validated error of what was asked for; None if Ctrl-C ended it."""
    from novikoff.report.validation import CrossValidation

    screen.stage(f"fitting {cv} folds")
    try:
        with screen.warnings_as_lines():
            return CrossValidation.of(model, table, cv)
    except ValueError as error:
        raise Refusal(error) from None
    except KeyboardInterrupt:
        screen.clear()
        return None
