"""Files of compiled code: their folders and names, and what must be the same for them to be used.

One file holds the code of one function for one list of types. Its name depends on the function,
on the types, and on everything that the code was compiled for and with: the processor, Python,
numba and llvmlite. The file begins with a checksum and the date and size of the source.
"""

import hashlib
import os
import pickle
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from novikoff.certificate.announce import logger

SUFFIX = ".code"
FORMAT = "1"
"""Of what is stored: another number leaves the files of other releases alone."""
CHECKSUM = 4
"""Bytes of the checksum."""
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT"}
"""Settings of numba that do not change what is compiled."""


used_folders: set[str] = set()
"""The folders from which this process has read compiled code, or to which it has written some."""


@dataclass(frozen=True)
class CodeFile:
    """Where the code of a function is kept, for one list of types."""

    source: str
    name: str

    def read(self) -> Any:
        """Return what was stored; None if it is not there, damaged, or of another source."""
        for folder in _folders(self.source):
            try:
                content = Path(folder, self.name).read_bytes()
            except OSError:
                continue
            body = content[CHECKSUM:]
            if not body or content[:CHECKSUM] != _checksum(body):
                logger.warning(
                    "Compiled code in %s is damaged: it is taken from numba again.", folder
                )
                continue
            stamp, stored = pickle.loads(body)
            if stamp == self._stamp:
                used_folders.add(folder)
                return stored
        return None

    def write(self, stored: Any) -> None:
        """Store in the first folder that can be written, if there is one."""
        body = pickle.dumps((self._stamp, stored), protocol=5)
        for folder in _folders(self.source, make=True):
            try:
                os.makedirs(folder, exist_ok=True)
                # Not a temporary file of Python's, which only its owner can read.
                written = Path(folder, f"{self.name}.{os.getpid()}.{threading.get_ident()}")
                written.write_bytes(_checksum(body) + body)
                os.replace(written, Path(folder, self.name))
            except OSError:
                continue
            used_folders.add(folder)
            return

    @property
    def _stamp(self) -> tuple[str, float, int]:
        """What a file must have been written for: its own name, and the source as it is."""
        status = os.stat(self.source)
        return self.name, status.st_mtime, status.st_size


def file_of(function: Callable[..., Any], types: str) -> CodeFile | None:
    """Return the file for a function and types; None if code of it is not kept in files."""
    source = function.__code__.co_filename
    compiled_with = _compiled_with()
    if compiled_with is None or not os.path.exists(source):
        return None
    what = "\n".join([FORMAT, os.path.abspath(source), types, compiled_with])
    stem = f"{Path(source).stem}.{function.__name__}-{function.__code__.co_firstlineno}"
    return CodeFile(source, f"{stem}.{hashlib.sha256(what.encode()).hexdigest()[:16]}{SUFFIX}")


def _folders(source: str, *, make: bool = False) -> Iterator[str]:
    """Yield the folders to look into, in the order of numba's, and a temporary one."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield os.path.join(chosen, "novikoff")
    beside = os.path.join(os.path.dirname(os.path.abspath(source)), "__pycache__")
    # As numba's: beside a folder that was chosen, only what was prepared for all users.
    if not chosen or not os.access(beside, os.W_OK):
        yield beside
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    mine = os.path.join(caches, "novikoff", "compiled")
    # No home is made where there is none.
    if os.path.isdir(os.path.dirname(caches)) and _is_trusted(mine):
        yield mine
    temporary = temporary_folder(make=make)
    if temporary is not None:
        yield str(temporary)


def _is_trusted(folder: str) -> bool:
    """Whether nobody but this user and root can write a folder; one that is not there is trusted.

    Reading compiled code runs it, and a home may be another user's, or everybody's.
    """
    if not hasattr(os, "getuid"):
        return True
    try:
        status = os.stat(folder)
    except OSError:
        return True
    return status.st_uid in (0, os.getuid()) and not status.st_mode & 0o002


def temporary_folder(*, make: bool = True) -> Path | None:
    """Return a folder among the temporary files that only this user can write.

    Reading compiled code runs it, so a folder that another user has made is not used.
    """
    user = os.getuid() if hasattr(os, "getuid") else None
    try:
        folder = Path(tempfile.gettempdir(), f"novikoff-{'cache' if user is None else user}")
        if make:
            folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    mine = user is None or (status.st_uid == user and not status.st_mode & 0o022)
    return folder if mine and folder.is_dir() and not folder.is_symlink() else None


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(CHECKSUM, "little")


@cache
def numba_folder() -> str | None:
    """Return where numba is, which is not imported for that."""
    found = PathFinder.find_spec("numba")
    places = found.submodule_search_locations if found else None
    return places[0] if places else None


@cache
def _compiled_with() -> str | None:
    """Return what code is compiled for and with; None if numba has settings that change it."""
    folder = numba_folder()
    changed = {name for name in os.environ if name.startswith("NUMBA_")} - HARMLESS
    if folder is None or changed or os.path.exists(".numba_config.yaml"):
        return None
    import llvmlite.binding

    try:
        version = Path(folder, "_version.py").read_text()
    except OSError:
        return None
    return "\n".join(
        [
            sys.version,
            version,
            llvmlite.__version__,
            llvmlite.binding.get_process_triple(),
            llvmlite.binding.get_host_cpu_name(),
            llvmlite.binding.get_host_cpu_features().flatten(),
        ]
    )
