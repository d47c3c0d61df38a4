"""Where results are written: checked before any work is done, and written whole."""

import os
from collections.abc import Callable
from pathlib import Path

from novikoff.cli.shared.group import Refusal, safe


def check_output(out: Path, *inputs: Path, ours: str | None = None) -> None:
    """Refuse, before any work is done, an output that could not or should not be written.

    `ours` is the format that the file to be written states in its first line: with it, only
    files of that format are replaced.
    """
    try:
        _check_output(out, inputs, ours)
    except OSError as error:
        raise not_written(out, error) from None


def _check_output(out: Path, inputs: tuple[Path, ...], ours: str | None) -> None:
    name = f"--out {safe(out)}"
    if is_nowhere(out):
        return
    if out.is_dir():
        raise Refusal(f"{name}: it is a folder; name a file in it")
    folder = out.parent
    if not folder.is_dir():
        raise Refusal(f"{name}: there is no folder {safe(folder)}; create it first")
    if not os.access(folder, os.W_OK):
        raise Refusal(f"{name}: the folder {safe(folder)} cannot be written to")
    if not out.exists():
        return
    if not out.is_file():
        raise Refusal(f"{name}: it is not a regular file; name another")
    for path in inputs:
        if path.exists() and out.samefile(path):
            raise Refusal(f"{name}: that is an input; name another file")
    if ours is not None and out.stat().st_size > 0:
        with out.open("rb") as file:
            if ours.encode() not in file.read(200):
                raise Refusal(f"{name}: that file is not a {ours}; name another file")


def is_nowhere(out: Path) -> bool:
    """Whether what is written there is thrown away, as in ``/dev/null``."""
    return str(out) == os.devnull


def write(out: Path, save: Callable[[Path], None]) -> None:
    """Write a file by `save`, or refuse in one line; an old file stays whole."""
    if is_nowhere(out):
        return
    try:
        save(out)
    except OSError as error:
        raise not_written(out, error) from None


def not_written(out: Path, error: OSError) -> Refusal:
    """Make the refusal for a file that the system did not let us write."""
    return Refusal(f"--out {safe(out)}: it cannot be written ({error.strerror or error})")
