"""How numbers are written: the decimal point, and what separates groups of three digits."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

SEPARATORS = {".": r"\.", ",": ",", "'": "['\u2019]", "_": "_", " ": "[ \u00a0\u202f]"}
"""Thousands separators, with the characters that each stands for."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.I)
_DIGITS = re.compile(r"[+-]?[\d.,'_\u2019 \u00a0\u202f]*\d[\d.,]*([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Numerals:
    """The decimal point of a file, and its thousands separator, if it has one.

    Examples
    --------
    >>> Numerals().parse("1.051"), Numerals(",").parse("1.051"), Numerals(",", ".").parse("1.051")
    (1.051, None, 1051.0)
    """

    decimal: str = "."
    thousands: str | None = None

    def plain(self, word: str) -> str | None:
        """Return a number with a decimal point and without separators; None if it is no number."""
        if self.thousands is not None and _grouped(self).fullmatch(word):
            word = re.sub(SEPARATORS[self.thousands], "", word)
        if self.decimal == ",":
            if "." in word:
                return None
            word = word.replace(",", ".")
        return word if _NUMBER.fullmatch(word) else None

    def parse(self, word: str) -> float | None:
        """Return the number that a text is, else None."""
        plain = self.plain(word)
        return None if plain is None else float(plain)

    def is_number(self, word: str) -> bool:
        """Whether a text is a number."""
        return self.plain(word) is not None

    def options_from(self, own: Numerals) -> tuple[str, ...]:
        """Return the options of the command line that say how these differ from others."""
        options = () if self.decimal == own.decimal else ("--decimal", self.decimal)
        if self.thousands is None or self.thousands == own.thousands:
            return options
        return (*options, "--thousands", self.thousands)

    def others(self) -> list[Numerals]:
        """Return the ways to write numbers that a user may have meant, the likeliest first.

        What was said of the file is not doubted: a comma as decimal point, a separator.
        """
        if self.thousands is not None:
            return []
        decimals = ".," if self.decimal == "." else ","
        pairs = [Numerals(d, t) for d in decimals for t in (None, ".", ",", "'", " ") if d != t]
        return [pair for pair in pairs if pair != self]


PLAIN = Numerals()
"""Numbers with a decimal point, and without thousands separators."""


@lru_cache(maxsize=32)
def _grouped(numerals: Numerals) -> re.Pattern[str]:
    # A number below one has no groups: 0.123 is none with a thousands separator.
    separator = SEPARATORS[str(numerals.thousands)]
    decimals = rf"({re.escape(numerals.decimal)}\d*)?"
    return re.compile(rf"[+-]?[1-9]\d{{0,2}}({separator}\d{{3}})+{decimals}", re.ASCII)


def has_only_digits(word: str) -> bool:
    """Whether a text has digits, and nothing else but points, commas and other separators."""
    return _DIGITS.fullmatch(word) is not None


def without_sign(word: str) -> tuple[str, str] | None:
    """Return the number of a text with a currency or percent sign, and the sign; else None.

    Examples
    --------
    >>> without_sign("$5,492.84"), without_sign("-64.5 %"), without_sign("C5")
    (('5,492.84', '$'), ('-64.5', '%'), None)
    """
    signs = [
        letter for letter in word if letter in "%\u2030" or unicodedata.category(letter) == "Sc"
    ]
    if len(signs) != 1:
        return None
    number = "".join(word.split(signs[0])).strip()
    at_an_end = word.lstrip("+-")[0] == signs[0] or word[-1] == signs[0]
    return (number, signs[0]) if at_an_end and has_only_digits(number) else None
