"""Small whole numbers on the two sides of a hyperplane, on which sums are exact."""

import numpy as np
from sklearn.utils import check_random_state

from novikoff.data.generators.hyperplane import Planted, RandomState, check_shape


def integers(
    n: int,
    d: int,
    *,
    bound: int = 5,
    intercept: bool = False,
    random_state: RandomState = None,
) -> Planted:
    """Small integer examples on the two sides of a hyperplane with integer coefficients.

    Sums and products of such data are exact in floating point, so runs can be compared bit for
    bit. No example lies on the planted hyperplane, so its margin is at least ``1/‖w‖`` for the
    integer ``w`` that was drawn; the best margin may be larger. Both classes are present when
    ``n >= 2``.

    Parameters
    ----------
    n, d : int
        Number of examples and of features.
    bound : int, default=5
        All values lie in ``[-bound, bound]``.
    intercept : bool, default=False
        Whether the hyperplane may miss the origin.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Planted
        With ``X`` of dtype float64.

    Examples
    --------
    >>> import numpy as np
    >>> from tests.data.integers import integers
    >>> p = integers(20, 3, random_state=0)
    >>> bool((p.X == np.rint(p.X)).all()), bool(p.margin > 0)
    (True, True)
    """
    check_shape(n, d)
    if bound < 1:
        raise ValueError(f"bound must be at least 1, got {bound}")
    rng = check_random_state(random_state)
    w = rng.randint(-bound, bound + 1, size=d)
    if not w.any():
        w[rng.randint(d)] = 1
    b = int(rng.randint(1 - bound, bound)) if intercept else 0

    X = rng.randint(-bound, bound + 1, size=(n, d))
    # Ends, since |b| < bound: the corner ±bound*sign(w) of the box is off the hyperplane.
    while (on_plane := np.flatnonzero(X @ w + b == 0)).size:
        X[on_plane] = rng.randint(-bound, bound + 1, size=(on_plane.size, d))
    sides = np.sign(X @ w + b)
    if n >= 2 and (sides == sides[0]).all():
        X[rng.randint(n)] = -sides[0] * bound * np.sign(w)
    score = X @ w + b
    length = float(np.linalg.norm(w))
    return Planted(
        X.astype(np.float64),
        np.sign(score).astype(np.int64),
        w / length,
        b / length,
        float(np.abs(score).min()) / length,
    )
