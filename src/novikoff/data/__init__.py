"""Data: readers of the usual files, generators with a known margin, MNIST."""

from novikoff.data.famous import far_pair, sharpness
from novikoff.data.genes import gene_like
from novikoff.data.hyperplane import Planted, integers, planted
from novikoff.data.mnist import Mnist, cache_folder, load_mnist
from novikoff.data.readers import FORMATS, read
from novikoff.data.table import DataError, Table
from novikoff.data.text import text_like

__all__ = [
    "FORMATS",
    "DataError",
    "Mnist",
    "Planted",
    "Table",
    "cache_folder",
    "far_pair",
    "gene_like",
    "integers",
    "load_mnist",
    "planted",
    "read",
    "sharpness",
    "text_like",
]
