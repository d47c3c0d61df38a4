"""What every search shares: the loop, the clock with its limits, the history of bounds."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from novikoff.run.clock import Callback, Clock, Limits, Progress, Stopped, cancel_on_interrupt

if TYPE_CHECKING:
    from novikoff.run.compression import Compression
    from novikoff.run.loop import run
    from novikoff.run.plain import Update, trace
    from novikoff.run.record import Run

__all__ = [
    "Callback",
    "Clock",
    "Compression",
    "Limits",
    "Progress",
    "Run",
    "Stopped",
    "Update",
    "cancel_on_interrupt",
    "run",
    "trace",
]

# Found when first asked for: the solvers of the maximum margin need the clock alone.
_HOME = {
    "Compression": "compression",
    "Run": "record",
    "Update": "plain",
    "run": "loop",
    "trace": "plain",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'novikoff.run' has no attribute {name!r}")
    value = getattr(import_module(f"novikoff.run.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
