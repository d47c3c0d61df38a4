"""libsvm files (svmlight format): `label index:value …`, one sparse example a line."""

from __future__ import annotations

import bz2
import gzip
from typing import IO, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import load_svmlight_file

from novikoff.data.table import Request, Table

_INT32 = np.iinfo(np.int32).max


def read_svmlight(request: Request) -> Table:
    """Read a libsvm file; the label is the first field, so `target` must be left out.

    Indices count from 1, or from 0 where an index 0 occurs. Labels are integers where all are.
    """
    if request.target is not None or request.drop:
        raise request.error("a libsvm file names its target itself: leave out --target and --drop")
    try:
        X, y = load_svmlight_file(str(request.path))
    except (ValueError, OverflowError) as error:
        raise _first_bad_line(request, error) from None
    n, d = X.shape
    if n == 0:
        raise request.error("it has no rows")
    # The last features may be zero in every row of one file and not of another.
    d = max(d, request.width or 0)
    request.check_width(d)
    y = request.check_labels(y, n, "the label")
    if np.array_equal(y, np.rint(y)) and np.abs(y).max() <= 2**53:
        y = y.astype(np.int64)
    narrow = np.int32 if max(d, X.nnz) <= _INT32 else np.int64
    X = csr_matrix(
        (X.data, X.indices.astype(narrow, copy=False), X.indptr.astype(narrow, copy=False)),
        shape=(n, d),
    )
    request.check_finite(X)
    return Table(X, y)


def _open(request: Request) -> IO[bytes]:
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}
    stream: IO[bytes] = openers.get(request.path.suffix, open)(request.path, "rb")
    return stream


def _first_bad_line(request: Request, error: Exception) -> Exception:
    """Find the line the loader stumbled over: its message does not say which."""
    with _open(request) as stream:
        row = 0
        for line in stream:
            fields = line.split(b"#", 1)[0].split()
            if not fields:
                continue
            row += 1
            fault = _fault(fields)
            if fault:
                return request.error(f"row {row}: {fault}")
    return request.error(f"not a readable libsvm file ({error})")


def _fault(fields: list[bytes]) -> str | None:
    label = fields[0].decode("utf-8", "replace")
    try:
        float(label)
    except ValueError:
        return f"the label {label!r} is not a number; number the classes, or use CSV"
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
            return f"{text!r} is not of the form index:value"
        if not 0 <= position <= _INT32:
            return f"the index of {text!r} is not between 0 and {_INT32}"
        if position <= previous:
            return f"the index of {text!r} does not ascend; sort the features of each row"
        previous = position
    return None
