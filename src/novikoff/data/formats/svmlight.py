"""libsvm files (svmlight format): `label index:value …`, one sparse example a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from novikoff.certificate.escape import printable, quoted
from novikoff.data.formats.compressed import open_compressed, pieces
from novikoff.data.table import EXACT, Request, Table

_INT32 = np.iinfo(np.int32).max
_BYTES_PER_VALUE = 32
_BYTES_PER_ROW = 32
"""Memory that the loader needs: at the end it holds every array twice."""


def read_svmlight(request: Request) -> Table:
    """Read a libsvm file; the label is the first field, so `target` must be left out.

    Indices count from 1, or from 0 where an index 0 occurs. Labels are integers where all are.
    """
    from sklearn.datasets import load_svmlight_file

    if request.target is not None or request.drop:
        raise request.error("a libsvm file contains its labels: leave out --target and --drop")
    _check_size(request)
    try:
        with open_compressed(request.path) as stream:
            X, y = load_svmlight_file(stream)
    except (ValueError, OverflowError) as error:
        raise _first_bad_line(request, error) from None
    n, d = X.shape
    if n == 0:
        raise request.error("it has no rows")
    # The last features may be zero in every row of one file and not of another.
    d = max(d, request.width or 0)
    request.check_width(d)
    request.check_memory(8 * d, "one row as an array")
    y = request.check_labels(y, n, "the label")
    if np.array_equal(y, np.rint(y)):
        _check_exact(request, y)
        y = y.astype(np.int64)
    narrow = np.int32 if max(d, X.nnz) <= _INT32 else np.int64
    X = csr_matrix(
        (X.data, X.indices.astype(narrow, copy=False), X.indptr.astype(narrow, copy=False)),
        shape=(n, d),
    )
    request.check_finite(X)
    return Table(X, y)


def _check_size(request: Request) -> None:
    """Count rows and values, and refuse a file that has more of them than fit into the memory."""
    needed = checked = rows = values = line = longest = 0
    with open_compressed(request.path) as stream:
        for piece in pieces(stream):
            rows += piece.count(b"\n")
            values += piece.count(b":")
            line = len(piece) - 1 - piece.rfind(b"\n") if b"\n" in piece else line + len(piece)
            longest = max(longest, line)
            needed = _BYTES_PER_ROW * rows + _BYTES_PER_VALUE * values + 3 * longest
            if needed > 2 * checked:
                request.check_memory(needed)
                checked = needed
    request.check_memory(needed)


def _check_exact(request: Request, y: NDArray[np.float64]) -> None:
    """Refuse labels that may have been other integers before they were read as float64."""
    large = np.abs(y) >= EXACT
    if large.any():
        row = int(np.argmax(large))
        raise request.error(
            f"the label, row {row + 1}: {y[row]:.0f} is beyond the integers that float64 can "
            "represent; number the classes"
        )


def _first_bad_line(request: Request, error: Exception) -> Exception:
    """Find the line that the loader rejected: its message does not say which."""
    with open_compressed(request.path) as stream:
        row = 0
        for line in stream:
            fields = line.split(b"#", 1)[0].split()
            if not fields:
                continue
            row += 1
            fault = _fault(fields)
            if fault:
                return request.error(f"row {row}: {fault}")
    reason = printable(" ".join(str(error).split()), 200)
    return request.error(f"not a readable libsvm file ({reason})")


def _fault(fields: list[bytes]) -> str | None:
    label = fields[0].decode("utf-8", "replace")
    try:
        float(label)
    except ValueError:
        return f"the label {quoted(label)} is not a number; number the classes, or use CSV"
    previous = -1
    for field in fields[1:]:
        text = field.decode("utf-8", "replace")
        if text.startswith("qid:"):
            continue
        index, _, value = text.partition(":")
        try:
            position = int(index)
            float(value)
        except ValueError:
            return f"{quoted(text)} is not of the form index:value"
        if not 0 <= position <= _INT32:
            return f"the index of {quoted(text)} is not between 0 and {_INT32}"
        if position <= previous:
            return f"the index of {quoted(text)} does not ascend; sort the features of each row"
        previous = position
    return None
