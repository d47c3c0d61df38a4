"""Scores and errors against fractions: nearly touching examples, ties, duplicates, extremes."""

import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import CertificateError
from novikoff.certificate.exact import prediction
from novikoff.certificate.exact.filter import signed_values
from novikoff.certificate.exact.prediction import count_errors, joint_errors, scores
from tests.certificate import truth
from tests.certificate.strategies import (
    STORES,
    extreme,
    more_examples,
    ordinary,
    small_blocks,
    stores,
)


def exact_scores(X, coef, intercept):
    rows = X.toarray() if sparse.issparse(X) else X
    return [
        [truth.dot(x, w) + Fraction(float(b)) for w, b in zip(coef, intercept, strict=True)]
        for x in rows
    ]


def rounded(value):
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf * sign(value)
    return nearest if nearest or not value else 5e-324 * sign(value)


def sign(value):
    return (value > 0) - (value < 0)


def chosen(row):
    """The code a model predicts: by its definition."""
    if len(row) == 1:
        return int(row[0] >= 0)
    nearest = [rounded(value) for value in row]
    return nearest.index(max(nearest))


def check(X, coef, intercept, stored=None):
    found = scores(X if stored is None else stored, coef, intercept)
    exact = exact_scores(X, coef, intercept)
    assert found.shape == (X.shape[0], len(coef)) and found.dtype == np.float64
    for row, wanted in zip(found.tolist(), exact, strict=True):
        assert [sign(v) for v in row] == [sign(v) for v in wanted]
        assert chosen(row) == chosen(wanted)
    return found, exact


@st.composite
def models(draw, numbers):
    """Examples and hyperplanes; some equal, some through an example up to the last bit."""
    n, d, k = draw(st.integers(1, 6)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.float64, (n, d), elements=numbers))
    coef = draw(hnp.arrays(np.float64, (k, d), elements=numbers))
    intercept = draw(hnp.arrays(np.float64, k, elements=numbers))
    with np.errstate(all="ignore"):
        for c in range(k):
            through = -float(X[draw(st.integers(0, n - 1))] @ coef[c])
            if draw(st.booleans()) and math.isfinite(through):
                steps = draw(st.sampled_from([0, 1, -1]))
                towards = math.inf if steps > 0 else -math.inf
                intercept[c] = math.nextafter(through, towards) if steps else through
                if not math.isfinite(intercept[c]):
                    intercept[c] = 0.0
    if draw(st.booleans()):
        # Classes that tie, or nearly do.
        a, b = draw(st.integers(0, k - 1)), draw(st.integers(0, k - 1))
        coef[a], intercept[a] = coef[b], intercept[b]
        if draw(st.booleans()):
            moved = math.nextafter(intercept[a], draw(st.sampled_from([-math.inf, math.inf])))
            intercept[a] = moved if math.isfinite(moved) else 0.0
    if draw(st.booleans()):
        coef[draw(st.integers(0, k - 1))] = 0.0
    return X, coef, intercept


@more_examples(3)
@given(store=stores, model=models(ordinary) | models(extreme), seed=st.integers(0, 99))
def test_signs_and_largest_scores_are_exact(store, model, seed):
    X, coef, intercept = model
    stored = STORES[store](X)
    _, exact = check(X, coef, intercept, stored)
    with small_blocks(), mock.patch.object(prediction, "_BLOCK", 3):
        check(X, coef, intercept, stored)
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, max(2, len(coef)), len(X))
    wrong = [chosen(row) != code for row, code in zip(exact, codes, strict=True)]
    assert joint_errors(stored, codes, coef, intercept).count == sum(wrong)
    part = rng.random(len(X)) < 0.5
    some = joint_errors(stored, codes, coef, intercept, part)
    assert some.count == sum(np.array(wrong) & part)
    assert part[some.exact_rows].all()


@more_examples(3)
@given(store=stores, model=models(ordinary) | models(extreme), data=st.data())
def test_errors_of_one_hyperplane(store, model, data):
    X, coef, intercept = model
    w, b, stored = coef[0], float(intercept[0]), STORES[store](X)
    signs = data.draw(hnp.arrays(np.int8, len(X), elements=st.sampled_from([1, -1])))
    part = data.draw(hnp.arrays(np.bool_, len(X)))
    exact = [row[0] for row in exact_scores(X, coef[:1], intercept[:1])]
    wrong = np.array([(v >= 0) != (s > 0) for v, s in zip(exact, signs, strict=True)])
    values = signed_values(stored, signs, w, b)
    for known in (None, values):
        found = count_errors(stored, signs, w, b, known)
        assert found.count == wrong.sum() and found.exact_rows.dtype == np.int64
        some = count_errors(stored, signs, w, b, known, part)
        assert some.count == (wrong & part).sum() and part[some.exact_rows].all()
    assert (
        found.count == joint_errors(stored, (signs > 0).astype(int), coef[:1], intercept[:1]).count
    )


@pytest.mark.parametrize("store", STORES)
def test_nearly_touching_examples(store):
    """Products in floating point get some of these wrong; the errors of a model may not depend."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 30))
    w = rng.normal(size=30)
    # The last feature puts each example as near to the hyperplane as floats allow.
    X[:, -1] = -(X[:, :-1] @ w[:-1]) / w[-1]
    found, exact = check(X, w[None], np.zeros(1), STORES[store](X))
    assert np.abs(found).max() < 1e-12
    plain = X @ w
    assert any(sign(a) != sign(b[0]) for a, b in zip(plain.tolist(), exact, strict=True))
    signs = np.where(rng.random(400) < 0.5, 1, -1).astype(np.int8)
    errors = count_errors(STORES[store](X), signs, w, 0.0)
    assert errors.count == sum((v[0] >= 0) != (s > 0) for v, s in zip(exact, signs, strict=True))
    assert errors.exact_rows.size > 300


@pytest.mark.parametrize("store", STORES)
def test_classes_that_nearly_tie(store):
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(300, 12)), rng.normal(size=12)
    coef = np.array([w, w, w * (1 + 2.0**-52), np.zeros(12), np.zeros(12)])
    check(X, coef, np.zeros(5), STORES[store](X))
    # Different exact scores with the same nearest float: the first of them is predicted.
    X, coef = np.array([[1.0, 2.0**-60]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    assert chosen(exact_scores(X, coef, np.zeros(2))[0]) == 0
    assert scores(STORES[store](X), coef, np.zeros(2)).argmax() == 0
    X = np.array([[1.0, 2.0**-52]])
    assert scores(STORES[store](X), coef, np.zeros(2)).argmax() == 1


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "uint8", "int64", "bool", ">f8", "int16"]
)
def test_every_storage(dtype, k):
    rng = np.random.default_rng(2)
    whole = rng.integers(0, 2 if dtype == "bool" else 120, size=(90, 9))
    X = (whole * (rng.random((90, 9)) < 0.5)).astype(dtype)
    X[::3] = X[1]
    coef = rng.integers(-3, 4, size=(k, 9)).astype(np.float64)
    intercept = -(X[:k].astype(np.float64) * coef).sum(axis=1)
    stores = [
        X,
        np.asfortranarray(X),
        np.repeat(X, 2, axis=1)[:, ::2],
        sparse.csr_array(X.astype(dtype.strip(">"))) if dtype != "float16" else X,
    ]
    for stored in stores:
        before = stored.copy()
        check(X.astype(np.float64), coef, intercept, stored)
        assert (abs(stored - before) if dtype != "bool" else stored != before).sum() == 0


def test_many_blocks_agree_with_one_product():
    rng = np.random.default_rng(3)
    X, coef = rng.normal(size=(3000, 300)), rng.normal(size=(4, 300))
    for stored in (X, np.asfortranarray(X), sparse.csr_array(X)):
        found, rows = prediction._decided_scores(stored, coef, np.ones(4))
        np.testing.assert_allclose(found, X @ coef.T + 1.0, rtol=1e-9, atol=1e-10)
        assert rows.size == 0


def test_scores_beyond_the_floats():
    X = np.array([[1e308, 1e308], [1e-200, 0.0], [1e308, -1e308], [0.0, 0.0]])
    coef = np.array([[1.0, 1.0], [1e-200, 0.0], [2.0, 2.0]])
    found, _ = check(X, coef, np.zeros(3))
    assert found[0].tolist() == [math.inf, 1e108, math.inf]
    assert found[1].tolist() == [1e-200, 5e-324, 2e-200]
    assert found[2].tolist() == [0.0, 1e108, 0.0] and not found[3].any()


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("store", STORES)
def test_rows_that_are_not_finite_are_named(bad, k, store):
    X = np.ones((5, 2))
    X[3, 1] = bad
    for coef in (np.ones((k, 2)), np.zeros((k, 2)), np.eye(2)[:k]):
        with pytest.raises(CertificateError, match="row 3"):
            scores(STORES[store](X), coef, np.zeros(k))
        with pytest.raises(CertificateError, match="row 3"):
            count_errors(STORES[store](X), np.ones(5, dtype=np.int8), coef[0], 0.0)


def test_a_hyperplane_without_direction():
    X, signs = np.ones((4, 2)), np.array([1, -1, -1, 1], dtype=np.int8)
    for b, wrong in ((0.0, 2), (-0.0, 2), (-1.0, 2), (5e-324, 2)):
        found = count_errors(X, signs, np.zeros(2), b)
        assert found.count == wrong and found.exact_rows.size == 0
    assert count_errors(X, np.ones(4, dtype=np.int8), np.zeros(2), -0.0).count == 0
    assert count_errors(X, np.ones(4, dtype=np.int8), np.zeros(2), -5e-324).count == 4
