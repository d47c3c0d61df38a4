"""Thin scikit-learn faces over the loop and the optimum."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novikoff.estimators.margin_fit import NotSeparableError
    from novikoff.estimators.maxmargin import MaxMargin
    from novikoff.estimators.perceptron import Perceptron
    from novikoff.estimators.separable import is_separable
    from novikoff.estimators.stored import ModelError, load, save

__all__ = [
    "MaxMargin",
    "ModelError",
    "NotSeparableError",
    "Perceptron",
    "is_separable",
    "load",
    "save",
]

# Found when first asked for: a perceptron need not wait for the solvers of the maximum margin, nor
# these for the rules of the perceptron.
_HOME = {
    "MaxMargin": "maxmargin",
    "ModelError": "stored",
    "NotSeparableError": "margin_fit",
    "Perceptron": "perceptron",
    "is_separable": "separable",
    "load": "stored",
    "save": "stored",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'novikoff.estimators' has no attribute {name!r}")
    value = getattr(import_module(f"novikoff.estimators.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
