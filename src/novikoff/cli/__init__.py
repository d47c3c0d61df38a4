"""The command line: one file per verb.

Exit codes: 0 the work is done (a fit with an inconclusive certificate included); 1 a claim is
false or undecided, or a fit was interrupted and its best model written; 2 bad usage or bad input,
in one line, with nothing written; 130 Ctrl-C, with nothing written. Results go to stdout; progress,
warnings and errors go to stderr. What comes from files, such as names and labels, is escaped before
it is printed.

Nothing here imports the solver before a verb runs, so that the help appears at once; and this file
imports only what it needs to handle Ctrl-C from the start.
"""

import os
import sys
from typing import Any

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; the entry point of the `novikoff` command."""
    if sys.stdout is None:  # closed, as by >&-
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    try:
        from novikoff.cli.verbs import app

        app()
    except KeyboardInterrupt:
        print("novikoff: interrupted: nothing was written", file=sys.stderr)
        sys.exit(130)


def __getattr__(name: str) -> Any:
    if name == "app":
        from novikoff.cli.verbs import app

        return app
    raise AttributeError(f"module 'novikoff.cli' has no attribute {name!r}")
