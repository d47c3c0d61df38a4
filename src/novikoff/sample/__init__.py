"""The signed examples that a perceptron sees, read in place."""

from novikoff.compiled.sweep import Memory
from novikoff.sample.multiclass import JointSample
from novikoff.sample.order import visit_order
from novikoff.sample.sample import Sample
from novikoff.sample.storage import Storage, storage_of
from novikoff.sample.virtual_rows import JointMemory

__all__ = ["JointMemory", "JointSample", "Memory", "Sample", "Storage", "storage_of", "visit_order"]
