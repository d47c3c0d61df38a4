"""The command line: all verbs in one application."""

from typing import Annotated

import typer

from novikoff._version import __version__
from novikoff.cli.fit import fit
from novikoff.cli.predict import predict
from novikoff.cli.reproduce import reproduce
from novikoff.cli.separable import separable
from novikoff.cli.shared.group import Verb, Verbs
from novikoff.cli.shared.helptext import examples, unwrapped
from novikoff.cli.verify import verify
from novikoff.cli.warmup import warmup

app = typer.Typer(
    name="novikoff",
    cls=Verbs,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "novikoff fit train.csv --target label",
        "novikoff verify model.json train.csv",
        "novikoff predict model.json new.csv --out labels.csv",
        "novikoff separable train.parquet --target label",
        "novikoff reproduce theorems",
    )
    + "\n\nExit codes: 0 done; 1 a claim is false or undecided, or a fit was interrupted; "
    "2 bad usage or bad input; 130 interrupted by Ctrl-C, nothing written.",
)
app.command(
    cls=Verb,
    help=unwrapped(fit),
    epilog=examples(
        "novikoff fit train.csv --target label",
        "novikoff fit train.libsvm --C 1 --out soft.json",
        "novikoff fit train.csv --target label --missing drop --drop id",
        "novikoff fit train.csv --target label --decimal , --thousands . --na n.a. --missing drop",
        "novikoff fit train.csv --target label --class-weight balanced",
        "novikoff fit train.csv --target label --weights cost --sha256",
        "novikoff fit scan.npz --rule scale-free-infinity --rule-param alpha=1.5",
    ),
)(fit)
app.command(
    cls=Verb,
    help=unwrapped(verify),
    epilog=examples(
        "novikoff verify model.json train.csv",
        "novikoff verify model.json train.csv --weights cost --sha256",
        "novikoff verify model.json train.parquet --json",
    ),
)(verify)
app.command(
    cls=Verb,
    help=unwrapped(predict),
    epilog=examples(
        "novikoff predict model.json new.csv > labels.csv",
        "novikoff predict model.json test.csv --target label --scores --out labels.csv",
    ),
)(predict)
app.command(
    cls=Verb,
    help=unwrapped(separable),
    epilog=examples("novikoff separable train.csv --target label --out proof.json"),
)(separable)
app.add_typer(reproduce, name="reproduce")
app.command(cls=Verb, help=unwrapped(warmup), epilog=examples("novikoff warmup"))(warmup)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"novikoff {__version__}")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def novikoff(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Linear classifiers that come with proof: fit one, and let anyone check what was proved."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), nl=False)
