"""A perceptron as a function of few examples: those of its run, checked by repeating it.

The set ``c(D)`` holds the examples that the run was updated on, those that place it (the first one,
the farthest, one of each class) and those that the model gets wrong. An example outside of it was
never updated on, so without it every iterate is the same, and so are the end of the run and the
set: the set is a *preferred* compression, for which the bound of Campi and Garatti holds. That
needs a run whose end and whose model are functions of its iterates:

- a run that satisfied its rule ends so on every sample between ``c(D)`` and ``D``; a proof that
  nothing separates the examples, which could cut it short, cannot be found there either, and the
  margin that ``min_margin`` asks for is no larger;
- a run that a limit ended is the same only if nothing else can end it or choose among its iterates:
  so the model must be the mean over all updates, and no proof may have shortened the run.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from novikoff.certificate import Status
from novikoff.certificate.compression import Carriers
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import signed_values
from novikoff.certificate.exact.prediction import scores as exact_scores
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.extent import norm_above
from novikoff.certificate.risk import Risk
from novikoff.compiled.step import THRESHOLD
from novikoff.estimators.kernel_options import is_linear
from novikoff.estimators.online import Online
from novikoff.estimators.perceptron import Perceptron
from novikoff.estimators.rule_fit import PASSES_FOR_A_MODEL
from novikoff.rules import named

SATISFIED = (Status.CONVERGED, Status.GAP_REACHED)

# The claimed margin is smaller than the rule's threshold by this share, because rounding may have
# put an example on the wrong side of the threshold.
ROOM = 2.0**-20


class NoRiskError(ValueError):
    """Why nothing is proved about new data."""


def carriers_of_run(model: Perceptron, y: ArrayLike, examples: Examples) -> Carriers:
    """Return the examples that carry a perceptron, in the order of visits.

    Raises
    ------
    NoRiskError
        In one line, why there are none.
    """
    reason = reason_against(model)
    if reason is None and model._visits is None:
        reason = "the order of visits is not known: the model was loaded; fit it"
    if reason is not None:
        raise NoRiskError(f"No bound on new data: {reason}.")
    visits: Any = model._visits
    needed = np.zeros(len(examples.codes), dtype=bool)
    supports = model.support_ if isinstance(model.support_, list) else [model.support_]
    needed[np.concatenate(supports)] = True
    needed |= _wrong(model, examples)
    margin = margin_held(model)
    if margin is not None:
        within = ~is_beyond(model, examples, margin)
        if (within & ~needed).any():
            margin = None
    rows = visits[needed[visits]]
    if len(rows) != np.count_nonzero(needed) or not _repeats(model, y, examples, rows):
        raise NoRiskError(
            "No bound on new data: a run on the examples that carry the model gives another one."
        )
    return Carriers(rows, margin)


def reason_against(model: Perceptron) -> str | None:
    """Return why the model is not a function of few examples."""
    status, rule = model.status_, named(model.rule)
    if model.scale:
        return "scale=True: the powers of two were taken from all examples"
    if model.certificate_.problem.weighted:
        return "the examples have weights: they are not drawn from one source"
    if model.warm_start:
        return "warm_start: the run may have begun with another one"
    if not is_linear(model):
        return "a perceptron with a kernel has none yet; MaxMargin has"
    if not rule.unit_steps:
        return f"the steps of {type(rule).__name__} are rounded; use a rule with unit steps"
    if status in SATISFIED:
        return None
    if status in (Status.TIME_LIMIT, Status.INTERRUPTED):
        return "the run was ended by the time it took"
    hard = float(model.C) == np.inf
    joint = model.multi_class == "joint" and len(model.classes_) > 2
    steady = not hard or (
        model.min_margin == 0.0 and int(model.max_iter) <= PASSES_FOR_A_MODEL and not joint
    )
    if model.average is not True or not steady:
        return (
            "the run did not satisfy its rule, and its end or its model depends on all examples; "
            "fix them with average=True and a finite C (or min_margin=0 and max_iter of at most "
            f"{PASSES_FOR_A_MODEL}; not for several classes together)"
        )
    return None


def margin_held(model: Perceptron) -> float | None:
    """Return the margin that the rule's last threshold stands for.

    ``None`` where the model is not the iterate that satisfied the rule.
    """
    online = model._online
    if (
        model.status_ is not Status.CONVERGED
        or model.average is True
        or len(model.classes_) != 2
        or not isinstance(online, Online)
        or named(model.rule).pick == "worst"
    ):
        return None
    size = norm_above(model.coef_)
    if size == 0.0:
        return None
    margin = float(online.states[0][THRESHOLD]) / size * (1.0 - ROOM)
    return margin if 0.0 < margin < np.inf else None


def is_beyond(model: Any, examples: Examples, margin: float) -> Any:
    """Mark the examples whose margin is proved to be larger."""
    coef, intercept = model.coef_[0], float(model.intercept_[0])
    low, _ = signed_values(examples.X, examples.signs, coef, intercept)
    return low > margin * norm_above(coef) * (1.0 + 2.0**-50)


def check_run(model: Perceptron, risk: Risk, X: Any, y: ArrayLike) -> None:
    """Check a stored bound on new data of a perceptron, by repeating its run.

    On the examples that carry it; and on all of them, where the order of visits can be drawn again.

    Raises
    ------
    CertificateError
        In one line, what is wrong.
    """
    reason = reason_against(model)
    if isinstance(model.class_weight, str):
        reason = "class_weight='balanced' counts all examples"
    if reason is not None:
        raise CertificateError(f"the model has no bound on new data: {reason}")
    examples = Examples.of(model.certificate_.problem, X, y, None, check_fingerprint=False)
    if risk.n_examples != len(examples.codes):
        raise CertificateError("the examples are not counted as they must be")
    if not _repeats(model, y, examples, risk.support):
        raise CertificateError("a run on the examples that carry the model gives another one")
    outside = np.ones(len(examples.codes), dtype=bool)
    outside[risk.support] = False
    strangers = np.flatnonzero(outside & _wrong(model, examples))
    if risk.margin is not None and not strangers.size:
        held = margin_held(_repeated(model, y, examples, risk.support))
        if held is None or risk.margin > held:
            raise CertificateError(f"the margin {risk.margin!r} is not proved on new data")
        strangers = np.flatnonzero(outside & ~is_beyond(model, examples, risk.margin))
    if strangers.size:
        raise CertificateError(f"example {strangers[0]} carries the model too, and is not listed")
    if not model.shuffle or isinstance(model.random_state, int | np.integer):
        try:
            whole = _quietly_fitted(model, examples.X, y)
        except ValueError as error:
            raise CertificateError(f"the run cannot be repeated: {error}") from None
        found = whole.support_ if isinstance(whole.support_, list) else [whole.support_]
        others = np.setdiff1d(np.concatenate(found), risk.support)
        if others.size or not _is_same(whole, model):
            raise CertificateError("a run on all examples is not carried by those that are listed")


def _wrong(model: Perceptron, examples: Examples) -> Any:
    scores = exact_scores(examples.X, model.coef_, model.intercept_)
    codes = scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] >= 0.0
    return codes != examples.codes


def _repeats(model: Perceptron, y: ArrayLike, examples: Examples, rows: Any) -> bool:
    """Whether a run on some examples alone, in their order, gives the model bit for bit."""
    if len(np.unique(examples.codes[rows])) < len(model.classes_):
        # Without an example of every class it would be another problem.
        return False
    return _is_same(_repeated(model, y, examples, rows), model)


def _repeated(model: Perceptron, y: ArrayLike, examples: Examples, rows: Any) -> Perceptron:
    return _quietly_fitted(model, examples.X[rows], np.asarray(y)[rows], shuffle=False)


def _quietly_fitted(model: Perceptron, X: Any, y: ArrayLike, **parameters: Any) -> Perceptron:
    # The run was not ended by time, but it may take longer here.
    again = clone(model).set_params(verbose=0, time_limit=None, **parameters)
    with warnings.catch_warnings():
        # The run may be cut short as the fit was, which has warned.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted: Perceptron = again.fit(X, y)
        return fitted


def _is_same(again: Perceptron, model: Perceptron) -> bool:
    return np.array_equal(again.coef_, model.coef_) and np.array_equal(
        again.intercept_, model.intercept_
    )
