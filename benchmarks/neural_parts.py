"""Dropout and averages with the beta loss."""

from benchmarks.neural import all_parts

if __name__ == "__main__":
    all_parts()
