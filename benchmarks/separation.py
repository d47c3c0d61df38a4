"""The distance of convex bodies, against convex solvers and collision libraries.

Bodies are built beforehand and the peers get prepared arrays. The bounds that we prove in
floating-point arithmetic are part of the timed call; the exact check is not. A peer that is not
installed is left out: ``pip install cvxpy clarabel coal distance3d``.
"""

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from benchmarks.measure import Report, Times, in_turn
from novikoff.geometry import (
    Ball,
    Ellipsoid,
    Points,
    Polytope,
    SeparationResult,
    Verdict,
    separate,
)

Matrix = NDArray[np.float64]
Query = Callable[[], Any]

DIMENSIONS = (2, 3, 10, 50, 200)
N_POINTS = 1000
N_VERTICES = 35_000
N_SEEDS = 100
GAP = 2.0**-20
# The pair that openGJK publishes with its example; the other body is its reflection.
GJK = [
    [0.0, 5.5, 0.0],
    [2.3, 1.0, -2.0],
    [8.1, 4.0, 2.4],
    [4.3, 5.0, 2.2],
    [2.5, 1.0, 2.3],
    [7.1, 1.0, 2.4],
    [1.0, 1.5, 0.3],
    [3.3, 0.5, 0.3],
    [6.0, 1.4, 0.2],
]
GJK_DISTANCE = 3.653649722294501


def clouds(d: int, seed: int = 0) -> tuple[Matrix, Matrix]:
    """Two normal clouds, one apart from the other along the diagonal."""
    rng = np.random.default_rng(seed)
    P, Q = rng.standard_normal((N_POINTS, d)), rng.standard_normal((N_POINTS, d))
    u = np.ones(d) / np.sqrt(d)
    return P, Q + u * (float((P @ u).max() - (Q @ u).min()) + 1.0)


def tiny_gap(seed: int, d: int) -> tuple[Matrix, Matrix, float]:
    """Two hulls whose distance is 5 * GAP by construction: no coordinate is rounded.

    The nearest point of the second lies over the inside of a facet of the first; the rotation by
    the triangle 3, 4, 5 multiplies lengths by 5.
    """
    rng = np.random.default_rng(seed)
    facet = np.zeros((d, d))
    facet[:, 1:] = np.vstack([np.eye(d - 1), -np.ones(d - 1)])
    P = rng.integers(-512, 513, size=(300, d)) / 256.0
    P[:, 0] = np.abs(P[:, 0])
    Q = rng.integers(-512, 513, size=(300, d)) / 256.0
    Q[:, 0] = -np.abs(Q[:, 0]) - GAP - 1 / 256
    Q[0, 1:] = np.round(rng.integers(-8, 9, size=d - 1) / (256.0 * d) * 2**16) / 2**16
    Q[0, 0] = -GAP
    turned = []
    for X in (np.vstack([facet, P]), Q):
        Y = 5.0 * X
        Y[:, 0], Y[:, 1] = 3 * X[:, 0] - 4 * X[:, 1], 4 * X[:, 0] + 3 * X[:, 1]
        turned.append(Y)
    return turned[0], turned[1], 5.0 * GAP


def mesh() -> Matrix:
    """The vertices of a bumpy closed surface."""
    i = np.arange(N_VERTICES) + 0.5
    z, turn = 1.0 - 2.0 * i / N_VERTICES, np.pi * (1.0 + np.sqrt(5.0)) * i
    around = np.sqrt(1.0 - z * z)
    sphere = np.column_stack([around * np.cos(turn), around * np.sin(turn), z])
    bumps = 1.0 + 0.1 * np.sin(5.0 * sphere[:, :1]) * np.cos(7.0 * sphere[:, 1:2])
    return sphere * bumps * np.array([1.0, 0.7, 0.5])


def svc(P: Matrix, Q: Matrix) -> Query:
    X, y = np.vstack([P, Q]), np.repeat([1, -1], [len(P), len(Q)])
    return lambda: 2.0 / float(np.linalg.norm(SVC(kernel="linear", C=1e10).fit(X, y).coef_))


def clarabel(P: Matrix, Q: Matrix) -> Query | None:
    try:
        import cvxpy as cp
    except ImportError:
        return None
    a, b = cp.Variable(len(P), nonneg=True), cp.Variable(len(Q), nonneg=True)
    problem = cp.Problem(cp.Minimize(cp.norm(P.T @ a - Q.T @ b)), [cp.sum(a) == 1, cp.sum(b) == 1])
    return lambda: float(problem.solve(solver=cp.CLARABEL))


def coal(P: Matrix, Q: Matrix) -> Query | None:
    try:
        import coal as library
    except ImportError:
        return None
    bodies = [library.Convex.convexHull(_points_of(library, X), True, "Qt") for X in (P, Q)]
    place = library.Transform3s.Identity()
    request, result = library.DistanceRequest(), library.DistanceResult()

    def query() -> float:
        result.clear()
        return float(library.distance(bodies[0], place, bodies[1], place, request, result))

    return query


def _points_of(library: Any, X: Matrix) -> Any:
    points = library.StdVec_Vec3s()
    for row in X:
        points.append(row)
    return points


def distance3d(P: Matrix, Q: Matrix) -> Query | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from distance3d.colliders import ConvexHullVertices
            from distance3d.gjk import gjk
    except ImportError:
        return None
    bodies = ConvexHullVertices(P), ConvexHullVertices(Q)
    return lambda: float(gjk(*bodies)[0])


def apart(report: Report) -> None:
    """Two hulls of 1,000 points, d from 2 to 200."""
    for d in DIMENSIONS:
        P, Q = clouds(d)
        K, L = Points(P), Points(Q)
        found = separate(K, L, rtol=1e-9)
        gap = 1.0 - found.distance_lower / found.distance_upper
        proved = found.verify()
        assert found.distance_lower <= proved.lower <= proved.upper <= found.distance_upper
        report.add(f"gap, d = {d}", gap, "", at_most=1e-9, note=f"{found.steps} steps, verified")

        def ours(K: Points = K, L: Points = L) -> SeparationResult:
            return separate(K, L, rtol=1e-9)

        times = in_turn({"ours": ours, "SVC": svc(P, Q)}, rounds=7)
        error = abs(svc(P, Q)() / found.distance - 1.0)
        report.faster(
            f"d = {d}, SVC(C=1e10)", times["ours"], times["SVC"], 1.0, f"its error {error:.1g}"
        )
        peer = clarabel(P, Q)
        if peer is not None:
            once = in_turn({"ours": ours, "peer": peer}, rounds=3)
            report.faster(f"d = {d}, cvxpy + Clarabel", once["ours"], once["peer"], 20.0)
        if d == 3:
            in_three_dimensions(report, P, Q, ours)


def in_three_dimensions(report: Report, P: Matrix, Q: Matrix, ours: Query) -> None:
    """Many queries at a time, because one takes microseconds."""

    def repeated(query: Query) -> Query:
        return lambda: [query() for _ in range(200)]

    truth = ours().distance
    for name, make, bar in (("distance3d", distance3d, 1.0), ("coal", coal, None)):
        query = make(P, Q)
        if query is None:
            continue
        times = in_turn({"ours": repeated(ours), "peer": repeated(query)}, rounds=5)
        ours_each, theirs = (
            Times(tuple(t / 200 for t in times[side].seconds)) for side in ("ours", "peer")
        )
        error = abs(query() / truth - 1.0)
        report.faster(f"d = 3, {name}", ours_each, theirs, bar, f"its error {error:.1g}")


def tiny(report: Report) -> None:
    """Gaps of 2**-20, d from 2 to 200: the error, and whether the bounds contain the truth."""
    for d in (2, 3, 10, 50, 200):
        seeds = range(N_SEEDS)
        worst, right = 0.0, 0
        for seed in seeds:
            P, Q, truth = tiny_gap(seed, d)
            found = separate(P, Q)
            worst = max(worst, abs(found.distance / truth - 1.0))
            right += found.distance_lower <= truth <= found.distance_upper
        note = f"{right} of {len(seeds)} seeds have the truth between the bounds"
        error = worst if right == len(seeds) else np.inf
        report.add(f"gap 2^-20, d = {d}, error", error, "", at_most=1e-6, note=note)


def meeting(report: Report) -> None:
    """Hulls that meet: the status, with a witness that exact arithmetic accepts."""
    for d in (2, 3, 10, 50):
        P, _ = clouds(d)
        _, Q = clouds(d, seed=1)
        grid = np.round(8.0 * P) / 8.0
        touching = grid + np.eye(d)[0] * float(np.ptp(grid[:, 0]))
        at = int(grid[:, 0].argmax())
        touching[int(grid[:, 0].argmin())] = grid[at]
        cases = {
            "overlapping": (P, P[::-1] * 0.9 + 0.05),
            "identical": (P, P),
            "nested": (P, 0.05 * (Q - Q.mean(axis=0))),
            "touching": (grid, touching),
        }
        for name, (A, B) in cases.items():
            K, L = Points(A), Points(B)
            found = separate(K, L)
            right = found.status is Verdict.MEET and found.verify().upper == 0.0
            times = in_turn({"ours": lambda K=K, L=L: separate(K, L)}, rounds=3)["ours"]
            note = f"{found.status.name} in {1e3 * times.median:.2g} ms, verified"
            report.add(f"{name}, d = {d}", float(right), "right", at_least=1.0, note=note)


def moving(report: Report) -> None:
    """Two copies of a mesh of 35,000 vertices that move apart, in small steps."""
    K = Points(mesh())
    places = [K + np.array([2.5 + 0.01 * k, 0.3 - 0.02 * k, 0.1]) for k in range(20)]
    separate(K, places[0])
    cold = in_turn({"ours": lambda: [separate(K, L) for L in places]}, rounds=5)["ours"]

    def follow() -> None:
        before = None
        for L in places:
            before = separate(K, L, start=before)

    warm = in_turn({"ours": follow}, rounds=5)["ours"]
    for name, times, bar in (("a query", cold, 5.0), ("a query, warm start", warm, 1.0)):
        report.add(
            f"mesh of 35,000 vertices, {name}",
            1e3 * times.median / len(places),
            "ms",
            from_minima=1e3 * times.least / len(places),
            at_most=bar,
        )


def curved(report: Report) -> None:
    """A ball against a polytope in 100 dimensions, and two ellipsoids in 50."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((300, 100))
    polytope = Polytope(A / np.linalg.norm(A, axis=1)[:, None], np.ones(300))
    ball = Ball(40.0 * np.eye(100)[0], 0.5)
    ellipsoids = [
        Ellipsoid(c * np.ones(50), np.linalg.qr(rng.standard_normal((50, 50)))[0] * lengths)
        for c, lengths in zip((0.0, 0.6), rng.uniform(0.5, 2.0, (2, 50)), strict=True)
    ]
    cases = {"ball and polytope, d = 100": (ball, polytope), "ellipsoids, d = 50": ellipsoids}
    for name, (K, L) in cases.items():
        times = in_turn({"ours": lambda K=K, L=L: separate(K, L)}, rounds=1, warm=0)["ours"]
        found = separate(K, L)
        gap = 1.0 - found.distance_lower / found.distance_upper
        found.verify()
        note = f"{times.median:.2g} s, {found.steps} steps, verified"
        report.add(f"{name}, gap", gap, "", at_most=1e-6, note=note)


def known(report: Report) -> None:
    found = separate(GJK, -np.array(GJK), rtol=1e-12)
    error = abs(found.distance / GJK_DISTANCE - 1.0)
    report.add("openGJK's pair, error", error, "", at_most=1e-12)


PARTS = {
    "apart": apart,
    "tiny": tiny,
    "meeting": meeting,
    "moving": moving,
    "curved": curved,
    "known": known,
}


def main(names: list[str]) -> None:
    report = Report("separation", "The distance of convex bodies")
    for name in names or PARTS:
        PARTS[name](report)
    report.finish()


if __name__ == "__main__":
    main(sys.argv[1:])
