"""Small problems of several classes, and their optimum by another method."""

import numpy as np
from scipy.optimize import nnls

from novikoff.maxmargin.joint import JointProblem
from novikoff.sample import Sample, storage_of

SMALL = 1e-4


def problem(X, codes, C=np.inf, *, affine=True, costs=None):
    """Return the joint problem of some rows and classes."""
    codes = np.asarray(codes, dtype=np.int64)
    sample = Sample.of(storage_of(X), np.ones(len(codes), dtype=np.int8), affine=affine)
    costs = np.ones(len(codes)) if costs is None else costs
    slack2 = None if C == np.inf else 0.5 / C / costs
    return JointProblem(sample, codes, int(codes.max()) + 1, slack2)


def pinwheel(turns=0):
    """Return three classes in the plane, each pair of which a line separates; jointly none can.

    Each class is a pair of points on a ray that is bent the same way, so that the three boundaries
    of a joint model cannot meet in one point.
    """
    angles = 2.0 * np.pi * np.arange(3) / 3.0
    rows, codes = [], []
    for k, angle in enumerate(angles):
        out = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-out[1], out[0]])
        for near, far in ((1.0, -1.2), (1.0, 4.0)):
            rows.append(near * out + far * across)
            codes.append(k)
    return np.array(rows), np.array(codes)


def optimum(X, codes, C=np.inf, *, affine=True, costs=None):
    """Return the optimum of the primal, a least-distance problem, by non-negative least squares.

    Of the soft margin its objective; of the hard margin the margin. C. L. Lawson & R. J. Hanson,
    "Solving Least Squares Problems", 1974, chapter 23. The intercepts have a penalty of
    ``SMALL^2``.
    """
    n, d = X.shape
    n_classes = int(codes.max()) + 1
    costs = np.ones(n) if costs is None else costs
    X = X - X.mean(axis=0) if affine else X
    soft = np.isfinite(C)
    rows, wrong = np.nonzero(np.arange(n_classes) != codes[:, None])
    size = n_classes * d
    total = size + (n_classes if affine else 0) + (n if soft else 0)
    A = np.zeros((len(rows), total))
    for r in range(n_classes):
        sign = (codes[rows] == r).astype(float) - (wrong == r)
        A[:, r * d : (r + 1) * d] = sign[:, None] * X[rows]
        if affine:
            A[:, size + r] = sign / SMALL
    if soft:
        A[np.arange(len(rows)), total - n + rows] = 1.0 / np.sqrt(C * costs)[rows]
    # The least |v| with A v >= 1.
    dual = np.vstack([A.T, np.ones(len(A))])
    right = np.append(np.zeros(total), 1.0)
    weights, _ = nnls(dual, right, maxiter=10_000)
    residual = dual @ weights - right
    v = -residual[:-1] / residual[-1]
    assert (A @ v >= 1.0 - 1e-6).all()
    # At the least |W| with f_y - f_r >= 1, the margin is 1 / (sqrt(2) |W|).
    return v @ v if soft else 1.0 / np.sqrt(2.0 * (v @ v))
