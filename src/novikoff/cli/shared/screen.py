"""What the user sees: progress and warnings on stderr, the result on stdout."""

import json
import shutil
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import isfinite
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from novikoff.cli.shared.group import complain, safe
from novikoff.report.advice import with_options

if TYPE_CHECKING:
    from rich.status import Status

    from novikoff.run import Progress

# Seconds between two lines of progress: a terminal rewrites its line, a log grows by each.
_REDRAW = 0.1
_LOG = 1.0
# The columns and lines where there is no terminal, and the columns that names of rows take up.
_ELSEWHERE = (100, 24)
_NAMES = 14

Row = tuple[str, str]


class Screen:
    """One line of progress on a terminal, a line a second elsewhere, none when quiet.

    Examples
    --------
    >>> with Screen() as screen:
    ...     screen.show([("Verdict", "Separable."), ("Time", "0.1 s")])
    Verdict  Separable.
    Time     0.1 s
    """

    def __init__(self, *, quiet: bool = False, json: bool = False) -> None:
        self.quiet = quiet
        self.json = json
        self.started = time.perf_counter()
        self._last = self.started
        self._status: Status | None = None
        self._open = ExitStack()
        self._has_compiled = False

    def __enter__(self) -> Self:
        from novikoff.certificate.announce import announcing

        self._open.enter_context(announcing(self.compiling))
        if not self.quiet and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()
        self.clear()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    def clear(self) -> None:
        """Take the line of progress away: what follows is the result."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def stage(self, text: str) -> None:
        """Say what is being done now, on a terminal; a log has only the progress of long work."""
        self._last = time.perf_counter()
        if self._status is not None:
            self._say(text)

    def progress(self, line: "Progress") -> None:
        """Say how far a run has come; the callback of a fit after every pass.

        The optimum is the largest margin, or for a soft margin the least objective.
        """
        bounds = "optimum unknown"
        if line.lower > 0.0 and isfinite(line.upper):
            bounds = f"optimum between {line.lower:.3g} and {line.upper:.3g}"
        elif isfinite(line.upper):
            bounds = f"optimum below {line.upper:.3g}"
        self.tell(
            f"pass {line.iteration:,}: {line.updates:,} updates, {bounds}, {line.seconds:.1f} s"
        )

    def compiling(self, line: str | None) -> None:
        """Say that something is compiled: on a terminal how much, in a log once."""
        if line is not None and (self._status is not None or not self._has_compiled):
            self._has_compiled = True
            self._say(line)

    def tell(self, text: str) -> None:
        """Say how far long work has come, but not more often than is useful."""
        wait = _LOG if self._status is None else _REDRAW
        if time.perf_counter() - self._last >= wait:
            self._say(text)

    def note(self, text: str) -> None:
        """Say something on stderr that stays."""
        self.clear()
        if not self.quiet:
            print(safe(text), file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        """Print a warning above the line of progress; `quiet` does not silence it."""
        if self._status is not None:
            self._status.stop()
        complain("warning", text)
        if self._status is not None:
            self._status.start()

    def _say(self, text: str) -> None:
        if self.quiet:
            return
        self._last = time.perf_counter()
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(safe(text)))
        else:
            print(safe(text), file=sys.stderr, flush=True)

    @contextmanager
    def warnings_as_lines(self) -> Iterator[None]:
        """Turn Python's warnings into lines on stderr; `quiet` does not silence them."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", category=UserWarning)
            yield
        if caught:
            self.clear()
        for warning in caught:
            complain("warning", with_options(str(warning.message)))

    def show(self, rows: Sequence[Row], document: dict[str, Any] | None = None) -> None:
        """Print the result: a table of names and sentences, or the JSON document."""
        self.clear()
        if self.json:
            text = json.dumps(plain(document), allow_nan=False)
            # The only control character that JSON leaves as it is.
            print(text.replace("\x7f", "\\u007f"))
        elif rows and not self.quiet:
            show_rows(rows)


def text_width() -> int:
    """Return how many characters of a sentence fit beside its name."""
    return shutil.get_terminal_size(_ELSEWHERE).columns - _NAMES


def show_rows(rows: Sequence[Row]) -> None:
    """Print names and sentences: wrapped on a terminal, not wrapped elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for name, text in rows:
            table.add_row(Text(name), Text("\n".join(map(safe, text.split("\n")))))
        Console(highlight=False).print(table)
        return
    width = max((len(name) for name, _ in rows), default=0) + 2
    for name, text in rows:
        for number, line in enumerate(text.split("\n")):
            print(f"{'' if number else name:<{width}}{safe(line)}")


def plain(value: Any) -> Any:
    """Turn numpy's values into JSON's; a number that is not finite becomes null.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"margin": np.array([0.5, -np.inf]), "classes": (np.int64(3), "b")})
    {'margin': [0.5, None], 'classes': [3, 'b']}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
