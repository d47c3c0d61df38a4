"""Data sets that look like those of an application, with a known margin."""

from benchmarks.generators.genes import gene_like
from benchmarks.generators.text import text_like

__all__ = ["gene_like", "text_like"]
