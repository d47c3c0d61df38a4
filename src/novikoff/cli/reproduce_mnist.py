"""``novikoff reproduce mnist``: train the networks of Section 3 and compare with the paper."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from math import isnan
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.group import Refusal, complain, safe
from novikoff.cli.shared.screen import Screen

if TYPE_CHECKING:
    from novikoff.reproduce.mnist import Examples, Result
    from novikoff.reproduce.mnist_report import Line

QUICK_EXAMPLES = 2000
QUICK_EPOCHS = 2


def mnist(
    hidden: Annotated[int, typer.Option(help="Hidden neurons: 800 (Figure 1) or 300.")] = 800,
    seeds: Annotated[int, typer.Option(min=1, help="How many networks of each row.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Two epochs on 2,000 examples, to see that it works.")
    ] = False,
    out: Annotated[Path, typer.Option(help="The folder of the results.")] = Path("mnist"),
    jobs: Annotated[int, typer.Option(min=1, help="How many networks are trained at a time.")] = 2,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train the networks of Section 3 on MNIST, and compare their errors with the paper's.

    Writes every epoch as CSV, the curves, and the configuration. Needs PyTorch (the extra `torch`
    of novikoff), and the first time npm or OpenML for the data.

    Exit codes: 0 all networks were trained; 1 Ctrl-C, and the results so far are written;
    2 bad usage, no PyTorch or no data; 130 Ctrl-C before there was anything to write.
    """
    if hidden not in (300, 800):
        message = f"{hidden}: the paper has networks of 800 and of 300."
        raise typer.BadParameter(message, param_hint="--hidden")
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("reading MNIST")
        seen, held_out = _examples()

        from novikoff.reproduce import mnist as section3

        rows = section3.rows(hidden)
        if quick:
            seen = seen[0][:QUICK_EXAMPLES], seen[1][:QUICK_EXAMPLES]
            rows = [replace(row, epochs=QUICK_EPOCHS) for row in rows]
        _prepare(out)
        results: list[Result] = []
        total, interrupted = len(rows) * seeds, False
        screen.stage(f"training {total} networks")
        try:
            for result in section3.train_all(rows, range(seeds), seen, held_out, jobs):
                results.append(result)
                left = screen.seconds / len(results) * (total - len(results))
                screen.tell(f"{len(results)} of {total} networks trained, {left / 60:.1f} min left")
        except KeyboardInterrupt:
            if not results:
                raise
            interrupted = True
        results.sort(key=lambda result: (rows.index(result.row), result.seed))
        about = {"quick": quick, "examples": [len(seen[0]), len(held_out[0])]}
        lines, files = _written(results, out, screen, about)
        if not json and not quiet:
            print(table(lines))
            print(f"Written: {', '.join(map(str, files))} ({screen.seconds / 60:.1f} min)")
        document = {
            "hidden": hidden,
            "seeds": seeds,
            "quick": quick,
            "trained": len(results),
            "rows": [
                line._asdict() | {"row": line.row.name, "paper": line.row.paper} for line in lines
            ],
            "files": [str(file) for file in files],
            "seconds": screen.seconds,
        }
        screen.show([], document)
        if interrupted:
            complain("interrupted", f"{len(results)} of {total} networks were trained and written")
            raise typer.Exit(1)


def _examples() -> "tuple[Examples, Examples]":
    try:
        # The first of these says how to install PyTorch, if it is missing.
        import_module("novikoff.neural")
        from novikoff.reproduce.mnist import load_examples
    except ModuleNotFoundError as missing:
        raise Refusal(missing) from None

    from novikoff.data import DataError

    try:
        return load_examples()
    except DataError as error:
        raise Refusal(error) from None


def _prepare(out: Path) -> None:
    """Make the folder of the results, and try to write to it, before the work begins."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise Refusal(
            f"--out {safe(out)}: it cannot be written to ({error.strerror or error})"
        ) from None


def _written(
    results: "Sequence[Result]", out: Path, screen: Screen, about: dict[str, Any]
) -> "tuple[list[Line], list[Path]]":
    from novikoff.reproduce import mnist_report as report

    files = report.write(results, out, **about)
    try:
        files.append(report.draw(results, out))
    except ModuleNotFoundError:
        screen.note("no curves: they need matplotlib (pip install 'novikoff[plot]')")
    screen.clear()
    return report.summarised(results), files


def table(lines: Sequence["Line"]) -> str:
    """Return the table of the errors here and in the paper."""
    width = max(len(line.row.name) for line in lines)
    rows = [f"{'':<{width}}  {'test error':>16}  {'paper':>14}  {'gradients':>11}  {'time':>7}"]
    for line in lines:
        paper = line.row.paper
        if isinstance(paper, float):
            paper = f"{paper:.2f} %"
        spread = "" if isnan(line.spread) else f" ± {line.spread:.2f}"
        rows.append(
            f"{line.row.name:<{width}}  {f'{line.error:.2f}{spread} %':>16}  {paper or '':>14}  "
            f"{line.backpropagated:>11,.0f}  {line.seconds:>5.0f} s"
        )
    return "\n".join(rows)
