"""Figures, written as PNG files."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from matplotlib.figure import Figure

from benchmarks.measure import RESULTS


@contextmanager
def save(name: str, height: float = 4.0) -> Iterator[Any]:
    """Yield axes to draw on, and write the figure on exit."""
    figure = Figure(figsize=(8.0, height), layout="constrained")
    yield figure.subplots()
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / f"{name}.png", dpi=120)
