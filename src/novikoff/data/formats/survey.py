"""Find out what each column of a table holds, and everything that stands in the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from novikoff.certificate.escape import printable
from novikoff.data.columns import Choice
from novikoff.data.encoding import ORDERS, ColumnEncoding, Encoding
from novikoff.data.formats import values
from novikoff.data.formats.column_survey import ColumnSurvey
from novikoff.data.formats.written_numbers import WrittenNumbers, common_way
from novikoff.data.problems import Gap, Problem, refusal
from novikoff.data.table import Request, describe_column


def survey(
    request: Request,
    batches: Iterable[Any],
    types: Sequence[Any],
    choice: Choice,
    names: Sequence[str] | None,
    *,
    from_text: bool,
) -> Encoding:
    """Find the encoding of the features, or refuse with all that stands in the way of it.

    `from_text`: the values were texts in the file, as in CSV: texts that are numbers are numbers.
    """
    columns = [
        ColumnSurvey(
            describe_column(names, i),
            None if names is None else names[i],
            str(i) if names is None else names[i],
            i in choice.words,
            from_text,
            request.dates,
            request.missing_texts,
            WrittenNumbers(request.numerals),
            kind,
        )
        for i, kind in zip(choice.features, types, strict=False)
    ]
    unlabelled: list[NDArray[np.int64]] = []
    targets: list[Any] = []
    n = 0
    for batch in batches:
        for j, column in enumerate(columns):
            column.add(batch.column(j))
        if choice.target is not None:
            targets.append(batch.column(len(columns)))
            known = values.known_labels(targets[-1], request)
            unlabelled.append(n + np.flatnonzero(~known))
        n += batch.num_rows
    if n == 0:
        raise request.error("it has no rows" if names is None else "it has a header and no rows")
    numerals = common_way([column.written for column in columns], request.numerals)
    marks = request.missing == "indicator"
    results = [column.result(indicator=marks, numerals=numerals) for column in columns]
    results = _in_the_order_of_others(results)
    problems = [_without_name(i) for i in choice.unnamed]
    problems += [result for result in results if isinstance(result, Problem)]
    gaps: list[Gap] = []
    lost: NDArray[np.int64] = np.empty(0, np.int64)
    if request.missing != "indicator":
        pairs = [(c, r) for c, r in zip(columns, results, strict=True) if not _is_dropped(r)]
        kept = [c for c, _ in pairs if c.gaps]
        rows = [*unlabelled, *(gap for column in kept for gap in column.gaps)]
        rows += [part for c, r in pairs for part in c.strays(r)]
        lost = np.unique(np.concatenate(rows)) if rows else lost
        if request.missing == "error":
            gaps = [Gap(c.where, c.n_missing, int(c.gaps[0][0]) + 1) for c in kept]
    without = np.concatenate(unlabelled) if unlabelled else lost[:0]
    if without.size and request.missing != "drop":
        where = f"{describe_column(names, choice.target or 0)} (the target)"
        gaps.append(Gap(where, len(without), int(without[0]) + 1, "the label"))
    if problems or gaps:
        one_class = bool(targets) and len(lost) > 0 and _n_classes(targets, lost) < 2
        error = refusal(request, problems, gaps, n_rows=n, n_lost=len(lost), can_drop=not one_class)
        marked = "indicator" in error.options
        if all(map(_is_dropped, results)) or (len(lost) == n and not marked):
            error.options = ()  # Nothing would be left.
        raise error
    if len(lost) == n:
        raise request.error("a value or the label is missing in every row: no row is left")
    return Encoding(
        tuple(result for result in results if isinstance(result, ColumnEncoding)), request.missing
    )


def _in_the_order_of_others(
    results: Sequence[ColumnEncoding | Problem],
) -> list[ColumnEncoding | Problem]:
    """Suggest, for dates that could have either order, the one that other columns prove."""
    proved = [one for one in results if isinstance(one, ColumnEncoding) and one.kind in ORDERS]
    orders = {one.kind for one in proved}
    if len(orders) != 1:
        return list(results)
    order = orders.pop()
    reverse = next(one for one in ORDERS if one != order)
    other = "" if proved[0].name is None else f", as {printable(proved[0].name, 40)} is written"
    cure = f"pass --dates {order}{other}, or --dates {reverse}"
    return [
        replace(one, cure=cure, options=("--dates", order))
        if isinstance(one, Problem) and "--dates" in one.options
        else one
        for one in results
    ]


def _n_classes(targets: Sequence[Any], lost: NDArray[np.int64]) -> int:
    """Count the classes of the rows that are not lost."""
    found: set[Any] = set()
    n = 0
    for column in targets:
        kept = np.ones(len(column), dtype=bool)
        kept[lost[np.searchsorted(lost, n) : np.searchsorted(lost, n + len(column))] - n] = False
        n += len(column)
        if values.is_string(column.type):
            words, codes = values.texts(column)
            found.update(words[code] for code in np.unique(codes[kept & (codes >= 0)]))
        else:
            found.update(values.decoded(column).filter(pa.array(kept)).unique().to_pylist())
    return len(found - {None})


def _without_name(column: int) -> Problem:
    text = " has no name (the row numbers of a data frame?)"
    cure = f"name it, or leave it out with --drop {column}"
    return Problem(f"column {column}", str(column), text, cure, ("--drop", str(column)))


def _is_dropped(result: ColumnEncoding | Problem) -> bool:
    """Whether the column would be left out with the options that are suggested."""
    return isinstance(result, Problem) and "--drop" in result.options
