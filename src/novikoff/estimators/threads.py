"""Running the classes side by side, and going on from an earlier fit."""

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff.run import Progress
from novikoff.sample import Memory

Result = TypeVar("Result")


def each(
    function: Callable[[int], Result], items: Sequence[int], jobs: int, cancel: threading.Event
) -> list[Result]:
    """Call the function on each item, in threads if there are jobs; Ctrl-C cancels them all."""
    if jobs == 1 or len(items) == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            cancel.set()
            return [future.result() for future in futures]


@dataclass(frozen=True)
class LastRun:
    """What a warm start needs of the fit before."""

    asked: tuple[Any, ...]
    hashes: NDArray[np.uint64]
    codes: NDArray[np.int64]
    order: NDArray[np.int64]
    memories: dict[int, Memory]

    def fits(
        self, asked: tuple[Any, ...], hashes: NDArray[np.uint64], codes: NDArray[np.int64]
    ) -> bool:
        """Whether the new fit asks the same of the same data."""
        same_data = np.array_equal(self.hashes, hashes) and np.array_equal(self.codes, codes)
        return same_data and self.asked == asked


def print_progress(line: Progress) -> None:
    """Print a line of history to the standard error."""
    print(
        f"pass {line.iteration}: {line.updates} updates, {line.mistakes} on the wrong side, "
        f"margin at most {line.upper:.6g}",
        file=sys.stderr,
    )


def print_bounds(line: Progress) -> None:
    """Print a line of history of an optimum to the standard error."""
    print(
        f"pass {line.iteration}: {line.updates} steps, {line.mistakes} on the wrong side, "
        f"between {line.lower:.6g} and {line.upper:.6g}",
        file=sys.stderr,
    )
