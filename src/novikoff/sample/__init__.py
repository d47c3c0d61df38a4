"""The signed examples that a perceptron sees, read in place."""

from novikoff.compiled.sweep import Memory
from novikoff.sample.order import visit_order
from novikoff.sample.sample import Sample
from novikoff.sample.storage import Storage, storage_of

__all__ = ["Memory", "Sample", "Storage", "storage_of", "visit_order"]
