"""Functions on arrays that are compiled when they are first called, or read from a cache.

numba compiles them. It takes a fifth of a second to import, so compiled code is also kept in files
that are read without it (:mod:`novikoff.certificate.machine_code`): numba is imported where
something must be compiled, or such a file cannot be used.
"""

import os
import sys
import threading
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, TypeAlias, TypeVar

import numpy as np

from novikoff.certificate import code_files, machine_code

Function: TypeAlias = Callable[..., Any]
Types: TypeAlias = tuple[Any, ...]
Chooser = TypeVar("Chooser", bound=Function)
"""Given types of arguments, it returns the function to compile for them."""

# The flags of an array that numba compiles for: C order, Fortran order, aligned, writable.
C_ORDER, F_ORDER, ALIGNED, WRITABLE = 0x1, 0x2, 0x100, 0x400
FLAGS = C_ORDER | F_ORDER | ALIGNED | WRITABLE
SCALARS: dict[type, str] = {
    bool: "bool",
    float: "float64",
    np.bool_: "bool",
    np.float64: "float64",
    np.int64: "int64",
}
"""Types of numbers, and the names that numba has for them."""
LARGEST = 2**63 - 1


def njit(*, inner: bool = False, **options: Any) -> Callable[[Function], Any]:
    """Compile a function as ``numba.njit(nogil=True)`` does, and keep the compiled code.

    A division by zero gives infinity or NaN, as in numpy, which is less to compile than an
    exception. With ``NUMBA_DISABLE_JIT=1`` in the environment, the function is left as it is.
    What returns an array or a named tuple to Python imports numba, which makes it; to write into an
    array that is given does not.

    Parameters
    ----------
    inner : bool
        Whether only compiled functions call it. Then the code by which Python would call it is not
        compiled: for a tuple of many arrays that is most of a small function. (An overload that
        it shares with functions that are not inner is compiled once more for it.)
    **options
        Those of ``numba.njit``.

    Examples
    --------
    >>> @njit()
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """

    def decorate(function: Function) -> Any:
        if _is_disabled():
            # As compiled code does, without a warning where a number overflows.
            return np.errstate(all="ignore")(function)
        return Kernel(function, {"inner": inner, **options})

    return decorate


def overload(stub: Function, **options: Any) -> Callable[[Chooser], Chooser]:
    """Register what compiled code does for ``stub``, as ``numba.extending.overload`` does.

    Where numba is not imported, this waits until it is.
    """

    def decorate(function: Chooser) -> Chooser:
        if _is_disabled():
            return function
        if machine_code.has_numba():
            _register(stub, options, function)
        else:
            _pending.append((stub, options, function))
        return function

    return decorate


_pending: list[tuple[Function, dict[str, Any], Function]] = []


def _register(stub: Function, options: dict[str, Any], function: Function) -> None:
    from numba.extending import overload

    overload(stub, strict=False, **options)(function)


def _is_disabled() -> bool:
    """Whether numba is told to leave functions as they are."""
    config = getattr(sys.modules.get("numba"), "config", None)
    if config is not None:
        return bool(config.DISABLE_JIT)
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def is_array(rows: Any) -> bool:
    """Whether this is an array, or numba's type of one."""
    if isinstance(rows, np.ndarray):
        return True
    types = getattr(sys.modules.get("numba"), "types", None)
    return types is not None and isinstance(rows, types.Array)


class Kernel:
    """A function that is compiled for the types of its arguments, or read from a file."""

    def __init__(self, function: Function, options: dict[str, Any]) -> None:
        self.py_func = function
        self._options = options
        self._code: dict[Types, Function] = {}
        self._dispatcher: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the code for arguments of these types."""
        try:
            types = types_of(arguments)
            code = self._code.get(types)
            if code is None:
                code = self._first(types, arguments)
        except UnknownTypeError:
            code = self.dispatcher
        return code(*arguments)

    @property
    def is_used(self) -> bool:
        """Whether it was called, or compiled for another function."""
        return bool(self._code) or self._dispatcher is not None

    def __reduce__(self) -> str:
        """Pickle as functions are, by name."""
        return self.py_func.__qualname__

    @cached_property
    def dispatcher(self) -> Any:
        """The function of numba, which compiles."""
        from novikoff.certificate import compiler

        with _lock:
            while _pending:
                _register(*_pending.pop(0))
            if self._dispatcher is None:
                self._dispatcher = compiler.dispatcher(self.py_func, **self._options)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this for in functions that it compiles."""
        return self.dispatcher._numba_type_

    def _first(self, types: Types, arguments: tuple[Any, ...]) -> Function:
        """Return the code for new types of arguments: read it, or have numba compile it."""
        file = code_files.file_of(self.py_func, str(list(map(name_of, types))))
        if file is None:
            return self._code.setdefault(types, self.dispatcher)
        with _lock:
            code = self._code.get(types)
            if code is None and self._dispatcher is None:
                code = machine_code.load(file, self.py_func)
        if code is None:
            code = self.dispatcher
            from novikoff.certificate import compiler

            payload = compiler.payload(code, arguments)
            if payload is not None:
                machine_code.store(file, payload)
        return self._code.setdefault(types, code)


_lock = threading.RLock()


class UnknownTypeError(Exception):
    """The code for a value of this type is left to numba."""


def types_of(arguments: tuple[Any, ...]) -> Types:
    """Return what distinguishes the code for these arguments from the code for others."""
    return tuple([_type_of(value) for value in arguments])


def _type_of(value: Any) -> Any:
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & FLAGS
    if kind in SCALARS:
        return kind
    if kind is int and -LARGEST <= value <= LARGEST:
        return kind
    if issubclass(kind, tuple):
        return (kind, *[_type_of(item) for item in value])
    raise UnknownTypeError


def name_of(types: Any) -> str:
    """Return a name for the types of a value, the same in every process.

    Examples
    --------
    >>> [name_of(each) for each in types_of((np.ones((2, 3)), 1, 2.0))]
    ['<f8[2C]', 'int64', 'float64']
    """
    if isinstance(types, type):
        return SCALARS.get(types, "int64")
    first, *rest = types
    if isinstance(first, type):
        return f"{first.__module__}.{first.__qualname__}({', '.join(map(name_of, rest))})"
    n_axes, flags = rest
    if first.isbuiltin != 1:
        raise UnknownTypeError
    order = "C" if flags & C_ORDER else "F" if flags & F_ORDER else "A"
    access = "" if flags & WRITABLE else "read-only "
    place = "" if flags & ALIGNED else "unaligned "
    return f"{access}{place}{first.str}[{n_axes}{order}]"
