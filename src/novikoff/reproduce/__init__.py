"""The paper's tables and theorems, measured here."""

from novikoff.reproduce.game import reproduce_game
from novikoff.reproduce.measurement import Row
from novikoff.reproduce.theorems import reproduce_theorems

__all__ = ["Row", "reproduce_game", "reproduce_theorems"]
