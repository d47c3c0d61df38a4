"""How the numbers of a CSV file are written, if not as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from novikoff.data.numerals import PLAIN, Numerals, has_only_digits, without_sign

FEW_STRAYS = 3
"""So many different words among numbers may stand for missing values; more are something else."""


@dataclass
class Strays:
    """The values of a column that are not what the others are."""

    rows: dict[str, list[NDArray[np.int64]]] = field(default_factory=dict)
    n_others: int = 0

    def add(self, word: str, start: int, codes: NDArray[np.int64], code: int) -> None:
        """Remember a word and the rows that have its code, as long as there are few words."""
        if word in self.rows or len(self.rows) <= FEW_STRAYS:
            self.rows.setdefault(word, []).append(start + np.flatnonzero(codes == code))

    @property
    def all_rows(self) -> list[NDArray[np.int64]]:
        """The rows of all words."""
        return [part for parts in self.rows.values() for part in parts]

    @property
    def may_be_missing(self) -> bool:
        """Whether there are few such words, in fewer rows than the others."""
        return 0 < len(self.rows) <= FEW_STRAYS and sum(map(len, self.all_rows)) < self.n_others


class WrittenNumbers:
    """Which ways to write numbers read all that is a number in a column.

    `first` is the first text, with its row, that is a number only in another way than `own`, and
    `signed` the first with a currency or percent sign, if all texts have one or are numbers.
    """

    def __init__(self, own: Numerals) -> None:
        self.own = own
        self.own_reads = True
        self.ways = own.others()
        self.first: tuple[int, str] | None = None
        self.signed: tuple[int, str] | None = None
        self.all_signed = True
        self._all = [PLAIN, *PLAIN.others()]

    def add(self, row: int, word: str) -> bool:
        """Look at a text; return whether it is a number in some way."""
        reads = self.own.is_number(word)
        if not reads and not (has_only_digits(word) and any(w.is_number(word) for w in self._all)):
            if self.all_signed and without_sign(word) is None:
                self.all_signed = False
            if self.signed is None or row < self.signed[0]:
                self.signed = row, word
            return False
        self.ways = [way for way in self.ways if way.is_number(word)]
        if not reads and (self.first is None or row < self.first[0]):
            self.first = row, word
        self.own_reads = self.own_reads and reads
        return True

    def add_floats(self, numbers: NDArray[np.float64]) -> None:
        """Look at numbers that were read as they are, some of them with decimals."""
        groups = Numerals(",", ".")
        thousands = np.rint(numbers * 1000.0)
        whole = (thousands / 1000.0 == numbers) & (np.abs(numbers) < 1000.0)
        may_be_groups = whole & ((numbers == np.rint(numbers)) | (np.abs(numbers) >= 1.0))
        self.ways = [
            way
            for way in self.ways
            if way.decimal == self.own.decimal or (way == groups and may_be_groups.all())
        ]


def common_way(columns: Sequence[WrittenNumbers], own: Numerals) -> Numerals:
    """Choose how the numbers of a file are written, so that most columns can be read."""
    misread = [column for column in columns if not column.own_reads and column.ways]
    if not misread:
        return own
    possible = [way for way in misread[0].ways if all(way in one.ways for one in misread)]
    possible = possible or misread[0].ways
    agreeing = [way for way in possible if all(way in column.ways for column in columns)]
    return (agreeing or possible)[0]
