"""Going on from the weights of an earlier model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from novikoff.estimators.linear import LinearModel
from novikoff.sample import Sample


def weights_of(
    model: LinearModel, classes: NDArray[Any], n_examples: int, n_features: int
) -> dict[int, NDArray[np.float64]]:
    """Return the weights of a fitted model on the examples, for each class against the rest."""
    if not isinstance(model, LinearModel):
        raise ValueError(
            f"start must be a fitted Perceptron or MaxMargin, not {type(model).__name__}."
        )
    check_is_fitted(model)
    if not hasattr(model, "support_"):
        raise ValueError("start was trained online, without weights on examples; use fit.")
    supports, duals = model.support_, model.dual_coef_
    if len(model.coef_) == 1:
        supports, duals = [supports], [duals]
    theirs = model.certificate_.n_examples, model.n_features_in_
    if not np.array_equal(model.classes_, classes) or theirs != (n_examples, n_features):
        raise ValueError("start was fitted on other examples; fit it on these, or leave it out.")
    positives = [1] if len(supports) == 1 else range(len(supports))
    found = {}
    for k, support, dual in zip(positives, supports, duals, strict=True):
        found[k] = np.zeros(n_examples)
        found[k][support] = np.abs(dual)
    return found


def usable(
    last: dict[int, NDArray[np.float64]] | None, k: int, sample: Sample
) -> NDArray[np.float64] | None:
    """Return the weights of an earlier fit, where they can start this one."""
    weights = None if last is None else last.get(k)
    if weights is None or len(weights) != sample.n_examples:
        return None
    weights = np.where(np.isin(np.arange(len(weights)), sample.order), weights, 0.0)
    signs = (1, -1) if sample.affine else (0,)
    if all((weights[sample.signs != -sign] > 0.0).any() for sign in signs):
        return weights
    return None
