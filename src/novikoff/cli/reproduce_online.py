"""``novikoff reproduce online``: mistakes on streams of examples, beside their bounds."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.group import Refusal, safe
from novikoff.cli.shared.screen import Screen

if TYPE_CHECKING:
    from novikoff.reproduce import Checkpoint

FORMATS = (".png", ".pdf", ".svg")


def online(
    rounds: Annotated[
        int, typer.Option(min=1, max=100_000, help="How many examples a stream has.")
    ] = 2000,
    plot: Annotated[
        Path | None,
        typer.Option(help="Also draw the curves to this file: .png, .pdf or .svg."),
    ] = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Count the perceptron's mistakes on streams as they grow, an adversary's among them.

    Exit codes: 0 every bound holds; 1 some bound is broken; 2 bad usage, or no matplotlib to draw
    with.
    """
    if plot is not None:
        _check(plot)
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("playing the streams")

        from novikoff.reproduce import reproduce_online

        rows = reproduce_online(random_state=seed, rounds=rounds)
        if plot is not None:
            _draw(rows, plot)
        screen.clear()
        holds = all(row.holds for row in rows)
        if not json and not quiet:
            for line in report(rows):
                print(line)
            verdict = "Every bound holds" if holds else "SOME BOUND IS BROKEN"
            print(f"{verdict}. ({screen.seconds:.1f} s)")
            if plot is not None:
                print(f"Written: {safe(plot)}")
        document = {
            "seed": seed,
            "holds": holds,
            "rows": [asdict(row) for row in rows],
            "plot": None if plot is None else str(plot),
            "seconds": screen.seconds,
        }
        screen.show([], document)
        if not holds:
            raise typer.Exit(1)


def report(rows: Sequence["Checkpoint"]) -> Iterator[str]:
    """Yield the lines of a table for each stream."""
    for (stream, statement), group in groupby(rows, lambda row: (row.stream, row.statement)):
        yield f"{stream}: mistakes <= {statement}"
        yield f"  {'rounds':>7}  {'mistakes':>8}  {'bound':>9}"
        for row in group:
            verdict = "" if row.holds else "  BROKEN"
            yield f"  {row.rounds:>7,}  {row.mistakes:>8,}  {row.bound:>9,.1f}{verdict}"
        yield ""


def _check(plot: Path) -> None:
    """Refuse a plot that cannot be made, before the work begins."""
    if plot.suffix.lower() not in FORMATS:
        message = f"{safe(plot)}: the name must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        raise typer.BadParameter(message, param_hint="--plot")
    if find_spec("matplotlib") is None:
        raise Refusal("--plot: the curves need matplotlib (pip install 'novikoff[plot]')")
    if not plot.parent.is_dir():
        raise Refusal(f"--plot {safe(plot)}: there is no folder {safe(plot.parent)}")


def _draw(rows: list["Checkpoint"], plot: Path) -> None:
    from novikoff.reproduce.online import draw

    try:
        draw(rows, plot)
    except OSError as error:
        raise Refusal(f"--plot {safe(plot)}: {error.strerror or error}") from None
