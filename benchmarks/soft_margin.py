"""The soft margin (squared hinge) against liblinear, at the same value of the objective.

The objective is ``|w|^2 / 2 + C sum max(0, 1 - y (w x + b))^2``, with the best intercept for the
``w`` of each solver: liblinear penalises its intercept, we do not. Liblinear runs with the loosest
tolerance whose objective is at most ours times ``1 + SAME``, within its default number of
iterations.
"""

from math import inf, isfinite
from typing import Any

import numpy as np

from benchmarks import datasets, peers
from benchmarks.contest import LIMIT, Outcome, Run, compete, once, publish
from benchmarks.figures import save
from benchmarks.hard_margin import OURS, proof, race
from benchmarks.measure import Report

GAP = 1e-4
SAME = 1e-4
TOLERANCES = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6)

Rows = list[dict[str, Any]]
Points = dict[str, list[tuple[float, float]]]


def best_intercept(score: Any, y: Any) -> float:
    """The intercept that minimises the sum of squared hinge losses, for given scores.

    Half its derivative is the sum of ``b - (y_i - s_i)`` over the examples inside the margin:
    those of the positive class with ``y_i - s_i > b``, those of the negative with ``< b``.
    """
    edges = y - score
    order = np.argsort(edges)
    edges, positive = edges[order], y[order] > 0

    def inside(values: Any) -> Any:
        """Sums over the examples inside the margin, for ``b`` in each interval between edges."""
        left = np.concatenate(([0.0], np.cumsum(np.where(positive, 0.0, values))))
        right = np.cumsum(np.where(positive, values, 0.0)[::-1])[::-1]
        return left + np.append(right, 0.0)

    counts, sums = inside(np.ones_like(edges)), inside(edges)
    slopes = counts[1:] * edges - sums[1:]
    piece = int(np.searchsorted(slopes, 0.0))
    if counts[piece] == 0.0:
        return float(edges[min(piece, len(edges) - 1)])
    return float(sums[piece] / counts[piece])


def objective(X: Any, y: Any, w: Any, C: float) -> float:
    score = X @ w
    hinge = np.maximum(0.0, 1.0 - y * (score + best_intercept(score, y)))
    return float(w @ w / 2.0 + C * (hinge @ hinge))


def value(X: Any, y: Any, run: Run | Outcome, C: float) -> float:
    return inf if run.answer.coef is None else objective(X, y, run.answer.coef, C)


def loosest(
    X: Any, y: Any, C: float, dual: bool, target: float, points: list[tuple[float, float]]
) -> float | None:
    """The loosest tolerance that reaches the target; if none does, the one with the best value."""
    best, least = None, inf
    for tol in TOLERANCES:
        run = once(peers.linear_svc(C=C, dual=dual, tol=tol), X, y)
        reached = value(X, y, run, C)
        if not isfinite(reached):
            break
        points.append((run.seconds, reached))
        if reached < least:
            best, least = tol, reached
        # After a warning (out of iterations), a smaller tolerance would change nothing.
        if reached <= target or run.answer.message:
            break
    return best


def measure(
    report: Report, rows: Rows, case: str, data: Any, C: float, bar: float
) -> tuple[Points, float]:
    """Time our solver, and both methods of liblinear at our objective value."""
    X, y = data
    ours = peers.max_margin(C=C, tol=GAP)
    mine = value(X, y, once(ours, X, y), C)
    points: Points = {}
    solvers = {OURS: ours}
    for method, dual in (("dual", True), ("primal", False)):
        tried = points.setdefault(f"LinearSVC {method}", [])
        tol = loosest(X, y, C, dual, mine * (1.0 + SAME) if mine < inf else -inf, tried)
        name = f"LinearSVC {method}" + (f", tol={tol:g}" if tol else "")
        solvers[name] = peers.linear_svc(C=C, dual=dual, tol=tol or TOLERANCES[0])
    outcomes = compete(X, y, solvers)
    values = {who: value(X, y, outcome, C) for who, outcome in outcomes.items()}
    points[OURS] = [(outcomes[OURS].times.median, values[OURS])]
    best = min(reached for each in points.values() for _, reached in each)
    for who, outcome in outcomes.items():
        answer = outcome.answer
        rows.append(
            {
                "case": case,
                "solver": who,
                "seconds": outcome.times.median,
                "passes": answer.passes,
                "objective": f"{values[who]:.8g}",
                "above the best": values[who] / best - 1.0,
                "certified gap": getattr(answer.certificate, "gap", None),
                "support": answer.support,
                "note": answer.message,
            }
        )
    answer = outcomes[OURS].answer
    proved, note = proof(answer, "SoftOptimum", X, y)
    measured = answer.certificate.gap if proved else inf
    report.add(f"{case}, gap", measured, "", at_most=GAP, note=note)
    equal = [who for who in solvers if who == OURS or values[who] <= values[OURS] * (1.0 + SAME)]
    named = tuple(who for who in (equal if len(equal) > 1 else solvers) if who != OURS)
    race(report, f"{case}, against the better LinearSVC", outcomes, named, bar)
    return points, best


def draw(found: dict[str, tuple[Points, float]]) -> None:
    """Draw the relative excess over the best objective against the time."""
    with save("soft_margin", height=5.0) as axes:
        for k, (case, (points, best)) in enumerate(found.items()):
            for (who, each), style in zip(points.items(), ("o--", "s:", "D"), strict=True):
                axes.plot(
                    [seconds for seconds, _ in each],
                    [max(reached / best - 1.0, 1e-9) for _, reached in each],
                    style,
                    color=f"C{k}",
                    markersize=9 if who == OURS else 4,
                    label=f"{case}: {who}",
                )
        axes.axhline(SAME, color="grey", linewidth=0.8)
        axes.set(xscale="log", yscale="log", xlabel=f"seconds (limit {LIMIT:.0f})")
        axes.set_ylabel("objective above the best, relative")
        axes.figure.legend(loc="outside lower center", ncols=2, fontsize="x-small")


def main() -> None:
    report, rows = Report("soft_margin", "Soft margin at the same objective value"), []
    few = datasets.clouds(200)
    once(peers.max_margin(C=1.0, tol=GAP), *few, limit=600.0)
    digits = datasets.even_odd_pixels()
    text, scattered = datasets.text(words=100_000), datasets.scattered()
    cases = {
        "MNIST even-v-odd, C=0.01": (digits, 0.01, 2.0),
        "MNIST even-v-odd, C=1": (digits, 1.0, 2.0),
        "CSR 50,000 x 100,000, like text, C=1": (text, 1.0, 1.0),
        "CSR 50,000 x 100,000, scattered, C=1": (scattered, 1.0, 1.0),
    }
    found = {
        case: measure(report, rows, case, data, C, bar) for case, (data, C, bar) in cases.items()
    }
    publish("soft_margin", "Soft margin: results of every solver", rows)
    report.finish()
    draw(found)


if __name__ == "__main__":
    main()
