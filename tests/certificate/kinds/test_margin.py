"""Certificates of margins: what is made is true and tight, and the check tells true from false."""

import dataclasses
import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import (
    CertificateError,
    Inconclusive,
    Separation,
    Status,
    Undecided,
    certify_margin,
)
from novikoff.certificate.exact import hull
from tests.certificate import truth
from tests.certificate.strategies import (
    ARITHMETIC,
    STORES,
    cases,
    extreme,
    filter_first,
    ordinary,
    priced,
    separated,
)

every = pytest.mark.parametrize("arithmetic", ARITHMETIC)
unpriced = st.one_of(cases(ordinary), separated(ordinary), cases(extreme), separated(extreme))
all_cases = st.one_of(unpriced, priced(unpriced))


def make(case, X=None, **other):
    return certify_margin(
        case.X if X is None else X,
        case.signs,
        coef=case.coef,
        intercept=case.intercept,
        affine=case.affine,
        support=case.support,
        weights=case.weights,
        costs=case.costs,
        status=Status.CONVERGED,
        **other,
    )


def is_true(certificate, X, signs):
    weighted = (X, signs, certificate.support, certificate.weights, certificate.affine)
    true = truth.upper_is_true(certificate.upper, *weighted)
    if certificate.coef is None:
        true = true and certificate.lower == -math.inf
    else:
        true = true and truth.lower_is_true(
            certificate.lower, X, signs, certificate.coef, certificate.intercept, certificate.costs
        )
    if getattr(certificate, "excluded_margin", None) is not None:
        true = true and truth.excluded_is_true(certificate.excluded_margin, *weighted)
    if getattr(certificate, "spread", None) is not None:
        true = true and truth.spread_is_true(certificate.spread, X, certificate.affine)
    return true


def accepted(certificate, X, signs):
    try:
        certificate.verify(X, signs, check_fingerprint=False)
    except CertificateError as error:
        assert "\n" not in str(error)
        return False
    return True


@every
@pytest.mark.parametrize("store", STORES)
@given(case=all_cases)
def test_what_is_made_is_true_and_verifies(arithmetic, store, case):
    X = STORES[store](case.X)
    with ARITHMETIC[arithmetic]():
        certificate = make(case, X)
        verified = certificate.verify(X, case.signs)
    assert is_true(certificate, case.X, case.signs)
    assert verified.lower >= certificate.lower and verified.upper <= certificate.upper
    # The verdict is exact in either arithmetic, down to the smallest float.
    hyperplane = (case.X, case.signs, case.coef, case.intercept, case.costs)
    assert isinstance(certificate, Separation) == truth.lower_is_true(5e-324, *hyperplane)


@given(case=all_cases)
def test_small_data_is_decided_to_the_last_bit(case):
    certificate = make(case)
    if math.isfinite(certificate.lower):
        closer = math.nextafter(certificate.lower, math.inf)
        hyperplane = (case.X, case.signs, case.coef, case.intercept, case.costs)
        assert not truth.lower_is_true(closer, *hyperplane)
    if math.isfinite(certificate.upper) and certificate.upper > 0:
        closer = math.nextafter(certificate.upper, -math.inf)
        assert not truth.upper_is_true(
            closer, case.X, case.signs, case.support, case.weights, case.affine
        )


def agrees(certificate, X, signs):
    """Exactly the truth is accepted."""
    if getattr(certificate, "spread", None) is not None:
        # The check looks at two of the examples, and the truth at all.
        return not accepted(certificate, X, signs) or is_true(certificate, X, signs)
    return accepted(certificate, X, signs) == is_true(certificate, X, signs)


def edited(certificate, edit, data):
    """The certificate with an edit that may put weight where the cost is 0: None if refused."""
    n = certificate.n_examples
    support, weights = certificate.support, certificate.weights.copy()
    costs = np.ones(n) if certificate.costs is None else certificate.costs.copy()
    if edit == "weight":
        weights[data.draw(st.integers(0, weights.size - 1))] += 1
    elif edit == "support":
        support = np.roll(np.arange(n), 1)[support]
    else:
        costs[data.draw(st.integers(0, n - 1))] = data.draw(st.sampled_from([0.0, 1.0, 7.0]))
    idle = (costs[support[weights > 0]] == 0.0).any() or not costs.any()
    try:
        changed = dataclasses.replace(certificate, support=support, weights=weights, costs=costs)
    except CertificateError as error:
        assert idle and "cost" in str(error)
        return None
    assert not idle
    return changed


@every
@given(case=all_cases, other=st.sampled_from([1.0, -1.0, 0.5, 3.0, 1e10]), data=st.data())
def test_after_an_edit_exactly_the_truth_is_accepted(arithmetic, case, other, data):
    certificate = make(case)
    X, signs = case.X.copy(), case.signs.copy()
    n, d = X.shape
    edit = data.draw(
        st.sampled_from(["label", "example", "weight", "coef", "intercept", "support", "cost"])
    )
    if edit == "label":
        signs[data.draw(st.integers(0, n - 1))] *= -1
    elif edit == "example":
        X[data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, d - 1))] = other
    elif edit in ("weight", "support", "cost"):
        certificate = edited(certificate, edit, data)
        if certificate is None:
            return
    elif edit == "coef":
        coef = certificate.coef.copy()
        coef[data.draw(st.integers(0, d - 1))] = other
        certificate = dataclasses.replace(certificate, coef=coef)
    elif edit == "intercept" and case.affine:
        certificate = dataclasses.replace(certificate, intercept=other)
    with ARITHMETIC[arithmetic]():
        assert agrees(certificate, X, signs)


@every
@given(
    case=all_cases,
    bound=st.sampled_from(["lower", "upper"]),
    steps=st.integers(-3, 3),
    factor=st.sampled_from([1.0, 1.0, 1.0, 0.5, 2.0, 1 + 2.0**-40, 1 - 2.0**-40]),
)
def test_a_bound_moved_is_accepted_exactly_if_true(arithmetic, case, bound, steps, factor):
    certificate = make(case)
    value = getattr(certificate, bound) * factor
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.copysign(math.inf, steps))
    try:
        certificate = dataclasses.replace(certificate, **{bound: value})
    except CertificateError:
        # Moved out of what the kind can claim, as a positive lower bound of an Inconclusive.
        if bound == "upper":
            assert value <= 0 or certificate.spread is not None
        else:
            assert (value <= 0) == isinstance(certificate, Separation) or math.isinf(value)
        return
    with ARITHMETIC[arithmetic]():
        assert agrees(certificate, case.X, case.signs)


@every
@given(case=cases(ordinary), steps=st.integers(-2, 2))
def test_a_margin_is_excluded_only_if_it_is(arithmetic, case, steps):
    certificate = make(case)
    if not isinstance(certificate, Inconclusive) or not 0 < certificate.upper < math.inf:
        return
    margin = certificate.upper
    for _ in range(abs(steps)):
        margin = math.nextafter(margin, math.copysign(math.inf, steps))
    claimed = dataclasses.replace(certificate, excluded_margin=margin)
    with ARITHMETIC[arithmetic]():
        assert agrees(claimed, case.X, case.signs)
        made = make(case, excluded_margin=margin)
    assert made.excluded_margin in (None, margin)
    assert is_true(made, case.X, case.signs)
    if arithmetic.startswith("exact"):
        assert (made.excluded_margin is not None) == is_true(claimed, case.X, case.signs)


@given(case=cases(extreme))
def test_a_weaker_claim_is_accepted(case):
    certificate = make(case)
    weaker = dict(upper=math.inf)
    if isinstance(certificate, Inconclusive):
        weaker |= dict(lower=-math.inf, spread=None)
    else:
        weaker["lower"] = min(certificate.lower, 5e-324)
    assert accepted(dataclasses.replace(certificate, **weaker), case.X, case.signs)


def test_a_verdict_the_filter_cannot_reach_is_reached_exactly():
    # The values are ±2**-52, and the filter's error is larger.
    X = np.array([[1.0, 1.0 + 2.0**-52], [1.0 + 2.0**-52, 1.0]])
    common = dict(coef=[-1.0, 1.0], affine=False, status=Status.CONVERGED)
    with filter_first():
        right = certify_margin(X, [1, -1], **common)
        wrong = certify_margin(X, [1, 1], **common)
        assert right.verify(X, [1, -1]).n_exact == 2
    assert isinstance(right, Separation) and isinstance(wrong, Inconclusive)
    assert right.lower == -wrong.lower or right.lower == math.nextafter(-wrong.lower, 0.0)


def test_a_margin_of_the_smallest_float_is_a_margin():
    # It is a little more than 5e-324; the filter's lower end is a little less, and rounds to zero.
    X, coef = np.array([[5e-324, 1.0]]), [1e300, 5e-324]
    with filter_first():
        made = certify_margin(X, [1], coef=coef, affine=False, status=Status.CONVERGED)
    assert isinstance(made, Separation) and made.lower == 5e-324


def test_many_ties_at_the_minimum_are_decided():
    X = np.tile([[0.1, 0.7, 0.3]], (30_000, 1))
    signs = np.ones(30_000, dtype=np.int8)
    coef = [0.1, 0.2, 0.3]
    certificate = certify_margin(X, signs, coef=coef, affine=False, status=Status.CONVERGED)
    with filter_first():
        loose = certify_margin(X, signs, coef=coef, affine=False, status=Status.CONVERGED)
        # What exact arithmetic claims, the filter alone cannot confirm: it must ask again.
        assert loose.lower < certificate.lower
        assert certificate.verify(X, signs).n_exact == 30_000
    assert certificate.verify(X, signs).lower == certificate.lower


def test_a_near_cancellation_is_evaluated_exactly():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 10))
    X[10:] = X[:10] + 1e-13 * rng.normal(size=(10, 10))
    signs = np.repeat([1, -1], 10).astype(np.int8)
    weights = np.tile(rng.integers(1, 10**15, 10), 2)
    support = np.arange(20)
    common = dict(coef=None, affine=True, support=support, weights=weights, status=Status.MAX_ITER)
    with mock.patch.object(hull, "EXACT_VALUES", 0):
        made = certify_margin(X, signs, **common)
    weighted = (X, signs, support, weights, True)
    assert truth.upper_is_true(made.upper, *weighted)
    assert not truth.upper_is_true(math.nextafter(made.upper, 0.0), *weighted)
    # The filter alone would say much less.
    with filter_first():
        assert certify_margin(X, signs, **common).upper > 1.01 * made.upper


@pytest.mark.parametrize("affine", [True, False])
def test_a_large_combination_goes_through_the_filter(affine):
    rng = np.random.default_rng(1)
    X, signs = rng.normal(size=(300, 10)), rng.choice([1, -1], 300).astype(np.int8)
    # Counts beyond 2**53 are not floats: their conversion is part of the error.
    weights = rng.integers(1, 2**62, 300)
    support = np.arange(300)
    with filter_first():
        made = certify_margin(
            X,
            signs,
            coef=None,
            affine=affine,
            support=support,
            weights=weights,
            status=Status.MAX_ITER,
        )
        assert made.verify(X, signs).n_exact == 0
    weighted = (X, signs, support, weights, affine)
    assert truth.upper_is_true(made.upper, *weighted)
    assert not truth.upper_is_true(made.upper * (1 - 1e-12), *weighted)


@pytest.mark.parametrize("weight", [3.0, 7.0, 11.0, 13.0])
def test_a_share_that_underflows_is_not_lost(weight):
    # The second share is subnormal, with few bits left, and carries all of the sum.
    X, signs = np.array([[0.0], [1e308]]), [1, 1]
    weights = np.array([weight, 1e-320])
    with filter_first():
        made = certify_margin(
            X,
            signs,
            coef=None,
            affine=False,
            support=[0, 1],
            weights=weights,
            status=Status.MAX_ITER,
        )
        assert made.verify(X, signs).upper == made.upper
    assert made.upper < 1e-11
    assert truth.upper_is_true(made.upper, X, signs, [0, 1], weights.tolist(), False)


def test_the_state_of_floating_point_errors_is_left_alone():
    X, signs = np.array([[1e300, 1e-300], [-1e300, 1e-300]]), np.array([1, -1], dtype=np.int8)
    with np.errstate(all="raise"), filter_first():
        made = certify_margin(
            X,
            signs,
            coef=[1e300, 1e-300],
            affine=True,
            support=[0, 1],
            weights=[1.0, 1e-300],
            status=Status.CONVERGED,
        )
        assert made.verify(X, signs).lower == made.lower
        assert set(np.geterr().values()) == {"raise"}
    assert made.lower > 0


@pytest.mark.parametrize("store", STORES)
@given(
    case=cases(ordinary),
    affine=st.booleans(),
    power=st.integers(-1000, 900),
    factor=st.sampled_from([1.0, 0.5, 1.01, 1e3]),
)
def test_what_is_next_to_nothing_is_called_numerical(store, case, affine, power, factor):
    # Every example meets one with the other sign that is a little off.
    X = np.vstack([case.X, case.X * (1.0 - 2.0**-45)]) * 2.0**power
    signs = np.concatenate([case.signs, -case.signs])
    support, weights = np.arange(len(X)), np.ones(len(X), dtype=np.int64)
    common = dict(coef=None, affine=affine, status=Status.PRECISION)
    made = certify_margin(STORES[store](X), signs, support=support, weights=weights, **common)
    apart = truth.spread_is_true(made.upper * 2.0**31 * len(X), X, affine)
    if made.spread is None:
        assert made.upper == 0.0 or made.upper == math.inf or not apart
        return
    assert is_true(made, X, signs) and 0.0 < made.upper <= 2.0**-30 * made.spread
    assert Inconclusive.from_json(made.to_json()) == made
    claimed = dataclasses.replace(made, spread=made.spread * max(factor, 0.9))
    assert accepted(claimed, X, signs) == (claimed.spread <= made.spread)
    with pytest.raises(Undecided, match="no hyperplane"):
        bool(made)


def test_without_a_hyperplane_or_weights_nothing_is_claimed():
    X = np.array([[1.0], [-1.0]])
    nothing = certify_margin(X, [1, -1], coef=None, affine=True, status=Status.MAX_ITER)
    assert (nothing.lower, nothing.upper) == (-math.inf, math.inf)
    assert "nothing was claimed" in str(nothing.verify(X, [1, -1]))
    zero = certify_margin(X, [1, -1], coef=[0.0], affine=True, status=Status.MAX_ITER)
    assert zero.lower == -math.inf
    one_class = certify_margin(
        X, [1, -1], coef=[1.0], affine=True, support=[0], weights=[3], status=Status.MAX_ITER
    )
    assert one_class.upper == math.inf


def test_truth_values():
    X = np.array([[1.0], [-1.0]])
    common = dict(affine=True, support=[0, 1], weights=[1, 1], status=Status.CONVERGED)
    assert certify_margin(X, [1, -1], coef=[1.0], **common)
    with pytest.raises(Undecided, match="neither separated"):
        bool(certify_margin(X, [1, -1], coef=[-1.0], **common))


def test_wrong_data_is_named():
    X, y = np.array([[1.0, 2.0], [-1.0, 0.5]]), ["a", "b"]
    certificate = certify_margin(
        X,
        [1, -1],
        coef=[1.0, 0.0],
        affine=True,
        status=Status.CONVERGED,
        positive="a",
        negative="b",
    )
    assert certificate.verify(X, y).lower == 1.0
    with pytest.raises(CertificateError, match="fingerprint"):
        certificate.verify(X + 1.0, y)
    with pytest.raises(CertificateError, match="shape"):
        certificate.verify(X[:, :1], y)
    with pytest.raises(CertificateError, match="labels"):
        certificate.verify(X, ["a"])
    with pytest.raises(CertificateError, match="row 1 has the label 'c'"):
        certificate.verify(X, ["a", "c"])
    for bad in (math.nan, math.inf):
        for column in (0, 1):
            broken = X.copy()
            broken[1, column] = bad
            with pytest.raises(CertificateError, match="row 1 holds a NaN or an infinity"):
                certificate.verify(broken, y, check_fingerprint=False)
    with pytest.raises(CertificateError, match="numbers"):
        certificate.verify(X.astype(str), y)
    with pytest.raises(CertificateError, match="2\\*\\*53"):
        certificate.verify(np.array([[2**53 + 1, 0], [-1, 0]]), y, check_fingerprint=False)


def test_a_common_offset_is_no_spread():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(60, 1e8), 1e-10 * rng.normal(size=(60, 45))])
    signs = np.repeat([1, -1], 30)
    made = certify_margin(
        X,
        signs,
        coef=None,
        support=np.arange(60),
        weights=np.ones(60),
        affine=True,
        status=Status.MAX_ITER,
    )
    assert made.spread is None or truth.spread_is_true(made.spread, X, True)
    made.verify(X, signs)
