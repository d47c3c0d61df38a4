"""Fit a maximum-margin hyperplane, print its certificate, verify it, and plot an example in 2D.

Usage: python max_margin.py [margin.png]        (the plot needs matplotlib)
"""

import sys
from importlib.util import find_spec

import numpy as np
from sklearn.datasets import load_breast_cancer, make_blobs

from novikoff import MaxMargin


def prove() -> None:
    """Certify the maximum margin on raw data whose columns differ by a factor of 100,000."""
    X, y = load_breast_cancer(return_X_y=True)
    clf = MaxMargin(tol=1e-6).fit(X, y)
    print(clf.certificate_)
    print(clf.certificate_.verify(X, y).sentence)
    print(f"{len(clf.support_)} of {len(y)} examples are support vectors.")


def draw(path: str) -> None:
    """Plot the hyperplane, its margin on both sides, and the support vectors."""
    import matplotlib.pyplot as plt

    X, y = make_blobs(60, centers=2, random_state=6)
    clf = MaxMargin(tol=1e-6).fit(X, y)
    w, b = clf.coef_[0], clf.intercept_[0]
    normal, width = w / np.linalg.norm(w), clf.margin_
    foot = -b * w / (w @ w)
    along = np.outer([-20.0, 20.0], [-normal[1], normal[0]])

    plt.figure(figsize=(5, 5))
    plt.scatter(*X.T, c=y, cmap="coolwarm", s=18)
    plt.scatter(*X[clf.support_].T, s=90, facecolors="none", edgecolors="black", label="support")
    for shift, style in ((0.0, "k-"), (width, "k--"), (-width, "k--")):
        plt.plot(*(foot + shift * normal + along).T, style, linewidth=1)
    plt.gca().set_aspect("equal", adjustable="box")
    plt.axis((X[:, 0].min() - 1, X[:, 0].max() + 1, X[:, 1].min() - 1, X[:, 1].max() + 1))
    bound = clf.margin_upper_bound_
    plt.title(f"margin {clf.margin_:.6f}; no hyperplane has more than {bound:.6f}", fontsize=9)
    plt.legend(loc="lower right")
    plt.savefig(path, dpi=120)
    print(f"wrote {path}")


if __name__ == "__main__":
    prove()
    if find_spec("matplotlib"):
        draw(sys.argv[1] if len(sys.argv) > 1 else "margin.png")
