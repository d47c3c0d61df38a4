"""Bounds on margins: what is made is true and tight, and the check tells true from false."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import (
    Account,
    Certifier,
    Inconclusive,
    NonSeparation,
    Separation,
    Status,
    Undecided,
    Weighted,
)
from novikoff.certificate.exact import hull, pairs
from tests.certificate import sentences, truth, verdict
from tests.certificate.strategies import (
    ARITHMETIC,
    STORES,
    arithmetics,
    cases,
    extreme,
    filter_first,
    more_examples,
    ordinary,
    priced,
    separated,
    stores,
)
from tests.certificate.verdict import accepted, agrees, replaced

unpriced = st.one_of(cases(ordinary), separated(ordinary), cases(extreme), separated(extreme))
all_cases = st.one_of(unpriced, priced(unpriced))
CONVERGED = Account(status=Status.CONVERGED)


def hard(X, y, coef, *, positive=1, affine=True, intercept=0.0, proof=None, **other):
    certifier = Certifier.of(X, y, positive=positive, affine=affine, **other)
    return certifier.hard(CONVERGED, coef=coef, intercept=intercept, proof=proof)


@more_examples(4)
@given(arithmetic=arithmetics, store=stores, case=all_cases)
def test_what_is_made_is_true_and_verifies(arithmetic, store, case):
    X = STORES[store](case.X)
    with ARITHMETIC[arithmetic]():
        certificate = case.hard(X)
        verified = case.verify(certificate, X)
    data = (case.X, case.y, case.sample_weight)
    assert verdict.is_true(certificate, *data)
    assert sentences.is_true(verified, certificate, *data)
    assert verified.lower >= certificate.lower and verified.upper <= certificate.upper
    assert verified.n_exact <= len(case.X) and verified.problem == certificate.problem
    assert verified.errors == certificate.hyperplane.errors
    assert verified.n_taking_part == sum(verified.counts)
    # The verdict is exact in either arithmetic, down to the smallest float.
    seen = verdict.Data(certificate.problem, *data)
    plane = (*seen.taking_part, case.coef, case.intercept)
    assert isinstance(certificate, Separation) == truth.lower_is_true(5e-324, *plane)


@given(case=all_cases)
def test_small_data_is_decided_to_the_last_bit(case):
    certificate = case.hard()
    seen = verdict.Data(certificate.problem, case.X, case.y, case.sample_weight)
    if math.isfinite(certificate.lower):
        closer = math.nextafter(certificate.lower, math.inf)
        plane = (*seen.taking_part, case.coef, case.intercept)
        assert not truth.lower_is_true(closer, *plane)
    if 0.0 < certificate.upper < math.inf:
        closer = math.nextafter(certificate.upper, -math.inf)
        weighted = (case.support, case.weights.tolist(), case.affine)
        assert not truth.upper_is_true(closer, case.X, case.signs, *weighted)


@given(case=all_cases)
def test_weights_that_make_the_bound_zero_refute(case):
    certificate = case.hard()
    weighted = (case.support, case.weights.tolist(), case.affine)
    zero = truth.margin_square(case.X, case.signs, *weighted) == 0
    if isinstance(certificate, Inconclusive):
        # Only where the weights are too large to be stored.
        assert not zero or case.weights.max() >= 2.0**20
    else:
        assert isinstance(certificate, NonSeparation) == zero


@pytest.mark.parametrize(
    ("weights", "kind"),
    [
        ([2.0, 3.0], NonSeparation),
        ([1e-300, 0.5e-300], NonSeparation),
        ([2**62, 2**61], NonSeparation),
        ([2**62 + 1, 2**62 - 1, 2**62 - 3], NonSeparation),
        # Each class is weighted by the total of the other, which is too much for an integer.
        ([1e300, 1.0, 5e-324], Inconclusive),
    ],
)
def test_weights_of_any_size_that_make_the_bound_zero(weights, kind):
    n = len(weights)
    X, y = np.full((n, 1), 7.0), [1, -1, -1][:n]
    made = hard(X, y, [0.0], proof=Weighted(np.arange(n), np.array(weights)))
    assert type(made) is kind and made.upper == 0.0
    assert agrees(made, X, y) and accepted(made, X, y)


EDITS = ["label", "swap", "example", "weight", "support", "coef", "intercept", "errors", "weights"]


@more_examples(2)
@given(
    arithmetic=arithmetics,
    case=all_cases,
    edit=st.sampled_from(EDITS),
    other=st.sampled_from([1.0, -1.0, 0.5, 3.0, 1e10]),
    data=st.data(),
)
def test_after_an_edit_exactly_the_truth_is_accepted(arithmetic, case, edit, other, data):
    certificate = case.hard()
    X, y, given_weights = case.X.copy(), list(case.y), case.sample_weight
    n, d = X.shape
    row, column = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, d - 1))
    if edit == "label":
        y[row] = next(label for label in certificate.problem.classes if label != y[row])
    elif edit == "swap":
        first, second = certificate.problem.classes
        y = [first if label == second else second for label in y]
    elif edit == "example":
        X[row, column] = other
    elif edit == "weights":
        given_weights = np.ones(n) if given_weights is None else given_weights.copy()
        given_weights[row] = data.draw(st.sampled_from([0.0, 1.0, 7.0]))
    else:
        certificate = edited(certificate, edit, row, column, other, data)
    if certificate is None:
        return
    with ARITHMETIC[arithmetic]():
        assert agrees(certificate, X, y, given_weights)


def edited(certificate, edit, row, column, other, data):
    if edit == "weight":
        if certificate.weights is None:
            return None
        weights = certificate.weights.copy()
        weights[data.draw(st.integers(0, weights.size - 1))] += 1
        return replaced(certificate, weights=weights)
    if edit == "support":
        turned = np.roll(np.arange(certificate.problem.n_examples), 1)
        return replaced(certificate, support=turned[certificate.support])
    model = certificate.model
    if edit == "coef":
        coef = model.coef.copy()
        coef[column] = other
        margin = model.margin if coef.any() else None
        return replaced(certificate, of_model=dict(coef=coef, margin=margin))
    if edit == "errors":
        return replaced(certificate, of_model=dict(errors=row))
    return replaced(certificate, of_model=dict(intercept=other))


@more_examples(2)
@given(
    arithmetic=arithmetics,
    case=all_cases,
    bound=st.sampled_from(["margin", "upper"]),
    steps=st.integers(-3, 3),
    factor=st.sampled_from([1.0, 1.0, 1.0, 0.5, 2.0, 1 + 2.0**-40, 1 - 2.0**-40]),
)
def test_a_bound_moved_is_accepted_exactly_if_true(arithmetic, case, bound, steps, factor):
    certificate = case.hard()
    if isinstance(certificate, NonSeparation) and bound == "upper":
        return
    value = certificate.upper if bound == "upper" else certificate.model.margin
    if value is None:
        return
    value *= factor
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.copysign(math.inf, steps))
    if bound == "upper":
        changed = replaced(certificate, upper=value)
    else:
        changed = replaced(certificate, of_model=dict(margin=value))
    if changed is None:
        # Moved out of what the kind can claim, as a positive margin of an Inconclusive.
        if bound == "upper":
            assert value <= 0 or value < certificate.lower or certificate.spread is not None
        else:
            separation = isinstance(certificate, Separation)
            assert (value <= 0) == separation or value > certificate.upper or math.isinf(value)
        return
    with ARITHMETIC[arithmetic]():
        assert agrees(changed, case.X, case.y, case.sample_weight)


@given(case=cases(extreme))
def test_a_weaker_claim_is_accepted(case):
    certificate = case.hard()
    if isinstance(certificate, Separation):
        weaker = replaced(certificate, upper=math.inf, of_model=dict(margin=5e-324))
    elif isinstance(certificate, Inconclusive):
        margin = None if certificate.model.margin is None else -math.inf
        weaker = replaced(certificate, upper=math.inf, spread=None, of_model=dict(margin=margin))
    else:
        weaker = replaced(certificate, model=None)
    assert accepted(weaker, case.X, case.y)


def test_a_verdict_the_filter_cannot_reach_is_reached_exactly():
    # The values are ±2**-52, and the filter's error is larger.
    X = np.array([[1.0, 1.0 + 2.0**-52], [1.0 + 2.0**-52, 1.0]])
    with filter_first():
        right = hard(X, [1, -1], [-1.0, 1.0], affine=False)
        wrong = hard(X, [-1, 1], [-1.0, 1.0], affine=False)
        assert right.verify(X, [1, -1]).n_exact == 2
    assert isinstance(right, Separation) and isinstance(wrong, Inconclusive)
    assert right.model.errors == 0 and wrong.model.errors == 2
    assert right.lower == -wrong.lower or right.lower == math.nextafter(-wrong.lower, 0.0)


def test_a_margin_of_the_smallest_float_is_a_margin():
    # It is a little more than 5e-324; the filter's lower end is a little less, and rounds to zero.
    X = np.array([[5e-324, 1.0], [-1.0, 0.0]])
    with filter_first():
        made = hard(X, [1, -1], [1e300, 5e-324], affine=False)
    assert isinstance(made, Separation) and made.lower == 5e-324


def test_many_ties_at_the_minimum_are_decided():
    X = np.tile([[0.1, 0.7, 0.3]], (30_000, 1))
    X[0], coef = -2.0, [0.1, 0.2, 0.3]
    y = np.where(np.arange(30_000) == 0, -1, 1)
    with mock.patch.object(pairs, "MOST_VALUES", -1):
        certificate = hard(X, y, coef, affine=False)
    with filter_first():
        loose = hard(X, y, coef, affine=False)
        # What exact arithmetic claims, the filter alone cannot confirm: it must ask again.
        assert loose.lower < certificate.lower
        assert certificate.verify(X, y).n_exact == 29_999
    assert certificate.verify(X, y).lower == certificate.lower


def test_a_near_cancellation_is_evaluated_exactly():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 10))
    X[10:] = X[:10] + 1e-13 * rng.normal(size=(10, 10))
    signs = np.repeat([1, -1], 10).astype(np.int8)
    weights = np.tile(rng.integers(1, 10**15, 10), 2)
    support = np.arange(20)
    proof, zero = Weighted(support, weights), np.zeros(10)
    with mock.patch.object(hull, "EXACT_VALUES", 0):
        made = hard(X, signs, zero, proof=proof)
    weighted = (X, signs, support, weights, True)
    assert truth.upper_is_true(made.upper, *weighted)
    assert not truth.upper_is_true(math.nextafter(made.upper, 0.0), *weighted)
    # The filter alone would say much less.
    with filter_first():
        assert hard(X, signs, zero, proof=proof).upper > 1.01 * made.upper


@pytest.mark.parametrize("affine", [True, False])
def test_a_large_combination_goes_through_the_filter(affine):
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(300, 10)), rng.choice([1, -1], 300).astype(np.int8)
    # Counts beyond 2**53 are not floats: their conversion is part of the error.
    weights = rng.integers(1, 2**62, 300)
    support = np.arange(300)
    with filter_first():
        made = hard(X, signs, np.ones(10), affine=affine, proof=Weighted(support, weights))
        assert made.verify(X, signs).n_exact == 0
    weighted = (X, signs, support, weights, affine)
    assert truth.upper_is_true(made.upper, *weighted)
    assert not truth.upper_is_true(made.upper * (1 - 1e-12), *weighted)


@pytest.mark.parametrize("weight", [3.0, 7.0, 11.0, 13.0])
def test_a_share_that_underflows_is_not_lost(weight):
    # The second share is subnormal, with few bits left, and carries all of the sum.
    X, y = np.array([[0.0], [1e308], [-1.0]]), [1, 1, -1]
    weights = np.array([weight, 1e-320])
    with filter_first():
        made = hard(X, y, [0.0], affine=False, proof=Weighted([0, 1], weights))
        assert made.verify(X, y).upper == made.upper
    assert made.upper < 1e-11
    assert truth.upper_is_true(made.upper, X, y, [0, 1], weights.tolist(), False)


def test_the_state_of_floating_point_errors_is_left_alone():
    X, y = np.array([[1e300, 1e-300], [-1e300, 1e-300]]), [1, -1]
    proof = Weighted([0, 1], [1.0, 1e-300])
    with np.errstate(all="raise"), filter_first():
        made = hard(X, y, [1e300, 1e-300], proof=proof)
        assert made.verify(X, y).lower == made.lower
        assert set(np.geterr().values()) == {"raise"}
    assert made.lower > 0


def test_without_weights_there_is_no_upper_bound():
    X, y = np.array([[1.0], [-1.0]]), [1, -1]
    nothing = hard(X, y, [0.0])
    assert (nothing.lower, nothing.upper) == (-math.inf, math.inf)
    assert isinstance(nothing, Inconclusive) and nothing.model.margin is None
    one_class = hard(X, y, [1.0], proof=Weighted([0], [3]))
    assert isinstance(one_class, Separation) and one_class.upper == math.inf
    for made in (nothing, one_class):
        assert sentences.is_true(made.verify(X, y), made, X, y)


def test_truth_values():
    X, proof = np.array([[1.0], [-1.0]]), Weighted([0, 1], [1, 1])
    assert hard(X, [1, -1], [1.0], proof=proof)
    with pytest.raises(Undecided, match="neither proved that a hyperplane separates"):
        bool(hard(X, [1, -1], [-1.0], proof=proof))


def test_an_upper_bound_of_either_weights_is_taken():
    X, y = np.array([[1.0], [3.0], [-1.0], [-3.0]]), [1, 1, -1, -1]
    certifier = Certifier.of(X, y, positive=1, affine=True)
    loose, tight = Weighted([1, 3], [1, 1]), Weighted([0, 2], [1, 1])
    for first, second in ((loose, tight), (tight, loose)):
        made = certifier.hard(CONVERGED, coef=[1.0], proof=first, also=second)
        assert made.upper == 1.0 and made.support.tolist() == [0, 2]
