"""Linear classifiers that come with proof."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from novikoff._version import __version__

if TYPE_CHECKING:
    from novikoff import certificate, data, rules, theory
    from novikoff.estimators import MaxMargin, Perceptron, is_separable, load, save

__all__ = [
    "MaxMargin",
    "Perceptron",
    "__version__",
    "certificate",
    "data",
    "is_separable",
    "load",
    "rules",
    "save",
    "theory",
]

# Found when first asked for: the command line's help must not wait for the compiled code.
_MODULES = ("certificate", "data", "rules", "theory")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"novikoff.{name}")
    if name in __all__:
        value = getattr(import_module("novikoff.estimators"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'novikoff' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
