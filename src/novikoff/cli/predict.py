"""``novikoff predict``: the labels of new examples."""

import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.group import Refusal, safe
from novikoff.cli.shared.input import Source, columns_of, load_model
from novikoff.cli.shared.output import check_output, write
from novikoff.cli.shared.screen import Screen

if TYPE_CHECKING:
    from novikoff.certificate.predictor import Predictor


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
            help="Write the decision value after each label; if there are more than two classes, "
            "one for each.",
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
    header: options.Header = None,
    format: options.Format = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict the label of every example, one label to a line.

    Columns are found by the names they had at the fit, in any order, and others are ignored; a
    file without names must have the columns of the fit, in addition to --target and --drop. With
    --target, or labels that are part of the format, as in libsvm files, the number of errors is
    printed on stderr.
    """
    source = Source(data, target, None, format, tuple(drop or ()), header)
    if out is not None:
        check_output(out, data, model)
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"loading {model}")
        fitted = load_model(model)

        from novikoff.certificate.files import write_atomically
        from novikoff.certificate.predictor import labels_of

        screen.stage(f"reading {data}")
        problem = fitted.certificate.problem
        table = source.with_header(fitted.about).read(**columns_of(problem))
        known = labels_known(source, table.y, fitted)
        screen.stage(f"predicting {table.X.shape[0]:,} examples")
        found = fitted.decision_function(table.X)
        labels, values = labels_of(found, fitted.classes), found if scores else None
        screen.clear()
        document: dict[str, Any] = {"n_examples": len(labels)}
        if known:
            document["errors"] = int((labels != table.y).sum())
            screen.note(compared(document["errors"], len(labels)))
        if out is not None:
            text = as_lines(labels.tolist(), values)
            write(out, lambda path: write_atomically(path, text))
            document["out"] = str(out)
        else:
            document["predictions"] = labels
            if values is not None:
                document |= {"classes": fitted.classes, "scores": values}
            if not json:
                shown = labels.tolist()
                if sys.stdout.isatty():
                    # A label must not act upon the terminal; files and pipes get it unchanged.
                    shown = [safe(label) for label in shown]
                sys.stdout.write(as_lines(shown, values))
        screen.show([], document)


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


def labels_known(source: Source, y: Any, model: "Predictor") -> bool:
    """Whether there are labels to compare with.

    The labels of --target must be the model's. Labels that a format always has, such as libsvm,
    may be placeholders: if the model does not know them, they are ignored.
    """
    import numpy as np

    from novikoff.certificate.escape import format_label

    if y is None:
        return False
    unseen = ~np.isin(y, model.classes)
    if not unseen.any():
        return True
    if source.target is None:
        return False
    row, known = int(np.argmax(unseen)), model.classes.tolist()
    raise Refusal(
        f"{safe(source.path)}: row {row + 1}: the model has never seen the label "
        f"{format_label(y[row].item())}; it knows {', '.join(map(format_label, known))}"
    )


def as_lines(labels: list[Any], values: Any | None) -> str:
    r"""Write one example to a line: its label, and after it the decision values, if any.

    Examples
    --------
    >>> import numpy as np
    >>> as_lines(["a", "b, c"], np.array([-0.5, 2.0]))
    'a,-0.5\n"b, c",2.0\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if values is None:
        writer.writerows([label] for label in labels)
    else:
        columns = values.reshape(len(labels), -1).tolist()
        writer.writerows([label, *scores] for label, scores in zip(labels, columns, strict=True))
    return text.getvalue()
