"""CSV files: comma, semicolon, tab or | between the fields, a line of names on head."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from novikoff.certificate.escape import printable, quoted
from novikoff.certificate.wording import counted
from novikoff.data.columns import Choice, choose
from novikoff.data.encoding import MISSING
from novikoff.data.formats.arrow import Irregular, assemble, with_policy
from novikoff.data.formats.compressed import arrow_stream
from novikoff.data.formats.encode import inexact
from novikoff.data.formats.survey import survey
from novikoff.data.problems import refusal, rounded
from novikoff.data.table import EXACT, Request, Table, describe_column

_BLOCK = 1 << 20
_LONGEST_HEAD = 1 << 27
"""The maximum size of the first two lines in bytes: enough for several million columns."""
_BYTES_PER_COLUMN = 9000
"""What Arrow's reader needs for a column, measured with 100,000 and 500,000 of them."""
_BYTES_PER_BYTE = 3
"""What Arrow's reader of a whole file needs for a byte of text: the text, the values, a copy."""
_INTEGER = re.compile(r"([+-]?)0*(\d*)")
_LONGEST_INTEGER = 400
"""Digits; larger integers are beyond float64, whose largest value is 1.8e308."""
_BREAK = re.compile(rb"\r\n|\r|\n")
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True)
class _Head:
    """What the first two lines of the file show."""

    blank: int
    fields: list[str]
    delimiter: str
    block: int


def read_csv(request: Request) -> Table:
    """Read the chosen columns of a CSV file.

    The delimiter is the one of comma, semicolon and tab that occurs most in the first line, or the
    vertical bar, if none of them does and it separates as many fields in the second line; where the
    comma is the decimal point, a comma only if the others do not separate as many fields in the
    second line (numbers are then in quotation marks).
    """
    head = _read_head(request)
    header = request.header
    if header is False and _has_names(request, head.fields):
        header = True
    if header is None:
        if any(_is_number(field) for field in head.fields):
            number = quoted(next(filter(_is_number, head.fields)))
            raise request.error(
                f"the first line contains the number {number}: "
                "pass --no-header if it is a row of data, --header if it contains names"
            )
        header = True
    names = [name.strip() for name in head.fields] if header else None
    choice = choose(request, names, len(head.fields))
    file = _File(request, head, head.blank + header, [str(i) for i in choice.positions])
    try:
        table = _assembled(file, choice, names)
    except pa.ArrowException as error:
        if isinstance(error, MemoryError):
            raise
        raise file.unreadable(error) from error
    _check_integers(file, table, choice, names)
    return table


def _has_names(request: Request, fields: Sequence[str]) -> bool:
    """Whether the first line contains the names of all features that are asked for.

    Then it is no row of data, unless all these names are numbers.
    """
    wanted = set(request.features or ())
    return not all(map(_is_number, wanted)) and wanted <= {field.strip() for field in fields}


def _assembled(file: _File, choice: Choice, names: Sequence[str] | None) -> Table:
    encoding, request = file.request.encoding, file.request
    texts = set(choice.words)
    if encoding is not None:
        pairs = zip(choice.features, encoding.columns, strict=True)
        texts = {i for i, column in pairs if column.kind != "number"}
    if (not texts or encoding is not None) and not choice.unnamed:
        numbers = {str(i): pa.float64() for i in choice.positions if i != choice.target}
        try:
            with file.stream({**numbers, **_as_texts(texts)}) as batches:
                types = [field.type for field in batches.schema]
                by = None if encoding is None or encoding.is_plain else encoding
                table = assemble(
                    request, batches, types, choice, names, encoding=by, from_text=True
                )
                return with_policy(table, request, len(choice.features))
        except (pa.ArrowInvalid, Irregular):
            # A field that is not a number, a label of another type than the first ones, a ragged
            # row: the slower reader, which reads the whole file first, accepts it or says where.
            pass
    whole = file.whole(_as_texts(texts))
    types = [field.type for field in whole.schema]
    if encoding is None:
        encoding = survey(request, whole.to_batches(), types, choice, names, from_text=True)
    batches = whole.to_batches()
    return assemble(request, batches, types, choice, names, encoding=encoding, from_text=True)


def _as_texts(columns: Iterable[int]) -> dict[str, Any]:
    return {str(i): pa.string() for i in columns}


def _check_integers(file: _File, table: Table, choice: Choice, names: Sequence[str] | None) -> None:
    """Refuse integers that float64 rounds: numbers that change, labels that become the same."""
    largest = np.maximum(table.X.max(axis=0), -table.X.min(axis=0))
    columns = {}
    for j, column in _number_columns(table, choice):
        if largest[j] >= EXACT:
            columns[column] = table.X[:, j]
    if table.weights is not None and choice.weights is not None:
        columns[choice.weights] = table.weights
    if table.y is not None and choice.target is not None and table.y.dtype.kind == "f":
        columns[choice.target] = table.y
    problems = []
    for column, values in columns.items():
        large = np.flatnonzero(np.abs(values) >= EXACT)
        if not large.size:
            continue
        where, labels = describe_column(names, column), column == choice.target
        if table.dropped.size:
            n_rows = len(values) + len(table.dropped)
            large = np.delete(np.arange(n_rows), table.dropped)[large]
        row, integer = file.first_inexact(str(column), large, any_integer=labels)
        if row and labels:
            raise file.request.error(
                f"{where}, row {row}: the label {printable(integer)} is an integer that is read as "
                "float64, which may round it; write the labels as texts, such as c1 and c2"
            )
        if row and column not in choice.features:
            raise inexact(file.request, where, row, integer)
        if row:
            problems.append(
                rounded(where, str(column) if names is None else names[column], row, integer)
            )
    if problems:
        error = refusal(file.request, problems)
        error.options = () if len(problems) == len(choice.features) else error.options
        raise error


def _number_columns(table: Table, choice: Choice) -> Iterator[tuple[int, int]]:
    """Yield the features that are columns of numbers, with their columns in the file."""
    if table.encoding is None:
        yield from enumerate(choice.features)
        return
    at = 0
    for position, column in zip(choice.features, table.encoding.columns, strict=True):
        if column.kind == "number":
            yield at, position
        at += column.width


@dataclass(frozen=True)
class _File:
    """The two ways to have Arrow read the file."""

    request: Request
    head: _Head
    skipped: int
    columns: list[str]

    def stream(self, types: dict[str, Any]) -> Any:
        """Read block by block, taking the columns for what they are said to be."""
        return pacsv.open_csv(
            arrow_stream(self.request.path),
            read_options=self._read_options(threads=True),
            parse_options=pacsv.ParseOptions(delimiter=self.head.delimiter),
            convert_options=self._convert_options(types),
        )

    def first_inexact(
        self, column: str, rows: NDArray[np.int64], *, any_integer: bool
    ) -> tuple[int, str]:
        """Find the first integer, in some rows of a column, that float64 rounds; row 0 if none.

        With `any_integer` it is the first integer, rounded or not.
        """
        first = 0
        alone = replace(self, columns=[column])
        with alone.stream({column: pa.string()}) as batches:
            for batch in batches:
                last = first + batch.num_rows
                for row in rows[np.searchsorted(rows, first) : np.searchsorted(rows, last)]:
                    text = batch.column(0)[row - first].as_py().strip()
                    integer = _INTEGER.fullmatch(self.request.numerals.plain(text) or text)
                    if integer and (any_integer or not _is_float(integer[2])):
                        return int(row) + 1, integer[1] + integer[2]
                first = last
        return 0, ""

    def whole(self, types: dict[str, Any]) -> Any:
        """Read all of it, and find out the types of the columns, but for those given."""
        self._check_whole_size()
        return pacsv.read_csv(
            arrow_stream(self.request.path),
            # Only the single-threaded reader reports the number of a ragged row.
            read_options=self._read_options(threads=False),
            parse_options=pacsv.ParseOptions(delimiter=self.head.delimiter),
            convert_options=self._convert_options(types),
        )

    def unreadable(self, error: Exception) -> Exception:
        """Word the reason why Arrow cannot read the file."""
        # Arrow's handler of ragged rows would be tidier, but fails where they are not UTF-8.
        if ragged := _RAGGED.search(str(error)):
            row, expected, actual = map(int, ragged.groups())
            return self.request.error(
                f"row {row - self.skipped} has {counted(actual, 'field')} where the first line has "
                f"{expected}; correct or remove the row"
            )
        if "straddling" in str(error):
            return self.request.error(
                f"a row has more than {self.head.block:,} bytes, far more than the first lines: "
                "is a line break or a quotation mark missing?"
            )
        if "Could not skip" in str(error) or "Empty CSV" in str(error):
            return self.request.error("it has a header and no rows")
        reason = printable(" ".join(str(error).split()), 200)
        return self.request.error(f"not a readable CSV file ({reason})")

    def _check_whole_size(self) -> None:
        total, checked = 0, 0
        with arrow_stream(self.request.path) as stream:
            while block := stream.read(_BLOCK):
                total += len(block)
                if total >= 2 * checked:
                    checked = total
                    self.request.check_memory(_BYTES_PER_BYTE * total)
        self.request.check_memory(_BYTES_PER_BYTE * total)

    def _convert_options(self, types: dict[str, Any]) -> Any:
        return pacsv.ConvertOptions(
            include_columns=self.columns,
            column_types=types,
            null_values=[*MISSING, *self.request.na],
            decimal_point=self.request.numerals.decimal,
        )

    def _read_options(self, *, threads: bool) -> Any:
        return pacsv.ReadOptions(
            column_names=[str(i) for i in range(len(self.head.fields))],
            skip_rows=self.skipped,
            block_size=self.head.block,
            use_threads=threads,
        )


def _read_head(request: Request) -> _Head:
    with arrow_stream(request.path) as stream:
        head: bytes = stream.read(_BLOCK)
        while _breaks(head.lstrip()) < 2 and (more := stream.read(len(head))):
            head += more
            if len(head) > _LONGEST_HEAD:
                raise request.error("its first two lines are too long for a CSV file")
    body = head.lstrip()
    if not body:
        raise request.error("it contains nothing but blank lines")
    # The line may begin with blanks: a tab at its beginning separates an empty name.
    blanks = head[: len(head) - len(body)]
    begin = max(blanks.rfind(b"\n"), blanks.rfind(b"\r")) + 1
    lines = _BREAK.split(head[begin:], maxsplit=2)[:2]
    blank = _breaks(head[:begin])
    try:
        first = lines[0].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise request.error("it is not UTF-8 text; save it as UTF-8") from None
    delimiter = _delimiter(request, first, b"".join(lines[1:]).decode(errors="replace"))
    request.check_memory((first.count(delimiter) + 1) * _BYTES_PER_COLUMN)
    try:
        fields = next(csv.reader([first], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise request.error(f"its first line is not readable as CSV ({error})") from None
    longest = max(map(len, lines))
    # Arrow wants the lines that it skips, and every row, inside a block.
    block = min(max(_BLOCK, 16 * longest, begin + 2 * longest), 2**31 - 1)
    return _Head(blank, fields, delimiter, block)


def _delimiter(request: Request, first: str, second: str) -> str:
    decimal = request.numerals.decimal
    others = max(",;\t".replace(decimal, ""), key=first.count)
    if _n_fields(first, others) == 1 < _n_fields(first, "|") == _n_fields(second, "|"):
        return "|"
    if decimal != "," or "," not in first:
        return others
    # Numbers with a decimal comma between commas are quoted, and a name may contain a semicolon:
    # then the lines differ in their number of semicolons.
    quoted = request.header is not False or '"' in first
    same = others in first and _n_fields(first, others) == _n_fields(second, others)
    return "," if quoted and not same else others


def _n_fields(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=delimiter), []))
    except csv.Error:
        return 0  # A field beyond the limit of the module csv, which Arrow does not have.


def _breaks(text: bytes) -> int:
    """Count the line breaks of any kind."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _is_float(digits: str) -> bool:
    """Whether a positive integer is a float64 number."""
    return len(digits) <= _LONGEST_INTEGER and (not digits or int(digits) == float(digits))
