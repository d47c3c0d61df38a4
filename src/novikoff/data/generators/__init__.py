"""Data sets whose best margin is known."""
