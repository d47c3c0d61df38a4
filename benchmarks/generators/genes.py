"""Few examples with many correlated features, like gene-expression profiles."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from novikoff.data.generators.hyperplane import (
    Planted,
    RandomState,
    balanced_labels,
    check_shape,
    unit_vector,
    with_noise,
)


def gene_like(
    n: int,
    d: int,
    *,
    margin: float = 1.0,
    informative: int = 20,
    pathways: int = 10,
    noise: float = 0.0,
    random_state: RandomState = None,
) -> Planted:
    """Expression profiles of two groups: ``n`` profiles of ``d`` genes, ``n`` far below ``d``.

    Each gene has its own base level around 8 (as logarithms of intensities have), follows
    `pathways` hidden factors shared by all genes, and has noise of its own. A planted direction
    over `informative` genes tells the groups apart: along it each profile is moved so that the
    one nearest to the hyperplane is at `margin` exactly. The hyperplane is far from the origin.

    Parameters
    ----------
    n, d : int
        Number of profiles and of genes.
    margin : float, default=1.0
        Distance of the nearest profile to the planted hyperplane. With ``n`` below ``d`` every
        labelling can be separated, and the best margin is usually much larger.
    informative : int, default=20
        Number of genes in the planted direction (at most ``d`` of them).
    pathways : int, default=10
        Number of hidden factors.
    noise : float, default=0.0
        Share of the labels that are flipped afterwards.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Planted

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.generators import gene_like
    >>> p = gene_like(30, 500, margin=0.5, random_state=0)
    >>> bool(np.isclose(np.min(p.y * (p.X @ p.coef + p.intercept)), 0.5))
    True
    """
    check_shape(n, d)
    if not 0.0 < margin < np.inf:
        raise ValueError(f"margin must be positive, got {margin}")
    if informative < 1 or pathways < 0:
        raise ValueError(
            f"need informative >= 1 and pathways >= 0, got {informative} and {pathways}"
        )
    rng = check_random_state(random_state)
    informative = min(informative, d)
    coef = np.zeros(d)
    coef[rng.permutation(d)[:informative]] = unit_vector(rng, informative)

    level = 8.0 + 1.5 * rng.standard_normal(d)
    profiles = rng.standard_normal((n, pathways)) @ rng.standard_normal((pathways, d))
    profiles /= np.sqrt(max(pathways, 1))
    profiles += 0.5 * rng.standard_normal((n, d))
    y = rng.permutation(balanced_labels(rng, n))

    along = profiles @ coef
    distance = np.abs(along)
    distance += margin - distance.min()
    profiles += np.outer(y * distance - along, coef)
    profiles += level
    intercept = -float(level @ coef)

    y, flipped = with_noise(rng, y, noise)
    return Planted(profiles, y, coef, intercept, float(margin), flipped)
