"""Columns replaced by their remainders, and which relations may stand beside them."""

from fractions import Fraction

import numpy as np
import pytest

from novikoff.certificate import CertificateError
from novikoff.certificate.exact.columns import (
    REPLACED_ERROR,
    Relation,
    Replaced,
    check_solved,
    not_exact,
)
from tests.certificate import truth
from tests.certificate.exact.test_vanishing import accepts, is_true, near_optimum, violations_of
from tests.certificate.strategies import STORES


def relation(columns, coefs):
    return Relation(np.array(columns), np.array(coefs, dtype=float))


@pytest.mark.parametrize("store", STORES)
def test_remainders_are_exact_up_to_their_rounding(store):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    X[:, 1] = 0.3 * X[:, 0] + 0.7 * X[:, 2]
    X[:, 4] = X[:, 3] + 32.0
    remainders = (
        relation([1, 0, 2], [1.0, -0.3, -0.7]),
        relation([4, 3, 5], [2.0**50, -(2.0**50), -32 * 2.0**50]),
    )
    found = Replaced.of(STORES[store](X), remainders)
    for k, each in enumerate(remainders):
        exact = [truth.combination([Fraction(v) for v in row], each) for row in X.tolist()]
        assert sum(a == 0 for a in exact) < 250
        for a, b in zip(exact, found.values[:, k].tolist(), strict=True):
            assert abs(a - Fraction(b)) <= Fraction(REPLACED_ERROR) / 2 * abs(a)
    table = np.zeros((2, 3))
    found.put_into(table, np.array([7, 9]), np.array([4, 2, 1]))
    assert np.array_equal(table, np.c_[found.values[[7, 9], 1], [0, 0], found.values[[7, 9], 0]])


def test_what_no_float_can_hold_is_refused():
    X = np.array([[1e200, 1e-200], [1.0, 1.0]])
    with pytest.raises(CertificateError, match="too large or too small"):
        Replaced.of(X, [relation([0, 1], [1e200, 1.0])])
    with pytest.raises(CertificateError, match="too large or too small"):
        Replaced.of(X, [relation([1, 2], [1e-200, 0.0])])
    with pytest.raises(CertificateError, match="NaN or infinite"):
        Replaced.of(np.array([[np.nan]]), [relation([0], [1.0])])
    for column in (-1, 2):
        with pytest.raises(CertificateError, match="no feature"):
            Replaced.of(X, [relation([column, 0], [1.0, 1.0])])


@pytest.mark.parametrize(
    ("relations", "remainders", "message"),
    [
        # A remainder that is solved for nothing, or for a column that it uses twice.
        ([], [relation([1, 0], [0.0, 1.0])], "not solved"),
        ([], [relation([1, 0, 1], [1.0, 1.0, -1.0])], "not solved"),
        # Two of one column; two in a circle; one that uses a later one.
        ([], [relation([1, 0], [1, 1]), relation([1, 2], [1, 1])], "replaced twice"),
        ([], [relation([1, 0], [1, -1]), relation([0, 1], [1, -1])], "not solved"),
        ([], [relation([1, 0], [1, -1]), relation([0, 2], [1, -1])], "not solved"),
        # A column that is left out and replaced, or left out and used.
        ([relation([1, 0], [1, -1])], [relation([1, 2], [1, -1])], "not needed"),
        ([relation([1, 0], [1, -1])], [relation([2, 1], [1, -1])], "not solved"),
        # Beyond the last column; the intercept's is the fourth.
        ([], [relation([1, 4], [1, -1])], "not solved"),
        ([relation([1, 0], [1, -1]), relation([0, 2], [1, -1])], [], "not solved"),
        ([relation([1, 0], [1, -1]), relation([1, 2], [1, -1])], [], "same one"),
    ],
)
def test_columns_that_may_lie_outside_of_the_span(relations, remainders, message):
    with pytest.raises(CertificateError, match=message):
        check_solved(relations, remainders, 3, True)


def test_columns_in_the_span():
    first, second = relation([1, 0], [1, -1]), relation([2, 1, 3], [1, -1, 2])
    check_solved([], [first, second], 3, True)
    with pytest.raises(CertificateError, match="not solved"):
        check_solved([], [first, second], 3, False)
    # Relations may use columns that are replaced.
    check_solved([second], [first], 3, True)
    check_solved([relation([2, 1, 1], [1, 1, 2.0**-60])], [first], 3, True)


def test_which_relations_hold():
    X = np.array([[1.0, 2.0, 3.0], [0.5, 0.25, 0.75], [1.0, 1.0, 2.0 + 2.0**-51]])
    total, twice = relation([2, 0, 1], [1, -1, -1]), relation([1, 0], [1, -2])
    part = relation([0, 1, 1], [1.0, -0.25, -0.25])
    assert not_exact(X, np.array([0, 1]), [total, twice, part]) == [twice, part]
    assert not_exact(X, np.array([0]), [total, twice, part]) == []
    assert not_exact(X, np.arange(3), [total]) == [total]
    assert not_exact(X, np.arange(0), [twice]) == []


@pytest.mark.parametrize("unit", [1.0, 0.25, 2.0**-17, 2.0**20, 0.1, 2.0**-900])
def test_relations_of_sparse_columns_are_those_of_fractions(unit):
    """Short numbers are multiplied as floats, long ones cut into slices: the answer is the same."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        X = unit * rng.integers(0, 3, (30, 4)) * (rng.random((30, 4)) < 0.6)
        X[:, 3] = X[:, 0] + X[:, 1]
        if rng.random() < 0.5:
            # Short numbers times a coefficient may be long: 2**-30 beside 1, for one.
            X[rng.integers(30), 3] += unit * 2.0 ** -rng.integers(0, 31)
        relations = [
            relation([3, 0, 1], [1.0, -1.0, -1.0]),
            relation([3, 0, 1, 0], [3.0, -1.0, -3.0, -2.0]),
            relation([3, 0, 1, 4], [1.0, -1.0, -1.0, 2.0**-60]),
            relation([3, 0, 1, 2], [1.0, -1.0, -1.0, rng.choice([0.0, 2.0**-40])]),
        ]
        rows = [[Fraction(v) for v in row] for row in X.tolist()]
        wrong = [a for a in relations if any(truth.combination(row, a) for row in rows)]
        assert not_exact(STORES["csr"](X), np.arange(30), relations) == wrong
        assert not_exact(X, np.arange(30), relations) == wrong


@pytest.mark.parametrize("named", [False, True])
def test_relations_of_indicators_beside_numbers_of_any_length(named):
    rng = np.random.default_rng(1)
    for _ in range(20):
        groups, X = rng.integers(0, 3, 30), rng.standard_normal((30, 5))
        X[:, 1:4] = np.eye(3)[groups]
        X[:, 4] *= rng.random(30) < 0.5
        relations = [
            relation([1, 2, 3, 5], [1.0, 1.0, 1.0, -1.0]),
            relation([1, 2, 5], [1.0, 1.0, -1.0]),
        ]
        if rng.random() < 0.5:
            X[rng.integers(30), 2] += 2.0**-40
        if named:
            relations.append(relation([0, 4], [1.0, -1.0]))
        rows = [[Fraction(v) for v in row] for row in X.tolist()]
        wrong = [a for a in relations if any(truth.combination(row, a) for row in rows)]
        assert not_exact(STORES["csr"](X), np.arange(30), relations) == wrong


def test_a_rounded_sum_is_proved_by_its_remainder():
    rng = np.random.default_rng(1)
    X, signs = rng.normal(size=(300, 3)), rng.choice([1, -1], 300).astype(np.int8)
    X[:, 2] = X[:, 0] + X[:, 1]
    scale = 2.0**53
    remainder = relation([2, 0, 1], [scale, -scale, -scale])
    new = np.c_[X[:, :2], Replaced.of(X, [remainder]).values]
    w, b = near_optimum(rng, new, signs, True, 1e-9)
    assert not accepts(violations_of(X, signs, w, b), violations_of(X, signs, w, b).rows[:4])
    for store in STORES.values():
        found = violations_of(store(X), signs, w, b, remainders=(remainder,))
        places = np.argsort(-found.weights)[:60]
        supports = (rng.permutation(found.rows[places])[:4] for _ in range(20))
        proofs = [support for support in supports if accepts(found, support)]
        assert len(proofs) > 10 and all(is_true(X, found, support) for support in proofs)


def test_a_remainder_that_vanishes_needs_no_example():
    rng = np.random.default_rng(2)
    X, signs = rng.integers(-9, 9, (80, 3)).astype(float), rng.choice([1, -1], 80).astype(np.int8)
    X[:, 2] = X[:, 0] + X[:, 1]
    w, b = near_optimum(rng, X[:, :2], signs, True, 1e-9)
    w = np.append(w, 0.0)
    remainder = relation([2, 0, 1], [1, -1, -1])
    found = violations_of(X, signs, w, b, remainders=(remainder,))
    assert found.columns.tolist() == [0, 1, 3]
    assert accepts(found, found.rows[:3]) and is_true(X, found, found.rows[:3])
    X[found.rows[5], 2] += 1.0
    found = violations_of(X, signs, w, b, remainders=(remainder,))
    assert found.columns.tolist() == [0, 1, 2, 3] and not accepts(found, found.rows[:3])


FORGED = {
    # Off by one in one row of a thousand.
    "one row": lambda X: X.__setitem__((700, 2), X[700, 2] + 1.0),
    # In the last bit only.
    "last bit": lambda X: X.__setitem__((700, 2), np.nextafter(X[700, 2], np.inf)),
}


@pytest.mark.parametrize("forgery", FORGED)
@pytest.mark.parametrize("size", [3.0, 2.0**40, 2.0**52])
@pytest.mark.parametrize("store", STORES)
def test_relations_that_fail_in_one_row(forgery, size, store):
    rng = np.random.default_rng(3)
    X = np.floor(rng.random((1000, 4)) * size) + 1.0
    X[:, 2] = X[:, 0] + X[:, 1]
    claimed = [relation([2, 0, 1], [1, -1, -1]), relation([2, 0, 1], [3, -3, -3])]
    rows = np.arange(1000)
    true = np.array([Fraction(a) + Fraction(b) == Fraction(c) for a, b, c in X[:, :3].tolist()])
    assert not_exact(STORES[store](X), rows[true], claimed) == []
    FORGED[forgery](X)
    assert not_exact(STORES[store](X), rows, claimed) == claimed


@pytest.mark.parametrize("store", STORES)
def test_sums_that_are_rounded_are_no_relations(store):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(500, 3))
    X[:, 2] = X[:, 0] + X[:, 1]
    total = relation([2, 0, 1], [1, -1, -1])
    exact = [Fraction(a) + Fraction(b) == Fraction(c) for a, b, c in X.tolist()]
    assert 0 < sum(exact) < 500
    assert not_exact(STORES[store](X), np.flatnonzero(exact), [total]) == []
    for row in np.flatnonzero(~np.array(exact))[:50]:
        assert not_exact(STORES[store](X), np.array([row]), [total]) == [total]


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(
    ("row", "coefs"),
    [
        # Sums that are 2**64 or 2**128: zero in the integers of a machine.
        ([2.0**32, 2.0**63, 1.0], [2.0**31, 1.0]),
        ([2.0**63, 2.0**63, 0.0], [1.0, 1.0]),
        ([2.0**127, 2.0**127, 0.0], [1.0, 1.0]),
        # Sums that are lost beside 2**53, 2**400, or a float's range.
        ([2.0**53, -(2.0**53), 1.0], [1.0, 1.0]),
        ([2.0**400, -(2.0**400), 2.0**-400], [1.0, 1.0]),
        ([2.0**600, -(2.0**600), 1.0], [2.0**600, 2.0**600]),
        ([1.0, 2.0**-1000, 0.0], [2.0**-500, 0.5]),
    ],
)
def test_sums_beyond_what_machine_numbers_hold(row, coefs, store):
    X = np.array([[0.0, 0.0, 0.0], row, [0.0, 0.0, 0.0]])
    claimed = relation([0, 1, 2], [*coefs, 1.0])
    assert truth.combination([Fraction(a) for a in row], claimed) != 0
    beside = relation([0, 1, 2], [1.0, 1.0, 1.0])
    for together in ([claimed], [beside, claimed], [claimed, beside]):
        assert claimed in not_exact(STORES[store](X), np.arange(3), together)
    assert not_exact(STORES[store](X), np.array([0, 2]), [claimed]) == []


def test_the_certificate_refuses_forged_relations():
    rng = np.random.default_rng(5)
    X, signs = rng.integers(0, 9, (400, 4)).astype(float), rng.choice([1, -1], 400).astype(np.int8)
    X[:, 3] = X[:, 0] + 2.0 * X[:, 1]
    w, b = near_optimum(rng, X[:, :3], signs, True, 1e-9)
    w, true = np.append(w, 0.0), relation([3, 0, 1], [1, -1, -2])
    found = violations_of(X, signs, w, b)
    support = found.rows[np.argsort(-found.weights)[:4]]
    assert accepts(found, support, (true,)) and is_true(X, found, support)
    for columns, coefs in (([3, 0, 1], [1, -1, -3]), ([3, 0], [1, -1]), ([3, 2], [1, 2.0**900])):
        assert not accepts(found, support, (relation(columns, coefs),))
    X[found.rows[-1], 3] += 1.0
    found = violations_of(X, signs, w, b)
    assert not accepts(found, support, (true,))
