"""Bodies: their support, their operators, and what bad input gets."""

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.certificate import CertificateError
from novikoff.geometry import (
    Ball,
    Box,
    Ellipsoid,
    MinkowskiSum,
    Oracle,
    OracleError,
    Points,
    Polytope,
    Simplex,
    Zonotope,
    separate,
)
from novikoff.geometry.exact.rational import rational_dot, rational_vector
from tests.geometry.some_bodies import MAKERS, some_body

KINDS = st.sampled_from(sorted(MAKERS))
EXACT = st.sampled_from(sorted(set(MAKERS) - {"oracle"}))
SEEDS = st.integers(0, 10**6)


@given(KINDS, SEEDS, st.integers(1, 6))
def test_the_support_is_extreme_and_its_value_is_an_upper_bound(kind, seed, d):
    body, rng = some_body(kind, seed, d), np.random.default_rng(seed)
    directions = rng.standard_normal((20, d))
    found = [body.extreme(u) for u in directions]
    scale = body.reach
    for u, extreme in zip(directions, found, strict=True):
        value = u @ extreme.point
        assert extreme.value >= value - 1e-12 * scale * np.linalg.norm(u)
        assert extreme.value <= value + 1e-8 * scale * np.linalg.norm(u)
        assert all(u @ other.point <= extreme.value + 1e-12 * scale for other in found)
        assert np.linalg.norm(extreme.point) <= scale * (1 + 1e-12)


@given(EXACT, SEEDS, st.integers(1, 5))
def test_exact_points_and_values_agree_with_those_in_floating_point(kind, seed, d):
    body, rng = some_body(kind, seed, d), np.random.default_rng(seed)
    u = rng.standard_normal(d)
    found = body.extreme(u)
    point, exact_u = body.exact_point(found.label), rational_vector(u)
    value = body.exact_value(exact_u, u)
    # The exact point is in the body, and the float is as close to it as was claimed.
    assert rational_dot(exact_u, u) > 0
    product = sum((a * b for a, b in zip(exact_u, point, strict=True)), fmpq(0))
    assert product <= value
    far = max(abs(float(int(a.p) / int(a.q)) - b) for a, b in zip(point, found.point, strict=True))
    assert far <= found.error + 1e-15 * np.abs(found.point).max()
    assert float(int(value.p) / int(value.q)) <= found.value + 1e-12 * abs(found.value)
    recalled = body.recall(found.label)
    assert recalled is not None and np.array_equal(recalled[0], found.point)


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_the_zero_direction_gets_a_point(kind):
    body = some_body(kind, 3, 4)
    found = body.extreme(np.zeros(4))
    assert np.isfinite(found.point).all() and found.value >= 0.0


def test_operators():
    square, u = Box([0.0, 0.0], [1.0, 1.0]), np.array([1.0, 2.0])
    assert (square + np.array([1.0, 1.0])).support(u).tolist() == [2.0, 2.0]
    assert (np.array([1.0, 1.0]) + square).support(u).tolist() == [2.0, 2.0]
    assert (np.array([1.0, 1.0]) - square).support(u).tolist() == [1.0, 1.0]
    assert (square - [1.0, 0.0]).support(u).tolist() == [0.0, 1.0]
    assert (-square).support(u).tolist() == [0.0, 0.0]
    assert (2.0 * square * 3.0).support(u).tolist() == [6.0, 6.0]
    assert (square + square).support(u).tolist() == [2.0, 2.0]
    assert (square - square).support(u).tolist() == [1.0, 1.0]
    assert (np.array([[0.0, -1.0], [1.0, 0.0]]) @ square).support(u).tolist() == [0.0, 1.0]
    assert (np.array([[1.0, 1.0]]) @ square).support([-1.0]).tolist() == [0.0]
    assert len((square + square + square).bodies) == 3


def test_a_translated_translation_is_one_body():
    K = Points(np.eye(3))
    assert (K + np.ones(3) + np.ones(3)).body is K
    # A sum that would be rounded stays a chain, so that nothing is lost.
    tiny = (K + np.full(3, 1.0)) + np.full(3, 1e-20)
    assert tiny.body is not K
    assert tiny.exact_point(0)[1] == fmpq(1) + rational_vector([1e-20])[0]


def test_sparse_points():
    rows = np.random.default_rng(0).standard_normal((30, 6)) * (np.arange(6) % 2)
    dense, csr = Points(rows), Points(sparse.csr_matrix(rows))
    u = np.random.default_rng(1).standard_normal(6)
    assert csr.support(u).tolist() == dense.support(u).tolist()
    assert csr.reach == dense.reach
    found = separate(csr + np.full(6, 4.0), csr)
    assert found.distance == pytest.approx(separate(dense + np.full(6, 4.0), dense).distance)
    assert separate(csr, Points(rows + 10.0)).verify().lower > 0.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Points([[0.0, np.nan]]), "row 0, column 1 is nan"),
        (lambda: Points(np.empty((0, 3))), "empty"),
        (lambda: Points([1.0, 2.0]), "must be a matrix"),
        (lambda: Points([["a"]]), "must be an array of numbers"),
        (lambda: Points([[1e200]]), "square would overflow"),
        (lambda: Points(sparse.csr_matrix((0, 3))), "empty"),
        (lambda: Points(sparse.csr_matrix([[np.inf, 1.0]])), "must be finite"),
        (lambda: Ball([0.0], -1.0), "radius=-1.0 must be at least 0"),
        (lambda: Ball([0.0], np.nan), "radius=nan"),
        (lambda: Ball([0.0], "wide"), "must be a number"),
        (lambda: Ball([[0.0]], 1.0), "must be a vector"),
        (lambda: Ellipsoid([0.0, 0.0], np.ones((3, 2))), "3 rows; 2 are expected"),
        (lambda: Ellipsoid([0.0, 0.0], [1.0]), "1 coordinates; 2 are expected"),
        (lambda: Box([0.0, 2.0], [1.0, 1.0]), r"empty: lower\[1\]=2.0 exceeds upper\[1\]=1.0"),
        (lambda: Simplex(0), "at least 1"),
        (lambda: Simplex(2.5), "must be an integer"),
        (lambda: Simplex(2, 0.0), "must be positive"),
        (lambda: Zonotope([0.0], [[1.0, 2.0]]), "2 columns; 1 are expected"),
        (lambda: Polytope([[1.0, 0.0]], [1.0, 2.0]), "1 rows and b 2 values"),
        (lambda: Polytope([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0]), "unbounded"),
        (lambda: Polytope([[1.0], [-1.0]], [0.0, -1.0]), "empty"),
        (lambda: Polytope([[1.0, 0.0], [-1.0, 0.0]], [-1.0, -1.0]), "empty"),
        (lambda: MinkowskiSum(), "at least one body"),
        (lambda: MinkowskiSum(Simplex(2), 3), "int is not a body"),
        (lambda: Simplex(2) + Simplex(3), "different dimensions"),
        (lambda: Simplex(2) + np.array([1.0]), "1 coordinates; 2 are expected"),
        (lambda: np.ones((2, 3)) @ Simplex(2), "3|2 columns"),
        (lambda: Simplex(2) * np.inf, "cannot be multiplied by inf"),
        (lambda: Simplex(2).support([1.0, 2.0, 3.0]), "direction has 3 coordinates"),
        (lambda: Oracle(3, 2), "must be a function"),
        (lambda: Oracle(np.copy, 0), "at least 1"),
        (lambda: Oracle(np.copy, 2.0), "must be an integer"),
        (lambda: Points(np.array([[1j]])), "complex"),
        (lambda: Points([[1.0], [1.0, 2.0]]), "must be an array of numbers"),
        (lambda: Oracle(np.copy, 2, tau=-1.0), "tau=-1.0"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_body_times_a_vector_is_no_body():
    with pytest.raises(TypeError, match="applied with @"):
        Simplex(2) * np.ones(2)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda u: np.ones(3), r"shape \(3,\)"),
        (lambda u: np.full(2, np.nan), "NaN"),
        (lambda u: "nothing", "failed"),
        (lambda u: None, "failed|shape"),
        (lambda u: np.ones((2, 1)), r"shape \(2, 1\)"),
        (lambda u: np.array([1j, 1.0]), "complex"),
        (lambda u: np.full(2, 1e200), "beyond 1e\\+150"),
    ],
)
def test_oracles_that_return_no_point(answer, message):
    with pytest.raises(OracleError, match=message):
        separate(Oracle(answer, 2), Points([[5.0, 5.0]]))


def test_answers_may_be_integers_lists_and_one_array_that_is_used_again():
    buffer = np.zeros(2)

    def reused(u):
        buffer[:] = np.where(u > 0.0, 1.0, 0.0)
        u[:] = np.nan
        return buffer

    far = Box([3.0, -1.0], [4.0, 1.0])
    for answer in (reused, lambda u: [int(u[0] > 0), int(u[1] > 0)]):
        found = separate(Oracle(answer, 2), far)
        assert found.distance == pytest.approx(2.0) and found.verify().conditional


def test_errors_of_an_oracle_are_the_user_s():
    def fails(u):
        raise KeyError("no such mesh")

    with pytest.raises(KeyError, match="no such mesh"):
        separate(Oracle(fails, 2), Simplex(2))


def test_oracles_are_asked_again_for_their_points():
    radius = [1.0]
    disk = Oracle(lambda u: radius[0] * u / np.linalg.norm(u), 2)
    found = separate(disk, Points([[3.0, 0.0]]))
    assert found.verify().upper == pytest.approx(2.0)
    radius[0] = 0.5
    with pytest.raises((CertificateError, OracleError)):
        found.verify()


def test_oracles_that_lie_are_found_out():
    with pytest.raises(OracleError, match="contradicts itself"):
        separate(Oracle(lambda u: -u / np.linalg.norm(u), 2), Box([3.0, -1.0], [4.0, 1.0]))


def test_bodies_whose_squares_overflow():
    for far in (1e150 * Points([[1e150, 1.0]]), 1e150 * Box([1e5, 0.0], [1e100, 1.0])):
        with pytest.raises(ValueError, match="too large"):
            separate(far, Points([[0.0, 0.0]]))


def test_an_oracle_that_contradicts_itself():
    answers = iter([[5.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    oracle = Oracle(lambda u: next(answers), 2)
    oracle.support([1.0, 0.0])
    with pytest.raises(OracleError, match="contradicts itself"):
        oracle.support([1.0, 0.0])
    answers = iter([[5.0, 0.0], [4.5, 0.0]])
    tolerant = Oracle(lambda u: next(answers), 2, tau=0.6)
    tolerant.support([1.0, 0.0])
    assert tolerant.support([1.0, 0.0])[0] == 4.5


@pytest.mark.parametrize(
    ("body", "label"),
    [
        (Points(np.eye(2)), 2),
        (Points(np.eye(2)), "first"),
        (Ball([0.0, 0.0], 1.0), np.ones(3)),
        (Box([0.0, 0.0], [1.0, 1.0]), np.ones(2)),
        (Simplex(2), 5),
        (Zonotope([0.0, 0.0], np.eye(2)), np.ones(2)),
        (Polytope([[1.0], [-1.0]], [1.0, 1.0]), np.array([2.0])),
        (Simplex(2) + Simplex(2), (0,)),
    ],
)
def test_labels_that_name_no_point_are_refused(body, label):
    with pytest.raises(CertificateError):
        body.exact_point(label)


def test_a_direction_that_is_too_long_names_a_point_inside():
    point = Ball([0.0, 0.0], 2.0).exact_point(np.array([3.0, 4.0]))
    assert sum((x * x for x in point), fmpq(0)) <= 4
