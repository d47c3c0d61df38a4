"""Errors and exit codes, in one place for all verbs."""

import errno
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

# Releases of typer differ in whether click is a package of its own or a part of typer; this name
# of click's base class is common to all.
_ClickError: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

_TYPED = "novikoff.typed"
_OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Refusal(Exception):
    """Bad usage or bad input: one line that names the cause and what to do; exit code 2.

    ``options`` are what to add to the command that was typed to get around it, if anything.
    """

    def __init__(self, message: object, options: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.options = tuple(options)


def suggestion(typed: Sequence[str], options: Sequence[str]) -> str:
    """Return the command as it was typed, with more options.

    Examples
    --------
    >>> suggestion(["fit", "my data.csv", "--C", "1"], ["--missing", "drop"])
    ". Try: novikoff fit 'my data.csv' --C 1 --missing drop"
    """
    return f". Try: novikoff {shlex.join([*typed, *options])}" if options else ""


def complain(kind: str, message: object) -> None:
    """Write one line to stderr, however many the message had."""
    print(f"novikoff: {kind}: {one_line(message)}", file=sys.stderr, flush=True)


def one_line(message: object) -> str:
    r"""Join the lines of a message, and escape what a terminal may act upon.

    Examples
    --------
    >>> print(one_line(ValueError("two\n  lines \x1b[2J")))
    two lines \x1b[2J
    """
    return safe(" ".join(str(message).split()))


def safe(text: object) -> str:
    r"""Escape the control characters of a text, such as the name of a file.

    Examples
    --------
    >>> print(safe("one\ntwo.csv"))
    one\ntwo.csv
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    # The help and most errors do not wait for what this imports.
    from novikoff.certificate.escape import escaped

    return escaped(shown)


def _plain_flags(params: list[Any]) -> list[Any]:
    """Show flags in the help without the type of their value, which is never written."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params


class Verb(TyperCommand):
    """One verb."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, as they are shown."""
        return _plain_flags(super().get_params(ctx))


class Group(TyperGroup):
    """Several verbs."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, as they are shown."""
        return _plain_flags(super().get_params(ctx))


class Verbs(Group):
    """The group of all verbs: refusals and Ctrl-C end in one line and an exit code."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep what was typed for :class:`Refusal`, and parse it."""
        ctx.meta[_TYPED] = list(args)
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except Refusal as refusal:
            complain("error", f"{refusal}{suggestion(ctx.meta[_TYPED], refusal.options)}")
            raise typer.Exit(2) from None
        except MemoryError:
            complain("error", "there is not enough memory for this")
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            complain("interrupted", "nothing was written")
            raise typer.Exit(130) from None
        except OSError as error:
            if error.errno not in _OUT_OF_SPACE:
                raise
            # What is left in the buffer must not fail again at the end of the process.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            complain("error", f"the result cannot be written ({error.strerror})")
            raise typer.Exit(2) from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Parse the arguments, run the verb and exit."""
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except _ClickError as error:
            ctx = getattr(error, "ctx", None)
            where = f" (see {ctx.command_path} --help)" if ctx else ""
            complain("error", f"{error.format_message().rstrip('.')}{where}")
            code = 2
        except (KeyboardInterrupt, typer.Abort):
            # Outside of a verb, where releases of typer differ in how they end the command.
            complain("interrupted", "nothing was written")
            code = 130
        if standalone_mode:
            sys.exit(code)
        return code
