"""idx files, the format of MNIST: a magic number, the dimensions, the numbers."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.escape import quoted
from novikoff.data.formats.compressed import is_compressed, open_compressed, read_up_to
from novikoff.data.memory import size
from novikoff.data.table import Request, Table, as_features

_MANY = 10**15
_DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(request: Request) -> Table:
    """Read images, one row each, and their labels.

    The labels are in a file of their own: `target` names it, and where the images are in
    ``…-images-idx3-ubyte`` it is ``…-labels-idx1-ubyte`` in the same folder, if it is there.
    """
    if request.drop:
        raise request.error("the columns of an idx file are pixels: leave out --drop")
    images = parse_idx(request, contents(request))
    if images.ndim < 2:
        raise request.error("it contains labels, not examples: name the file of the images")
    X = as_features(request, images)
    request.check_width(X.shape[1])
    labels = _labels_file(request)
    if labels is None:
        if request.labelled:
            raise request.error("no labels in its folder: pass their idx file as --target")
        return Table(X, None)
    beside = Request(labels)
    y = parse_idx(beside, contents(beside))
    return Table(X, beside.check_labels(y, len(X), "the array"))


def contents(request: Request) -> bytearray:
    """Read a file, decompressed if necessary, up to one byte beyond the end of its array.

    No more memory is allocated than the file has bytes; a compressed file is refused if the
    array that its header promises does not fit into the available memory.
    """
    with open_compressed(request.path) as stream:
        content = read_up_to(stream, 4)
        if not _is_idx(content):
            return content
        content += read_up_to(stream, 4 * content[3])
        rest = _end(content) - len(content)
        if is_compressed(request.path):
            request.check_memory(rest)
        else:
            rest = min(rest, request.path.stat().st_size)
        return content + read_up_to(stream, rest + 1)


def parse_idx(request: Request, content: bytes | bytearray) -> NDArray[Any]:
    """Decode the content of an idx file: a vector, or rows, one for each entry of an axis."""
    if not _is_idx(content):
        raise request.error("not an idx file: it does not begin with idx's magic number")
    end = _end(content)
    if len(content) > end:
        raise request.error(f"it has more than the {end} bytes that its header promises")
    if len(content) < end:
        wanted = str(end) if end < _MANY else size(end).removesuffix(" bytes")
        raise request.error(f"it has {len(content)} bytes where {wanted} are expected: cut short?")
    n, *others = _shape(content)
    shape = (n, math.prod(others)) if others else (n,)
    if 0 in shape:
        raise request.error("it has no rows" if n == 0 else "it has no columns")
    dtype = np.dtype(_DTYPES[content[2]])
    array = np.frombuffer(content, dtype=dtype, offset=4 + 4 * content[3]).reshape(shape)
    array = array.astype(dtype.newbyteorder("="), copy=False)
    array.flags.writeable = False
    return array


def to_idx(array: NDArray[np.uint8]) -> bytes:
    """Encode an array of bytes as an idx file."""
    header = bytes([0, 0, 0x08, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes()
    return header + np.ascontiguousarray(array, dtype=np.uint8).tobytes()


def _is_idx(content: bytes | bytearray) -> bool:
    starts = len(content) >= 4 and content[:2] == b"\0\0" and content[2] in _DTYPES
    return starts and content[3] > 0


def _shape(content: bytes | bytearray) -> list[int]:
    """The dimensions, as far as the content has them."""
    words = content[4 : 4 + 4 * content[3]]
    return [int.from_bytes(words[i : i + 4], "big") for i in range(0, len(words) - 3, 4)]


def _end(content: bytes | bytearray) -> int:
    """How many bytes the file must have."""
    header, shape = 4 + 4 * content[3], _shape(content)
    if len(shape) < content[3]:
        return header
    return header + np.dtype(_DTYPES[content[2]]).itemsize * math.prod(shape)


def _labels_file(request: Request) -> Path | None:
    if request.target is not None:
        for candidate in (Path(str(request.target)), request.path.parent / str(request.target)):
            if candidate.is_file():
                return candidate
        raise request.error(f"no file {quoted(request.target, 200)} with the labels")
    name = re.sub(r"images([-.])idx\d", r"labels\1idx1", request.path.name)
    sibling = request.path.with_name(name)
    return sibling if name != request.path.name and sibling.is_file() else None
