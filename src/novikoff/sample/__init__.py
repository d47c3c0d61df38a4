"""The signed examples that a perceptron sees, read in place."""

from novikoff.sample.order import visit_order
from novikoff.sample.sample import Memory, Sample
from novikoff.sample.storage import Room, room_of

__all__ = ["Memory", "Room", "Sample", "room_of", "visit_order"]
