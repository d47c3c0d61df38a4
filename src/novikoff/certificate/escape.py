"""Texts of unknown origin, made fit for a terminal and for one line."""

import unicodedata

# Control, format (bidirectional overrides among them), surrogate, private use, unassigned, and
# the separators of lines and paragraphs.
_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str, limit: int = 80) -> str:
    r"""Return the text with control characters escaped, cut to ``limit`` characters.

    Examples
    --------
    >>> from novikoff.certificate.escape import printable
    >>> print(printable("red \x1b[31malert\x1b[0m\n"), printable("a" * 100, limit=8))
    red \x1b[31malert\x1b[0m\n aaaaaaa…
    """
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(
        c.encode("unicode_escape").decode("ascii") if unicodedata.category(c) in _ESCAPED else c
        for c in cut
    )
