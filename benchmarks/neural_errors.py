"""Batches of a fixed number of errors."""

from benchmarks.neural import errors

if __name__ == "__main__":
    errors()
