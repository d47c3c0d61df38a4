"""``novikoff reproduce``: the paper's theorems and tables, measured here."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

import typer

from novikoff.cli.reproduce_minimax import minimax
from novikoff.cli.reproduce_mnist import mnist
from novikoff.cli.reproduce_online import online
from novikoff.cli.shared import options
from novikoff.cli.shared.group import Group, Verb
from novikoff.cli.shared.screen import Screen

if TYPE_CHECKING:
    from novikoff.reproduce import Row

reproduce = typer.Typer(cls=Group)


@reproduce.callback(invoke_without_command=True)
def choose(ctx: typer.Context) -> None:
    """Reproduce results of the paper, measured here."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), nl=False)


@reproduce.command(cls=Verb)
def theorems(
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Test every theorem on generated data: its bound, the measured value, and their ratio.

    Exit codes: 0 every bound holds; 1 some bound is broken, or a run stopped at a limit, which
    decides nothing.
    """
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("generating data and running the rules")

        from novikoff.reproduce import reproduce_theorems

        show_rows(screen, reproduce_theorems(random_state=seed), seed)


@reproduce.command(cls=Verb)
def game(
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure the point-hyperplane game (Claim 4.3): what sparse strategies lose, rule by rule.

    The loss of a strategy is compared with the value of the game: at most 3 times as much with
    the threshold R^2, and closer to it with other rules.

    Exit codes: 0 every bound holds; 1 some bound is broken, or a run stopped at a limit, which
    decides nothing.
    """
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("playing the game")

        from novikoff.reproduce import reproduce_game

        show_rows(screen, reproduce_game(random_state=seed), seed)


def show_rows(screen: Screen, rows: Sequence["Row"], seed: int) -> None:
    """Print the measurements; exit with 1 unless every bound holds."""
    screen.clear()
    if not screen.json and not screen.quiet:
        for line in report(rows):
            print(line)
        print(f"{verdict(rows)} ({len(rows)} measurements, {screen.seconds:.1f} s)")
    document = {
        "seed": seed,
        "holds": all(row.holds for row in rows),
        "rows": [asdict(row) for row in rows],
        "seconds": screen.seconds,
    }
    screen.show([], document)
    if not document["holds"]:
        raise typer.Exit(1)


reproduce.command(cls=Verb)(minimax)
reproduce.command(cls=Verb)(mnist)
reproduce.command(cls=Verb)(online)


def verdict(rows: Sequence["Row"]) -> str:
    """Say whether the theorems held."""
    broken = sum(row.holds is False for row in rows)
    undecided = sum(row.holds is None for row in rows)
    if not broken and not undecided:
        return "Every bound holds."
    return f"Bounds broken: {broken}; undecided: {undecided}."


def report(rows: Sequence["Row"]) -> Iterator[str]:
    """Yield the lines of a table: the measurements under their theorems and inequalities."""
    width = max(len(row.data) for row in rows)
    yield f"{'':<{width + 4}}  {'bound':>11}  {'measured':>11}  {'ratio':>9}"
    words = {True: "holds", False: "BROKEN", None: "undecided"}
    for theorem, of_theorem in groupby(rows, lambda row: row.theorem):
        yield theorem
        for statement, group in groupby(of_theorem, lambda row: row.statement):
            yield f"  {statement}"
            for row in group:
                numbers = f"{number(row.bound):>11}  {number(row.measured):>11}"
                ratio = f"{number(row.ratio):>9}  {words[row.holds]}"
                yield f"    {row.data:<{width}}  {numbers}  {ratio}"
        yield ""


def number(value: float) -> str:
    """Write a number in at most eleven characters, with at least four digits.

    Examples
    --------
    >>> [number(value) for value in (2000002, 12345.678, 0.0123456, 1.004e12)]
    ['2,000,002', '12,346', '0.01235', '1.004e+12']
    """
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.4g}"
