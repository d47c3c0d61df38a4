"""Thin scikit-learn faces over the loop."""

from novikoff.estimators.perceptron import Perceptron
from novikoff.estimators.stored import load, save

__all__ = ["Perceptron", "load", "save"]
