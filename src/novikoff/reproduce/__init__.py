"""The paper's tables and theorems, measured here."""

from novikoff.reproduce.game import reproduce_game
from novikoff.reproduce.measurement import Row
from novikoff.reproduce.minimax import Risk, reproduce_minimax
from novikoff.reproduce.online import Checkpoint, reproduce_online
from novikoff.reproduce.theorems import reproduce_theorems

__all__ = [
    "Checkpoint",
    "Risk",
    "Row",
    "reproduce_game",
    "reproduce_minimax",
    "reproduce_online",
    "reproduce_theorems",
]
