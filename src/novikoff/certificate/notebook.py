"""A certificate as a small piece of HTML, for notebooks.

What is proved comes first, what the run says of itself last and in grey. All text is escaped:
labels and names come from files.
"""

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from novikoff.certificate.base import Certificate

_BOX = "border-left: 3px solid {colour}; padding: 0.2em 0.8em; max-width: 50em"
_COLOURS = {True: "#2e7d32", False: "#c62828", None: "#f9a825"}
"""Green for separable (or estimates that exist), red for not, yellow for neither."""

_GREY = "color: gray; font-size: smaller"


def to_html(certificate: "Certificate") -> str:
    """Return what is proved, in sentences, and below it the problem and the run.

    Examples
    --------
    >>> from novikoff import is_separable
    >>> certificate = is_separable([[0.0], [1.0]], ["<b>", "&"])
    >>> html = to_html(certificate)
    >>> "<b>Separation:" in html, "&#x27;&lt;b&gt;&#x27;" in html
    (True, True)
    """
    kind, headline = type(certificate).__name__, certificate.headline()
    rest = str(certificate).splitlines()[len(_lines(certificate)) :]
    return "".join(
        [
            f'<div style="{_BOX.format(colour=_COLOURS[_verdict(certificate)])}">',
            f"<b>{escape(kind)}: {escape(headline)}</b>",
            *(f"<br>{escape(line)}" for line in _lines(certificate)),
            f'<div style="{_GREY}">{"<br>".join(map(escape, rest))}</div>',
            "</div>",
        ]
    )


def _lines(certificate: "Certificate") -> list[str]:
    return "\n".join(certificate.sentences()).splitlines()


def _verdict(certificate: "Certificate") -> bool | None:
    # Of a verdict on estimates: whether these exist.
    exists = getattr(certificate, "exists", None)
    if exists is not None:
        return bool(exists)
    try:
        return bool(certificate)
    except ValueError:
        return None
