"""The environment of new processes whose start is measured: with bytecode of all modules."""

import atexit
import os
import tempfile
from functools import cache


@cache
def _folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix="bytecode")
    atexit.register(folder.cleanup)
    return folder.name


def environment() -> dict[str, str]:
    """Let Python write bytecode, into a temporary folder of this process, and read it from there.

    Where ``PYTHONDONTWRITEBYTECODE`` is set, as in many containers, every process would otherwise
    parse the sources of scikit-learn and numba again, which takes three times as long as to import
    them. A folder that was installed without bytecode has none for what was never imported.
    """
    return {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    } | {"PYTHONPYCACHEPREFIX": _folder()}
