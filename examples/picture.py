"""Draw what a certificate proves: a largest margin, and four examples that no line separates.

Usage: python picture.py certificate.svg (needs matplotlib)
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from novikoff import MaxMargin, is_separable

BLUE, RED = "#2c6fbb", "#c8452f"


def points(ax: Axes, X: np.ndarray, y: np.ndarray) -> None:
    """Draw the examples of two classes."""
    for side, colour, marker in ((-1, BLUE, "o"), (1, RED, "s")):
        ax.plot(*X[y == side].T, marker, color=colour, alpha=0.45, markersize=5)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])


def separable(ax: Axes, X: np.ndarray, y: np.ndarray) -> None:
    """Draw the hyperplane, its margin, and the nearest points of the two convex hulls."""
    clf = MaxMargin(tol=1e-9).fit(X, y)
    w, b = clf.coef_[0], clf.intercept_[0]
    left, right = X[:, 0].min() - 0.3, X[:, 0].max() + 0.3
    along = np.array([left, right])
    for level, style in ((0.0, "-"), (-1.0, "--"), (1.0, "--")):
        ax.plot(along, (level - b - w[0] * along) / w[1], style, color="0.35", linewidth=1.2)
    support, weights = clf.support_, np.abs(clf.dual_coef_)
    nearest = []
    for side in (-1, 1):
        mine = y[support] == side
        nearest.append(weights[mine] @ X[support[mine]] / weights[mine].sum())
    ax.plot(*np.array(nearest).T, "-", color="black", linewidth=1.6)
    points(ax, X, y)
    ax.scatter(*X[support].T, s=110, facecolors="none", edgecolors="black", linewidths=1.4)
    ax.set_xlim(left, right)
    ax.set_ylim(X[:, 1].min() - 0.3, X[:, 1].max() + 0.3)
    ax.set_title(
        f"Separable: margin {clf.margin_:.6g},\nproved to be the largest by {len(support)} examples"
    )


def not_separable(ax: Axes, X: np.ndarray, y: np.ndarray) -> None:
    """Draw the examples whose weighted sum is zero: the hulls of the two classes meet there."""
    proof = is_separable(X, y).support
    points(ax, X, y)
    for side, colour in ((-1, BLUE), (1, RED)):
        corners = X[proof[y[proof] == side]]
        ax.plot(*np.vstack([corners, corners[:1]]).T, "-", color=colour, linewidth=1.6)
    ax.scatter(*X[proof].T, s=110, facecolors="none", edgecolors="black", linewidths=1.4)
    ax.set_title(f"Not separable:\nproved by {len(proof)} examples, whose hulls meet")


def main(path: str) -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([-1, 1], 40)
    clouds = rng.normal(size=(80, 2)) + 0.8 * y[:, None]
    apart = clouds + 1.35 * y[:, None] * np.array([0.6, 0.9])
    plt.rcParams["svg.hashsalt"] = "novikoff"  # the same file every time
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    separable(left, apart, y)
    not_separable(right, clouds, y)
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
