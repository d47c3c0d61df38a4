"""The one line of a refusal, and files with headers of one's own making."""

import io
import struct
import zipfile

import pytest

from novikoff.data import DataError, read

ESC = "\x1b[2J"


def message(path, *args, **kwargs):
    """What `read` says of a file that it refuses: a line that begins with the file's name."""
    with pytest.raises(DataError) as caught:
        read(path, *args, **kwargs)
    text = str(caught.value)
    assert text.startswith(f"{path}: ") and text.isprintable() and len(text) < 700
    return text[len(str(path)) + 2 :]


def npy(descr, shape, data=b"", version=1):
    """An npy file with any header."""
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def npz(members, compression=zipfile.ZIP_DEFLATED):
    """An npz file of any members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()
