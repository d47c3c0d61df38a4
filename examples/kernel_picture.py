"""Draw what a kernel separates and no line does: three points, the exclusive or, two moons.

Usage: python kernel_picture.py kernels.svg (needs matplotlib)
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import make_moons

from novikoff import MaxMargin

BLUE, RED = "#2c6fbb", "#c8452f"


def draw(ax: Axes, clf: MaxMargin, X: np.ndarray, y: np.ndarray) -> None:
    """Draw the boundary with its margin, the examples, and a ring around the support."""
    clf.fit(X, y)
    low, high = X.min(axis=0) - 0.7, X.max(axis=0) + 0.7
    grid = np.meshgrid(*(np.linspace(a, b, 150) for a, b in zip(low, high, strict=True)))
    scores = clf.decision_function(np.column_stack([g.ravel() for g in grid]))
    levels, styles = [-1.0, 0.0, 1.0], ["--", "-", "--"]
    ax.contour(*grid, scores.reshape(grid[0].shape), levels, colors="0.35", linestyles=styles)
    for side, colour, marker in ((False, BLUE, "o"), (True, RED, "s")):
        ax.plot(*X[y == side].T, marker, color=colour, alpha=0.6, markersize=5)
    ax.plot(*X[clf.support_].T, "o", color="black", fillstyle="none", markersize=10)
    ax.set_title(f"{clf.kernel}, margin {clf.margin_:.3g}", fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])


def main(path: str) -> None:
    """Draw the three problems beside each other."""
    line = np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    corners = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    moons, phase = make_moons(60, noise=0.1, random_state=0)
    square = MaxMargin(kernel="poly", degree=2, gamma=1.0, coef0=1.0)
    figure, axes = plt.subplots(1, 3, figsize=(9, 3))
    draw(axes[0], square, line, np.array([True, False, True]))
    draw(axes[1], square, corners, np.array([False, False, True, True]))
    draw(axes[2], MaxMargin(kernel="rbf", gamma=2.0), moons, phase == 1)
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "kernels.svg")
