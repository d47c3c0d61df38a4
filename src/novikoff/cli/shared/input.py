"""What is read: examples, models and certificates."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from novikoff.cli.shared.group import Refusal, one_line, safe

if TYPE_CHECKING:
    from novikoff.certificate import Certificate, Problem
    from novikoff.certificate.predictor import Predictor
    from novikoff.certificate.risk import Risk
    from novikoff.certificate.stated import Stated
    from novikoff.data import Table


@dataclass(frozen=True)
class Source:
    """A file of examples and how it is to be read.

    If it `suggests`, an error is followed by a command that gets around it. `labels_at_the_fit` is
    the target that a model remembers, which a file with too many columns may have as well.
    """

    path: Path
    target: str | None = None
    weights: str | None = None
    format: str | None = None
    drop: tuple[str, ...] = ()
    header: bool | None = None
    missing: str | None = None
    words: tuple[str, ...] = ()
    decimal: str | None = None
    dates: str | None = None
    thousands: str | None = None
    na: tuple[str, ...] = ()
    suggests: bool = False
    failures: str | None = None
    labels_at_the_fit: str | None = None

    def read(self, **wanted: Any) -> "Table":
        """Read the file; `wanted` are further arguments of `novikoff.data.read`."""
        from novikoff.data import DataError, read
        from novikoff.data.regression import from_counts

        check_missing(self.missing)
        if self.failures is not None and self.weights is not None:
            raise Refusal("--failures and --weights exclude each other: leave one out")
        successes = self.target or wanted.get("default_target")
        if self.failures is not None and successes is None:
            raise Refusal("--failures needs the column of successes: pass it as --target")
        if self.decimal not in (None, ".", ","):
            raise Refusal(f"--decimal {safe(self.decimal)}: choose . or ,")
        check_thousands(self.thousands, self.decimal or ".")
        check_dates(self.dates)
        try:
            # Failures are read as weights are: numbers that are not features, and not negative.
            table = read(
                self.path,
                self.target,
                weights=self.weights if self.failures is None else self.failures,
                format=self.format,
                drop=self.drop,
                header=self.header,
                missing=self.missing or "error",
                words=self.words,
                decimal=self.decimal or ".",
                thousands=self.thousands,
                na=self.na,
                dates=self.dates,
                **wanted,
            )
            if self.failures is None:
                return table
            return from_counts(table, table.target_name or str(successes), self.failures)
        except DataError as error:
            hint = self._surplus(error.surplus)
            raise Refusal(f"{error}{hint}", error.options if self.suggests else ()) from None

    def _surplus(self, surplus: int) -> str:
        """Say what to do with columns that are too many."""
        if not surplus:
            return ""
        labels = self.labels_at_the_fit
        if surplus == 1 and self.target is None and labels is not None:
            return f": pass --target {safe(labels)} if the file has labels, as that of the fit"
        return ": name those that are no features with --target and --drop"

    def about(self, table: "Table") -> dict[str, Any]:
        """Return what a model must remember so that `verify` reads the same numbers again.

        Columns with names are found by their names; positions are needed only without them. The
        file of the labels of idx images is not remembered: no model may choose a file to open.
        """
        about: dict[str, Any] = {"data": self.path.name}
        named = table.target_name if table.counts is None else table.counts[0]
        target = named or (None if self.labels_apart else self.target)
        if target is not None:
            about["target"] = target
        if table.feature_names is None and self.drop:
            about["drop"] = " ".join(self.drop)
        if self.failures is not None:
            about["failures"] = self.failures
        if self.header is not None:
            about["header"] = "yes" if self.header else "no"
        if self.decimal is not None:
            about["decimal"] = self.decimal
        if self.thousands is not None:
            about["thousands"] = self.thousands
        if self.na:
            about["na"] = "\n".join(self.na)
        if table.encoding is not None:
            about["encoding"] = table.encoding.to_json()
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

    def as_at_the_fit(self, about: dict[str, Any], problem: "Problem") -> "Source":
        """Fill in what the model remembers of its file, and was not given as an option."""
        remembered = () if problem.feature_names else tuple(about.get("drop", "").split())
        return replace(
            self.with_dialect(about),
            drop=self.drop or remembered,
            failures=self.failures or about.get("failures"),
        )

    def target_or(self, remembered: str | None) -> str | None:
        """Return the target that was read: the option, or what a model remembers.

        Only a column can be remembered, and a libsvm file has none to name.
        """
        from novikoff.data.read import format_of

        columns = format_of(self.path, self.format) not in ("idx", "libsvm")
        return self.target or (remembered if columns else None)

    def with_dialect(self, about: dict[str, Any]) -> "Source":
        """Fill in how numbers and missing values are written, and that there is no line of names.

        That there is one is not taken from a model: its first example would be left out. With
        another decimal point, the file is written otherwise than that of the fit.
        """
        same = self.decimal in (None, about.get("decimal", "."))
        remembered = about.get("thousands") if same else None
        source = replace(
            self,
            decimal=self.decimal or about.get("decimal"),
            thousands=self.thousands or remembered,
            na=self.na or tuple(filter(None, about.get("na", "").split("\n"))),
        )
        if self.header is not None or about.get("header") != "no":
            return source
        return replace(source, header=False)


def check_missing(missing: str | None) -> None:
    """Refuse a treatment of missing values that there is not."""
    from novikoff.data.encoding import POLICIES

    if missing not in (None, *POLICIES):
        raise Refusal(f"--missing {safe(missing)}: choose one of {', '.join(POLICIES)}")


def check_thousands(thousands: str | None, decimal: str) -> None:
    """Refuse a thousands separator that there is not, or that is the decimal point."""
    from novikoff.data.numerals import SEPARATORS

    if thousands is not None and (thousands not in SEPARATORS or thousands == decimal):
        others = " ".join("a blank" if one == " " else one for one in SEPARATORS if one != decimal)
        why = f" with the decimal point {decimal}" if thousands == decimal else ""
        raise Refusal(f"--thousands {safe(thousands)}{why}: choose one of {others}")


def check_dates(dates: str | None) -> None:
    """Refuse an order of day and month that there is not."""
    from novikoff.data.encoding import ORDERS

    if dates not in (None, *ORDERS):
        raise Refusal(f"--dates {safe(dates)}: choose one of {', '.join(ORDERS)}")


WITHOUT_FIRST = "without the first"
"""What a certificate says of the levels of words where their first is no feature."""


def columns_of(
    model: Path, problem: "Problem", about: dict[str, Any], missing: str | None = None
) -> dict[str, Any]:
    """Return the arguments of `read` that make the features of the model from a file's columns.

    `missing` is another treatment of missing values than at the fit. Where the first level of words
    is no feature, that is left out afterwards.
    """
    from novikoff.certificate import CertificateError
    from novikoff.data.encoding import Encoding

    check_missing(missing)
    if "encoding" in about:
        try:
            encoding = Encoding.from_json(about["encoding"])
        except CertificateError as error:
            raise Refusal(f"{safe(model)}: {one_line(error)}") from None
        names = encoding.feature_names
        same = encoding.width == problem.n_features and names == problem.feature_names
        if not same and about.get("levels") != WITHOUT_FIRST:
            raise Refusal(
                f"{safe(model)}: its encoding does not make the features of its certificate"
            )
    else:
        encoding = Encoding.plain(problem.feature_names, problem.n_features)
    return {"encoding": encoding.with_missing(missing)}


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


class Claim(NamedTuple):
    """What a file claims: its certificate, and what a model has besides.

    ``about`` is what it remembers of its data, ``stated`` the examples that make the model, and
    ``risk`` the bound on new data, if there is one.
    """

    certificate: "Certificate"
    about: dict[str, Any]
    stated: "list[Stated]"
    risk: "Risk | None"
    document: dict[str, Any]


def load_claim(path: Path) -> Claim:
    """Read a model or a certificate; no solver is imported."""
    from novikoff.certificate import CertificateError
    from novikoff.certificate.json import from_text
    from novikoff.certificate.verify import about_in, certificate_in, risk_in, stated_beside

    check_readable(path)
    try:
        document = from_text(path.read_bytes())
        claim = certificate_in(document), about_in(document), stated_beside(document)
        return Claim(*claim, risk_in(document), document)
    except CertificateError as error:
        raise Refusal(f"{safe(path)}: {one_line(error)}") from None
    except OSError as error:
        raise Refusal(f"{safe(path)}: {error.strerror or error}") from None


def with_rows_of_file(reason: str, table: "Table") -> str:
    """Return a reason with the number of its row in the file, from 1.

    A certificate counts the examples, from 0, which the rows left out are not among.
    """
    if table.counts is not None:
        return reason
    return re.sub(
        r"\brow (\d+)", lambda found: f"row {row_in_file(table, int(found[1]))}", reason, count=1
    )


def row_in_file(table: "Table", example: int) -> int:
    """Return the number of the row of an example in its file, from 1."""
    for row in table.dropped.tolist():
        if row > example:
            break
        example += 1
    return example + 1


def check_readable(path: Path) -> None:
    """Refuse a model file that is not there."""
    try:
        if path.is_dir():
            raise Refusal(f"{safe(path)}: it is a folder; name a file in it")
        if not path.exists():
            raise Refusal(f"{safe(path)}: no such file")
    except OSError as error:
        raise Refusal(f"{safe(path)}: {error.strerror or error}") from None
