"""What every linear classifier here does with its hyperplanes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.certificate import Certificate, PerClass, Status
from novikoff.estimators.checks import check_exact, classes_of, readable_type

SEVERAL = ("support", "dual_coef", "margin", "margin_upper_bound", "history")


class LinearModel(ClassifierMixin, BaseEstimator):
    """A classifier made of one hyperplane, or of one for each class against the rest."""

    certificate_: Certificate
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    classes_: NDArray[Any]
    support_: Any
    dual_coef_: Any
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        """Accept sparse matrices."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return ``coef_ . x + intercept_`` for each example, and for each class if more than two.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples.

        Returns
        -------
        array of shape (n_examples,) or (n_examples, n_classes)
            Positive on the side of ``classes_[1]``, or of the class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=readable_type(X), reset=False)
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each example; a score of exactly 0 is ``classes_[1]``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples.

        Returns
        -------
        array of shape (n_examples,)
            The labels.
        """
        return labels_of(self.decision_function(X), self.classes_)

    @property
    def status_(self) -> Status:
        """How the run ended."""
        return self.certificate_.status

    def _store(self, results: list[Any]) -> None:
        """Keep what the fits of the classes found; one fit if there are two classes."""
        self.coef_ = np.array([result.coef for result in results])
        self.intercept_ = np.array([result.intercept for result in results])
        self.n_updates_ = sum(result.n_updates for result in results)
        self.n_iter_ = max(result.n_iter for result in results)
        for name in SEVERAL:
            values = [getattr(result, name) for result in results]
            several = np.array(values) if name.startswith("margin") else values
            setattr(self, name + "_", values[0] if len(results) == 1 else several)
        self.certificate_ = combined([result.certificate for result in results], self.classes_)


def labels_of(scores: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Return the label of the largest score, or of the side that the only score is on."""
    chosen = (scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    labels: NDArray[Any] = classes[chosen]
    return labels


def examples_of(
    estimator: Any, X: Any, y: ArrayLike
) -> tuple[Any, NDArray[Any], NDArray[np.int64]]:
    """Return the examples as they are read, the sorted labels, and the position of each one's.

    Whether all values are finite is seen later, in passing.
    """
    given = X
    X, labels = validate_data(
        estimator, X, y, accept_sparse="csr", dtype=readable_type(X), ensure_all_finite=False
    )
    check_exact(given, X)
    return X, *classes_of(labels)


@contextmanager
def or_as_before(estimator: Any) -> Iterator[None]:
    """Leave an estimator as it was if the work on it fails."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        # Validation sets what is known of the features before labels and options are judged.
        estimator.__dict__ = before
        raise


def combined(certificates: list[Certificate], classes: NDArray[Any]) -> Certificate:
    """Return the certificate of two classes, or of each class against the rest."""
    if len(certificates) == 1:
        return certificates[0]
    return PerClass(classes=tuple(classes.tolist()), certificates=tuple(certificates))
