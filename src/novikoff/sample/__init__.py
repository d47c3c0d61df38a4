"""The signed examples that a perceptron sees, read in place."""

from novikoff.sample.order import visit_order
from novikoff.sample.rooms import Room, room_of
from novikoff.sample.signed import Memory, Sample

__all__ = ["Memory", "Room", "Sample", "room_of", "visit_order"]
