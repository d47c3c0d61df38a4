"""Figure 1: 800 hidden neurons."""

from benchmarks.neural import figure_1

if __name__ == "__main__":
    figure_1()
