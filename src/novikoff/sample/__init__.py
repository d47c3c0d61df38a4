"""The signed examples that a perceptron sees, read in place."""

from typing import TYPE_CHECKING

from novikoff._lazy import lazy_names
from novikoff.compiled.sweep import Memory
from novikoff.sample.order import content_order, visit_order
from novikoff.sample.sample import Sample
from novikoff.sample.storage import Storage, storage_of

if TYPE_CHECKING:
    from novikoff.sample.multiclass import JointSample
    from novikoff.sample.virtual_rows import JointMemory

__all__ = [
    "JointMemory",
    "JointSample",
    "Memory",
    "Sample",
    "Storage",
    "content_order",
    "storage_of",
    "visit_order",
]

__getattr__ = lazy_names(
    __name__,
    {
        "novikoff.sample.multiclass": ("JointSample",),
        "novikoff.sample.virtual_rows": ("JointMemory",),
    },
)


def __dir__() -> list[str]:
    return __all__
