"""Slacks that are accepted are close to weights that combine the examples to zero, in fractions."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import CertificateError
from novikoff.certificate.exact import vanishing
from novikoff.certificate.exact.columns import Relation, Replaced
from novikoff.certificate.exact.vanishing import inverse_of, largest_change
from novikoff.certificate.exact.violations import Violations, slacks_of
from tests.certificate import truth
from tests.certificate.strategies import ARITHMETIC, STORES, more_examples, stores

NONE = np.empty(0, dtype=np.int64)


def violations_of(
    X, signs, w, b=0.0, *, affine=True, costs=None, threshold=0.0, without=NONE, remainders=()
):
    replaced = Replaced.of(X, remainders)
    slacks = slacks_of(X, signs, costs, w, b, replaced)
    options = {"threshold": threshold, "without": without, "affine": affine, "replaced": replaced}
    return Violations.of(X, signs, slacks, **options)


def accepts(violations, support, relations=(), inverse=None):
    try:
        return largest_change(violations, np.asarray(support), relations, inverse) < 1.0
    except CertificateError as error:
        assert "\n" not in str(error)
        return False


def is_true(X, violations, support, relations=()):
    """Whether positive weights combine the rows to zero, equal to theirs but on the support."""
    given = violations.signs, violations.rows.tolist(), violations.weights.tolist(), list(support)
    columns = np.setdiff1d(violations.columns, [int(each.columns[0]) for each in relations])
    if len(support) > columns.size:
        found = truth.spread(X, *given, columns, violations.affine)
    else:
        found = truth.corrected(X, *given, violations.affine)
    if found is None or min(found) <= 0:
        return False
    columns = truth.signed_columns(X, violations.signs, violations.rows, violations.affine)
    assert all(sum(a * v for a, v in zip(found, c, strict=True)) == 0 for c in columns)
    return True


def near_optimum(rng, X, signs, affine, noise):
    """A hyperplane whose slacks nearly combine to zero: the least squared hinges, by Newton."""
    lifted = np.column_stack([X, np.ones(len(X))]) if affine else X
    Z = lifted * signs[:, None]
    w, before = np.zeros(Z.shape[1]), None
    for _ in range(30):
        part = 1.0 - Z @ w > 0.0
        if not part.any() or np.array_equal(part, before):
            break
        w, before = np.linalg.lstsq(Z[part], np.ones(part.sum()), rcond=None)[0], part
    w = w + noise * rng.normal(size=w.size)
    return (w[:-1].copy(), float(w[-1])) if affine else (w, 0.0)


def noisy(rng, n, d):
    """Examples on either side of a hyperplane, every fifth of them on the wrong one."""
    X = rng.normal(size=(n, d))
    return X, np.where((X[:, 0] > 0) ^ (np.arange(n) % 5 == 0), 1, -1).astype(np.int8)


@st.composite
def problems(draw):
    """Few examples in small numbers, many of them with columns that depend on others."""
    d, affine = draw(st.integers(1, 4)), draw(st.booleans())
    n = d + affine + draw(st.integers(1, 6))
    elements = draw(st.sampled_from([st.integers(-3, 3), st.integers(0, 1)]))
    X = draw(hnp.arrays(np.int64, (n, d), elements=elements)).astype(np.float64)
    signs = draw(hnp.arrays(np.int8, n, elements=st.sampled_from([1, -1])))
    scale = draw(hnp.arrays(np.int64, d, elements=st.sampled_from([0, 0, -3, 40, -500, 500])))
    X *= draw(st.sampled_from([1.0, 0.1, 1 / 255])) * 2.0**scale
    if d > 2 and draw(st.booleans()):
        # A third column that depends on two others, or nearly.
        X[:, 2] = draw(st.sampled_from([1.0, 0.3])) * X[:, 0] + X[:, 1]
    return X, signs, affine, 2.0**scale


@more_examples(3)
@given(problem=problems(), store=stores, seed=st.integers(0, 2**32), data=st.data())
def test_what_is_accepted_is_true(problem, store, seed, data):
    X, signs, affine, scale = problem
    rng = np.random.default_rng(seed)
    noise = data.draw(st.sampled_from([0.0, 1e-9, 1e-3]))
    w, b = near_optimum(rng, X / scale, signs, affine, noise)
    threshold = data.draw(st.sampled_from([0.0, 1e-6, 0.5]))
    stored = STORES[store](X)
    arithmetic = data.draw(st.sampled_from(["exact", "exact blocks"]))
    with ARITHMETIC[arithmetic]():
        try:
            found = violations_of(stored, signs, w / scale, b, affine=affine, threshold=threshold)
        except CertificateError as error:
            # Refused, and not accepted: slacks of columns of very different sizes can overflow.
            assert "overflows" in str(error)
            return
        wanted = found.columns.size
        if not 0 < wanted <= found.rows.size:
            return
        for _ in range(5):
            support = rng.permutation(found.rows)[:wanted]
            if accepts(found, support):
                assert is_true(X, found, support)


def test_the_bound_is_close_to_the_change():
    rng = np.random.default_rng(0)
    counts = {True: 0, False: 0}
    for _ in range(200):
        d, affine = int(rng.integers(2, 7)), bool(rng.integers(2))
        X, signs = noisy(rng, 12 * d, d)
        w, b = near_optimum(rng, X, signs, affine, rng.choice([1e-8, 1e-2, 0.3]))
        found = violations_of(X, signs, w, b, affine=affine)
        support = rng.permutation(found.rows)[: found.columns.size]
        exact = truth.corrected(X, signs, found.rows, found.weights, support.tolist(), affine)
        changes = [
            abs(float(a) - b) / b for a, b in zip(exact, found.weights.tolist(), strict=True)
        ]
        change = largest_change(found, support)
        assert max(changes) <= change <= max(changes) * (1.0 + 2.0**-20) + 1e-9
        counts[change < 1.0] += 1
    assert min(counts.values()) > 50


def separable(rng):
    """Examples that a hyperplane separates, some by very little."""
    d, n = int(rng.integers(1, 5)), int(rng.integers(6, 14))
    X = rng.integers(-4, 5, (n, d)).astype(np.float64)
    w, b = rng.integers(-3, 4, d), rng.choice([-0.5, 0.5])
    signs = np.where(X @ w + b > 0, 1, -1).astype(np.int8)
    kind = rng.integers(3)
    if kind == 1:
        # What a hyperplane with b = 0 leaves on it, moved by one rounding error.
        signs = np.where(X @ w >= 0, 1, -1).astype(np.int8)
        X = np.column_stack([X, signs * (X @ w == 0) * 2.0**-52 + rng.choice([1.0, 2.0], n)])
    if kind == 2:
        X *= 10.0 ** rng.choice([-150.0, 0.0, 150.0, -300.0])
    return X, signs


def test_separable_examples_are_never_refuted():
    rng = np.random.default_rng(3)
    tried = 0
    for _ in range(1200):
        X, signs = separable(rng)
        affine = True
        scale = float(np.abs(X).max()) or 1.0
        if rng.integers(2):
            w, b = near_optimum(rng, X / scale, signs, affine, 0.0)
            # The best is a separator: towards zero all violate the margin.
            w, b = w * rng.choice([0.0, 0.5, 0.999]), b * rng.choice([0.0, 0.5, 0.999])
        else:
            w, b = rng.normal(size=X.shape[1]), float(rng.normal())
        stored = X if rng.integers(2) else sparse.csr_array(X)
        try:
            found = violations_of(stored, signs, w / scale, b, threshold=rng.choice([0.0, 0.1]))
        except CertificateError:
            continue
        size = min(found.columns.size, found.rows.size)
        if not size:
            continue
        support = rng.permutation(found.rows)[:size]
        relations = [Relation(rng.permutation(X.shape[1] + 1)[:2], rng.choice([1.0, -1.0], 2))]
        assert not accepts(found, support)
        assert not accepts(found, support[: size - 1], relations)
        tried += 1
    assert tried > 1000


def dummies(rng, n):
    """Two groups of columns, in each of which every row has a single 1."""
    return np.column_stack([np.eye(3)[rng.integers(0, 3, n)], np.eye(2)[rng.integers(0, 2, n)]])


@pytest.mark.parametrize("store", STORES)
def test_rows_with_a_constant_sum_need_their_relations(store):
    rng = np.random.default_rng(4)
    X, signs = dummies(rng, 200), rng.choice([1, -1], 200).astype(np.int8)
    w, b = near_optimum(rng, X, signs, True, 1e-9)
    found = violations_of(STORES[store](X), signs, w, b)
    relations = (
        Relation(np.array([5, 0, 1, 2]), np.array([-1.0, 1.0, 1.0, 1.0])),
        Relation(np.array([4, 3, 0, 1, 2]), np.array([2.0, 2.0, -2.0, -2.0, -2.0])),
    )
    table = X[:, :4] * signs[:, None]
    support = next(s for s in combinations_of(rng, found.rows, 4) if regular(table[s]))
    assert accepts(found, support, relations) and is_true(X, found, support)
    six = rng.permutation(found.rows)[:6]
    assert not accepts(found, six)
    for forged in (
        relations[:1],
        (*relations, relations[0]),
        (relations[0], Relation(np.array([4, 4]), np.array([1.0, -1.0]))),
        (relations[0], Relation(np.array([4, 5, 3]), np.array([-1.0, 1.0, -1.0]))),
        (relations[0], Relation(np.array([4, 3]), np.array([1.0, 1.0]))),
        (relations[0], Relation(np.array([4, 3]), np.array([0.0, 0.0]))),
        (relations[0], Relation(np.array([6, 3]), np.array([1.0, 1.0]))),
    ):
        assert not accepts(found, support, forged)
    X[found.rows[-1], 0] += 2.0**-52
    moved = violations_of(STORES[store](X), signs, w, b)
    assert not accepts(moved, support, relations)


def combinations_of(rng, rows, size):
    return (rng.permutation(rows)[:size] for _ in range(1000))


def regular(table):
    return abs(np.linalg.det(table)) > 0.5


def test_a_column_that_is_a_rounded_sum_is_independent():
    rng = np.random.default_rng(5)
    X, signs = noisy(rng, 300, 3)
    X[:, 2] = X[:, 0] + X[:, 1]
    relation = Relation(np.array([2, 0, 1]), np.array([-1.0, 1.0, 1.0]))
    w, b = near_optimum(rng, X[:, :2], signs, True, 1e-9)
    w = np.append(w, 0.0)
    found = violations_of(X, signs, w, b)
    assert not accepts(found, found.rows[:3], (relation,))
    assert not accepts(found, found.rows[:4])
    # Where the sum is exact, it is not.
    X = np.rint(8.0 * X)
    X[:, 2] = X[:, 0] + X[:, 1]
    w, b = near_optimum(rng, X[:, :2], signs, True, 1e-9)
    found = violations_of(X, signs, np.append(w, 0.0), b)
    assert accepts(found, found.rows[:3], (relation,)) and is_true(X, found, found.rows[:3])


def test_examples_without_weight_support_nothing():
    rng = np.random.default_rng(6)
    X, signs = noisy(rng, 100, 2)
    w, b = near_optimum(rng, X, signs, True, 1e-9)
    slacks = slacks_of(X, signs, None, w, b)
    found = violations_of(X, signs, w, b)
    support = found.rows[np.argsort(slacks[found.rows])][[0, 40, -1]]
    assert accepts(found, support)
    dropped = violations_of(X, signs, w, b, threshold=float(slacks[support[0]]))
    outside = np.flatnonzero(slacks <= 0.0)[0]
    idle = np.ones(100)
    idle[support[0]] = 0.0
    for case, rows in (
        (dropped, support),
        (found, [outside, *support[1:]]),
        (violations_of(X, signs, w, b, costs=idle), support),
        (found, [*support, outside]),
        (found, support[:2]),
        (found, NONE),
    ):
        assert not accepts(case, rows)


def test_costs_multiply_the_slacks():
    rng = np.random.default_rng(7)
    X, signs = rng.normal(size=(100, 2)), rng.choice([1, -1], 100).astype(np.int8)
    costs = rng.choice([0.0, 1.0, 3.0], 100)
    repeated = np.repeat(np.arange(100), costs.astype(int))
    w, b = near_optimum(rng, X[repeated], signs[repeated], True, 1e-9)
    weighted = violations_of(X, signs, w, b, costs=costs)
    support = weighted.rows[[0, 10, 20]]
    assert (
        largest_change(weighted, support)
        < 1e-6
        < largest_change(violations_of(X, signs, w, b), support)
    )
    assert is_true(X, weighted, support)


def test_any_inverse_will_do_that_is_close_enough():
    rng = np.random.default_rng(8)
    X, signs = rng.normal(size=(200, 5)), rng.choice([1, -1], 200).astype(np.int8)
    w, b = near_optimum(rng, X, signs, True, 1e-6)
    found = violations_of(X, signs, w, b)
    support = found.rows[:6]
    matrix = found.scaled_table(found.places_of(support), found.columns).T
    inverse = inverse_of(matrix)
    own = largest_change(found, support)
    assert largest_change(found, support, inverse=inverse) == own
    near = inverse * (1.0 + 0.01 * rng.uniform(-1, 1, inverse.shape))
    assert own < largest_change(found, support, inverse=near) < 1.0
    for wrong in (2.0 * inverse, np.zeros_like(inverse), inverse.T, np.full_like(inverse, np.nan)):
        assert not accepts(found, support, inverse=wrong)


@pytest.mark.parametrize("size", [1e-150, 1e150, 1e-200, 1e250])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_scales_and_types(size, dtype):
    rng = np.random.default_rng(9)
    X = rng.integers(0, 255, (120, 3)).astype(dtype)
    signs = rng.choice([1, -1], 120).astype(np.int8)
    w, b = near_optimum(rng, X.astype(float) / 255, signs, True, 1e-9)
    w /= 255
    if dtype is np.float64:
        X, w = X * size, w / size
    for stored in (X, np.asfortranarray(X), sparse.csr_array(X)):
        found = violations_of(stored, signs, w, b)
        assert accepts(found, found.rows[:4]) and is_true(X, found, found.rows[:4])


def test_subnormal_examples_are_refused_or_decided_truly():
    rng = np.random.default_rng(10)
    X = rng.integers(-9, 9, (60, 2)) * 5e-324
    signs = rng.choice([1, -1], 60).astype(np.int8)
    found = violations_of(X, signs, np.zeros(2), 0.0)
    assert found.columns.tolist() == [0, 1, 2]
    assert not accepts(found, found.rows[:3])


def test_what_is_not_finite_is_refused():
    X, signs = np.array([[1.0], [np.inf], [2.0]]), np.array([1, -1, 1], dtype=np.int8)
    with pytest.raises(CertificateError, match="slack of example 1"):
        violations_of(X, signs, np.zeros(1))
    with pytest.raises(CertificateError, match="overflows"):
        violations_of(np.full((3, 1), 1e308), signs, np.array([-1e-300]), -1e9)


def test_rows_without_some_columns():
    rng = np.random.default_rng(11)
    X, signs = rng.normal(size=(100, 3)), rng.choice([1, -1], 100).astype(np.int8)
    X[:, 2] = 0.0
    X[7, 2], X[8, 2] = 1.0, -0.0
    w, b = near_optimum(rng, X[:, :2], signs, True, 1e-9)
    w = np.append(w, 0.0)
    assert violations_of(X, signs, w, b).columns.tolist() == [0, 1, 2, 3]
    for stored in (X, sparse.csr_array(X)):
        found = violations_of(stored, signs, w, b, without=np.array([2]))
        assert found.columns.tolist() == [0, 1, 3]
        assert set(np.arange(100)[slacks_of(X, signs, None, w, b) > 0]) - {7} == set(found.rows)
        truly = is_true(X, found, found.rows[:3])
        assert accepts(found, found.rows[:3]) <= truly


def test_the_product_is_bounded_in_stripes():
    rng = np.random.default_rng(12)
    X, signs = rng.normal(size=(200, 5)), rng.choice([1, -1], 200).astype(np.int8)
    w, b = near_optimum(rng, X, signs, True, 1e-6)
    found = violations_of(X, signs, w, b)
    whole = largest_change(found, found.rows[:6])
    with mock.patch.object(vanishing, "_STRIPE", 13):
        assert largest_change(found, found.rows[:6]) == pytest.approx(whole, rel=1e-12)
    with mock.patch.object(vanishing, "MOST_COLUMNS", 5), pytest.raises(CertificateError):
        largest_change(found, found.rows[:6])
