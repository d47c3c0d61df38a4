"""idx files, the format of MNIST: a magic number, the dimensions, the numbers."""

from __future__ import annotations

import gzip
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.table import Request, Table, as_features

_DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(request: Request) -> Table:
    """Read images, one row each, and the labels beside them.

    The labels are in a file of their own: `target` names it, and where the images are in
    ``…-images-idx3-ubyte`` it is ``…-labels-idx1-ubyte`` in the same folder, if it is there.
    """
    images = parse_idx(request, contents(request.path))
    if images.ndim < 2:
        raise request.error("it holds labels, not examples: name the file of the images")
    X = as_features(request, images.reshape(len(images), math.prod(images.shape[1:])))
    if request.drop:
        raise request.error("the columns of an idx file are pixels: leave out --drop")
    request.check_width(X.shape[1])
    labels = _labels_file(request)
    if labels is None:
        if request.labelled:
            raise request.error("no labels beside it: pass their idx file as --target")
        return Table(X, None)
    beside = Request(labels)
    y = parse_idx(beside, contents(labels))
    return Table(X, beside.check_labels(y, len(X), "the array"))


def parse_idx(request: Request, content: bytes) -> NDArray[Any]:
    """Decode the content of an idx file."""
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _DTYPES:
        raise request.error("not an idx file: it does not begin with idx's magic number")
    dtype = np.dtype(_DTYPES[content[2]])
    header = expected = 4 + 4 * content[3]
    shape: tuple[int, ...] = ()
    if len(content) >= header:
        shape = tuple(np.frombuffer(content[4:header], dtype=">u4").tolist())
        expected += dtype.itemsize * math.prod(shape)
    if len(content) != expected:
        raise request.error(
            f"it has {len(content)} bytes where {expected} are expected: cut short?"
        )
    array = np.frombuffer(content, dtype=dtype, offset=header).reshape(shape)
    return array.astype(dtype.newbyteorder("="), copy=False)


def to_idx(array: NDArray[np.uint8]) -> bytes:
    """Encode an array of bytes as an idx file."""
    header = bytes([0, 0, 0x08, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes()
    return header + np.ascontiguousarray(array, dtype=np.uint8).tobytes()


def contents(path: Path) -> bytes:
    """Read a file, unpacked if it is gzipped, whatever its name says."""
    content = path.read_bytes()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def _labels_file(request: Request) -> Path | None:
    if request.target is not None:
        for candidate in (Path(str(request.target)), request.path.parent / str(request.target)):
            if candidate.is_file():
                return candidate
        raise request.error(f"no file {str(request.target)!r} with the labels")
    name = re.sub(r"images([-.])idx\d", r"labels\1idx1", request.path.name)
    sibling = request.path.with_name(name)
    return sibling if name != request.path.name and sibling.is_file() else None
