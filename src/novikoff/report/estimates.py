"""What a table means for logistic regression: whether its estimates exist, and what to do."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from novikoff.certificate import SeparationVerdict, Undecided
from novikoff.certificate.escape import format_label, printable
from novikoff.certificate.wording import counted, enumerated
from novikoff.report.describe import Row

if TYPE_CHECKING:
    from novikoff.data import Table

MOST_VALUES = 1 << 28
"""Larger tables of signed rows are not examined; they would take minutes and gigabytes."""

MOST_COLUMNS = 200
"""With more coefficients, which of them are infinite is not examined."""

MOST_TRIED = 12
MOST_LEVELS = 3
CHEAP = 1 << 22
"""So many columns are left out in turn, of tables of so few values."""


@dataclass(frozen=True)
class Estimates:
    """The verdict on a table, with the columns to blame and what ends the separation.

    ``notes`` say what was not examined; ``reason`` why there is no verdict.
    """

    verdict: SeparationVerdict | None
    remedies: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str = ""

    @classmethod
    def of(cls, table: "Table", *, affine: bool, time_limit: float | None = None) -> "Estimates":
        """Decide whether logistic regression on a table has estimates.

        Columns of words are to be indicators without the first level, as usual in regression. The
        verdict stays where the time ends before the columns are examined.
        """
        from novikoff import separation

        labels: Any = table.y
        n, d = table.X.shape
        n_others = len(np.unique(labels)) - 1
        if n * n_others * n_others * max(d, 1) > MOST_VALUES:
            return cls(None, reason="not examined: the table is too large")
        if not d:
            return cls(None, reason="not examined: there are no columns")
        end = np.inf if time_limit is None else time.perf_counter() + time_limit

        def left() -> float | None:
            return None if end == np.inf else max(end - time.perf_counter(), 0.0)

        def decide(columns: Any) -> SeparationVerdict:
            return separation(
                table.X[:, columns],
                labels,
                sample_weight=table.weights,
                fit_intercept=affine,
                time_limit=left(),
            )

        try:
            verdict = decide(slice(None))
        except Undecided as error:
            return cls(None, reason=str(error))
        verdict = verdict.named(target=table.target_name, feature_names=table.feature_names)
        if verdict.unique:
            return cls(verdict)
        which = "Which estimates are infinite" if not verdict.exists else "Which columns depend"
        if len(verdict.column_names) > MOST_COLUMNS:
            many = f"there are {len(verdict.column_names):,} coefficients"
            return cls(
                verdict,
                tuple(_examples_to_leave_out(verdict)),
                (f"{which} is not examined: {many}. novikoff.separation(X, y).columns does.",),
            )
        try:
            verdict = verdict.with_columns(time_limit=left())
            return cls(verdict, tuple(_remedies(verdict, table, decide)))
        except Undecided as error:
            lines = tuple(_examples_to_leave_out(verdict))
            what = "What ends the separation" if verdict.coefficients is not None else which
            return cls(verdict, lines, (f"{what} is {error}.",))

    def answer(self, separable: bool | None, *, joint: bool = False) -> str:
        """Say whether a hyperplane separates, so that nobody concludes that estimates exist.

        ``joint``: whether it was asked of all classes together.
        """
        words = {True: "yes", False: "no", None: "undecided"}[separable]
        verdict = self.verdict
        if verdict is None or separable or (verdict.exists and separable is False):
            return words
        several = len(verdict.problem.classes) > 2 and not joint
        found = "overlap" if verdict.exists else f"{verdict.kind} separation"
        if separable is None:
            return f"{words} in these limits; but {found} is proved: see Estimates"
        if several:
            what = f"but all classes at once: {found}"
            return f"{words}, not each class from the rest; {what}, see Estimates"
        return f"{words}, not strictly; but the separation is {verdict.kind}: see Estimates"

    def rows(self) -> list[Row]:
        """The verdict for people."""
        if self.verdict is None:
            return [("Estimates", f"of logistic regression: {self.reason}")] if self.reason else []
        from novikoff.estimators.existence import advice

        lines = [*self.verdict.sentences(), *self.notes, *self.remedies, *advice(self.verdict)]
        return [("Estimates", "\n".join(lines))]

    def document(self) -> dict[str, Any] | None:
        """The verdict for machines."""
        verdict = self.verdict
        if verdict is None:
            return {"separation": None, "reason": self.reason} if self.reason else None
        known = verdict.coefficients is not None
        return {
            "separation": verdict.kind,
            "exist": verdict.exists,
            "unique": verdict.unique,
            "columns": verdict.columns if known else None,
            "proved": verdict.sentences(),
            "not_examined": list(self.notes),
            "remedies": list(self.remedies),
            "certificate": verdict.to_dict(),
        }


def _examples_to_leave_out(verdict: SeparationVerdict) -> list[str]:
    """The examples whose removal ends the separation: any that is left stays separated."""
    if verdict.exists or len(verdict.problem.classes) > 2:
        return []
    if verdict.kind == "complete":
        return ["Leaving out examples does not end the separation: those left are separated too."]
    number = int(verdict.separated.sum())
    those = f"all {counted(number, 'separated example')} are"
    return [
        "The separation ends only if "
        f"{those if number > 1 else 'the 1 separated example is'} left out."
    ]


def _remedies(
    verdict: SeparationVerdict, table: "Table", decide: Callable[[Any], SeparationVerdict]
) -> list[str]:
    """What ends the separation: examples, and columns where they are few."""
    X, lines = table.X, _examples_to_leave_out(verdict)
    if verdict.exists or verdict.coefficients is None or sparse.issparse(X) or X.size > CHEAP:
        return lines
    blamed = sorted(
        {
            j % verdict.n_columns - verdict.problem.affine
            for j, each in enumerate(verdict.coefficients.columns)
            if each.estimate not in ("finite", "not identified")
        }
        - {-1}
    )
    if len(blamed) > MOST_TRIED or X.shape[1] < 2:
        return lines
    every = np.arange(X.shape[1])
    ending = [j for j in blamed if decide(np.setdiff1d(every, [j])).exists]
    names = verdict.problem.feature_names or tuple(f"x{j}" for j in every)
    if ending:
        what = "column" if len(ending) == 1 else "columns"
        each = "" if len(ending) == 1 else ", each by itself"
        shown = enumerated([printable(names[j]) for j in ending])
        lines.append(f"The separation ends without the {what} {shown}{each}.")
    return [*lines, *_levels(table, {names[j] for j in ending})]


def _levels(table: "Table", ending: set[str]) -> list[str]:
    """Say which levels of words to merge: one whose indicator ends it, or the first."""
    names = table.feature_names
    if table.encoding is None or names is None:
        return []
    labels: Any = table.y
    lines = []
    for column in table.encoding.columns:
        if column.kind != "words" or not column.levels:
            continue
        name, first = str(column.name), column.levels[0]
        lines += [
            f"To leave out {printable(f'{name}={level}')} is to merge that level with "
            f"{printable(first)}, the first of {printable(name)}."
            for level in column.levels
            if f"{name}={level}" in ending
        ][:MOST_LEVELS]
        others = [j for j, each in enumerate(names) if each in column.feature_names]
        if f"{name}={first}" in names or not others:
            continue
        rows = ~np.asarray(table.X[:, others]).any(axis=1)
        if table.weights is not None:
            rows &= table.weights > 0.0
        if rows.any() and len(np.unique(labels[rows])) == 1:
            what = printable(f"{name}={first}")
            target = printable(table.target_name or "the class")
            lines.append(
                f"All {counted(int(rows.sum()), 'example')} with {what}, the first level, have "
                f"{target} = {format_label(labels[rows][0])}: to merge it with another level may "
                "end the separation."
            )
    return lines
