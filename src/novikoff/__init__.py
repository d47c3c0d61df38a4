"""Linear classifiers that come with proof."""

from novikoff import certificate, rules
from novikoff._version import __version__
from novikoff.estimators import Perceptron, load, save

__all__ = ["Perceptron", "__version__", "certificate", "load", "rules", "save"]
