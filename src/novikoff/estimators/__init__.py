"""Thin scikit-learn faces over the loop and the optimum."""

from typing import TYPE_CHECKING

from novikoff._lazy import lazy_names

if TYPE_CHECKING:
    from novikoff.estimators.existence import separation
    from novikoff.estimators.margin_search import NotSeparableError
    from novikoff.estimators.maxmargin import MaxMargin
    from novikoff.estimators.maxmargin_cv import MaxMarginCV
    from novikoff.estimators.perceptron import Perceptron
    from novikoff.estimators.separable import is_separable
    from novikoff.estimators.stored import ModelError, load, save

__all__ = [
    "MaxMargin",
    "MaxMarginCV",
    "ModelError",
    "NotSeparableError",
    "Perceptron",
    "is_separable",
    "load",
    "save",
    "separation",
]

__getattr__ = lazy_names(
    __name__,
    {
        "novikoff.estimators.existence": ("separation",),
        "novikoff.estimators.margin_search": ("NotSeparableError",),
        "novikoff.estimators.maxmargin": ("MaxMargin",),
        "novikoff.estimators.maxmargin_cv": ("MaxMarginCV",),
        "novikoff.estimators.perceptron": ("Perceptron",),
        "novikoff.estimators.separable": ("is_separable",),
        "novikoff.estimators.stored": ("ModelError", "load", "save"),
    },
)


def __dir__() -> list[str]:
    return __all__
