"""Docstrings and examples as help: one line to a paragraph, so that the terminal wraps them."""

import inspect
from collections.abc import Callable
from typing import Any


def unwrapped(verb: Callable[..., Any]) -> str:
    r"""Return the docstring of a verb with every paragraph on one line.

    Examples
    --------
    >>> def verb():
    ...     '''Do it.
    ...
    ...     Slowly,
    ...     and well.
    ...     '''
    >>> unwrapped(verb)
    'Do it.\n\nSlowly, and well.'
    """
    paragraphs = (inspect.getdoc(verb) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def examples(*commands: str) -> str:
    """Return commands to copy, for the end of a help page."""
    heading = "[bold]Examples[/bold]" if len(commands) > 1 else "[bold]Example[/bold]"
    return "\n\n".join([heading, *commands])
