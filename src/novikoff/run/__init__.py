"""What every search shares: the loop, the clock with its limits, the history of bounds."""

from novikoff.run.clock import Callback, Clock, Limits, Progress, Stopped, cancel_on_interrupt
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
