"""The solvers that are compared, ours and those of other libraries, with one interface."""

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.linear_model import Perceptron
from sklearn.svm import SVC, LinearSVC

import novikoff
from benchmarks.contest import Answer, Solver

INFEASIBLE = "says infeasible"
NEED_SPARSE = ("clarabel",)


def max_margin(**params: Any) -> Solver:
    """Our estimator."""

    def solve(X: Any, y: Any) -> Answer:
        model = novikoff.MaxMargin(**params).fit(X, y)
        return Answer(
            model.coef_[0],
            len(model.support_),
            int(model.n_iter_),
            model.certificate_,
            status=model.status_.name,
            method=model.solver_,
        )

    return solve


def separable(X: Any, y: Any) -> Answer:
    """Our test of separability."""
    return Answer(certificate=novikoff.is_separable(X, y))


def svc(X: Any, y: Any) -> Answer:
    """libsvm, with C so large that the margin is hard."""
    model = SVC(kernel="linear", C=1e8).fit(X, y)
    return Answer(_flat(model.coef_), len(model.support_))


def linear_svc(**params: Any) -> Solver:
    """liblinear, which penalises the intercept."""

    def solve(X: Any, y: Any) -> Answer:
        return Answer(_flat(LinearSVC(random_state=0, **params).fit(X, y).coef_))

    return solve


def separating(model: Any) -> Solver:
    """An estimator of scikit-learn, whose answer counts only if it separates the examples."""

    def solve(X: Any, y: Any) -> Answer:
        fitted = clone(model).fit(X, y)
        mistakes = int(np.count_nonzero(fitted.predict(X) != y))
        if mistakes:
            return Answer(message=f"{mistakes} mistakes")
        return Answer(_flat(fitted.coef_))

    return solve


def perceptron(epochs: int) -> Solver:
    """scikit-learn's perceptron with so many epochs; it may make mistakes before the last."""
    return separating(Perceptron(tol=None, max_iter=epochs, random_state=0))


def separating_svc(**params: Any) -> Solver:
    """liblinear, whose answer counts only if it separates the examples."""
    return separating(LinearSVC(random_state=0, **params))


def quadratic(solver: str) -> Solver:
    """A quadratic-programming solver, given the primal or the dual with fewer variables."""

    def solve(X: Any, y: Any) -> Answer:
        return _primal(X, y, solver) if X.shape[0] > X.shape[1] else _hulls(X, y, solver)

    return solve


def _primal(X: Any, y: Any, solver: str) -> Answer:
    """Minimise |w|^2 / 2 subject to y (w x + b) >= 1."""
    n, d = X.shape
    G = np.empty((n, d + 1))
    G[:, :d], G[:, d] = X, 1.0
    G *= -y[:, None]
    P = np.eye(d + 1)
    # quadprog needs a positive definite matrix; the others allow an unpenalised intercept.
    P[d, d] = 1e-8 if solver == "quadprog" else 0.0
    solution = _program(solver, P, G=G, h=np.full(n, -1.0))
    if not solution.found:
        return Answer(message="finds no solution")
    return Answer(solution.x[:d], _positive(solution.z))


def _hulls(X: Any, y: Any, solver: str) -> Answer:
    """Minimise the distance between the convex hulls of the classes: the dual problem."""
    n = len(y)
    A = np.array([y > 0, y < 0], dtype=np.float64)
    P = (X @ X.T) * np.outer(y, y)
    solution = _program(solver, P, A=A, b=np.ones(2), lb=np.zeros(n))
    if not solution.found:
        return Answer(message="finds no solution")
    return Answer(X.T @ (y * solution.x), _positive(solution.x))


def _program(solver: str, P: Any, **constraints: Any) -> Any:
    from qpsolvers import Problem, solve_problem

    if solver in NEED_SPARSE:
        P = sp.csc_matrix(P)
        for name in constraints.keys() & {"G", "A"}:
            constraints[name] = sp.csc_matrix(constraints[name])
    return solve_problem(Problem(P, np.zeros(P.shape[0]), **constraints), solver=solver)


def highs(X: Any, y: Any) -> Answer:
    """The linear program: is there a hyperplane with y (w x + b) >= 1?"""
    n, d = X.shape
    A = np.column_stack((X, np.ones(n))) * -y[:, None]
    found = linprog(np.zeros(d + 1), A, np.full(n, -1.0), bounds=(None, None), method="highs")
    if found.x is None:
        return Answer(message=INFEASIBLE if found.status == 2 else "no answer")
    return Answer(found.x[:d])


def _flat(coef: Any) -> Any:
    return coef.toarray().ravel() if sp.issparse(coef) else np.ravel(coef)


def _positive(weights: Any) -> int:
    return int(np.count_nonzero(weights > 1e-9 * np.max(weights, initial=math.ulp(0.0))))
