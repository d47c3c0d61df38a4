"""Batches that wait for errors."""

from benchmarks.neural import errors

if __name__ == "__main__":
    errors()
