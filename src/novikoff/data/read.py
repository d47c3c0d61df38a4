"""Read examples from a file of any supported format."""

from __future__ import annotations

import lzma
import os
import re
import stat
import zlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from novikoff.certificate.escape import printable, quoted
from novikoff.data.encoding import ORDERS, POLICIES, Encoding
from novikoff.data.numerals import SEPARATORS, Numerals
from novikoff.data.table import Column, DataError, Request, Table

# Formats whose labels are not a column of the file.
_LABELS_NOT_A_COLUMN = {"libsvm", "idx"}

# The modules of the readers, imported when a file of their format is read.
_READERS = {
    "csv": ("csv", "read_csv"),
    "parquet": ("parquet", "read_parquet"),
    "libsvm": ("svmlight", "read_svmlight"),
    "npy": ("npy", "read_npy"),
    "npz": ("npy", "read_npz"),
    "idx": ("idx", "read_idx"),
}

FORMATS = tuple(_READERS)

# Formats whose columns may hold words, dates and missing values.
_ENCODED = {"csv", "parquet"}

_ENDINGS = {
    r"\.(csv|tsv)(\.gz|\.bz2|\.xz|\.zst)?": "csv",
    r"\.(parquet|pq)": "parquet",
    r"\.(libsvm|svmlight|svm)(\.gz|\.bz2|\.xz|\.zst)?": "libsvm",
    r"\.npy": "npy",
    r"\.npz": "npz",
    r"([-.]idx\d-ubyte|\.idx)(\.gz)?": "idx",
}

_OTHERS = {
    r"\.(zip|7z|rar)": "an archive: unpack it",
    r"\.(tar|tgz|tar\.\w+)": "an archive: unpack it",
    r"\.(xls|xlsx|xlsm|ods)": "a spreadsheet: save it as CSV",
    r"\.(json|jsonl|ndjson)": "JSON: convert it to CSV or Parquet",
    r"\.(feather|arrow|h5|hdf5|sas7bdat|xpt|dta|sav|por|rds|rda|rdata|arff|mat|pkl|pickle)": (
        "of a format that is not read here: convert it to CSV or Parquet"
    ),
    r"\.(gz|bz2|xz|zst)": "compressed, and what is inside is not in its name: pass --format, one "
    "of csv and libsvm",
    r"\.(lz4|lzma|br|z|snappy)": "compressed in a way that is not read here: decompress it",
}


def read(
    path: str | os.PathLike[str],
    target: Column | None = None,
    *,
    weights: Column | None = None,
    format: str | None = None,
    drop: Column | Sequence[Column] = (),
    features: Sequence[str] | None = None,
    n_features: int | None = None,
    labelled: bool = False,
    header: bool | None = None,
    default_target: Column | None = None,
    missing: str = "error",
    words: Column | Sequence[Column] = (),
    decimal: str = ".",
    thousands: str | None = None,
    dates: str | None = None,
    na: str | Sequence[str] = (),
    encoding: Encoding | None = None,
) -> Table:
    r"""Read examples, with or without labels and weights, from a file.

    Numbers keep their values. A table of float32 columns (with or without 8- and 16-bit integers)
    is read as float32, one of uint8 and boolean columns as uint8, any other as float64; decimal
    numbers in a CSV file are rounded to the nearest float64. In messages, rows are counted from 1,
    without the header, and columns from 0. A file that needs more memory than is available is
    refused.

    In CSV and Parquet files, a column of words becomes one feature of 0 and 1 for each word, one of
    booleans 0 and 1, one of dates (2026-01-31, 31/01/2026 or 31 Jan 2026, or with a time) the days
    since 1970-01-01. A column of numbers with a word in it is an error, and so is one of words that
    looks like an identifier: more than 1000 different words, or more than 20 that are more than
    half as many as the rows, or another word in each row. Blanks around names and values of a CSV
    file are left out. `Table.encoding` states what was done.

    Parameters
    ----------
    path : str or path
        The file. Its extension determines the format: ``.csv .tsv .parquet .pq .libsvm .svmlight
        .svm .npy .npz .idx -idx3-ubyte``; csv, libsvm and idx files may be compressed with gzip,
        csv and libsvm also with bzip2, xz and zstd.
    target : str or int, default=None
        The column of the labels, by name or by position (-1 is the last; a string of digits is
        a position unless a column has that name). For npz: the name of an array, by default
        ``"y"`` if it exists. For idx: the file of the labels. A libsvm file contains its labels.
        None reads features only, in formats that do not always contain labels.
    weights : str or int, default=None
        The column of the examples' weights, found like `target` and left out of the features.
        libsvm and idx files have none.
    format : {"csv", "parquet", "libsvm", "npy", "npz", "idx"}, default=None
        The format, if the extension does not determine it.
    drop : str, int or sequence of them, default=()
        Columns to leave out, by name or position; ignored when `features` is given.
    features : sequence of str, default=None
        The columns to use as features, in this order, such as the feature names of a model. A
        file without column names must have as many columns.
    n_features : int, default=None
        The required number of features. A libsvm file may have fewer: trailing features may all
        be zero, and zeros are not stored.
    labelled : bool, default=False
        Whether missing labels are an error.
    header : bool, default=None
        Whether the first line of a CSV file contains names. None: it does, and a number in it is
        an error, because it might be a row of data.
    default_target : str or int, default=None
        The target if `target` is None, for formats whose labels are a column or an array of the
        file itself; for example the target that is stored with a model. It never opens a file.
    missing : {"error", "drop", "indicator"}, default="error"
        What a missing value in a CSV or Parquet file is: an error; a reason to leave its row out,
        as is a missing label; or 0, with a feature ``"… is missing"`` that is 1 in its row. Missing
        are empty fields, NaN and the texts of `novikoff.data.encoding.MISSING`, such as NA and ?,
        and those of `na`.
    words : str, int or sequence of them, default=()
        Columns of words, even if they hold numbers, or as many words as identifiers do.
    decimal : {".", ","}, default="."
        The decimal point of a CSV file.
    thousands : {".", ",", "'", "_", " "}, default=None
        What separates groups of three digits in the numbers of a CSV file, as in 1,234.5. None: a
        number with separators is an error.
    dates : {"day-first", "month-first"}, default=None
        How a column of dates such as 01/02/2026 is read, if both ways are possible in all its rows.
        None: such a column is an error. A column that can be read in one way only is read so.
    na : str or sequence of str, default=()
        More texts that stand for missing values in a CSV file, such as "n.a." and "-".
    encoding : Encoding, default=None
        How columns become features, as at the fit of a model; `features`, `missing` and `words`
        are not looked at. Files of other formats must have the features themselves.

    Returns
    -------
    Table
        ``X, y, feature_names, target_name, weights, encoding``.

    Raises
    ------
    DataError
        One line with the file, the column, the row and a remedy. Control characters in names and
        values are shown escaped.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from novikoff.data import read
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "fruit.csv")
    >>> _ = path.write_text("weight,length,kind\n150,7,apple\n120,19.5,banana\n")
    >>> table = read(path, "kind")
    >>> table.X.tolist(), table.y.tolist(), table.feature_names
    ([[150.0, 7.0], [120.0, 19.5]], ['apple', 'banana'], ('weight', 'length'))
    >>> read(path, features=["length"]).X.ravel().tolist()
    [7.0, 19.5]
    >>> colours = pathlib.Path(folder.name, "colours.csv")
    >>> _ = colours.write_text("x,colour\n1,red\n2,\n3,blue\n4,red\n")
    >>> table = read(colours, missing="indicator")
    >>> table.X.tolist()
    [[1.0, 0.0, 1.0, 0.0], [2.0, 0.0, 0.0, 1.0], [3.0, 1.0, 0.0, 0.0], [4.0, 0.0, 1.0, 0.0]]
    >>> table.feature_names
    ('x', 'colour=blue', 'colour=red', 'colour is missing')
    >>> folder.cleanup()
    """
    request = Request(Path(path))
    try:
        _check_regular_file(request)
        name = _format(request, format)
        if target is None and name not in _LABELS_NOT_A_COLUMN:
            target = default_target
        if encoding is not None:
            encoded = name in _ENCODED
            features, words = encoding.names if encoded else encoding.feature_names, ()
            n_features = len(encoding.columns) if encoded else encoding.width
            missing = encoding.missing
        request = Request(
            request.path,
            target,
            weights,
            (drop,) if isinstance(drop, str | int) else tuple(drop),
            None if features is None else tuple(features),
            n_features,
            labelled,
            header,
            missing,
            (words,) if isinstance(words, str | int) else tuple(words),
            Numerals(decimal, thousands),
            dates,
            tuple(text.strip() for text in ((na,) if isinstance(na, str) else na)),
            encoding,
        )
        _check_options(request, name)
        if weights is not None and name in _LABELS_NOT_A_COLUMN:
            raise request.error(f"the format {name} has no weights: leave out --weights")
        module, reader = _READERS[name]
        table: Table = getattr(import_module(f"novikoff.data.formats.{module}"), reader)(request)
        return table
    except MemoryError:
        raise request.error("it needs more memory than is available") from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        # No permission, a broken disk, a compressed file that is cut short or damaged.
        raise request.error(f"it cannot be read ({_one_line(error)})") from error


def _check_options(request: Request, format: str) -> None:
    """Refuse options that a format does not have."""
    if request.missing not in POLICIES:
        raise DataError(f"missing={request.missing!r}: choose one of {', '.join(POLICIES)}")
    decimal, thousands = request.numerals.decimal, request.numerals.thousands
    if decimal not in (".", ","):
        raise DataError(f"decimal={decimal!r}: choose . or ,")
    if thousands not in (None, *SEPARATORS) or thousands == decimal:
        others = " ".join(repr(one) for one in SEPARATORS if one != decimal)
        raise DataError(
            f"thousands={thousands!r}, with the decimal point {decimal!r}: choose one of {others}"
        )
    if request.dates not in (None, *ORDERS):
        raise DataError(f"dates={request.dates!r}: choose one of {', '.join(ORDERS)}")
    if request.na and request.encoding is None and format != "csv":
        raise request.error(f"--na is only for CSV files, not for the format {format}")
    if request.encoding is None and format not in _ENCODED:
        if request.dates is not None:
            raise request.error(f"the format {format} has no dates: leave out --dates")
        if request.missing != "error":
            raise request.error(f"the format {format} has no missing values: leave out --missing")
        if request.words:
            raise request.error(f"the format {format} has no words: leave out --words")


def format_of(path: str | os.PathLike[str], format: str | None = None) -> str:
    """Determine the format of a file from its name, unless it is given.

    Examples
    --------
    >>> from novikoff.data.read import format_of
    >>> format_of("train.csv.gz"), format_of("train-images-idx3-ubyte"), format_of("a", "npy")
    ('csv', 'idx', 'npy')
    """
    return _format(Request(Path(path)), format)


def _check_regular_file(request: Request) -> None:
    try:
        status = request.path.stat()
    except FileNotFoundError:
        raise request.error("no such file") from None
    except ValueError:  # a name with a NUL byte in it
        raise request.error("no such file") from None
    if stat.S_ISDIR(status.st_mode):
        raise request.error("it is a folder; name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise request.error("it is not a regular file")
    if status.st_size == 0:
        raise request.error("it is empty")


def _one_line(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or " ".join(str(error).split())
    return printable(reason, 200)


def _format(request: Request, format: str | None) -> str:
    if format is not None:
        if format not in _READERS:
            raise DataError(f"no format {quoted(format)}: choose one of {', '.join(FORMATS)}")
        return format
    for ending, name in _ENDINGS.items():
        if re.search(ending + "$", request.path.name.lower()):
            return name
    for ending, what in _OTHERS.items():
        if re.search(ending + "$", request.path.name.lower()):
            raise request.error(f"it is {what}")
    raise request.error(
        f"the extension does not determine the format; pass --format, one of {', '.join(FORMATS)}"
    )
