"""Saying that code is being compiled, which takes seconds, the first time that it is used.

On a terminal a line stands on stderr while something is compiled; elsewhere the logger ``novikoff``
gets one line per process. :func:`announcing` sends both elsewhere.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

COMPILING = "Compiling for this machine, once ..."

logger = logging.getLogger("novikoff")

Announce: TypeAlias = Callable[[str | None], None]
"""Called with a line of progress whenever something is compiled, and with None after it."""


class _Default:
    """A line that is taken away on a terminal; one line in the log elsewhere."""

    def __init__(self) -> None:
        self.said = False

    def __call__(self, line: str | None) -> None:
        if sys.stderr is not None and sys.stderr.isatty():
            # To the start of the line, and erase it.
            print(f"\r\x1b[K{line or ''}", end="", file=sys.stderr, flush=True)
        elif line is not None and not self.said:
            self.said = True
            logger.warning(COMPILING)


_announce: Announce = _Default()


@contextmanager
def announcing(announce: Announce) -> Iterator[None]:
    """Send the lines of progress to ``announce`` for a while."""
    global _announce
    before, _announce = _announce, announce
    try:
        yield
    finally:
        _announce = before


class Compilations:
    """Counts the functions that are compiled, which may call each other, and announces them."""

    def __init__(self) -> None:
        self.count = 0
        self._depth = 0

    def begin(self) -> None:
        """A function is about to be compiled."""
        self.count += 1
        self._depth += 1
        many = f" ({self.count} functions)" if self.count > 1 else ""
        _announce(f"{COMPILING}{many}")

    def end(self) -> None:
        """It is compiled, or has failed to."""
        self._depth -= 1
        if self._depth == 0:
            _announce(None)


compilations = Compilations()
"""Those of this process."""
