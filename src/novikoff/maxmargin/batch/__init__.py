"""Many soft margins of the same examples, solved at once."""

from novikoff.maxmargin.batch.search import Batch
from novikoff.maxmargin.batch.settings import BATCH, BatchSettings

__all__ = ["BATCH", "Batch", "BatchSettings"]
