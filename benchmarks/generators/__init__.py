"""Data sets that look like those of an application, with a known margin."""

from benchmarks.generators.bags import bags, factors, one_hot
from benchmarks.generators.columns import gaussian
from benchmarks.generators.genes import gene_like
from benchmarks.generators.text import text_like

__all__ = ["bags", "factors", "gaussian", "gene_like", "one_hot", "text_like"]
