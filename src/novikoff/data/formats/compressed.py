"""Compressed files, recognised by their first bytes and read piece by piece."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

_PIECE = 1 << 20


class _ArrowReader(io.RawIOBase):
    """An input stream of Arrow as a stream of Python, which has lines."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece: bytes = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _open_zstd(path: Path, mode: str) -> Any:
    return io.BufferedReader(_ArrowReader(pa.CompressedInputStream(str(path), "zstd")))


_MAGIC: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": _open_zstd,
}
_BY_ARROW = {gzip.open: "gzip", bz2.open: "bz2", _open_zstd: "zstd"}


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed with gzip, bzip2, xz or zstd, by its first bytes."""
    return _opener(path) is not None


def open_compressed(path: Path) -> IO[bytes]:
    """Open a file for reading; a compressed file is decompressed."""
    opener = _opener(path)
    stream: IO[bytes] = path.open("rb") if opener is None else opener(path, "rb")
    return stream


def arrow_stream(path: Path) -> Any:
    """Open a file for Arrow, which decompresses all but xz itself."""
    opener = _opener(path)
    if opener is lzma.open:
        return pa.PythonFile(lzma.open(path, "rb"), "r")
    if opener is None:
        return pa.OSFile(str(path), "r")
    return pa.CompressedInputStream(str(path), _BY_ARROW[opener])


def pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Read a stream to its end."""
    while piece := stream.read(_PIECE):
        yield piece


def read_up_to(stream: IO[bytes], n_bytes: int) -> bytearray:
    """Read `n_bytes` bytes, or fewer at the end of the stream."""
    content = bytearray(n_bytes)
    filled = 0
    with memoryview(content) as view:
        while filled < n_bytes:
            piece = stream.read(min(_PIECE, n_bytes - filled))
            if not piece:
                break
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
    del content[filled:]
    return content


def _opener(path: Path) -> Any:
    with path.open("rb") as file:
        start = file.read(6)
    return next((opener for magic, opener in _MAGIC.items() if start.startswith(magic)), None)
