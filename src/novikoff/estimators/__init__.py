"""Thin scikit-learn faces over the loop and the optimum."""

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
