"""Reading examples and models, and the place of what is written."""

import os
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
                **wanted,
            )
        except DataError as error:
            raise Refusal(error) from None

    def about(self, table: "Table") -> dict[str, str]:
        """What a model must remember so that `verify` reads the same numbers again.

        Columns with names are found by their names; positions are needed only without them.
        """
        about = {"data": self.path.name}
        target = table.target_name or self.target
        if target is not None:
            about["target"] = target
        if table.feature_names is None and self.drop:
            about["drop"] = " ".join(self.drop)
        if self.header is not None:
            about["header"] = "yes" if self.header else "no"
        return about


def as_at_the_fit(source: Source, model: Any) -> Source:
    """Fill in from the model's memory what was not said on the command line."""
    about = model.about_
    named = feature_names(model) is not None
    return replace(
        with_header(source, model),
        target=about.get("target") if source.target is None else source.target,
        drop=source.drop or (() if named else tuple(about.get("drop", "").split())),
    )


def with_header(source: Source, model: Any) -> Source:
    """Fill in whether the first line holds names, if that was said at the fit."""
    said = model.about_.get("header")
    if source.header is not None or said is None:
        return source
    return replace(source, header=said == "yes")


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
    if path.is_dir():
        raise Refusal(f"{path}: it is a folder; name a file in it")
    if not path.exists():
        raise Refusal(f"{path}: no such file")


def check_output(out: Path, *inputs: Path, ours: str | None = None) -> None:
    """Refuse, before any work is done, an output that could not or should not be written.

    `ours` is the first field of files of the kind that is to be written: with it, only such
    files are replaced.
    """
    if out.is_dir():
        raise Refusal(f"--out {out}: it is a folder; name a file in it")
    folder = out.parent
    if not folder.is_dir():
        raise Refusal(f"--out {out}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise Refusal(f"--out {out}: the folder {folder} cannot be written to")
    if not out.exists():
        return
    if not out.is_file():
        raise Refusal(f"--out {out}: that is no regular file; name another")
    for path in inputs:
        if path.exists() and out.samefile(path):
            raise Refusal(f"--out {out}: that is an input; name another file")
    if ours is not None and out.stat().st_size > 0:
        with out.open("rb") as file:
            if ours.encode() not in file.read(200):
                raise Refusal(f"--out {out}: that file is no {ours}; name another file")


def not_written(out: Path, error: OSError) -> Refusal:
    """Make the refusal for a file that the system did not let us write."""
    return Refusal(f"--out {out}: it cannot be written ({error.strerror or error})")
