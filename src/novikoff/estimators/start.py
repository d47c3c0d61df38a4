"""The weights of a fitted model, where the search for another one begins (``start=``)."""

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from novikoff.certificate import Joint
from novikoff.estimators.linear import LinearModel
from novikoff.estimators.training import Training


def check_start(model: LinearModel, training: Training) -> None:
    """Refuse a model that cannot be where a search on these examples begins."""
    if not isinstance(model, LinearModel):
        raise ValueError(
            f"start must be a fitted Perceptron or MaxMargin, not {type(model).__name__}."
        )
    check_is_fitted(model)
    if not hasattr(model, "support_"):
        raise ValueError("start was trained online, without weights on examples; use fit.")
    theirs = model.certificate_.problem.n_examples, model.n_features_in_
    if not np.array_equal(model.classes_, training.classes) or theirs != training.X.shape:
        raise ValueError("start was fitted on other examples; fit it on these, or leave it out.")


def joint_weights_of(model: LinearModel, training: Training) -> NDArray[np.float64]:
    """Return the weights of a fitted model of all classes, a row for each example."""
    check_start(model, training)
    if not isinstance(model.certificate_, Joint):
        raise ValueError('start was fitted with multi_class="ovr"; fit it with "joint".')
    found = np.zeros((len(training.codes), len(training.classes)))
    # The own class has the sum of the others, with the other sign.
    found[model.support_] = np.maximum(0.0, -2.0 * model.dual_coef_.T)
    return found


def weights_of(model: LinearModel, training: Training) -> dict[int, NDArray[np.float64]]:
    """Return the weights of a fitted model on the examples, for each class against the rest."""
    check_start(model, training)
    if isinstance(model.certificate_, Joint):
        raise ValueError('start was fitted with multi_class="joint"; fit it with "ovr".')
    supports, duals = model.support_, model.dual_coef_
    if len(model.coef_) == 1:
        supports, duals = [supports], [duals]
    n_examples = len(training.codes)
    found = {}
    for k, support, dual in zip(training.positives, supports, duals, strict=True):
        found[k] = np.zeros(n_examples)
        found[k][support] = np.abs(dual)
    return found
