"""The distance of two bodies: right, between proved bounds, with the right status."""

import _thread
import threading
from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog, minimize
from scipy.spatial.transform import Rotation

import novikoff
from novikoff.certificate import CertificateError, NonSeparation, Separation
from novikoff.geometry import (
    Ball,
    Box,
    Ellipsoid,
    Ending,
    Oracle,
    Points,
    Polytope,
    Simplex,
    Verdict,
    Zonotope,
    separate,
)
from novikoff.geometry.pair import MOST_WORK
from tests.geometry.some_bodies import MAKERS, apart, disk, some_body

KINDS = st.sampled_from(sorted(MAKERS))
SEEDS = st.integers(0, 10**6)

# The nine points that openGJK publishes with its example; the other body is their reflection.
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

CLOSED_FORMS = {
    "balls": (Ball([0.0, 0.0, 0.0], 1.0), Ball([3.0, 4.0, 0.0], 2.0), 2.0),
    "boxes": (Box([0.0, 0.0], [1.0, 1.0]), Box([2.0, 3.0], [4.0, 4.0]), sqrt(5.0)),
    "simplex and origin": (Simplex(7), Points(np.zeros((1, 7))), 1 / sqrt(7.0)),
    "simplices": (Simplex(3), Simplex(3) + np.full(3, 1.0), sqrt(3.0)),
    "box and ball": (Box([0.0, 0.0], [1.0, 1.0]), Ball([4.0, 5.0], 1.0), 4.0),
    "ellipsoids": (Ellipsoid([0.0, 0.0], [2.0, 1.0]), Ellipsoid([5.0, 0.0], [2.0, 1.0]), 1.0),
    "zonotope": (Zonotope([0.0, 0.0], [[1.0, 0.0], [1.0, 1.0]]), Points([[9.0, 1.0]]), 7.0),
    "rounded box": (
        Box([0.0, 0.0], [1.0, 1.0]) + Ball([0.0, 0.0], 0.5),
        -2.0 * Ball([-3.0, -3.0], 0.25),
        sqrt(50.0) - 1.0,
    ),
    "triangle": (
        Polytope([[-1.0, 0.0], [0.0, -1.0], [1.0, 1.0]], [0.0, 0.0, 1.0]),
        Points([[1.0, 1.0]]),
        sqrt(0.5),
    ),
    "two points": (Points([[1.0, 2.0]]), Points([[4.0, 6.0]]), 5.0),
}


def test_the_known_answer():
    found = separate(GJK, -np.array(GJK), rtol=1e-12)
    assert found.distance_lower <= 3.653649722294501 * (1 + 1e-12)
    assert found.distance == pytest.approx(3.653649722294501, rel=1e-12, abs=0)
    assert found.verify().upper <= found.distance_upper


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_closed_forms(name):
    K, L, truth = CLOSED_FORMS[name]
    found = separate(K, L, rtol=1e-12)
    assert found.status is Verdict.APART
    assert found.distance == pytest.approx(truth, rel=1e-12, abs=0)
    assert found.distance_lower <= truth * (1 + 1e-15) and found.distance_upper >= truth * (
        1 - 1e-15
    )
    proved = found.verify()
    assert found.distance_lower <= proved.lower <= proved.upper <= found.distance_upper
    assert np.linalg.norm(found.p - found.q) == pytest.approx(truth, rel=1e-9)


@settings(max_examples=100)
@given(KINDS, KINDS, SEEDS, st.integers(1, 5), st.sampled_from([1e-3, 0.1, 3.0]))
def test_bodies_that_are_apart(one, other, seed, d, distance):
    K = some_body(one, seed, d)
    L = apart(K, some_body(other, seed + 1, d), distance)
    found = separate(K, L)
    assert found.status is Verdict.APART and found.ending is Ending.GAP_REACHED
    assert 0.0 < found.distance_lower <= found.distance_upper
    assert found.distance_upper - found.distance_lower <= max(
        1e-6 * found.distance_upper, 1e-12 * found.rho
    )
    assert found.distance_lower >= distance * (1 - 1e-6) - 1e-9
    # The hyperplane has the bodies on its sides, at the margin.
    assert np.linalg.norm(found.w) == pytest.approx(1.0)
    low, high = K.support(-found.w) @ found.w, L.support(found.w) @ found.w
    slack = 1e-9 * (1 + found.rho)
    assert low + found.b >= found.margin - slack and -(high + found.b) >= found.margin - slack
    for part in (found.first, found.second):
        assert part.weights.sum() == pytest.approx(1.0) and (part.weights > 0).all()
        assert len(part) <= d + 2
    proved = found.verify()
    assert found.distance_lower <= proved.lower <= proved.upper <= found.distance_upper
    assert proved.conditional == ("oracle" in (one, other))
    assert ("right" in str(proved)) == proved.conditional


@given(KINDS, SEEDS, st.integers(1, 5))
def test_a_body_meets_itself(kind, seed, d):
    K = some_body(kind, seed, d)
    found = separate(K, K)
    assert found.status in (Verdict.MEET, Verdict.MEET_WITHIN)
    assert found.distance_lower == 0.0 and found.distance_upper <= 1e-12 * max(1e-300, found.rho)
    assert found.w is None and found.verify().upper <= found.distance_upper


@pytest.mark.parametrize("d", [2, 3, 10, 45])
@pytest.mark.parametrize("case", ["overlapping", "identical", "nested", "subset"])
def test_points_that_meet_have_an_exact_common_point(d, case):
    rng = np.random.default_rng(d)
    P, Q = rng.standard_normal((200, d)), rng.standard_normal((200, d))
    Q = {"overlapping": Q, "identical": P, "nested": 0.1 * Q, "subset": P[:3]}[case]
    found = separate(P, Q)
    assert found.status is Verdict.MEET and found.ending is Ending.COMMON_POINT
    assert found.distance_lower == found.distance_upper == 0.0
    assert isinstance(found.certificate, NonSeparation)
    assert str(found.verify()) == "Verified: the bodies have a common point."
    assert found.p == pytest.approx(found.q, abs=1e-9)


@pytest.mark.parametrize(
    ("K", "L"),
    [
        (Box([0.0, 0.0], [1.0, 1.0]), Box([1.0, 0.0], [2.0, 1.0])),
        (Box([0.0, 0.0], [1.0, 1.0]), Box([1.0, 1.0], [2.0, 2.0])),
        (Ball([0.0, 0.0], 1.0), Ball([2.0, 0.0], 1.0)),
        (Ball([0.0, 0.0], 1.0), Ball([0.1, 0.0], 0.2)),
        (Simplex(2), Points([[0.5, 0.5]])),
        (Zonotope([0.0, 0.0], np.eye(2)), Points([[1.0, 0.3]])),
        (Points([[0.1, 0.2], [0.3, 0.4], [0.0, 0.0]]), Points([[0.1, 0.2], [5.0, 1.0]])),
        (Ball([0.0, 0.0], 0.5) + Simplex(2), Points([[0.5, 0.5]])),
        (np.array([[1.0, 1.0], [0.0, 1.0]]) @ Box([0.0, 0.0], [1.0, 1.0]), Points([[2.0, 1.0]])),
    ],
)
def test_touching_and_overlapping_bodies_meet_exactly(K, L):
    found = separate(K, L)
    assert found.status is Verdict.MEET and found.distance_upper == 0.0
    assert str(found.verify()) == "Verified: the bodies have a common point."


def test_curved_bodies_that_touch_meet_within_a_bound():
    K, L = disk(np.zeros(3), 1.0), disk(np.array([0.6, 1.92, 0.0]) / 1.005, 1.0)
    found = separate(K, disk(np.array([1.2, 1.6, 0.0]), 1.0))
    assert found.status is Verdict.MEET_WITHIN
    assert "meet within" in str(found) and found.distance_upper <= 1e-12 * found.rho
    assert separate(K, L).status is Verdict.APART


def pythagorean(X):
    """Rotate pairs of coordinates, exactly, and multiply lengths by 5."""
    Y = 5.0 * X
    for j in range(0, X.shape[1] - 1, 2):
        Y[:, j], Y[:, j + 1] = 3 * X[:, j] - 4 * X[:, j + 1], 4 * X[:, j] + 3 * X[:, j + 1]
    return Y


def tiny_gap(seed, d, gap):
    """Two hulls whose distance is 5 times the gap, by construction in exact arithmetic.

    A facet of the first, in a hyperplane, contains the projection of the nearest point of the
    second.
    """
    rng = np.random.default_rng(seed)
    facet = np.zeros((d, d))
    facet[:, 1:] = np.vstack([np.eye(d - 1), -np.ones(d - 1)])
    P = rng.integers(-512, 513, size=(60, d)) / 256.0
    P[:, 0] = np.abs(P[:, 0])
    Q = rng.integers(-512, 513, size=(60, d)) / 256.0
    Q[:, 0] = -np.abs(Q[:, 0]) - gap - 1 / 256
    Q[0, 1:] = rng.integers(-8, 9, size=d - 1) / (256.0 * d)
    Q[0, 1:] = np.round(Q[0, 1:] * 2**16) / 2**16
    Q[0, 0] = -gap
    return pythagorean(np.vstack([facet, P])), pythagorean(Q)


@pytest.mark.parametrize("d", [2, 3, 5, 20, 60])
def test_tiny_gaps(d):
    gap = 2.0**-20
    for seed in range(20):
        P, Q = tiny_gap(seed, d, gap)
        found = separate(P, Q)
        assert found.status is Verdict.APART
        assert found.distance_lower <= 5 * gap <= found.distance_upper
        assert found.distance == pytest.approx(5 * gap, rel=1e-6, abs=0)
    proved = found.verify()
    assert proved.lower <= 5 * gap <= proved.upper


@pytest.mark.parametrize("gap", [2.0**-36, 2.0**-42])
def test_gaps_near_the_rounding_errors(gap):
    for seed in range(5):
        P, Q = tiny_gap(seed, 3, gap)
        found = separate(P, Q, atol=0.0)
        assert found.status is Verdict.APART
        assert found.distance_lower <= 5 * gap <= found.distance_upper


def test_far_from_the_origin_the_bounds_are_wider_and_right():
    P = np.array([[0.0, 0.0], [0.0, 1.0]]) + 2.0**40
    found = separate(P, P + np.array([3.0, 0.0]))
    assert found.distance_lower <= 3.0 <= found.distance_upper
    assert found.status is Verdict.APART and found.distance == pytest.approx(3.0, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e100])
def test_any_scale(scale):
    P = np.random.default_rng(0).standard_normal((20, 3))
    one, two = separate(P, P + 5.0), separate(scale * P, scale * (P + 5.0))
    assert two.distance == pytest.approx(scale * one.distance, rel=1e-6, abs=0)


@given(KINDS, KINDS, SEEDS, st.integers(2, 4))
def test_rotation_translation_and_scaling(one, other, seed, d):
    rng = np.random.default_rng(seed)
    K = some_body(one, seed, d)
    L = apart(K, some_body(other, seed + 1, d), 0.3)
    rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
    shift, factor = rng.standard_normal(d), rng.uniform(0.1, 10.0)
    before = separate(K, L)
    moved = [factor * (rotation @ body) + shift for body in (K, L)]
    after = separate(*moved)
    assert after.distance == pytest.approx(factor * before.distance, rel=3e-6)
    turned = separate(L, K)
    assert turned.distance == pytest.approx(before.distance, rel=3e-6)
    assert turned.w == pytest.approx(-before.w, abs=1e-2)
    difference = separate(K - L, Points(np.zeros((1, d))))
    assert difference.distance == pytest.approx(before.distance, rel=3e-6)


@settings(max_examples=50)
@given(SEEDS, st.integers(1, 6), st.sampled_from([2.0**-300, 0.25, 2.0**200]))
def test_powers_of_two_and_permutations_change_no_digit(seed, d, factor):
    rng = np.random.default_rng(seed)
    P, Q = rng.standard_normal((9, d)), rng.standard_normal((8, d)) + rng.uniform(0.0, 3.0)
    before, after = separate(P, Q), separate(factor * P, factor * Q)
    assert after.status is before.status
    assert after.distance_lower == pytest.approx(factor * before.distance_lower, rel=1e-15, abs=0)
    assert after.distance_upper == pytest.approx(factor * before.distance_upper, rel=1e-15, abs=0)
    assert after.first.labels == before.first.labels
    permuted = separate(P[::-1], Q[::-1])
    assert permuted.status is before.status
    assert permuted.distance == pytest.approx(before.distance, rel=1e-6)


@given(SEEDS, st.integers(1, 4))
def test_integer_translations_and_signed_permutations_keep_the_status(seed, d):
    rng = np.random.default_rng(seed)
    P, Q = (rng.integers(-2, 3, (5, d)).astype(float) for _ in range(2))
    Q += rng.integers(0, 4, d)
    turn = np.eye(d)[rng.permutation(d)] * rng.choice([-1.0, 1.0], d)
    shift = rng.integers(-(10**6), 10**6, d)
    before, after = separate(P, Q), separate(P @ turn + shift, Q @ turn + shift)
    assert after.status is before.status
    assert after.distance == pytest.approx(before.distance, rel=1e-6)


@given(SEEDS, st.integers(1, 4))
def test_a_linear_program_agrees_on_whether_hulls_meet(seed, d):
    rng = np.random.default_rng(seed)
    P = rng.standard_normal((d + 3, d))
    Q = rng.standard_normal((d + 2, d)) + rng.uniform(0.0, 2.0) * np.eye(d)[0]
    A = np.vstack([np.hstack([P.T, -Q.T]), np.r_[np.ones(len(P)), np.zeros(len(Q))]])
    A = np.vstack([A, np.r_[np.zeros(len(P)), np.ones(len(Q))]])
    feasible = linprog(np.zeros(A.shape[1]), A_eq=A, b_eq=np.r_[np.zeros(d), 1.0, 1.0]).status == 0
    found = separate(P, Q)
    assert found.status is (Verdict.MEET if feasible else Verdict.APART)


@settings(max_examples=20)
@given(SEEDS, st.integers(1, 3))
def test_a_quadratic_program_agrees_on_the_distance_of_polytopes(seed, d):
    K, L = some_body("polytope", seed, d), some_body("polytope", seed + 1, d)
    L = apart(K, L, 0.5)

    def objective(z):
        difference = z[:d] - z[d:]
        return difference @ difference, 2 * np.r_[difference, -difference]

    rest = [
        {"type": "ineq", "fun": lambda z: K.b - K.A @ z[:d]},
        {"type": "ineq", "fun": lambda z: L.body.b - L.body.A @ (z[d:] - L.shift)},
    ]
    start = np.r_[K.support(np.ones(d)), L.support(-np.ones(d))]
    solved = minimize(objective, start, jac=True, constraints=rest, method="SLSQP", tol=1e-14)
    assert separate(K, L).distance == pytest.approx(sqrt(solved.fun), rel=1e-5)


def test_gordan_and_farkas():
    Z = np.array([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])
    met = separate(Z, [[0.0, 0.0]])
    assert met.status is Verdict.MEET
    combination = sum(a * Z[i] for a, i in zip(met.first.weights, met.first.labels, strict=True))
    assert combination == pytest.approx(np.zeros(2), abs=1e-15)
    found = separate(Z[:2], [[0.0, 0.0]])
    assert found.status is Verdict.APART and (Z[:2] @ found.w > 0).all()


def test_two_sets_of_points_have_the_ordinary_certificate():
    P = np.random.default_rng(0).standard_normal((30, 3))
    found = separate(P, P + 6.0)
    certificate = found.certificate
    assert isinstance(certificate, Separation)
    X, y = np.vstack([P, P + 6.0]), np.repeat([1, -1], 30)
    assert 2 * certificate.verify(X, y).upper == pytest.approx(found.distance)
    assert separate(Points(P) + np.ones(3), P).certificate is None


TAMPERED = {
    "lower": lambda r: replace(r, distance_lower=r.distance_lower * (1 + 1e-9)),
    "upper": lambda r: replace(r, distance_upper=r.distance_upper * (1 - 1e-9)),
    "order": lambda r: replace(r, distance_lower=r.distance_upper * 2),
    "normal": lambda r: replace(r, w=np.roll(r.w, 1), b=0.0),
    "labels": lambda r: replace(r, first=replace(r.first, labels=r.first.labels[::-1])),
    "weights": lambda r: replace(r, first=replace(r.first, weights=r.first.weights[::-1])),
}


@pytest.mark.parametrize("what", TAMPERED)
@pytest.mark.parametrize("lazy", [False, True])
def test_tampered_results_are_refused(what, lazy):
    rng = np.random.default_rng(5)
    K = Points(rng.standard_normal((40, 4))) + (np.full(4, 0.5) if lazy else np.zeros(4))
    K = K if lazy else Points(rng.standard_normal((40, 4)))
    L = Points(rng.standard_normal((40, 4)) - 3.0)
    found = separate(K, L, rtol=1e-10)
    assert len(found.first) > 1 and found.verify().lower >= found.distance_lower
    with pytest.raises(CertificateError):
        TAMPERED[what](found).verify()


def test_a_result_is_checked_against_the_bodies_that_are_given():
    K, L = Box([0.0, 0.0], [1.0, 1.0]), Box([3.0, 0.0], [4.0, 1.0])
    found = separate(K, L)
    assert found.verify(K, Box([3.0, 0.0], [4.0, 1.0])).lower == pytest.approx(2.0)
    with pytest.raises(CertificateError, match="at least"):
        found.verify(K, Box([2.0, 0.0], [4.0, 1.0]))
    with pytest.raises(CertificateError, match="at most"):
        found.verify(K, Box([3.5, 0.0], [4.0, 1.0]))
    with pytest.raises(CertificateError, match="2 coordinates"):
        found.verify(Simplex(3), Simplex(3))


def test_a_claimed_common_point_is_refused_where_there_is_none():
    P = np.random.default_rng(2).standard_normal((20, 2))
    found = separate(P, P)
    with pytest.raises(CertificateError):
        found.verify(P, P + 100.0)


def test_many_dimensions():
    rng = np.random.default_rng(0)
    P, Q = rng.standard_normal((300, 150)), rng.standard_normal((300, 150)) + 0.6
    found = separate(P, Q, rtol=1e-9)
    assert found.status is Verdict.APART and found.ending is Ending.GAP_REACHED
    assert found.distance_upper - found.distance_lower <= 1e-9 * found.distance_upper
    # In another basis of fewer coordinates the hulls have the same distance, found another way.
    basis = np.linalg.qr(np.vstack([P[:40], Q[:40]]).T)[0]
    small, flat = (separate(X[:40], Y[:40]) for X, Y in ((P, Q), (P @ basis, Q @ basis)))
    assert basis.shape[1] == 80 and small.distance == pytest.approx(flat.distance, rel=2e-6)
    moved = separate(Points(P) + np.ones(150), Points(Q) + np.ones(150))
    assert moved.distance == pytest.approx(found.distance, rel=2e-6) and moved.verify().lower > 0.0
    assert separate(P, Q, start=found).steps <= found.steps
    for scale in (1e-150, 1e140):
        scaled = separate(scale * P, scale * Q)
        assert scaled.distance == pytest.approx(scale * found.distance, rel=2e-6, abs=0)
    proved = found.verify()
    assert found.distance_lower <= proved.lower <= proved.upper <= found.distance_upper


@pytest.mark.parametrize("d", [150, 400])
def test_hulls_that_meet_in_many_dimensions(d):
    P = np.random.default_rng(0).standard_normal((3 * d, d))
    for Q in (P, 0.1 * P[::-1], P[:2]):
        found = separate(P, Q)
        assert found.status is Verdict.MEET and found.verify().upper == 0.0
    touching = np.zeros((2, d))
    touching[1] = 1.0
    found = separate(np.eye(d), np.vstack([np.eye(d)[0], -touching]))
    assert found.status is Verdict.MEET and found.verify().upper == 0.0


def test_sparse_rows_in_many_dimensions():
    K, L = (
        sparse.random(60, 5000, 0.01, "csr", rng=np.random.default_rng(seed)) for seed in (0, 1)
    )
    found = separate(K, -L)
    dense = separate(K.toarray(), -L.toarray())
    assert found.distance == pytest.approx(dense.distance, rel=2e-6)
    assert found.verify().lower >= found.distance_lower > 0.0
    assert separate(K, K[:5]).status is Verdict.MEET


@pytest.mark.usefixtures("default_handler")
def test_a_long_search_can_be_interrupted():
    P = np.random.default_rng(0).standard_normal((100_000, 60))
    K, L = Points(P), Points(P[::-1] + 0.3)
    assert MOST_WORK // P.size < 100
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            separate(K, L, epsilon=1e-3, time_limit=30.0)
    finally:
        timer.cancel()


class Disk:
    """A user's object: it has `support`, and nothing else that is needed."""

    def __init__(self, center, tau=0.0):
        self.center, self.tau = np.asarray(center), tau

    def support(self, u):
        length = np.linalg.norm(u)
        # An answer that is off by up to tau.
        return self.center + (1.0 - self.tau) * u / length


def test_user_objects_and_approximate_oracles():
    found = separate(Disk([0.0, 0.0]), Box([3.0, -1.0], [4.0, 1.0]))
    assert found.distance == pytest.approx(2.0, rel=1e-6)
    assert found.verify().conditional and "if the oracle is right" in str(found.verify())
    off = separate(
        Oracle(Disk([0.0, 0.0], tau=0.01).support, 2, tau=0.01), Disk([5.0, 0.0], tau=0.02)
    )
    assert off.distance_lower <= 3.0 <= off.distance_upper
    # The gap cannot be less than the sum of what they may be off by.
    assert off.distance_upper - off.distance_lower >= 0.03
    assert off.ending is Ending.PRECISION and off.distance_lower >= 2.99
    with pytest.raises(ValueError, match="dimension of Disk is not known"):
        separate(Disk([0.0, 0.0]), Disk([5.0, 0.0]))


@pytest.mark.parametrize("limits", [{"max_steps": 3}, {"time_limit": 0.0}])
def test_limits(limits):
    rng = np.random.default_rng(0)
    K = Ellipsoid(np.zeros(30), rng.standard_normal((30, 30)))
    L = Ellipsoid(np.full(30, 2.2), rng.standard_normal((30, 30)))
    found = separate(K, L, rtol=1e-12, **limits)
    assert found.ending in (Ending.MAX_STEPS, Ending.TIME_LIMIT)
    assert "stopped at its" in str(found) and found.steps <= 3
    assert 0.0 <= found.distance_lower < found.distance_upper < inf
    assert found.verify().upper <= found.distance_upper
    full = separate(K, L)
    assert found.distance_lower <= full.distance_upper
    assert full.distance_lower <= found.distance_upper


def test_points_with_limits():
    P = np.random.default_rng(0).standard_normal((300, 20))
    few = separate(P, P + 1.2, max_steps=1)
    assert few.ending is Ending.MAX_STEPS
    timed = separate(P, P + 3.0, time_limit=60.0)
    assert timed.distance == pytest.approx(separate(P, P + 3.0).distance, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_warm_starts(seed):
    rng = np.random.default_rng(seed)
    K = Points(rng.standard_normal((500, 3)))
    L = K + np.array([9.0, 0.0, 0.0])
    before = separate(K, L)
    rotation = Rotation.from_rotvec(0.01 * rng.standard_normal(3)).as_matrix()
    for moved in (L + np.array([0.01, 0.02, 0.0]), rotation @ K + np.array([9.0, 0.0, 0.1])):
        cold, warm = separate(K, moved), separate(K, moved, start=before)
        assert warm.distance == pytest.approx(cold.distance, rel=2e-6)
        assert warm.steps <= cold.steps
    # A start that does not fit is ignored.
    assert separate(Simplex(2), Simplex(2) + 3 * np.ones(2), start=before).distance > 3.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Simplex(2), Simplex(3)), "different dimensions"),
        ((Simplex(2), 3.0), "float is not a convex body"),
        ((Simplex(2), [[np.nan, 0.0]]), "must be finite"),
        ((Simplex(2), np.empty((0, 2))), "empty"),
    ],
)
def test_bad_bodies(arguments, message):
    with pytest.raises(ValueError, match=message):
        separate(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rtol": -1.0}, "rtol=-1.0"),
        ({"rtol": np.nan}, "rtol=nan"),
        ({"atol": "small"}, "atol must be a number"),
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"max_steps": 0}, "max_steps=0"),
        ({"max_steps": 1.5}, "max_steps=1.5"),
        ({"time_limit": inf}, "time_limit=inf"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        separate(Simplex(2), Simplex(2), **options)


def test_the_truth_of_a_result_is_not_asked():
    with pytest.raises(TypeError, match=r"result\.status"):
        bool(separate(Simplex(2), Simplex(2)))


def test_a_result_reads_as_sentences():
    found = novikoff.separate(Simplex(2), Ball([5.0, 5.0], 1.0))
    assert str(found).startswith("The bodies are apart: their distance is at least 5.36")
    assert "1 point of the second" in str(found) and str(found.ending) in str(found)
    assert repr(found).startswith("<SeparationResult APART, distance 5.36")


def test_an_oracle_body_of_another_dimension():
    with pytest.raises(ValueError, match="different dimensions"):
        separate(Oracle(lambda u: u, 3), Simplex(2))
