"""Equal examples of different classes: their signed rows are opposite, and none is separated."""

from itertools import combinations

import numpy as np

from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.examples.equal import first_equal
from novikoff.certificate.examples.fingerprint import hash_rows
from novikoff.facial.hinges import Ids


def opposite_rows(lifted: Lifted) -> tuple[Ids, Ids]:
    """Rows, no two of them equal, and for each one that is its negative.

    Examples
    --------
    >>> X, codes = np.array([[0.0], [1.0], [1.0], [1.0]]), np.array([0, 0, 1, 1])
    >>> opposite_rows(Lifted(X, codes, 2, affine=True))
    (array([1]), array([2]))
    """
    examples = np.unique(lifted.owners(lifted.rows)[0])
    first = first_equal(lifted.X, hash_rows(lifted.X), examples)
    codes, n_classes = lifted.codes[examples], lifted.n_classes
    ours, theirs = [examples[:0]], [examples[:0]]
    groups, owners = [], []
    for code in range(n_classes):
        mine = codes == code
        heads, places = np.unique(first[mine], return_index=True)
        groups.append(heads)
        owners.append(examples[mine][places])
    for a, b in combinations(range(n_classes), 2):
        _, of_a, of_b = np.intersect1d(
            groups[a], groups[b], assume_unique=True, return_indices=True
        )
        left, right = owners[a][of_a], owners[b][of_b]
        ours.append(left if n_classes == 2 else n_classes * left + b)
        theirs.append(right if n_classes == 2 else n_classes * right + a)
    return np.concatenate(ours), np.concatenate(theirs)
