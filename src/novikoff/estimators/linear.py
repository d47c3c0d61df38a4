"""What every linear classifier here does with its hyperplanes."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from novikoff.certificate import Certificate, Joint, NonSeparation, Status
from novikoff.certificate.exact.prediction import scores as exact_scores
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.predictor import labels_of
from novikoff.estimators.fitted import Fitted
from novikoff.estimators.training import read_examples
from novikoff.run import Callback, Progress

if TYPE_CHECKING:
    from novikoff.certificate.risk import Risk
    from novikoff.estimators.kernel_machine import KernelMachine


class LinearOnly:
    """What stands for an attribute that is not there: the error says why."""

    def __set_name__(self, owner: type, name: str) -> None:
        """Take note of the attribute's name."""
        self.name = name

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        """Raise an AttributeError; an attribute that an estimator has goes first."""
        machine = getattr(estimator, "_machine", None)
        if machine is None:
            raise AttributeError(f"There is no {self.name} before a fit.")
        raise AttributeError(
            f"{self.name} is there for the linear kernel only, not for kernel={machine.name!r}; "
            "dual_coef_ and support_ describe the model."
        )


class LinearModel(ClassifierMixin, BaseEstimator):
    """A classifier made of one hyperplane, or of one score for each class."""

    certificate_: Certificate
    coef_: Any = LinearOnly()
    intercept_: NDArray[np.float64]
    classes_: NDArray[Any]
    support_: Any
    dual_coef_: Any
    n_features_in_: int
    max_iter: int
    verbose: int
    warm_start: bool
    class_weight: Any
    _machine: "KernelMachine | None" = None
    _callbacks: tuple[Callback, ...] = ()
    _chosen_from: int = 1
    """How many values of C the model was chosen from; 0: they were placed by looking at the data.
    """

    def __sklearn_tags__(self) -> Any:
        """Accept sparse matrices."""
        tags = super().__sklearn_tags__()
        # A precomputed kernel is a dense matrix of values, not of examples.
        precomputed = getattr(self, "kernel", None) == "precomputed"
        tags.input_tags.sparse = not precomputed
        tags.input_tags.pairwise = precomputed
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Leave the callbacks out of copies and pickles."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_callbacks"}

    def set_callbacks(self, *callbacks: Callback) -> Self:
        """Call these with a line of :class:`~novikoff.run.Progress` after every pass of a fit.

        Parameters
        ----------
        *callbacks : callables
            They replace those set before; none: no callbacks.

        Returns
        -------
        estimator
            The estimator itself. Clones, pickles and stored models are without callbacks.
        """
        self._callbacks = callbacks
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return ``coef_ . x + intercept_`` for each example, and for each class if more than two.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
            The examples.

        Returns
        -------
        array of shape (n_examples,) or (n_examples, n_classes)
            Positive on the side of ``classes_[1]``, or of the class. The sign is that of the
            exact value: where rounding could change it, the value is computed in exact arithmetic.
        """
        check_is_fitted(self)
        X = check_matrix(read_examples(self, X, reset=False))
        if self._machine is not None:
            scores = self._machine.scores(X)
        else:
            scores = exact_scores(X, self.coef_, self.intercept_)
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
    def support_vectors_(self) -> Any:
        """The examples of ``support_``, for kernels that are not linear."""
        machine = self._machine
        if machine is None:
            raise AttributeError("support_vectors_ are kept with a kernel only; use X[support_].")
        if isinstance(self.support_, list):
            return [machine.rows(support) for support in self.support_]
        return machine.rows(self.support_)

    def risk_certificate(
        self,
        X: Any,
        y: ArrayLike,
        *,
        confidence: float = 0.95,
        method: str = "auto",
        chosen_from: int = 1,
    ) -> "Risk":
        """Bound the error on new data from the training data alone.

        With the stated confidence, over the draw of the examples, the error on new examples from
        the same source is at most ``risk.bound``, because few of the examples carry the model.
        It supposes that the examples were drawn independently from one source and that nothing was
        chosen by looking at them. That cannot be checked here: a Pipeline that standardises on all
        examples, or a search over parameters around this model, breaks it.

        Parameters
        ----------
        X, y
            The examples that the model was fitted on.
        confidence : float, default=0.95
            The probability that the bound is true.
        method : str, default="auto"
            The theorem: ``"compression"`` (of Campi and Garatti; ``"auto"`` is the same),
            ``"binomial"`` (the exact binomial tail) or ``"theorem-5.2"``. Choose it before
            looking: the best of several is not proved.
        chosen_from : int, default=1
            How many settings the model was chosen from by looking at the examples, if their list
            was fixed beforehand (a grid of C, say); they share the confidence.

        Returns
        -------
        Risk
            The bound, the examples that carry the model, and the sentences that say so. It is also
            kept in ``risk_``, is saved with the model, and ``novikoff.verify`` checks it.

        Raises
        ------
        NoRiskError
            In one line, why nothing is proved: the powers of two of ``scale=True``, a C chosen from
            values that the data placed, and whatever else depends on all examples.
        """
        from novikoff.estimators.risk import risk_of

        self.risk_ = risk_of(
            self, X, y, confidence=confidence, method=method, chosen_from=chosen_from
        )
        return self.risk_

    @property
    def status_(self) -> Status:
        """How the run ended."""
        return self.certificate_.status

    @property
    def _before(self) -> Certificate | None:
        """What the last fit proved, where the next one starts from it."""
        return getattr(self, "certificate_", None) if self.warm_start else None

    def _reporters(self) -> tuple[Callback, ...]:
        return (*self._callbacks, *((print_progress,) if self.verbose else ()))

    def _store(
        self, results: list[Fitted], certificate: Certificate, classes: NDArray[Any]
    ) -> None:
        """Store the results of the searches; one search if there are two classes, or jointly."""
        self.classes_ = classes
        self._forget("risk_", "_chosen_from")
        self._read_certificate(certificate)
        for name in ("support", "dual_coef", "history", "solver"):
            values = [getattr(result, name) for result in results]
            setattr(self, name + "_", values[0] if len(values) == 1 else values)
        # A soft margin that replaces the hard one may have made more; history_ has them all.
        self.n_iter_ = min(max(result.n_iter for result in results), int(self.max_iter))

    def _read_certificate(self, certificate: Certificate) -> None:
        """Set the attributes that the certificate states: hyperplanes, margins and counts."""
        parts: Any = certificate.parts
        self.certificate_ = certificate
        if certificate.problem.kernel is None:
            self._machine = None
            self.coef_ = np.array(certificate.coefs)
        else:
            self._forget("coef_")
        self.intercept_ = np.array(certificate.intercepts)
        self.margin_ = _each([part.lower for part in parts])
        self.margin_upper_bound_ = _each([part.upper for part in parts])
        softs = [None if p.hyperplane is None else p.hyperplane.soft for p in parts]
        self.C_ = _each([np.inf if soft is None else soft.C for soft in softs])
        self.n_updates_ = certificate.model_account.n_updates

    def _forget(self, *names: str) -> None:
        """Remove attributes of an earlier fit that this one does not have."""
        for name in names:
            self.__dict__.pop(name, None)

    @property
    def _remedy(self) -> str:
        """What helps a run that ended at a limit."""
        raise NotImplementedError

    def _remedy_of(self, status: Status) -> str:
        """What helps a run that ended so."""
        return self._remedy

    def _warn_if_cut_short(self) -> bool:
        """Warn once if a limit ended a run before its target was reached; return whether."""
        parts = self.certificate_.parts
        cut_short = [
            (part, account)
            for part in parts
            for account in (part.account, part.model_account)
            if account.status.at_limit and not _is_by_product(part)
        ]
        if not cut_short:
            return False
        part, account = cut_short[0]
        count = len({id(part) for part, _ in cut_short})
        where = f" for {count} of {len(parts)} classes" if len(parts) > 1 else ""
        warnings.warn(
            f"{account.status.value[:-1]}{where}: asked for {account.asked}, "
            f"reached {part.headline()}. {self._remedy_of(account.status)}",
            ConvergenceWarning,
            stacklevel=3,
        )
        return True


def _is_by_product(part: Certificate) -> bool:
    """Whether the model is a by-product: non-separability was proved, and no soft margin fitted."""
    model = part.hyperplane
    refuted = isinstance(part, NonSeparation) or (
        isinstance(part, Joint) and part.refutation is not None
    )
    return refuted and (model is None or model.soft is None)


def _each(values: list[float]) -> Any:
    """Return the only value, or an array of several."""
    return values[0] if len(values) == 1 else np.array(values)


@contextmanager
def restore_on_error(estimator: Any) -> Iterator[None]:
    """Leave an estimator as it was if the work on it fails."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        # Validation stores the number and names of the features before the labels are checked.
        estimator.__dict__ = before
        raise


def print_progress(line: Progress) -> None:
    """Print a line of history to the standard error."""
    print(
        f"pass {line.iteration}: {line.updates} updates, {line.mistakes} on the wrong side, "
        f"optimum between {line.lower:.6g} and {line.upper:.6g}",
        file=sys.stderr,
    )
