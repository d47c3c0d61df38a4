"""Names of a package that are imported when they are first asked for.

An estimator need not wait for the modules of the others, nor the help of the command line for the
compiled code; and to check a certificate imports no solver.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package: ``homes`` says which module defines which names.

    Examples
    --------
    >>> find = lazy_names("novikoff", {"novikoff.certificate": ["Status"]})
    >>> find("Status").__name__
    'Status'
    """
    home = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
