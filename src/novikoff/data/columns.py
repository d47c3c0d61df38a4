"""Which columns of a file are the features, and which is the target."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from novikoff.data.table import Column, Request


@dataclass(frozen=True)
class Choice:
    """Positions of the chosen columns in the file."""

    features: tuple[int, ...]
    target: int | None


def choose(request: Request, names: Sequence[str] | None, width: int) -> Choice:
    """Find the target and the features among `width` columns, named or not."""
    if names is not None:
        _refuse_duplicates(request, names)
    target = None if request.target is None else _position(request, request.target, names, width)
    if target is None and request.labelled:
        raise request.error(f"no target is named: pass --target; {_listing(names, width)}")

    if request.features is not None and names is not None:
        features = tuple(_position(request, name, names, width) for name in request.features)
        if target is not None and target in features:
            raise request.error(f"column {names[target]!r} is the target and a feature: choose one")
    else:
        dropped = {_position(request, column, names, width) for column in request.drop}
        features = tuple(i for i in range(width) if i != target and i not in dropped)
        if not features:
            raise request.error("no feature is left beside the target and the dropped columns")
    if names is not None:
        for i in features:
            if not names[i].strip():
                raise request.error(
                    f"column {i} has no name (the row numbers of a data frame?): "
                    f"name it, or leave it out with --drop {i}"
                )
    request.check_width(len(features))
    return Choice(features, target)


def _position(request: Request, column: Column, names: Sequence[str] | None, width: int) -> int:
    if isinstance(column, str):
        if names is not None and column in names:
            return names.index(column)
        if not column.lstrip("-").isdecimal():
            raise request.error(f"no column {column!r}: {_hint(column, names, width)}")
        column = int(column)
    if not -width <= column < width:
        raise request.error(f"no column {column}: {_listing(names, width)}")
    return column % width


def _hint(column: str, names: Sequence[str] | None, width: int) -> str:
    if names is not None:
        lower = {name.lower(): name for name in names}
        near = difflib.get_close_matches(column.lower(), lower, n=3)
        if near:
            return "did you mean " + " or ".join(repr(lower[name]) for name in near) + "?"
    return _listing(names, width)


def _listing(names: Sequence[str] | None, width: int) -> str:
    if names is None:
        return (
            f"the columns have no names, only the positions 0 to {width - 1} (or -1 for the last)"
        )
    shown = ", ".join(names if width <= 12 else [*names[:8], "…", *names[-2:]])
    return f"the {width} columns are {shown}" if width > 1 else f"the only column is {shown}"


def _refuse_duplicates(request: Request, names: Sequence[str]) -> None:
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        if name.strip() and name in seen:
            raise request.error(
                f"two columns are called {name!r} (positions {seen[name]} and {i}): rename one"
            )
        seen[name] = i
