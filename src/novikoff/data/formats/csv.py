"""CSV files: comma, semicolon or tab between the fields, a line of names on top."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from novikoff.data.columns import choose
from novikoff.data.formats.arrow import assemble
from novikoff.data.table import Request, Table, place

_BLOCK = 1 << 20
_EXACT = 2.0**53
_INTEGER = re.compile(r"[+-]?\d+")
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True)
class _Top:
    """What the first lines of the file tell."""

    blank: int
    fields: list[str]
    delimiter: str
    block: int


def read_csv(request: Request) -> Table:
    """Read the chosen columns of a CSV file.

    The delimiter is the one of comma, semicolon and tab that occurs most in the first line.
    """
    top = _top(request)
    header = request.header
    if header is None:
        if any(_is_number(field) for field in top.fields):
            raise request.error(
                f"the first line has the number {next(filter(_is_number, top.fields))!r} in it: "
                "if it holds data pass --no-header, if it holds names pass --header"
            )
        header = True
    width = len(top.fields)
    names = [name.strip() for name in top.fields] if header else None
    choice = choose(request, names, width)
    positions = [*choice.features, *(() if choice.target is None else (choice.target,))]

    features = {str(i): pa.float64() for i in choice.features}

    file = _File(request, top, top.blank + header, [str(i) for i in positions])
    try:
        with file.stream(features) as batches:
            types = [field.type for field in batches.schema]
            table = assemble(request, batches, types, choice, names)
    except pa.ArrowInvalid:
        # A field that is no number, a label that is unlike the first ones, a ragged row: the
        # slower reader, which looks at the whole file first, takes it or says where.
        whole = file.whole()
        types = [field.type for field in whole.schema]
        table = assemble(request, whole.to_batches(), types, choice, names)
    largest = np.maximum(table.X.max(axis=0), -table.X.min(axis=0))
    for j in np.flatnonzero(largest >= _EXACT):
        column, large = choice.features[j], np.flatnonzero(np.abs(table.X[:, j]) >= _EXACT)
        file.check_integers(column, large, place(names, column))
    return table


@dataclass(frozen=True)
class _File:
    """The two ways to have Arrow read the file."""

    request: Request
    top: _Top
    skipped: int
    columns: list[str]

    def stream(self, features: dict[str, Any]) -> Any:
        """Read block by block, taking the features for what they are said to be."""
        return pacsv.open_csv(
            self.request.path,
            read_options=self._read_options(threads=True),
            parse_options=pacsv.ParseOptions(delimiter=self.top.delimiter),
            convert_options=pacsv.ConvertOptions(
                include_columns=self.columns, column_types=features
            ),
        )

    def check_integers(self, column: int, rows: NDArray[np.int64], where: str) -> None:
        """Refuse integers in some rows of a column that float64 does not have."""
        name, first = str(column), 0
        alone = replace(self, columns=[name])
        with alone.stream({name: pa.string()}) as batches:
            for batch in batches:
                last = first + batch.num_rows
                for row in rows[np.searchsorted(rows, first) : np.searchsorted(rows, last)]:
                    text = batch.column(0)[row - first].as_py().strip()
                    if _INTEGER.fullmatch(text) and int(text) != float(text):
                        raise self.request.error(
                            f"{where}, row {row + 1}: {text} has too many digits for float64; "
                            "leave the column out with --drop, or rescale it"
                        )
                first = last

    def whole(self) -> Any:
        """Read all of it, and find out the types of the columns."""
        try:
            return pacsv.read_csv(
                self.request.path,
                # Only a reader of one thread tells the number of a ragged row.
                read_options=self._read_options(threads=False),
                parse_options=pacsv.ParseOptions(delimiter=self.top.delimiter),
                convert_options=pacsv.ConvertOptions(include_columns=self.columns),
            )
        except pa.ArrowInvalid as error:
            # Arrow's handler of ragged rows would be tidier, but fails where they are not UTF-8.
            if ragged := _RAGGED.search(str(error)):
                row, expected, actual = map(int, ragged.groups())
                raise self.request.error(
                    f"row {row - self.skipped} has {actual} fields where the first line has "
                    f"{expected}; mend or leave out the row"
                ) from None
            if "Could not skip" in str(error) or "Empty CSV" in str(error):
                raise self.request.error("it has names and no rows") from None
            reason = " ".join(str(error).split())
            raise self.request.error(f"not a readable CSV file ({reason})") from error

    def _read_options(self, *, threads: bool) -> Any:
        return pacsv.ReadOptions(
            column_names=[str(i) for i in range(len(self.top.fields))],
            skip_rows=self.skipped,
            block_size=self.top.block,
            use_threads=threads,
        )


def _top(request: Request) -> _Top:
    with pa.input_stream(str(request.path), compression="detect") as stream:
        head: bytes = stream.read(_BLOCK)
        while head.count(b"\n") - _leading_blanks(head) < 2 and (more := stream.read(len(head))):
            head += more
    lines = head.splitlines()
    blank = _leading_blanks(head)
    if blank == len(lines):
        raise request.error("it holds nothing but blank lines")
    try:
        first = lines[blank].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise request.error("it is not UTF-8 text; save it as UTF-8") from None
    delimiter = max(",;\t", key=first.count)
    fields = next(csv.reader([first], delimiter=delimiter))
    longest = max(map(len, lines[blank : blank + 2]))
    return _Top(blank, fields, delimiter, min(max(_BLOCK, 16 * longest), 2**31 - 1))


def _leading_blanks(head: bytes) -> int:
    blanks = 0
    for line in head.splitlines():
        if line.strip():
            break
        blanks += 1
    return blanks


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
