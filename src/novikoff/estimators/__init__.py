"""Thin scikit-learn faces over the loop and the optimum."""

from novikoff.estimators.maxmargin import MaxMargin
from novikoff.estimators.optimum import NotSeparableError
from novikoff.estimators.perceptron import Perceptron
from novikoff.estimators.separable import is_separable
from novikoff.estimators.stored import load, save

__all__ = ["MaxMargin", "NotSeparableError", "Perceptron", "is_separable", "load", "save"]
