"""Texts from files, such as names and labels, in a form that is safe to print."""

import numpy as np

_ELLIPSIS = "…"


def escaped(text: str) -> str:
    r"""Replace every character that a terminal may act upon by its escape sequence.

    These are all that `str.isprintable` excludes: control characters and line breaks, the
    escape character, bidirectional and other invisible format characters, line and paragraph
    separators, lone surrogates, and spaces other than the ordinary one.

    Examples
    --------
    >>> print(escaped("a\x1b[2Jb\nc\u202ed"))
    a\x1b[2Jb\nc\u202ed
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def printable(text: object, limit: int = 80) -> str:
    r"""Show a text in at most `limit` characters: escaped, cut with an ellipsis if it is longer.

    Backslashes are doubled, so that different texts that are not cut look different.

    Examples
    --------
    >>> print(printable("one\ntwo"), printable("x" * 100, limit=5), printable(3.0))
    one\ntwo xxxx… 3.0
    """
    whole = str(text)
    shown = escaped(whole[: limit + 1].replace("\\", "\\\\"))
    if len(shown) <= limit:
        return shown
    # A cut never goes through an escape sequence.
    pieces, room = [], limit - len(_ELLIPSIS)
    for character in whole:
        piece = escaped(character.replace("\\", "\\\\"))
        room -= len(piece)
        if room < 0:
            break
        pieces.append(piece)
    return "".join(pieces) + _ELLIPSIS


def quoted(text: object, limit: int = 80) -> str:
    r"""Show a text as `printable` does, in quotation marks.

    Examples
    --------
    >>> print(quoted("width"), quoted("the\tother's"), quoted("x" * 100, limit=5))
    'width' "the\tother's" 'xxxx…'
    """
    shown = printable(text, limit)
    if "'" not in shown:
        return f"'{shown}'"
    if '"' not in shown:
        return f'"{shown}"'
    return "'" + shown.replace("'", "\\'") + "'"


def format_label(label: object, limit: int = 80) -> str:
    """Show a label: a text in quotation marks, a number as it is written; cut as by `printable`.

    Examples
    --------
    >>> print(format_label("benign"), format_label(3), format_label(True), format_label(10**5000))
    'benign' 3 True an integer of 16610 bits
    """
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, str):
        return quoted(value, limit)
    if isinstance(value, int) and value.bit_length() > 64:
        return f"an integer of {value.bit_length()} bits"
    try:
        return printable(repr(value), limit)
    except ValueError:
        # Python does not write out integers of more than some thousand digits.
        return f"a {type(value).__name__}"
