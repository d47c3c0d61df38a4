"""What a table means for logistic regression: whether its estimates exist, and what to do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from novikoff.certificate import SeparationVerdict, Undecided
from novikoff.certificate.escape import printable
from novikoff.certificate.wording import counted, enumerated
from novikoff.report.describe import Row

if TYPE_CHECKING:
    from novikoff.data import Table

MOST_VALUES = 1 << 28
"""Larger tables of signed rows are not examined; they would take minutes and gigabytes."""

MOST_COLUMNS = 200
"""With more coefficients, which of them are infinite is not examined."""

MOST_TRIED = 12
CHEAP = 1 << 22
"""So many columns are left out in turn, of tables of so few values."""


@dataclass(frozen=True)
class Estimates:
    """The verdict on a table, with the columns to blame and what ends the separation."""

    verdict: SeparationVerdict | None
    remedies: tuple[str, ...] = ()
    reason: str = ""
    """Why there is no verdict."""

    @classmethod
    def of(cls, table: "Table", *, affine: bool, time_limit: float | None = None) -> "Estimates":
        """Decide whether logistic regression on a table has estimates.

        Columns of words are indicators without the first level, as usual in regression.
        """
        from novikoff import separation

        labels: Any = table.y
        kept = without_first_levels(table, affine=affine)
        n_others = len(np.unique(labels)) - 1
        if table.X.shape[0] * n_others * n_others * max(kept.size, 1) > MOST_VALUES:
            return cls(None, reason="not examined: the table is too large")
        if not kept.size and not affine:
            return cls(None, reason="not examined: there are no columns")
        X = table.X[:, kept]
        names = table.feature_names
        some = None if names is None else tuple(names[j] for j in kept)

        def decide(columns: Any) -> SeparationVerdict:
            return separation(X[:, columns], labels, fit_intercept=affine, time_limit=time_limit)

        try:
            verdict = decide(slice(None)).named(target=table.target_name, feature_names=some)
            if not verdict.exists and len(verdict.column_names) <= MOST_COLUMNS:
                verdict = verdict.with_columns()
            words = table.encoding is not None and any(c.levels for c in table.encoding.columns)
            return cls(verdict, tuple(_remedies(verdict, X, decide, words=words)))
        except Undecided as error:
            return cls(None, reason=str(error))

    def answer(self, separable: bool | None) -> str:
        """Say whether a hyperplane separates, so that nobody concludes that estimates exist."""
        words = {True: "yes", False: "no", None: "undecided"}[separable]
        verdict = self.verdict
        if separable is False and verdict is not None and not verdict.exists:
            if len(verdict.problem.classes) > 2:
                found = f"but all classes at once: {verdict.kind} separation"
                return f"{words}, not each class from the rest; {found}, see Estimates"
            return f"{words}, not strictly; but the separation is {verdict.kind}: see Estimates"
        return words

    def rows(self) -> list[Row]:
        """The verdict for people."""
        if self.verdict is None:
            return [("Estimates", f"of logistic regression: {self.reason}")] if self.reason else []
        from novikoff.estimators.existence import advice

        return [
            (
                "Estimates",
                "\n".join([*self.verdict.sentences(), *self.remedies, *advice(self.verdict)]),
            )
        ]

    def document(self) -> dict[str, Any] | None:
        """The verdict for machines."""
        verdict = self.verdict
        if verdict is None:
            return None
        known = verdict.coefficients is not None
        return {
            "separation": verdict.kind,
            "exist": verdict.exists,
            "unique": verdict.unique,
            "columns": verdict.columns if known else None,
            "proved": verdict.sentences(),
            "remedies": list(self.remedies),
            "certificate": verdict.to_dict(),
        }


def without_first_levels(table: "Table", *, affine: bool) -> Any:
    """The features without the indicator of the first level of each column of words.

    Without an intercept, the first column of words keeps its first level.
    """
    n_features = table.X.shape[1]
    left_out, first, keeps = [], 0, not affine
    if table.encoding is not None:
        for column in table.encoding.columns:
            if column.kind == "words" and column.levels:
                if not keeps:
                    left_out.append(first)
                keeps = False
            first += column.width
    return np.setdiff1d(np.arange(n_features), left_out)


def _remedies(
    verdict: SeparationVerdict,
    X: Any,
    decide: Callable[[Any], SeparationVerdict],
    *,
    words: bool,
) -> list[str]:
    """What ends the separation: examples, and columns where they are few.

    ``words``: whether some columns are indicators of the levels of a column of words.
    """
    if verdict.exists:
        return []
    lines = []
    if verdict.kind == "quasi-complete" and len(verdict.problem.classes) == 2:
        # Any of them that is left is still separated by the same direction.
        number = int(verdict.separated.sum())
        those = f"all {counted(number, 'separated example')}"
        lines.append(
            f"The separation ends only if {those if number > 1 else 'the 1 separated example'} "
            f"{'are' if number > 1 else 'is'} left out."
        )
    if verdict.coefficients is None or sparse.issparse(X) or X.size > CHEAP:
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
    names = verdict.problem.feature_names or tuple(f"x{j}" for j in range(X.shape[1]))
    ending = [
        printable(names[j])
        for j in blamed
        if decide(np.setdiff1d(np.arange(X.shape[1]), [j])).exists
    ]
    if ending:
        what = "column" if len(ending) == 1 else "columns"
        each = "" if len(ending) == 1 else ", each by itself"
        merged = (
            "; to leave out the indicator of a level is to merge it with the first" if words else ""
        )
        lines.append(f"The separation ends without the {what} {enumerated(ending)}{each}{merged}.")
    return lines
