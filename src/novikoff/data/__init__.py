"""Data: readers of the usual files, generators with a known margin, MNIST."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from novikoff.data.read import FORMATS, read
from novikoff.data.table import DataError, Table

if TYPE_CHECKING:
    from novikoff.data.generators.famous import far_pair, sharpness
    from novikoff.data.generators.hyperplane import Planted, planted
    from novikoff.data.mnist import Mnist, cache_folder, load_mnist

__all__ = [
    "FORMATS",
    "DataError",
    "Mnist",
    "Planted",
    "Table",
    "cache_folder",
    "far_pair",
    "load_mnist",
    "planted",
    "read",
    "sharpness",
]

# Found when first asked for: to predict or to verify, the command line only reads.
_HOMES = {
    "novikoff.data.generators.famous": ("far_pair", "sharpness"),
    "novikoff.data.generators.hyperplane": ("Planted", "planted"),
    "novikoff.data.mnist": ("Mnist", "cache_folder", "load_mnist"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'novikoff.data' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
