"""What a certificate is asked to state, checked before anything is computed."""

from typing import Any, TypedDict

import numpy.typing as npt

from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.fingerprint import fingerprint as fingerprint_of
from novikoff.certificate.examples.labels import Label, Signs, check_signs
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.fields import as_costs, as_support, as_weights, check_takes_part
from novikoff.certificate.status import Status


class Claim(TypedDict, total=False):
    """What may be stated besides the bounds: as in :class:`Certificate`.

    Without the ``fingerprint`` it is taken of the data.
    """

    asked: str
    n_updates: int
    positive: Label | None
    negative: Label | None
    fingerprint: str | None
    costs: npt.ArrayLike | None


def examples_of(X: Any, signs: npt.ArrayLike, claim: Claim) -> tuple[Any, Signs, Floats | None]:
    """The examples, their signs and their costs, checked."""
    matrix = check_matrix(X)
    n_examples = matrix.shape[0]
    return matrix, check_signs(signs, n_examples), as_costs(claim.get("costs"), n_examples)


def weighted(
    support: npt.ArrayLike, weights: npt.ArrayLike, costs: Floats | None, n_examples: int
) -> tuple[Indices, npt.NDArray[Any]]:
    """The support and its weights, checked."""
    rows = as_support(support, n_examples)
    values = as_weights(weights, rows)
    check_takes_part(rows, values, costs)
    return rows, values


def stated_of(X: Any, signs: Signs, affine: bool, status: Status, claim: Claim) -> dict[str, Any]:
    """What a certificate states besides its bounds."""
    name = claim.get("fingerprint")
    return dict(
        claim,
        affine=affine,
        status=status,
        positive=claim.get("positive"),
        negative=claim.get("negative"),
        n_examples=X.shape[0],
        n_features=X.shape[1],
        fingerprint=fingerprint_of(X, signs > 0) if name is None else name,
    )
