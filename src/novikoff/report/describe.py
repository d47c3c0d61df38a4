"""Words for data, classes and runs: parts of the tables that several verbs print."""

import os
import shlex
from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.certificate import Account, Certificate, Undecided
from novikoff.certificate.escape import escaped, format_label, printable, quoted
from novikoff.certificate.wording import counted, enumerated

if TYPE_CHECKING:
    from novikoff.data import Table

Row = tuple[str, str]

MOST_CLASSES = 6
MOST_FEATURES = 3
FEW_CLASSES = 10
"""So few numbers may well be names of classes, even if each occurs once."""


def verdict(certificate: Certificate) -> bool | None:
    """Whether the examples are separable; None where that is undecided."""
    try:
        return bool(certificate)
    except Undecided:
        return None


def penalty(part: Certificate) -> float | None:
    """Return the C of a model: infinity for the hard margin, None where there is no model."""
    model = part.hyperplane
    if model is None:
        return None
    return np.inf if model.soft is None else model.soft.C


def data_row(path: Path, table: "Table", note: str = "") -> Row:
    """Say what was read."""
    n, d = table.X.shape
    return "Data", f"{escaped(str(path))}: {counted(n, 'example')}, {counted(d, 'feature')}{note}"


def class_rows(table: "Table") -> list[Row]:
    """Say which classes there are, and which examples take part in a fit."""
    y: Any = table.y
    labels, counts = np.unique(y, return_counts=True)
    classes = [
        f"{format_label(label)} ({count:,})"
        for label, count in islice(zip(labels.tolist(), counts.tolist(), strict=True), MOST_CLASSES)
    ]
    target = "" if table.target_name is None else f"{printable(table.target_name)}: "
    blanks = " (blanks around labels are left out)" if table.stripped else ""
    rows = [("Classes", target + first_of(classes, len(labels)) + blanks)]
    if table.counts is not None:
        successes, failures = map(printable, table.counts)
        told = f"{successes} (success = 1) and {failures} (success = 0)"
        rows.append(
            ("Counts", f"{told}; a row is one example of each that it counts at least once")
        )
    if table.weights is not None:
        some = int((table.weights > 0.0).sum())
        total = counted(len(table.weights), "example")
        rows.append(("Weights", f"{some:,} of {total} have a positive weight"))
    return rows


def first_of(shown: Sequence[str], total: int) -> str:
    """Enumerate the first of several things, and say how many more there are.

    Examples
    --------
    >>> first_of(["a", "b"], 2), first_of(["a", "b"], 5)
    ('a and b', 'a, b and 3 more')
    """
    more = total - len(shown)
    return enumerated([*shown, f"{more:,} more"] if more else shown)


def share(count: int, total: int) -> str:
    """Return a share in percent, with three digits.

    Examples
    --------
    >>> share(1, 50), share(1, 51), share(2, 3), share(1, 3), share(0, 9), share(7, 7)
    ('2 %', '1.96 %', '66.7 %', '33.3 %', '0 %', '100 %')
    """
    digits = Context(prec=3)
    return f"{digits.divide(Decimal(100 * count), Decimal(total)).normalize():f} %"


def accounts_of(certificate: Certificate) -> list[Account]:
    """Return what the runs say of themselves: one, or the search and then that of the model."""
    first, last = certificate.account, certificate.model_account
    return [first] if first == last else [first, last]


def run_of(account: Account) -> dict[str, Any]:
    """Return a run's own account for machines."""
    return {
        "asked": account.asked,
        "status": account.status.name,
        "tol": account.tol,
        "min_margin": account.min_margin,
        "n_updates": account.n_updates,
    }


def missing_labels(table: "Table") -> list[str]:
    """Say which classes have a name that stands for a missing value elsewhere."""
    from novikoff.data.encoding import MISSING

    y: Any = table.y
    if y.dtype.kind != "U":
        return []
    labels, counts = np.unique(y, return_counts=True)
    return [
        f"{format_label(label)} is read as the name of a class, of {counted(count, 'example')}: "
        "--missing drop leaves such rows out"
        for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        if label.strip() in MISSING
    ]


def continuous_target(table: "Table") -> str | None:
    """Say why a target with fractions has no classes, and what to do; None if it has none."""
    y: Any = table.y
    if y.dtype.kind != "f" or (y == np.rint(y)).all():
        return None
    name = "the target" if table.target_name is None else f"column {quoted(table.target_name)}"
    first = y[y != np.rint(y)][0].item()
    return (
        f"{name} contains numbers with fractions, such as {first}, and not classes: name a column "
        "of classes with --target, or make classes of it, such as low and high"
    )


def doubtful_classes(table: "Table") -> list[str]:
    """Say that the target seems to be a quantity: numbers of which few occur more than twice."""
    y: Any = table.y
    if y.dtype.kind not in "iuf" or (y != np.rint(y)).any():
        # With fractions it is refused.
        return []
    counts = np.unique(y, return_counts=True)[1]
    if len(counts) <= FEW_CLASSES or np.median(counts) > 2.0:
        return []
    name = "the target" if table.target_name is None else quoted(table.target_name)
    return [
        f"{name} has {len(counts):,} different numbers in {counted(len(y), 'example')}, and each "
        "is taken for a class of its own: is it a quantity, which a classifier does not predict?"
    ]


def saved_rows(
    out: Path | None, path: Path, repeat: list[str], what: str, seconds: float
) -> list[Row]:
    """Say what was written where, how long it took, and how to check it."""
    time = ("Time", f"{seconds:.1f} s")
    if out is None or str(out) == os.devnull:
        return [time]
    check = command("novikoff", "verify", str(out), str(path), *repeat)
    return [("Saved", f"{escaped(str(out))}, {what}"), time, ("Check", check)]


def command(*words: str) -> str:
    """Return a command to copy, in one line."""
    return escaped(shlex.join(words))
