"""``novikoff predict``: the labels of new examples."""

import csv
import io
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.group import Refusal, safe
from novikoff.cli.shared.input import Source, columns_of, load_model, row_in_file
from novikoff.cli.shared.output import check_output, write
from novikoff.cli.shared.screen import Screen

if TYPE_CHECKING:
    from novikoff.certificate.predictor import Predictor
    from novikoff.data import Table


def predict(
    model: options.Model,
    data: options.Data,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Where to write the predictions; by default, to stdout.",
        ),
    ] = None,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            show_default=False,
            help="Write after each label the score of every class, in a column each; the label has "
            "the largest. Of two classes, they are minus and plus the decision value.",
        ),
    ] = False,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="NAME|POSITION",
            show_default=False,
            rich_help_panel="The data",
            help="A column of labels to compare the predictions with; it is not a feature.",
        ),
    ] = None,
    drop: options.Drop = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            show_default=False,
            rich_help_panel="The data",
            help="--no-header: write no line of names; nor has DATA one, unless its first line "
            "contains the names that the model knows.",
        ),
    ] = None,
    format: options.Format = None,
    missing: Annotated[
        str | None,
        typer.Option(
            "--missing",
            metavar="error|drop|indicator",
            show_default="as at the fit",
            rich_help_panel="The data",
            help="Missing values: an error; no prediction, an empty line; or 0, and marked as at "
            "the fit.",
        ),
    ] = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na: options.Na = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict the label of every example: a line of names, then one label to a line.

    Columns are found by the names they had at the fit, in any order, and others are ignored; a
    file without names must have the columns of the fit, in addition to --target and --drop. A word
    that the fit did not see counts as none of those it saw, and is reported on stderr. With
    --target, or labels that are part of the format, as in libsvm files, the number of errors is
    printed on stderr.
    """
    source = Source(
        data,
        target,
        None,
        format,
        tuple(drop or ()),
        header,
        decimal=decimal,
        thousands=thousands,
        na=tuple(na or ()),
    )
    if out is not None:
        check_output(out, data, model)
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"loading {model}")
        fitted = load_model(model)

        from novikoff.certificate.files import write_atomically
        from novikoff.certificate.predictor import labels_of
        from novikoff.report.features import unseen_everywhere

        screen.stage(f"reading {data}")
        problem = fitted.certificate.problem
        wanted = columns_of(model, problem, fitted.about, missing)
        source = replace(source, labels_at_the_fit=fitted.about.get("target"))
        table = source.with_dialect(fitted.about).read(**wanted)
        known = labels_known(source, table, fitted)
        screen.stage(f"predicting {table.X.shape[0]:,} examples")
        found = fitted.decision_function(table.X)
        labels = labels_of(found, fitted.classes)
        values = scores_by_class(found) if scores else None
        screen.clear()
        document: dict[str, Any] = {"n_examples": len(labels)}
        if known:
            document["errors"] = int((labels != table.y).sum())
            screen.note(compared(document["errors"], len(labels)))
        never = unseen_everywhere(table)
        for warning in never.values():
            screen.warn(warning)
        for note in notes(table, never):
            screen.note(note)
        shown, values = aligned(labels.tolist(), values, table.dropped.tolist())
        names = None if header is False else headings(fitted.classes.tolist(), scores=scores)
        if out is not None:
            text = as_lines(shown, values, names)
            write(out, lambda path: write_atomically(path, text))
            document["out"] = str(out)
        else:
            document["predictions"] = shown
            if values is not None:
                document |= {"classes": fitted.classes, "scores": values}
            if not json:
                if sys.stdout.isatty():
                    # A label must not act upon the terminal; files and pipes get it unchanged.
                    shown = ["" if label is None else safe(label) for label in shown]
                    names = None if names is None else [safe(name) for name in names]
                sys.stdout.write(as_lines(shown, values, names))
        screen.show([], document)


def headings(classes: list[Any], *, scores: bool) -> list[str]:
    """Name the columns of the output.

    Examples
    --------
    >>> headings(["a", "b"], scores=True), headings([1, 2, 3], scores=True)
    (['label', 'score a', 'score b'], ['label', 'score 1', 'score 2', 'score 3'])
    """
    return ["label", *(f"score {label}" for label in classes if scores)]


def scores_by_class(values: Any) -> Any:
    """Return a column of scores for each class; the label is that of the largest in a row.

    Examples
    --------
    >>> import numpy as np
    >>> scores_by_class(np.array([-0.5, 2.0]))
    array([[ 0.5, -0.5],
           [-2. ,  2. ]])
    """
    import numpy as np

    return np.column_stack([0.0 - values, values]) if values.ndim == 1 else values


def aligned(labels: list[Any], values: Any | None, dropped: list[int]) -> tuple[list[Any], Any]:
    """Put empty predictions where rows were left out, so that lines and rows agree."""
    scores = None if values is None else values.tolist()
    if not dropped:
        return labels, scores
    left_out, kept = set(dropped), iter(range(len(labels)))
    n = len(labels) + len(dropped)
    places = [None if row in left_out else next(kept) for row in range(n)]
    if scores is not None:
        empty = [None] * len(scores[0])
        scores = [empty if place is None else scores[place] for place in places]
    return [None if place is None else labels[place] for place in places], scores


def notes(table: Any, but: Collection[str] = ()) -> list[str]:
    """Say which rows have no prediction, and where words were never seen, but for some columns."""
    from novikoff.certificate.wording import counted
    from novikoff.report.features import unseen

    lines = unseen(table, but)
    n = table.X.shape[0] + len(table.dropped)
    if len(table.dropped):
        what = counted(len(table.dropped), "row")
        lines.append(f"{what} of {n:,} without a prediction: a value is missing")
    return lines


def compared(errors: int, n: int) -> str:
    """Say how many labels were predicted wrongly.

    Examples
    --------
    >>> compared(1, 50)
    '1 error in 50 labelled examples (2 %)'
    """
    from novikoff.certificate.wording import counted
    from novikoff.report.describe import share

    return f"{counted(errors, 'error')} in {n:,} labelled examples ({share(errors, n)})"


def labels_known(source: Source, table: "Table", model: "Predictor") -> bool:
    """Whether there are labels to compare with.

    The labels of --target must be the model's. Labels that a format always has, such as libsvm,
    may be placeholders: if the model does not know them, they are ignored.
    """
    import numpy as np

    from novikoff.certificate.escape import format_label

    y = table.y
    if y is None:
        return False
    unseen = ~np.isin(y, model.classes)
    if not unseen.any():
        return True
    if source.target is None:
        return False
    row, known = int(np.argmax(unseen)), model.classes.tolist()
    raise Refusal(
        f"{safe(source.path)}: row {row_in_file(table, row)}: the model has never seen the label "
        f"{format_label(y[row].item())}; it knows {', '.join(map(format_label, known))}"
    )


def as_lines(
    labels: list[Any], scores: list[list[Any]] | None, names: list[str] | None = None
) -> str:
    r"""Write one example to a line: its label, and after it the scores, if any; names first.

    Examples
    --------
    >>> as_lines(["a", "b, c"], [[0.5, -0.5], [-2.0, 2.0]], ["label", "score a", "score b, c"])
    'label,score a,"score b, c"\na,0.5,-0.5\n"b, c",-2.0,2.0\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if names is not None:
        writer.writerow(names)
    if scores is None:
        writer.writerows([label] for label in labels)
    else:
        writer.writerows([label, *each] for label, each in zip(labels, scores, strict=True))
    return text.getvalue()
