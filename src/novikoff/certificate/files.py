"""Writing a file whole or not at all."""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no advisory locks: leftovers stay there.
    fcntl = None  # type: ignore[assignment]

_WRITE = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def write_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write to a temporary name and rename, so that an interruption leaves the old file whole.

    Through a symbolic link the file that it points to is written, and the link stays. A file
    that is replaced keeps its mode, and where the system permits it its owner and group. What an
    earlier call left behind because its process was killed is removed; the temporary file of a
    process that is still writing is left alone.

    Raises
    ------
    OSError
        If `path` is a folder, a device, a pipe or a socket, or the system refuses to write.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "proof.json")
    >>> write_atomically(path, "{}")
    >>> os.listdir(folder.name)
    ['proof.json']
    >>> folder.cleanup()
    """
    content = text.encode()
    old = _regular_file(path)
    target = Path(os.path.realpath(path))
    for leftover in _leftovers(target):
        _remove_abandoned(leftover)
    temporary, descriptor = _create(target, 0o666 if old is None else 0o600)
    try:
        # The file is renamed while it is open and locked, so that at no moment another process
        # takes it for a leftover.
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if old is not None and hasattr(os, "fchmod"):
                _keep_access(file.fileno(), old)
            os.fsync(file.fileno())
            if fcntl is not None:
                os.replace(temporary, target)
        if fcntl is None:  # Windows does not rename an open file.
            os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _regular_file(path: str | os.PathLike[str]) -> os.stat_result | None:
    """The status of the file that is to be replaced, None if there is none."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EINVAL, "It is not a regular file", str(path))
    return old


def _prefix(target: Path) -> str:
    # A digest, because a name of 255 bytes leaves no room for anything beside it.
    digest = hashlib.blake2b(os.fsencode(target.name), digest_size=8).hexdigest()
    return f".novikoff-{digest}-"


def _create(target: Path, mode: int) -> tuple[Path, int]:
    """Create a temporary file beside the target, and lock it."""
    while True:
        temporary = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}.tmp")
        descriptor = os.open(temporary, _WRITE | os.O_CREAT | os.O_EXCL, mode)
        if _lock(descriptor) is not False and temporary.exists():
            return temporary, descriptor
        # Before it was locked, another process took the file for a leftover and removed it.
        os.close(descriptor)


def _lock(descriptor: int) -> bool | None:
    """Lock a file until it is closed: True, False if it is locked, None if that is unknown."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def _leftovers(target: Path) -> Iterator[str]:
    """Temporary files of this target, of dead processes and of living ones."""
    prefix = _prefix(target)
    try:
        with os.scandir(target.parent) as entries:
            names = [
                entry.path
                for entry in entries
                if entry.name.startswith(prefix) and entry.is_file(follow_symlinks=False)
            ]
    except PermissionError:  # a folder may be written to that may not be listed
        return
    yield from names


def _remove_abandoned(leftover: str) -> None:
    """Remove a temporary file unless a process holds it locked, or may do so.

    A file that cannot be opened or removed belongs to another user, or its process has just
    finished: that is no reason not to save.
    """
    try:
        descriptor = os.open(leftover, _WRITE)
    except OSError:
        return
    try:
        if _lock(descriptor):
            os.unlink(leftover)
    except OSError:
        return
    finally:
        os.close(descriptor)


def _keep_access(descriptor: int, old: os.stat_result) -> None:
    """Give the new file the mode of the old one, and its owner and group if possible."""
    mode, new = stat.S_IMODE(old.st_mode), os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            # What the old group was permitted is not for another one.
            mode &= ~stat.S_IRWXG
    os.fchmod(descriptor, mode)
