"""All labelings of a few points, with their exact margins."""

import itertools

import numpy as np

from tests.theorems.optimum import affine_optimum, optimum


def labelings(n):
    """All vectors of n signs."""
    return np.array(list(itertools.product((-1, 1), repeat=n)))


def coordinates(X):
    """The same points in as many dimensions as there are points, if that is fewer."""
    X = np.asarray(X, dtype=np.float64)
    return np.linalg.qr(X.T)[1].T if X.shape[0] < X.shape[1] else X


def margins(X, signs):
    """The largest margin of each labeling, by hyperplanes through the origin; 0 if there is none.

    A labeling and its opposite have the same margin, so half of them are computed.
    """
    X, found = coordinates(X), {}
    for y in signs:
        key = tuple(y * y[0])
        if key not in found:
            found[key] = optimum(X * y[:, None]).lower
    return np.array([found[tuple(y * y[0])] for y in signs])


def affine_margins(X, signs):
    """The same with an intercept, for labelings with both signs."""
    X = coordinates(X)
    return np.array([affine_optimum(X, y) for y in signs])
