"""Exact and rigorous arithmetic, proved in its docstrings."""
