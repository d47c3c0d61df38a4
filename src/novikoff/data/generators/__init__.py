"""Data sets whose maximum margin is known."""
