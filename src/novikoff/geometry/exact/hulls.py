"""Two sets of points: the ordinary certificate of their separation, on the stacked rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from novikoff.certificate import (
    Account,
    Certificate,
    Certifier,
    Refutation,
    Status,
    Weighted,
)
from novikoff.geometry.bodies.base import Body
from novikoff.geometry.bodies.points import Points

if TYPE_CHECKING:
    from novikoff.geometry.result import Combination, SeparationResult


def stacked(bodies: Any) -> tuple[Any, Any]:
    """Return the points of both sets as rows, and their labels 1 and -1."""
    arrays = [body.array for body in bodies]
    if any(body.is_sparse for body in bodies):
        X: Any = sparse.vstack([sparse.csr_array(each) for each in arrays], format="csr")
    else:
        X = np.vstack(arrays)
    return X, np.repeat([1, -1], [len(body) for body in bodies])


def refutation(
    K: Points, L: Points, parts: tuple["Combination", "Combination"]
) -> Refutation | None:
    """Prove that the hulls of the rows of two combinations meet; ``None`` if they do not.

    The rows must be a basis: affinely independent but for the one relation that is proved.
    """
    rows = [np.unique(np.array(part.labels, dtype=np.int64)) for part in parts]
    X, y = stacked([Points(body.array[each]) for body, each in zip((K, L), rows, strict=True)])
    return Certifier.of(X, y, positive=1, affine=True).refute(np.arange(len(y)))


def certificate_of(
    result: "SeparationResult", bodies: Sequence[Body] | None = None
) -> Certificate | None:
    """Return the certificate of a result on two sets of points; ``None`` for other bodies."""
    first, second = result.bodies if bodies is None else bodies
    if not (isinstance(first, Points) and isinstance(second, Points)):
        return None
    X, y = stacked((first, second))
    certifier = Certifier.of(X, y, positive=1, affine=True)
    support = np.array([*result.first.labels, *(len(first) + i for i in result.second.labels)])
    order = np.argsort(support)
    if result.status.name == "MEET":
        found = certifier.refute(np.unique(support))
        if found is not None:
            return certifier.refuted(found)
    weights = np.concatenate([result.first.weights, result.second.weights])
    proof = Weighted(support[order], weights[order])
    w = np.zeros(X.shape[1]) if result.w is None else result.w
    status = Status.GAP_REACHED if result.ending.name == "GAP_REACHED" else Status.PRECISION
    return certifier.hard(
        Account(status=status), coef=w, intercept=result.b or 0.0, proof=proof, with_model=False
    )
