"""Arguments and options that verbs share."""

from pathlib import Path
from typing import Annotated

import typer

_DATA = "The data"
_LIMITS = "Limits"

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        show_default=False,
        help="The examples: CSV, Parquet, libsvm, npy, npz or idx, by the file's extension.",
    ),
]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", show_default=False, help="A model that `novikoff fit` wrote."),
]
Claim = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        show_default=False,
        help="A model that `novikoff fit` wrote, or a certificate of `novikoff separable`.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="NAME|POSITION",
        show_default=False,
        rich_help_panel=_DATA,
        help="The column of the labels, by name or by position (-1 is the last).",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="NAME|POSITION",
        show_default=False,
        rich_help_panel=_DATA,
        help="The column of the examples' weights, if they have any; it is not a feature.",
    ),
]
Failures = Annotated[
    str | None,
    typer.Option(
        "--failures",
        metavar="NAME|POSITION",
        show_default=False,
        rich_help_panel=_DATA,
        help="The column of failures, where the target is a column of successes (binomial counts).",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        show_default=False,
        rich_help_panel=_DATA,
        help="csv, parquet, libsvm, npy, npz or idx; by default, that of the file's extension.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="NAME|POSITION",
        show_default=False,
        rich_help_panel=_DATA,
        help="A column to leave out; may be repeated.",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        show_default=False,
        rich_help_panel=_DATA,
        help="Whether the first line of a CSV file contains the names of the columns.",
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="error|drop|indicator",
        show_default="error",
        rich_help_panel=_DATA,
        help="Missing values, which are empty fields, NA, N/A, NaN, NULL, None, ? and the like: an "
        "error; leave such rows out; or read them as 0, and mark them by a feature of 0 and 1.",
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Option(
        "--words",
        metavar="NAME|POSITION",
        show_default=False,
        rich_help_panel=_DATA,
        help="A column of which every value becomes a feature of 0 and 1, even if it contains "
        "numbers or very many words; may be repeated.",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar=". or ,",
        show_default=".",
        rich_help_panel=_DATA,
        help="The decimal point of a CSV file.",
    ),
]
Thousands = Annotated[
    str | None,
    typer.Option(
        "--thousands",
        metavar="SEPARATOR",
        show_default=False,
        rich_help_panel=_DATA,
        help="What separates thousands in the numbers of a CSV file: . , ' _ or a blank. Without "
        "it, a number with separators is an error.",
    ),
]
Na = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="TEXT",
        show_default=False,
        rich_help_panel=_DATA,
        help="One more text that stands for a missing value in a CSV file, such as n.a. or -; may "
        "be repeated.",
    ),
]
Dates = Annotated[
    str | None,
    typer.Option(
        "--dates",
        metavar="day-first|month-first",
        show_default=False,
        rich_help_panel=_DATA,
        help="How a column of dates such as 01/02/2026 is read, if all its dates can be read both "
        "ways.",
    ),
]
Intercept = Annotated[
    bool,
    typer.Option("--no-intercept", show_default=False, help="Only hyperplanes through the origin."),
]
Scale = Annotated[
    bool,
    typer.Option(
        "--scale",
        show_default=False,
        help="Divide each column by a power of two, for columns of different units; exact.",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, metavar="N", help="The seed of the random data and order.")
]
MaxIter = Annotated[
    int,
    typer.Option(
        "--max-iter", min=1, metavar="N", rich_help_panel=_LIMITS, help="At most N full passes."
    ),
]
FitMaxIter = Annotated[
    int | None,
    typer.Option(
        "--max-iter",
        min=1,
        metavar="N",
        show_default=False,
        rich_help_panel=_LIMITS,
        help="At most N full passes (5,000; 1,000 with --rule or --C auto).",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        min=0.0,
        metavar="SECONDS",
        show_default=False,
        rich_help_panel=_LIMITS,
        help="At most this many seconds.",
    ),
]
Sha256 = Annotated[
    bool,
    typer.Option(
        "--sha256",
        show_default=False,
        help="Store a SHA-256 hash of the examples, labels and weights in the certificate.",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", show_default=False, help="Print one JSON document on stdout.")
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        show_default=False,
        help="No summary and no progress; warnings and errors stay.",
    ),
]
