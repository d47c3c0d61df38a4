"""Problems with known answers, and references that share no code with the solver."""

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from benchmarks.generators import text_like
from novikoff.data import planted as far_from_a_plane
from novikoff.maxmargin import Problem
from novikoff.run.clock import Clock, Limits
from novikoff.sample import Sample, storage_of

__all__ = [
    "clock_of",
    "far_from_a_plane",
    "lp_says_separable",
    "noisy",
    "planted",
    "problem_of",
    "qp_margin",
    "simplex_margin",
    "small_integers",
    "text_like",
]


def problem_of(X, y, C=None, *, affine=True, costs=1.0, storage=None, order=None) -> Problem:
    """The hard margin, or the soft one with LinearSVC's ``C``; examples of cost 0 are left out."""
    costs = np.broadcast_to(np.asarray(costs, dtype=float), len(y))
    if order is None:
        order = np.flatnonzero(costs > 0.0)
    storage = storage_of(X) if storage is None else storage
    sample = Sample.of(storage, np.asarray(y).astype(np.int8), affine=affine, order=order)
    if C is None:
        return Problem(sample)
    with np.errstate(divide="ignore"):
        return Problem(sample, 0.5 / (C * costs))


def clock_of(max_iter=1000, callbacks=(), **limits) -> Clock:
    return Clock(Limits(max_iter, **limits), callbacks)


def noisy(seed: int, n: int, d: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian examples that no hyperplane separates, with labels +1 and -1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0.5, 1, -1)
    return X + shift, y


def simplex_margin(k: int, n: int) -> float:
    """The affine margin of k corners of the regular simplex against the other n - k."""
    return 0.5 * np.sqrt(1 / k + 1 / (n - k))


def lp_says_separable(X: np.ndarray, y: np.ndarray, affine: bool) -> bool:
    """Whether z . w >= 1 is feasible, by linear programming."""
    Z = y[:, None] * (np.column_stack([X, np.ones(len(X))]) if affine else X)
    answer = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0


def qp_margin(X: np.ndarray, y: np.ndarray, affine: bool) -> float:
    """The optimum margin by sequential quadratic programming, started at some separator."""
    Z = y[:, None] * (np.column_stack([X, np.ones(len(X))]) if affine else X)
    size = X.shape[1]
    start = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None)).x
    found = minimize(
        lambda v: v[:size] @ v[:size] / 2,
        start,
        jac=lambda v: np.append(v[:size], np.zeros(len(v) - size)),
        constraints={"type": "ineq", "fun": lambda v: Z @ v - 1, "jac": lambda v: Z},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 2000},
    )
    assert found.success, found.message
    return 1 / np.linalg.norm(found.x[:size])


@st.composite
def small_integers(draw) -> tuple[np.ndarray, np.ndarray]:
    """Few examples with small integer features, both classes present."""
    n = draw(st.integers(2, 12))
    d = draw(st.integers(1, 4))
    values = draw(st.lists(st.integers(-3, 3), min_size=n * d, max_size=n * d))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    y[:2] = [1, -1]
    return np.array(values, dtype=float).reshape(n, d), y


def planted(seed: int, n: int, d: int, margin: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian examples pushed away from a random hyperplane."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    y = np.where(X @ w + 0.1 > 0, 1, -1)
    y[:2] = [1, -1]
    X += ((margin * y) - np.minimum(y * (X @ w + 0.1), 0.0) * y)[:, None] * w
    return X, y
