"""What is read: examples, models and certificates."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from novikoff.cli.shared.group import Refusal, one_line, safe

if TYPE_CHECKING:
    from novikoff.certificate import Certificate, Problem
    from novikoff.certificate.predictor import Predictor
    from novikoff.certificate.stated import Stated
    from novikoff.data import Table


@dataclass(frozen=True)
class Source:
    """A file of examples and how it is to be read."""

    path: Path
    target: str | None = None
    weights: str | None = None
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
                weights=self.weights,
                format=self.format,
                drop=self.drop,
                header=self.header,
                **wanted,
            )
        except DataError as error:
            raise Refusal(error) from None

    def about(self, table: "Table") -> dict[str, str]:
        """Return what a model must remember so that `verify` reads the same numbers again.

        Columns with names are found by their names; positions are needed only without them. The
        file of the labels of idx images is not remembered: no model may choose a file to open.
        """
        about = {"data": self.path.name}
        target = table.target_name or (None if self.labels_apart else self.target)
        if target is not None:
            about["target"] = target
        if table.feature_names is None and self.drop:
            about["drop"] = " ".join(self.drop)
        if self.header is not None:
            about["header"] = "yes" if self.header else "no"
        return about

    @property
    def labels_apart(self) -> bool:
        """Whether the labels are in a separate file."""
        from novikoff.data.read import format_of

        return format_of(self.path, self.format) == "idx"

    def options_to_repeat(self) -> list[str]:
        """Return the options that `verify` needs again, because no model remembers them."""
        options: dict[str, str | None] = {"--weights": self.weights, "--format": self.format}
        if self.labels_apart:
            options["--target"] = self.target
        given = [(name, value) for name, value in options.items() if value is not None]
        return [*(word for pair in given for word in pair), *(["--header"] if self.header else [])]

    def as_at_the_fit(self, about: dict[str, str], problem: "Problem") -> "Source":
        """Fill in what the model remembers of its file, and was not given as an option."""
        remembered = () if problem.feature_names else tuple(about.get("drop", "").split())
        return replace(self.with_header(about), drop=self.drop or remembered)

    def target_or(self, remembered: str | None) -> str | None:
        """Return the target that was read: the option, or what a model remembers.

        Only a column can be remembered, and a libsvm file has none to name.
        """
        from novikoff.data.read import format_of

        columns = format_of(self.path, self.format) not in ("idx", "libsvm")
        return self.target or (remembered if columns else None)

    def with_header(self, about: dict[str, str]) -> "Source":
        """Fill in that the first line contains no names, if that was an option of the fit.

        That it does contain names is not taken from a model: its first example would be left out.
        """
        if self.header is not None or about.get("header") != "no":
            return self
        return replace(self, header=False)


def columns_of(problem: "Problem") -> dict[str, Any]:
    """Return the arguments of `read` that bring the columns of a file into the model's order."""
    if problem.feature_names is not None:
        return {"features": problem.feature_names}
    return {"n_features": problem.n_features}


def with_names(certificate: "Certificate", table: "Table", *, sha256: bool) -> "Certificate":
    """Return the certificate with the names of the columns, and with a SHA-256 if asked for."""
    named = certificate.named(target=table.target_name, feature_names=table.feature_names)
    labels: Any = table.y
    return named.with_sha256(table.X, labels, table.weights) if sha256 else named


def load_model(path: Path) -> "Predictor":
    """Read what predicts in a model, or refuse in one line; no estimator is imported."""
    from novikoff.certificate import CertificateError
    from novikoff.certificate.json import from_text
    from novikoff.certificate.predictor import Predictor

    check_readable(path)
    try:
        return Predictor.of(from_text(path.read_bytes()))
    except CertificateError as error:
        raise Refusal(f"{safe(path)}: {one_line(error)}") from None
    except OSError as error:
        raise Refusal(f"{safe(path)}: {error.strerror or error}") from None


def load_claim(path: Path) -> "tuple[Certificate, dict[str, str], list[Stated]]":
    """Read a certificate, and what a model remembers of its data and of the examples that make it.

    No solver is imported.
    """
    from novikoff.certificate import CertificateError
    from novikoff.certificate.json import from_text
    from novikoff.certificate.verify import about_in, certificate_in, stated_beside

    check_readable(path)
    try:
        document = from_text(path.read_bytes())
        return certificate_in(document), about_in(document), stated_beside(document)
    except CertificateError as error:
        raise Refusal(f"{safe(path)}: {one_line(error)}") from None
    except OSError as error:
        raise Refusal(f"{safe(path)}: {error.strerror or error}") from None


def check_readable(path: Path) -> None:
    """Refuse a model file that is not there."""
    try:
        if path.is_dir():
            raise Refusal(f"{safe(path)}: it is a folder; name a file in it")
        if not path.exists():
            raise Refusal(f"{safe(path)}: no such file")
    except OSError as error:
        raise Refusal(f"{safe(path)}: {error.strerror or error}") from None
