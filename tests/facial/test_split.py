"""Facial reduction agrees with enumeration in exact arithmetic."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import CertificateError, Undecided
from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.exact.span import Basis
from novikoff.facial import spanning, split, split_rows
from novikoff.facial.opposites import opposite_rows
from tests.facial.brute_force import boundary
from tests.facial.problems import problem


def check(lifted, found):
    """Both halves of the proof, with the checker's arithmetic."""
    basis = Basis(lifted, found.basis)
    basis.check_spans(found.boundary)
    basis.check_positive(found.support, found.weights)
    assert found.support.size <= found.basis.size
    assert np.isin(np.r_[found.basis, found.support], found.boundary).all()
    if found.separated.size:
        assert (lifted.signs(found.separated, found.direction) > 0).all()
        assert (lifted.signs(found.boundary, found.direction) == 0).all()


def truth(lifted):
    return sorted(boundary(lifted.table(lifted.rows).tolist()))


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("floats", [False, True], ids=["exact", "floats first"])
def test_agrees_with_enumeration(moved, floats, monkeypatch):
    if floats:
        monkeypatch.setattr(split, "FEW_VALUES", -1)
    rng = np.random.default_rng([moved, floats])
    kinds = set()
    for _ in range(150):
        X, y = problem(rng, moved=moved)
        lifted = Lifted(X, y, 2, affine=bool(rng.integers(4)))
        found = split_rows(lifted)
        check(lifted, found)
        assert found.boundary.tolist() == truth(lifted)
        kinds.add((bool(found.separated.size), bool(found.boundary.size)))
    assert len(kinds) == 3


def test_several_classes_agree_with_enumeration():
    rng = np.random.default_rng(5)
    for _ in range(25):
        n = int(rng.integers(3, 6))
        X, y = rng.integers(-1, 2, (n, 1)).astype(float), np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
        lifted = Lifted(X, y, 3, affine=True)
        found = split_rows(lifted)
        check(lifted, found)
        inside = [int(lifted.rows[i]) for i in truth(lifted)]
        assert found.boundary.tolist() == inside


def test_floats_alone_decide_most(monkeypatch):
    monkeypatch.setattr(split, "_exactly", lambda *_: None)
    monkeypatch.setattr(split, "FEW_VALUES", -1)
    rng = np.random.default_rng(2)
    decided = 0
    for _ in range(200):
        X, y = problem(rng)
        decided += split_rows(Lifted(X, y, 2, affine=True)) is not None
    assert decided > 150


def test_many_rows_are_decided_exactly_from_few():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (3000, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    tied = X[:, 0] + X[:, 1] == 0
    y[tied] = rng.integers(0, 2, tied.sum())
    lifted = Lifted(X, y, 2, affine=True)
    found = split._exactly(lifted, lifted.rows, lambda ahead=0.0: None)
    check(lifted, found)
    assert np.array_equal(found.boundary, np.flatnonzero(tied))
    assert np.array_equal(split_rows(lifted).boundary, found.boundary)


def test_zero_rows_are_on_the_boundary():
    X, y = np.zeros((200, 2)), np.arange(200) % 2
    X[0, 0] = -1.0
    lifted = Lifted(X, y, 2, affine=False)
    found = split_rows(lifted)
    check(lifted, found)
    assert found.separated.tolist() == [0]


def test_a_check_ends_the_search():
    def stop():
        raise Undecided("time is up")

    rng = np.random.default_rng(0)
    with pytest.raises(Undecided, match="time is up"):
        split_rows(Lifted(rng.standard_normal((100, 3)), np.arange(100) % 2, 2, True), stop)


def test_a_basis_refuses_what_is_not_proved():
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    lifted = Lifted(X, y, 2, affine=True)
    with pytest.raises(CertificateError, match="not independent"):
        Basis(lifted, np.array([1, 2])).check_spans(np.array([1, 2]))
    with pytest.raises(CertificateError, match="row 3 is not in the span"):
        Basis(lifted, np.array([1])).check_spans(np.array([1, 2, 3]))
    with pytest.raises(CertificateError, match="not all positive"):
        Basis(lifted, np.array([0, 1])).check_positive(np.array([3]), [1])


@pytest.mark.parametrize("size", [60, 90])
def test_weights_of_a_large_basis_are_proved_in_floating_point(size, monkeypatch):
    rng = np.random.default_rng(size)
    X, y = rng.standard_normal((40 * size, size - 1)), rng.integers(0, 2, 40 * size)
    lifted = Lifted(X, y, 2, affine=True)
    found = split_rows(lifted)
    assert found.basis.size == size
    basis = Basis(lifted, found.basis)
    assert basis._is_positive(found.support, found.weights)
    assert min(basis.weights(found.support, found.weights)) > 0
    # Weights that are not positive are never taken for such.
    for k in range(5):
        weights = list(found.weights)
        weights[k] *= 1000
        proved = min(basis.weights(found.support, weights)) > 0
        assert proved or not basis._is_positive(found.support, weights)


@pytest.mark.parametrize("affine", [False, True])
def test_more_columns_than_examples(affine):
    """Independent columns alone decide; examples given twice with both labels stay together."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((20, 70))
    X, y = np.r_[X, X[:4]], np.r_[np.arange(20) % 2, 1 - np.arange(4) % 2]
    lifted = Lifted(X, y, 2, affine)
    found = split_rows(lifted)
    check(lifted, found)
    assert found.boundary.tolist() == [0, 1, 2, 3, 20, 21, 22, 23]
    assert split_rows(Lifted(X[:20], y[:20], 2, affine)).boundary.size == 0
    # Three classes, each example of the last with the label of another one too.
    three = Lifted(X, np.r_[y[:20], [2, 2, 2, 2]], 3, affine)
    found = split_rows(three)
    check(three, found)
    assert 0 < found.boundary.size < three.rows.size


def test_slacks_prove_it_for_many_columns(monkeypatch):
    """Of a factor with many levels, one with a single class: no program is solved."""
    monkeypatch.setattr("novikoff.facial.spanning._guesses", lambda *_: iter(()))
    rng = np.random.default_rng(1)
    level = rng.integers(0, 170, 6000)
    X = (level[:, None] == np.arange(1, 170)).astype(float)
    y = rng.integers(0, 2, 6000)
    y[level == 7] = 1
    lifted = Lifted(X, y, 2, affine=True)
    found = split_rows(lifted)
    assert np.array_equal(found.separated, np.flatnonzero(level == 7))
    basis = Basis(lifted, found.basis)
    basis.check_spans(found.boundary)
    assert min(basis.weights(found.support, found.weights)) > 0


def test_few_rows_are_checked_as_combinations():
    """Of more columns than rows, each is compared with a combination of the basis."""
    rng = np.random.default_rng(2)
    X = rng.integers(-3, 4, (3, 30)).astype(float)
    X = np.r_[X, [X[0] + X[1] - X[2]], [X[0]], X[:1]]
    X[-1, 29] += 1e-15 if X[-1, 29] == 0 else np.spacing(X[-1, 29])
    lifted = Lifted(X, np.ones(6, dtype=np.int64), 2, affine=True)
    basis = Basis(lifted, np.arange(3))
    basis.check_spans(np.arange(5))
    with pytest.raises(CertificateError, match="row 5 is not in the span"):
        basis.check_spans(np.arange(6))
    with pytest.raises(CertificateError, match="row 0 is not in the span"):
        Basis(lifted, np.arange(0)).check_spans(np.arange(1))


def indicators(n, factors, levels, seed=0):
    """Sparse indicators of factors, without their first level, and labels by chance."""
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(factors):
        level = rng.integers(0, levels + 1, n)
        ones = sparse.csr_array((np.ones(n), (np.arange(n), level)), shape=(n, levels + 1))
        parts.append(ones[:, 1:])
    return sparse.csr_matrix(sparse.hstack(parts)), rng.integers(0, 2, n)


def test_levels_with_both_classes_are_decided_by_equal_examples():
    X, y = indicators(2000, 1, 300)
    lifted = Lifted(X, y, 2, affine=True)
    found = split_rows(lifted)
    check(lifted, found)
    level = np.where(X.getnnz(axis=1) > 0, np.asarray(X.argmax(axis=1)).ravel(), -1)
    one_class = [k for k in range(-1, 300) if len(set(y[level == k])) == 1]
    assert one_class
    assert np.array_equal(found.separated, np.flatnonzero(np.isin(level, one_class)))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_opposite_rows_sum_to_zero(n_classes):
    rng = np.random.default_rng(n_classes)
    X, codes = rng.integers(0, 3, (60, 2)).astype(float), rng.integers(0, n_classes, 60)
    lifted = Lifted(X, codes, n_classes, affine=True, taking_part=rng.random(60) < 0.8)
    ours, theirs = opposite_rows(lifted)
    assert ours.size > 5
    assert lifted.is_row(ours).all()
    assert lifted.is_row(theirs).all()
    assert not (lifted.table(ours) + lifted.table(theirs)).any()
    assert len(np.unique(lifted.table(ours), axis=0)) == ours.size


def test_rows_that_come_in_two_rounds_are_listed_once():
    X, y = indicators(4000, 1, 400)
    lifted = Lifted(X, y, 2, affine=True)
    rows = np.array([5, 3, 9])
    basis = Basis(lifted, np.array([9]))
    again = [(rows, np.ones(3)), (rows[:2], np.ones(2))]
    for support, weights in spanning._slack_weights(basis, again):
        assert support.tolist() == [3, 5]
        assert (weights > 1.0).all()
