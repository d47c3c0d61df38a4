"""Figure 2: 300 hidden neurons."""

from benchmarks.neural import figure_2

if __name__ == "__main__":
    figure_2()
