"""Reading examples and models, and checking where output may be written."""

import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from novikoff.cli.shared.group import Refusal, one_line

if TYPE_CHECKING:
    from novikoff.data import Table


@dataclass(frozen=True)
class Source:
    """A file of examples and how it is to be read."""

    path: Path
    target: str | None = None
    format: str | None = None
    drop: tuple[str, ...] = ()
    header: bool | None = None
    weights: str | None = None
    remembered: str | None = None
    """The target that a model remembers: a column of this file, never the name of another."""

    def read(self, **wanted: Any) -> "Table":
        """Read the file; `wanted` are further arguments of `novikoff.data.read`."""
        from novikoff.data import DataError, read

        try:
            return read(
                self.path,
                self.target,
                format=self.format,
                drop=self.drop,
                header=self.header,
                weights=self.weights,
                default_target=self.remembered,
                **wanted,
            )
        except DataError as error:
            raise Refusal(error) from None

    def about(self, table: "Table") -> dict[str, str]:
        """What a model must remember so that `verify` reads the same numbers again.

        Columns with names are found by their names; positions are needed only without them. The
        labels of an idx file are in a file of their own, which is named anew each time.
        """
        from novikoff.data.read import format_of

        about = {"data": self.path.name}
        target = table.target_name or self.target
        if target is not None and format_of(self.path, self.format) != "idx":
            about["target"] = target
        if table.feature_names is None and self.drop:
            about["drop"] = " ".join(self.drop)
        if self.header is not None:
            about["header"] = "yes" if self.header else "no"
        return about


def as_at_the_fit(source: Source, model: Any) -> Source:
    """Fill in from the model's memory what was not said on the command line."""
    named = feature_names(model) is not None
    return replace(
        with_header(source, model),
        remembered=_note(model, "target"),
        drop=source.drop or (() if named else tuple((_note(model, "drop") or "").split())),
    )


def with_header(source: Source, model: Any) -> Source:
    """Fill in whether the first line holds names, if that was said at the fit."""
    said = _note(model, "header")
    if source.header is not None or said is None:
        return source
    return replace(source, header=said == "yes")


def _note(model: Any, key: str) -> str | None:
    """What a model says of its training data under a key, None if it says nothing."""
    note = model.about_.get(key)
    if note is not None and not isinstance(note, str):
        raise Refusal(f"the model is damaged: what it says about {key!r} is not a text")
    return note


def columns_of(model: Any) -> dict[str, Any]:
    """The arguments of `read` that bring the columns of a file into the model's order."""
    names = feature_names(model)
    if names is not None:
        return {"features": names}
    return {"n_features": int(model.n_features_in_)}


def feature_names(model: Any) -> tuple[str, ...] | None:
    """The names of the model's features, where it knows them."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(map(str, names))


def load_model(path: Path) -> Any:
    """Read a model, or refuse in one line."""
    from novikoff import load

    check_readable(path)
    try:
        return load(path)
    except (ValueError, OSError) as error:
        message = one_line(error)
        named = message.startswith(str(path))
        raise Refusal(message if named else f"{path}: {message}") from error


def check_readable(path: Path) -> None:
    """Refuse a model file that is not there."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise Refusal(f"{path}: no such file") from None
    except OSError as error:
        raise Refusal(f"{path}: it cannot be read ({error.strerror})") from None
    if stat.S_ISDIR(status.st_mode):
        raise Refusal(f"{path}: it is a folder; name a file in it")


def check_output(out: Path, *inputs: Path, ours: str | None = None) -> None:
    """Refuse, before any work is done, an output that could not or should not be written.

    `ours` is the first field of files of the kind that is to be written: with it, only such
    files are replaced.
    """
    try:
        old = out.stat()
    except FileNotFoundError:
        old = None
    except OSError as error:
        raise not_written(out, error) from None
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise Refusal(f"--out {out}: it is a folder; name a file in it")
    folder = out.parent
    if not folder.is_dir():
        raise Refusal(f"--out {out}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise Refusal(f"--out {out}: the folder {folder} cannot be written to")
    if old is None:
        return
    if not stat.S_ISREG(old.st_mode):
        raise Refusal(f"--out {out}: it is not a regular file; name another")
    for path in inputs:
        if path.exists() and out.samefile(path):
            raise Refusal(f"--out {out}: that is an input; name another file")
    if ours is not None and old.st_size > 0:
        with out.open("rb") as file:
            if ours.encode() not in file.read(200):
                raise Refusal(f"--out {out}: that file is not a {ours}; name another file")


def not_written(out: Path, error: OSError) -> Refusal:
    """Make the refusal for a file that the system did not let us write."""
    return Refusal(f"--out {out}: it cannot be written ({error.strerror or error})")
