"""Choose the columns of a file that are the features, the target and the weights."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from novikoff.certificate.escape import printable, quoted
from novikoff.data.table import Column, Request, describe_column, join_names

_POSITION = re.compile(r"-?[0-9]{1,18}")
# Finding similar names takes some microseconds per column; with more columns it is skipped.
_MAX_COMPARED = 10_000


@dataclass(frozen=True)
class Choice:
    """Positions of the chosen columns in the file.

    ``unnamed`` would be features, if they had a name, as all others have.
    """

    features: tuple[int, ...]
    target: int | None = None
    weights: int | None = None
    words: frozenset[int] = frozenset()
    unnamed: tuple[int, ...] = ()

    @property
    def positions(self) -> list[int]:
        """All chosen columns: the features, then the target, then the weights."""
        return [*self.features, *(i for i in (self.target, self.weights) if i is not None)]

    def left_out(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """Name the columns that are not chosen; none where columns have no names."""
        chosen = set(self.positions)
        return tuple(name for i, name in enumerate(names or ()) if i not in chosen)


def choose(request: Request, names: Sequence[str] | None, width: int) -> Choice:
    """Find the target, the weights and the features among `width` columns, named or not."""
    columns = _Columns(request, names, width)
    target = None if request.target is None else columns.position(request.target)
    if target is None and request.labelled:
        raise request.error(f"no target is named: pass --target; {columns.listing()}")
    weights = None if request.weights is None else columns.position(request.weights)
    if weights is not None and weights == target:
        raise request.error(
            f"{describe_column(names, weights)} is the target and the weights: choose one"
        )

    if request.features is not None and names is not None:
        features = tuple(columns.position(name) for name in request.features)
        for role, column in (("target", target), ("weights", weights)):
            if column in features:
                where = describe_column(names, column)
                raise request.error(f"{where} is the {role} and a feature: choose one")
    else:
        dropped = {columns.position(column, "--drop") for column in request.drop}
        others = dropped | {target, weights}
        features = tuple(i for i in range(width) if i not in others)
        if not features:
            raise request.error("no feature is left besides the target and the dropped columns")
    unnamed = () if names is None else tuple(i for i in features if not names[i].strip())
    if not unnamed:
        request.check_width(len(features))
    words = frozenset(columns.position(column, "--words") for column in request.words)
    features = tuple(i for i in features if i not in unnamed)
    for column in sorted(words - set(features)):
        where = describe_column(names, column)
        raise request.error(f"{where} is not a feature: leave out --words for it")
    return Choice(features, target, weights, words, unnamed)


class _Columns:
    """The columns of a file, which can be found by name or by position."""

    def __init__(self, request: Request, names: Sequence[str] | None, width: int) -> None:
        self.request = request
        self.names = names
        self.width = width
        self.found: dict[str, int] = {}
        for i, name in enumerate(names or ()):
            first = self.found.setdefault(name, i)
            if name.strip() and first != i:
                raise request.error(
                    f"two columns are called {quoted(name)} (positions {first} and {i}): rename "
                    "one, or add --no-header if the first line is data"
                )

    def position(self, column: Column, repeated: str | None = None) -> int:
        """Find a column by its name, else by its position; ``repeated`` is an option for several.

        Names that commas separate are not taken for several columns: a name may have commas.
        """
        if isinstance(column, str):
            if column in self.found:
                return self.found[column]
            if not _POSITION.fullmatch(column):
                hint = self._one_by_one(column, repeated) or self._hint(column)
                raise self.request.error(f"no column {quoted(column)}: {hint}")
            column = int(column)
        if not -self.width <= column < self.width:
            raise self.request.error(f"no column {printable(column)}: {self.listing()}")
        return column % self.width

    def listing(self) -> str:
        """List the columns, for a message."""
        if self.names is None:
            last = self.width - 1
            return f"the columns have no names, only the positions 0 to {last} (or -1 for the last)"
        if self.width == 1:
            only = f"the only column is {quoted(self.names[0], 80)}"
            return f"{only} (a CSV file has commas, semicolons, tabs or | between columns)"
        return f"the {self.width} columns are {join_names(self.names)}"

    def _one_by_one(self, column: str, repeated: str | None) -> str:
        """Say how to name several columns, where commas separate what are columns."""
        parts = [part.strip() for part in column.split(",")]
        if repeated is None or len(parts) < 2 or not all(map(self._has, parts)):
            return ""
        options = shlex.join(word for part in parts for word in (repeated, part))
        return f"give {repeated} once for each column: {printable(options, 200)}"

    def _has(self, column: str) -> bool:
        if column in self.found:
            return True
        return bool(_POSITION.fullmatch(column)) and -self.width <= int(column) < self.width

    def _hint(self, column: str) -> str:
        if self.names is not None and 1 < self.width <= _MAX_COMPARED:
            lower = {name.lower(): name for name in self.names}
            near = difflib.get_close_matches(column.lower(), lower, n=3, cutoff=0.65)
            if near:
                return "did you mean " + " or ".join(quoted(lower[name]) for name in near) + "?"
        return self.listing()
