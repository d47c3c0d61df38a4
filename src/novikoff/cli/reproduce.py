"""``novikoff reproduce``: the paper's theorems, measured here."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import typer

from novikoff.cli import options
from novikoff.cli.screen import Screen

_FIELDS = ("theorem", "statement", "data", "bound", "measured", "ratio", "holds")

reproduce = typer.Typer()


@reproduce.callback(invoke_without_command=True)
def choose(ctx: typer.Context) -> None:
    """Reproduce results of the paper, measured here."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), nl=False)


@reproduce.command()
def theorems(
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Run every theorem on generated data: its bound, the measured value, and their ratio.

    Exit codes: 0 every bound holds, 1 some does not.
    """
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("generating data and running the rules")

        from novikoff.theory import reproduce_theorems

        rows = list(reproduce_theorems(seed=seed))
        broken = sum(not row.holds for row in rows)
        if not json and not quiet:
            screen.clear()
            for line in report(rows):
                print(line)
            print(
                f"{len(rows)} measurements in {screen.seconds:.1f} s: "
                + (f"{broken} bounds are broken." if broken else "every bound holds.")
            )
        screen.show(
            [],
            {
                "seed": seed,
                "holds": not broken,
                "rows": [{name: getattr(row, name) for name in _FIELDS} for row in rows],
                "seconds": screen.seconds,
            },
        )
        if broken:
            raise typer.Exit(1)


def report(rows: Iterable[Any]) -> Iterator[str]:
    """Lay the measurements out, under the theorem that each is of."""
    rows = list(rows)
    width = max((len(str(row.data)) for row in rows), default=4)
    for (theorem, statement), group in groupby(rows, lambda row: (row.theorem, row.statement)):
        yield f"{theorem}: {statement}"
        yield f"  {'data':<{width}}  {'bound':>12}  {'measured':>12}  {'ratio':>8}"
        for row in group:
            verdict = "" if row.holds else "  broken"
            numbers = f"{number(row.bound):>12}  {number(row.measured):>12}"
            yield f"  {row.data:<{width}}  {numbers}  {number(row.ratio):>8}{verdict}"
        yield ""


def number(value: float) -> str:
    """Write a count in full and a quantity with four digits.

    Examples
    --------
    >>> number(2000002), number(0.0123456), number(12345.678)
    ('2,000,002', '0.01235', '12,346')
    """
    if value == int(value) or abs(value) >= 1e4:
        return f"{value:,.0f}"
    return f"{value:.4g}"
