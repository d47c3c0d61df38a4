"""``novikoff reproduce minimax``: what no learner can do, measured."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.screen import Screen

if TYPE_CHECKING:
    from novikoff.reproduce import Risk


def minimax(
    draws: Annotated[int, typer.Option(min=2, help="How many samples each learner sees.")] = 300,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure the risk of four learners on a source on which no learner can do well.

    Theorem 3.1: no method that learns from n examples in d dimensions has a mean risk below the
    bound on every source that a linear threshold function labels. Here the labels of the source are
    drawn at random, so that the mean over them is at least the bound, for every method.

    Exit codes: 0 every risk is above the bound; 1 some risk is below it by more than chance.
    """
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("drawing samples and fitting four learners")

        from novikoff.reproduce import reproduce_minimax

        rows = reproduce_minimax(random_state=seed, draws=draws)
        screen.clear()
        holds = all(row.holds for row in rows)
        if not json and not quiet:
            for line in report(rows):
                print(line)
            verdict = "Every risk is as the theorem says" if holds else "SOME RISK IS TOO SMALL"
            print(f"{verdict}, within four standard errors. ({screen.seconds:.1f} s)")
        document = {
            "seed": seed,
            "holds": holds,
            "rows": [asdict(row) for row in rows],
            "seconds": screen.seconds,
        }
        screen.show([], document)
        if not holds:
            raise typer.Exit(1)


def report(rows: Sequence["Risk"]) -> Iterator[str]:
    """Yield the lines of a table for each number of examples and dimension."""
    width = max(len(row.learner) for row in rows)
    for (n, d), group in groupby(rows, lambda row: (row.n, row.d)):
        members = list(group)
        first = members[0]
        yield (
            f"{n} examples in {d} dimensions: risk at least {first.bound:.4f}; "
            f"{first.guessing:.4f} for every learner that is right on its examples"
        )
        for row in members:
            kind = "right on its examples" if row.consistent else "errs on its examples"
            verdict = "" if row.holds else "  BROKEN"
            risk = f"{row.measured:.4f} ± {row.standard_error:.4f}"
            yield f"  {row.learner:<{width}}  {risk}  {kind}{verdict}"
        yield ""
