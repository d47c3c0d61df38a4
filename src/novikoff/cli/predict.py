"""``novikoff predict``: the labels of new examples."""

import csv
import io
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.files import (
    Source,
    check_output,
    columns_of,
    load_model,
    not_written,
    with_header,
)
from novikoff.cli.shared.group import Refusal
from novikoff.cli.shared.screen import Screen


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
            help="Where the predictions go instead of stdout.",
        ),
    ] = None,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            show_default=False,
            help="After each label its decision value, or one for each class if more than two.",
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
            help="A column of labels: left out of the features, and compared.",
        ),
    ] = None,
    drop: options.Drop = None,
    header: options.Header = None,
    format: options.Format = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict the label of every example, one to a line.

    Columns are found by the names they had at the fit, in any order, and others are left out; a
    file without names must have the columns of the fit, beside --target and --drop. Where the
    labels are known the number of errors is told on stderr.
    """
    source = Source(data, target, format, tuple(drop or ()), header)
    if out is not None:
        check_output(out, data, model)
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage(f"loading {model}")
        fitted = load_model(model)
        screen.stage(f"reading {data}")
        table = with_header(source, fitted).read(**columns_of(fitted))
        known = labels_known(source, table.y, fitted)
        screen.stage(f"predicting {table.X.shape[0]:,} examples")
        with warnings.catch_warnings():
            # The columns are in the model's order already; the array has no names to show for it.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            labels = fitted.predict(table.X)
            values = fitted.decision_function(table.X) if scores else None
        screen.clear()
        document: dict[str, Any] = {"n_examples": len(labels)}
        if known:
            document["errors"] = int((labels != table.y).sum())
            screen.note(compared(document["errors"], len(labels)))
        if out is not None:
            write(as_lines(labels, values), out)
            document["out"] = str(out)
        else:
            document["predictions"] = labels
            if values is not None:
                document |= {"classes": fitted.classes_, "scores": values}
            if not json:
                sys.stdout.write(as_lines(labels, values))
        screen.show([], document)


def compared(errors: int, n: int) -> str:
    """Say how many labels were met.

    Examples
    --------
    >>> compared(1, 50)
    '1 error in 50 labelled examples (2 %)'
    """
    from novikoff.certificate.wording import counted, percent

    return f"{counted(errors, 'error')} in {n:,} labelled examples ({percent(errors / n)})"


def labels_known(source: Source, y: Any, model: Any) -> bool:
    """Whether there are labels to compare with.

    Labels that were asked for must be the model's. Those that a format brings along unasked
    may be fillers, and are then left alone.
    """
    import numpy as np

    if y is None:
        return False
    unseen = ~np.isin(y, model.classes_)
    if not unseen.any():
        return True
    if source.target is None:
        return False
    row = int(np.argmax(unseen))
    raise Refusal(
        f"{source.path}: row {row + 1}: the model has never seen the label {y[row].item()!r}; "
        f"it knows {', '.join(map(repr, model.classes_.tolist()))}"
    )


def as_lines(labels: Any, values: Any | None) -> str:
    r"""Write one example to a line: its label, and after it what scores there are.

    Examples
    --------
    >>> import numpy as np
    >>> as_lines(np.array(["a", "b, c"]), np.array([-0.5, 2.0]))
    'a,-0.5\n"b, c",2.0\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if values is None:
        writer.writerows([label] for label in labels.tolist())
    else:
        columns = values.reshape(len(labels), -1).tolist()
        writer.writerows(
            [label, *scores] for label, scores in zip(labels.tolist(), columns, strict=True)
        )
    return text.getvalue()


def write(text: str, out: Path) -> None:
    """Write the file whole or not at all."""
    from novikoff.certificate.json import write_atomically

    try:
        write_atomically(out, text)
    except OSError as error:
        raise not_written(out, error) from None
