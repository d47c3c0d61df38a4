"""What every search shares: the loop, the clock with its limits, the history of bounds."""

from typing import TYPE_CHECKING

from novikoff._lazy import lazy_names
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

__getattr__ = lazy_names(
    __name__,
    {
        "novikoff.run.compression": ("Compression",),
        "novikoff.run.loop": ("run",),
        "novikoff.run.plain": ("Update", "trace"),
        "novikoff.run.record": ("Run",),
    },
)


def __dir__() -> list[str]:
    return __all__
