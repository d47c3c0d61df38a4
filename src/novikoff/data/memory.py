"""How much memory a reader may use, so that a file that promises more is refused at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_PROC = Path("/proc")
_CGROUPS = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Estimate how many bytes this process can still use.

    The least of what is free in the machine, what the control groups of the process (those of a
    container or a batch job) leave, and what its limit on address space (``ulimit -v``) leaves.

    Returns
    -------
    int or None
        None where the operating system does not report it. Nothing is refused in advance then,
        and an allocation that is too large fails when it is made.

    Examples
    --------
    >>> from novikoff.data.memory import available_memory
    >>> free = available_memory()
    >>> free is None or free >= 0
    True
    """
    known = [
        free
        for free in (_in_the_machine(), *_in_control_groups(), _in_the_address_space())
        if free is not None
    ]
    return max(0, min(known)) if known else None


def size(n_bytes: int) -> str:
    """Write a number of bytes as people do.

    Examples
    --------
    >>> size(999), size(1_234_567), size(8 << 40), size(1 << 100)
    ('999 bytes', '1.2 MB', '8.8 TB', 'more than a million PB')
    """
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    value = min(n_bytes, 10**30) / 1000
    for unit in ("kB", "MB", "GB", "TB"):
        if value < 999.95:
            return f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:,.1f} PB" if n_bytes < 10**21 else "more than a million PB"


def _in_the_machine() -> int | None:
    fields = _fields(_PROC / "meminfo")
    if "MemAvailable:" in fields:
        return fields["MemAvailable:"] * 1024
    # Elsewhere the best known bound is the memory the machine has.
    names = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" not in names or "SC_PAGE_SIZE" not in names:
        return None
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return total if total > 0 else None


def _in_the_address_space() -> int | None:
    if resource is None:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    pages = _text(_PROC / "self" / "statm").split()
    used = int(pages[0]) * os.sysconf("SC_PAGE_SIZE") if pages else 0
    return limit - used


def _in_control_groups() -> Iterator[int]:
    """What each control group of this process leaves; those around it limit it as well."""
    for line in _text(_PROC / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":  # version 2
            root, cache = _CGROUPS, ""
            limit, used = "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            root, cache = _CGROUPS / "memory", "total_"
            limit, used = "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        inside = root / path.strip("/")
        for group in (inside, *inside.parents):
            if not group.is_relative_to(root):
                break
            most, current = _number(group / limit), _number(group / used)
            if most is None or current is None:
                continue
            # Cached pages of files count as used, and are given back when memory is short.
            stat = _fields(group / "memory.stat")
            files = stat.get(f"{cache}inactive_file", 0) + stat.get(f"{cache}active_file", 0)
            yield most - max(0, current - files)


def _text(path: Path) -> str:
    """The content of a file of the system, empty where there is none."""
    try:
        return path.read_text()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdecimal() else None


def _fields(path: Path) -> dict[str, int]:
    """The numbers of a file with lines ``name number``."""
    rows = (line.split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdecimal()}
