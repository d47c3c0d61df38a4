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
    # Loops, because assignments of whole arrays take numba longer to compile.
    w, saved = np.empty(d, np.int64), np.empty(d, np.int64)
    counts, at_save = np.empty(n, np.int64), np.empty(n, np.int64)
    for j in range(d):
        w[j], saved[j] = 0, 0
    for i in range(n):
        counts[i], at_save[i] = 0, 0
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
            for j in range(n):
                counts[j] -= at_save[j]
            return True, counts
        updates += 1
        if updates == power:
            for j in range(d):
                saved[j] = w[j]
            for j in range(n):
                at_save[j] = counts[j]
            power *= 2
            updates = 0
    return False, counts
