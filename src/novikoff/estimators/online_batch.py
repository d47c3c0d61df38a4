"""A batch of examples for an online learner: read, repeated by weights, and learned."""

from collections.abc import Callable
from copy import deepcopy
from types import MethodType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from novikoff.certificate.examples.blocks import as_float64
from novikoff.estimators.copies import copies_of
from novikoff.estimators.kernel_options import is_linear
from novikoff.estimators.labels import check_costs, checked_weights, codes_among, refuse_masked
from novikoff.estimators.online import Online
from novikoff.estimators.online_joint import JointOnline
from novikoff.estimators.training import read_examples
from novikoff.rules import named
from novikoff.sample.signed import NOTHING
from novikoff.sample.storage import IN_PLACE


class unless_scaled:
    """A method that an estimator with ``scale=True`` does not have; the error says why."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        """Return the function for the class, and the bound method for an estimator."""
        if estimator is None:
            return self.method
        if not is_linear(estimator):
            raise AttributeError(
                f"There is no {self.method.__name__} with a kernel, whose model grows with the "
                "examples; use fit, or kernel='linear'."
            )
        if estimator.scale:
            raise AttributeError(
                f"There is no {self.method.__name__} with scale=True, which needs the ranges of "
                "all columns beforehand; use fit, or scale=False."
            )
        return MethodType(self.method, estimator)


def validated_batch(estimator: Any, X: Any, y: ArrayLike, first: bool) -> tuple[Any, NDArray[Any]]:
    """Return a batch as arrays; one of the known width and a type read in place passes as it is."""
    rule = named(estimator.rule)
    if rule.pick != "cyclic":
        raise ValueError(f"{rule!r} must see all examples at once; use fit.")
    refuse_masked("y", y)
    if (
        not first
        and type(X) is np.ndarray
        and X.dtype in IN_PLACE
        and X.ndim == 2
        and X.shape[1] == estimator.n_features_in_
        and X.shape[0] > 0
        and not hasattr(estimator, "feature_names_in_")
    ):
        labels = np.asarray(y)
        if labels.shape == (X.shape[0],):
            return X, labels
    X, labels = read_examples(estimator, X, y, reset=first)
    # Refuses integers that float64 cannot represent, as the hash of the examples does in a fit.
    as_float64(X.data if sparse.issparse(X) else X)
    return X, labels


def learned(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> Online | JointOnline:
    """Return the online run of an estimator after it has gone through some examples once."""
    first = estimator._online is None
    if first and hasattr(estimator, "certificate_"):
        raise ValueError("A stored model does not hold its last iterate; fit it again first.")
    X, labels = validated_batch(estimator, X, y, first)
    shares = NOTHING
    weights = checked_weights(sample_weight, len(labels))
    if weights is not None:
        check_costs(weights)
        rows, shares = copies_of(weights, X.shape[0] * X.shape[1])
        X, labels = (X, labels) if rows is None else (X[rows], labels[rows])
    online: Any = estimator._online
    if first:
        online = Online.from_first_batch(estimator, X, labels, classes, shares)
    if classes is not None and not np.array_equal(np.unique(classes), online.classes):
        raise ValueError("classes are not those of the first call of partial_fit.")
    codes = codes_among(online.classes, labels)
    if not online.measured:
        # A batch that is refused must not fix the lift.
        online = deepcopy(online)
        online.measure(named(estimator.rule), X, codes)
    online.learn(X, codes, shares)
    return online  # type: ignore[no-any-return]
