"""Find a cycle of the perceptron in integer arithmetic, which proves non-separability."""

import numpy as np

from novikoff.certificate.kernels import njit


@njit()
def find_cycle(signed: np.ndarray, most_visits: int) -> tuple[bool, np.ndarray]:
    """Run Algorithm 1 on the rows of an int64 matrix until ``w`` repeats.

    Returns True and the number of updates on each row between two equal values of ``w``: the rows
    with these weights sum to zero. Returns False if no row is violated any more, or after
    ``most_visits``. Brent's method finds the cycle: ``w`` is compared with one saved copy, which is
    replaced after 1, 2, 4, 8, ... updates, so that no history is stored.
    """
    n, d = signed.shape
    w = np.zeros(d, np.int64)
    counts = np.zeros(n, np.int64)
    saved = w.copy()
    at_save = counts.copy()
    updates = 0
    power = 1
    idle = 0
    for visit in range(most_visits):
        i = visit % n
        margin = 0
        for j in range(d):
            margin += signed[i, j] * w[j]
        if margin > 0:
            idle += 1
            if idle == n:
                return False, counts
            continue
        idle = 0
        equal = True
        for j in range(d):
            w[j] += signed[i, j]
            equal = equal and w[j] == saved[j]
        counts[i] += 1
        if equal:
            return True, counts - at_save
        updates += 1
        if updates == power:
            saved[:] = w
            at_save[:] = counts
            power *= 2
            updates = 0
    return False, counts
