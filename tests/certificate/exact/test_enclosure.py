"""Bounds on the weights of a basis say the same as the weights themselves."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import CertificateError
from novikoff.certificate.exact import relation as exact
from novikoff.certificate.exact.enclosure import _nearest, positive_part
from novikoff.certificate.exact.relation import carriers, null_weights
from tests.certificate.strategies import ARITHMETIC, STORES


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


@pytest.mark.parametrize("arithmetic", ["exact", "exact blocks"])
@pytest.mark.parametrize("store", STORES)
@given(basis=bases())
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
        assert "both signs" in found
        assert found == wanted or "more than one" in wanted


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
    with pytest.raises(CertificateError, match="more than one way"):
        carriers(X[:, :38], signs, rows, affine=False)


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
