"""Dropout and averaged parameters with the beta loss."""

from benchmarks.neural import parts

if __name__ == "__main__":
    parts()
