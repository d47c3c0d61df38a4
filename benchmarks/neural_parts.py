"""Dropout, averages and the other parts together."""

from benchmarks.neural import parts

if __name__ == "__main__":
    parts()
