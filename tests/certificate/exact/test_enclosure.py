"""Bounds on the weights of a basis say the same as the weights themselves."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import CertificateError
from novikoff.certificate.exact import enclosure
from novikoff.certificate.exact import relation as exact
from novikoff.certificate.exact.enclosure import (
    BOTH_SIGNS,
    INDEPENDENT,
    NOT_MINIMAL,
    _nearest,
    positive_part,
)
from novikoff.certificate.exact.relation import carriers, null_weights
from tests.certificate.strategies import ARITHMETIC, STORES, more_examples, stores


@st.composite
def bases(draw):
    """Examples with as many features as leave one relation, often of one sign."""
    d, affine = draw(st.integers(1, 6)), draw(st.booleans())
    n = d + 1 + affine
    X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-9, 9))).astype(np.float64)
    signs = draw(hnp.arrays(np.int8, n, elements=st.sampled_from([1, -1])))
    if draw(st.booleans()):
        # Turn the examples to which the relation gives another sign (that of the class follows).
        try:
            weights = signed_weights(X, signs, affine)
        except CertificateError:
            return X, signs, affine
        signs = np.where(np.array(weights) < 0, -signs, signs).astype(np.int8)
    scale = draw(hnp.arrays(np.int64, d, elements=st.integers(-30, 30)))
    return X * 2.0**scale * draw(st.sampled_from([1.0, 0.1, 1 / 255])), signs, affine


def signed_weights(X, signs, affine):
    columns = exact._signed_columns(X, signs, np.arange(len(X)), affine)
    return exact._null_vector(columns, len(X))


def outcome(question, *basis, affine):
    try:
        return question(*basis, affine=affine)
    except CertificateError as error:
        return str(error)


@more_examples(2)
@given(arithmetic=st.sampled_from(["exact", "exact blocks"]), store=stores, basis=bases())
def test_the_bounds_agree_with_the_weights(arithmetic, store, basis):
    X, signs, affine = basis
    stored, rows = STORES[store](X), np.arange(len(X))
    with ARITHMETIC[arithmetic]():
        found = outcome(positive_part, stored, signs, rows, affine=affine)
    wanted = outcome(null_weights, X, signs, rows, affine=affine)
    if isinstance(found, np.ndarray):
        # Whatever was dropped: what is left combines to zero, with positive weights.
        assert min(null_weights(X, signs, rows[found], affine=affine)) > 0
        if isinstance(wanted, list):
            assert found.tolist() == [a > 0 for a in wanted]
    elif found is not None:
        assert found == wanted or (found == BOTH_SIGNS and wanted == INDEPENDENT)


@pytest.mark.parametrize("turned", [True, False])
def test_the_bounds_decide_what_is_well_conditioned(turned):
    rng = np.random.default_rng(0)
    for _ in range(50):
        affine = bool(rng.integers(2))
        d = int(rng.integers(8, 30))
        X = rng.normal(size=(d + 1 + affine, d))
        signs, rows = rng.choice([1, -1], len(X)).astype(np.int8), np.arange(len(X))
        positive = np.array([a > 0 for a in signed_weights(X, signs, affine)])
        if turned:
            # A signed example turned, with its extension, turns the sign of its weight.
            signs = np.where(positive, signs, -signs)
            assert positive_part(X, signs, rows, affine=affine).all()
        elif positive.any() and not positive.all():
            with pytest.raises(CertificateError, match="both signs"):
                positive_part(X, signs, rows, affine=affine)


def simplex(n, seed=0):
    """Points around the origin, a zero combination with weights from 1 to far less."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 1, n))
    weights = 10.0 ** -rng.uniform(0, 7, n)
    X[n] = -weights @ X[:n]
    return X


@pytest.mark.parametrize("store", STORES)
def test_a_large_basis_is_decided_by_bounds(store):
    # The last point is rounded, so the weights are long fractions near those it is made of.
    X = STORES[store](simplex(150))
    signs, basis = np.ones(151, dtype=np.int8), np.arange(151)
    with mock.patch.object(exact, "null_weights", side_effect=AssertionError):
        assert exact.carriers(X, signs, basis, affine=False).all()
        # Examples with features of their own take no part; nor do two that share two features.
        wide = np.zeros((154, 153))
        wide[:151, :150] = simplex(150)
        wide[151, [3, 150]] = 1.0, 2.0
        wide[152, [150, 151, 152]] = 5.0, 3.0, 1.0
        wide[153, [151, 152]] = 1.0, 3.0
        signs, basis = np.ones(154, dtype=np.int8), np.arange(154)
        found = exact.carriers(STORES[store](wide), signs, basis, affine=False)
        assert np.flatnonzero(found).tolist() == list(range(151))
    moved = simplex(150)
    moved[150] *= -1.0
    table = np.hstack([np.vstack([moved, wide[151:, :150]]), wide[:, 150:]])
    with pytest.raises(CertificateError, match="both signs"):
        exact.carriers(STORES[store](table), signs, basis, affine=False)


def test_features_that_do_not_occur_cost_nothing():
    X = simplex(40)
    wide = sparse.csr_array((41, 10_000_000))
    entries = sparse.csr_array(X)
    wide.data, wide.indptr = entries.data, entries.indptr
    wide.indices = 200_000 * entries.indices + 7
    assert positive_part(wide, np.ones(41, dtype=np.int8), np.arange(41), affine=False).all()


def test_what_bounds_cannot_decide_is_solved_for():
    X = simplex(40)
    signs, rows = np.ones(41, dtype=np.int8), np.arange(41)
    # A feature that depends on two others leaves more rows than the bounds can use.
    more = np.column_stack([X, X[:, 0] * 2.0, X[:, 1]])
    assert positive_part(more, signs, rows, affine=False) is None
    assert carriers(more, signs, rows, affine=False).all()
    more[7, 41] += 2.0**-50
    with pytest.raises(CertificateError, match="independent"):
        carriers(more, signs, rows, affine=False)
    # A weight of 2**-100 looks like zero, and what is left without it does not combine to zero.
    small = np.where(np.arange(40) % 2, 2.0**-100, 1.0)
    whole = np.vstack([np.eye(40), -small])
    assert positive_part(whole, signs, rows, affine=False) is None
    assert carriers(whole, signs, rows, affine=False).all()


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("store", STORES)
def test_a_basis_that_is_too_large_is_refused_at_once(store, n, affine):
    d = n - 1 - affine
    X = np.random.default_rng(n).normal(size=(n + 1, d))
    signs = np.ones(n + 1, dtype=np.int8)
    with mock.patch.object(exact, "exact_sum", side_effect=AssertionError):
        with (
            mock.patch.object(exact, "null_weights", side_effect=AssertionError),
            mock.patch.object(exact, "positive_part", side_effect=AssertionError),
            pytest.raises(CertificateError, match=f"at most {n} examples for {d} features, not"),
        ):
            carriers(STORES[store](X), signs, np.arange(n + 1), affine=affine)
        # Features that do not occur do not make room.
        wide = np.column_stack([X, np.zeros((n + 1, 5))])
        with pytest.raises(CertificateError, match="more than one way"):
            carriers(STORES[store](wide), signs, np.arange(n + 1), affine=affine)


def spoilt(X, signs, rng):
    """What may be done to a basis, and what then is wrong with it."""
    n, i = len(X), len(X) // 3
    rows = np.arange(n)
    turned = signs.copy()
    turned[i] *= -1
    twin, twins = X.copy(), signs.copy()
    twin[i], twins[i] = twin[i + 1], twins[i + 1]
    equal = X.copy()
    equal[:, 0] = equal[:, 1]
    extra = np.column_stack([X, 2.0 * X[:, 0]])
    other = extra.copy()
    other[i, -1] += 1.0
    yield "sign", X, turned, rows, BOTH_SIGNS
    yield "twin", twin, twins, rows, BOTH_SIGNS
    yield "dropped", X, signs, np.delete(rows, i), INDEPENDENT
    yield "equal features", equal, signs, rows, NOT_MINIMAL
    yield "dependent feature, sign", extra, turned, rows, BOTH_SIGNS
    yield "one feature more", other, signs, rows, INDEPENDENT
    yield "added", np.vstack([X, X[:1] + 1.0]), np.append(signs, 1), np.arange(n + 1), "at most"
    replaced = X.copy()
    for _ in range(20):
        replaced[i] = X[rng.integers(n)] + X[rng.integers(n)]
        if min(signed_weights(replaced, signs, True)) < 0:
            yield "replaced", replaced, signs, rows, BOTH_SIGNS
            return


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("numbers", ["floats", "bytes"])
def test_spoilt_bases_are_refused_without_solving(store, numbers):
    """So a refusal takes about as long as a proof."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 58))
    if numbers == "bytes":
        X = rng.integers(0, 256, size=(60, 58)) * (rng.random((60, 58)) < 0.5).astype(np.float64)
    signs = rng.choice([1, -1], 60).astype(np.int8)
    signs = np.where(np.array(signed_weights(X, signs, True)) < 0, -signs, signs).astype(np.int8)
    assert positive_part(STORES[store](X), signs, np.arange(60), affine=True).all()
    seen = set()
    for name, Y, sides, rows, message in spoilt(X, signs, rng):
        assert outcome(null_weights, Y, sides, rows, affine=True) in (message, NOT_MINIMAL)
        with (
            mock.patch.object(exact, "null_weights", side_effect=AssertionError),
            pytest.raises(CertificateError, match=message),
        ):
            carriers(STORES[store](Y), sides, rows, affine=True)
        seen.add(name)
    assert len(seen) == 8


def test_many_features_need_not_all_be_looked_at():
    """Any relation is one of the features looked at, so these can refuse it, but not prove it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 200))
    signs, rows = np.ones(60, dtype=np.int8), np.arange(60)
    few = mock.patch.object(enclosure, "_MOST_VALUES", 60 * 70)
    with few, pytest.raises(CertificateError, match="independent"):
        positive_part(X, signs, rows, affine=True)
    # All features are multiples of 59, between which there is one relation.
    X = np.tile(simplex(59), 3)
    with few:
        assert positive_part(X, signs, rows, affine=False) is None
        X[-1] *= -1.0
        with pytest.raises(CertificateError, match="both signs"):
            positive_part(X, signs, rows, affine=False)
        # Of 35 features seen, which is too few for a basis, nothing can be said.
        X = np.column_stack([np.tile(rng.normal(size=(60, 35)), 2), rng.normal(size=(60, 80))])
        X[:30, 70:] = 0.0
        assert positive_part(X, signs, rows, affine=False) is None


def test_examples_of_very_different_size_are_brought_to_one():
    rng = np.random.default_rng(0)
    X = simplex(60) * 2.0 ** rng.integers(-60, 60, size=(61, 1))
    assert positive_part(X, np.ones(61, dtype=np.int8), np.arange(61), affine=False).all()


def test_features_of_one_example_only_leave_nothing():
    X = np.column_stack([np.ones(50), np.eye(50)])
    with pytest.raises(CertificateError, match="independent"):
        positive_part(X, np.ones(50, dtype=np.int8), np.arange(50), affine=True)


def test_an_example_that_is_zero_is_a_basis():
    X = np.vstack([np.zeros(40), np.random.default_rng(0).normal(size=(40, 40))])
    found = positive_part(X, np.ones(41, dtype=np.int8), np.arange(41), affine=False)
    assert found.tolist() == [True] + [False] * 40


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_basis_that_is_not_finite_is_named(bad):
    X = simplex(40)
    X[3, 3] = bad
    with pytest.raises(CertificateError, match="row 3"):
        carriers(X, np.ones(41, dtype=np.int8), np.arange(41), affine=False)


def test_bounds_at_the_ends_of_the_range():
    signs, rows = np.ones(41, dtype=np.int8), np.arange(41)
    for scale in (1e-300, 1e290):
        X = simplex(40) * scale
        wanted = np.array(null_weights(X, signs, rows, affine=False)) > 0
        found = positive_part(X, signs, rows, affine=False)
        assert found is None or np.array_equal(found, wanted)
    # Too far apart for one scale of a feature: left to exact arithmetic.
    X = simplex(40)
    X[0, 0], X[1, 0] = 1e300, 5e-324
    assert positive_part(X, signs, rows, affine=False) is None


@given(integer=st.integers(-(2**300), 2**300), exponent=st.integers(-1500, 800))
def test_the_size_of_a_residual_is_never_lost(integer, exponent):
    value = _nearest(integer, exponent)
    assert (value == 0.0) == (integer == 0) and value * integer >= 0
    if abs(value) > 2.0**-1022 and np.isfinite(value):
        ratio = float(abs(integer) >> max(0, integer.bit_length() - 60))
        shifted = exponent + max(0, integer.bit_length() - 60)
        assert abs(value) == pytest.approx(np.ldexp(ratio, shifted), rel=1e-15)
