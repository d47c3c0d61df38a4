"""The cycle of least mean in a complete graph, and the potentials that prove it (Karp, 1978)."""

import numpy as np

from novikoff.certificate.kernels import njit


@njit()
def least_mean_cycle(
    lengths: np.ndarray, cycle: np.ndarray, potentials: np.ndarray
) -> tuple[int, float]:
    """Find the cycle whose arcs have the least mean length; return how many, and their mean.

    The nodes are written into ``cycle``, from the largest on: arcs lead from each to the next one,
    and from the last to the first. With the potentials p, whose sum is zero, every arc has
    ``lengths[a, b] + p[a] - p[b]`` at least the mean, up to rounding. The diagonal is not read.
    """
    n = lengths.shape[0]
    walks = np.empty((n + 1, n))
    before = np.zeros((n + 1, n), dtype=np.int64)
    for b in range(n):
        walks[0, b] = 0.0
    # walks[k, b] is the length of the shortest walk of k arcs that ends in b.
    for k in range(1, n + 1):
        for b in range(n):
            walks[k, b] = np.inf
            for a in range(n):
                if a != b and walks[k - 1, a] + lengths[a, b] < walks[k, b]:
                    walks[k, b] = walks[k - 1, a] + lengths[a, b]
                    before[k, b] = a
    least, end = np.inf, 0
    for b in range(n):
        most = -np.inf
        for k in range(n):
            most = max(most, (walks[n, b] - walks[k, b]) / (n - k))
        if most < least:
            least, end = most, b
    # The shortest walk of n arcs to that node holds a cycle of this mean.
    nodes = np.empty(n + 1, dtype=np.int64)
    nodes[n] = end
    for k in range(n, 0, -1):
        nodes[k - 1] = before[k, nodes[k]]
    count, mean = 0, np.inf
    for p in range(n):
        total = 0.0
        for q in range(p + 1, n + 1):
            total += lengths[nodes[q - 1], nodes[q]]
            if nodes[q] == nodes[p]:
                if total / (q - p) < mean:
                    mean, count = total / (q - p), q - p
                    for k in range(count):
                        cycle[k] = nodes[p + k]
                break
    _from_largest(cycle, count)
    for b in range(n):
        potentials[b] = 0.0
        for k in range(1, n):
            potentials[b] = min(potentials[b], walks[k, b] - k * mean)
    middle = 0.0
    for b in range(n):
        middle += potentials[b] / n
    for b in range(n):
        potentials[b] -= middle
    return count, mean


@njit(inner=True)
def _from_largest(cycle: np.ndarray, count: int) -> None:
    largest = 0
    for k in range(1, count):
        if cycle[k] > cycle[largest]:
            largest = k
    turned = cycle.copy()
    for k in range(count):
        cycle[k] = turned[(largest + k) % count]
