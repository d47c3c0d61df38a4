"""Data: readers of the usual files, generators with a known margin, MNIST."""

from novikoff.data.generators.famous import far_pair, sharpness
from novikoff.data.generators.hyperplane import Planted, planted
from novikoff.data.mnist import Mnist, cache_folder, load_mnist
from novikoff.data.read import FORMATS, read
from novikoff.data.table import DataError, Table

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
