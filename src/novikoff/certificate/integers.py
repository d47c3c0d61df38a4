"""Vectors of integers of any length, and how they are stored."""

from collections.abc import Iterable
from typing import Any

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.json import wrong

_LARGEST = 1 << 53
"""Larger integers are stored as text: other readers of JSON take numbers for floats."""


class Integers(tuple[int, ...]):
    """A vector of Python integers.

    Examples
    --------
    >>> Integers([1, -2, 1 << 60]).to_json()
    [1, -2, '0x1000000000000000']
    """

    __slots__ = ()

    @classmethod
    def of(cls, name: str, values: Iterable[Any], length: int | None = None) -> "Integers":
        """The values as Python integers, after checking that they are whole, and how many."""
        found = []
        for value in values:
            if isinstance(value, bool) or int(value) != value:
                raise CertificateError(f"{name} must be whole numbers, not {value!r}")
            found.append(int(value))
        if length is not None and len(found) != length:
            raise CertificateError(f"{name} must have {length} numbers, not {len(found)}")
        return cls(found)

    def to_json(self) -> list[int | str]:
        """The integers as JSON values: numbers, or beyond ``2**53`` hexadecimal texts."""
        return [a if abs(a) <= _LARGEST else hex(a) for a in self]


NO_INTEGERS = Integers()


def read_integers(name: str, value: Any) -> Integers:
    """Read a list of integers of any length."""
    if not isinstance(value, list):
        raise wrong(name, "a list of whole numbers", value)
    return Integers(_read(name, part) for part in value)


def _read(name: str, value: Any) -> int:
    if type(value) is int and abs(value) <= _LARGEST:
        return value
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.startswith("0x") and digits[2:].isalnum():
            try:
                number = int(value, 16)
            except ValueError:
                number = 0
            if abs(number) > _LARGEST and hex(number) == value:
                return number
    raise wrong(name, "a list of whole numbers", value)
