"""What is known without a verdict: bounds, margins that are excluded, what is next to nothing."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import (
    Account,
    CertificateError,
    Certifier,
    Inconclusive,
    Model,
    NonSeparation,
    Separation,
    Status,
    Undecided,
    Weighted,
)
from tests.certificate import sentences, truth, verdict
from tests.certificate.strategies import (
    ARITHMETIC,
    STORES,
    arithmetics,
    cases,
    more_examples,
    ordinary,
    priced,
    stores,
)
from tests.certificate.verdict import accepted, agrees, replaced

LINE, Y = np.array([[0.3], [-0.7]]), ["in", "out"]


def undecided(status=Status.MAX_ITER, coef=(-1.0,), with_model=True, **account):
    certifier = Certifier.of(LINE, Y, positive="in", affine=True)
    return certifier.hard(
        Account(status=status, **account),
        coef=coef,
        proof=Weighted([0, 1], [1, 1]),
        with_model=with_model,
    )


@more_examples(2)
@given(
    arithmetic=arithmetics,
    case=cases(ordinary) | priced(cases(ordinary)),
    steps=st.integers(-2, 2),
    factor=st.sampled_from([1.0, 0.5, 2.0]),
)
def test_a_margin_is_excluded_only_if_it_is(arithmetic, case, steps, factor):
    case.coef[:] = 0.0
    with ARITHMETIC[arithmetic]():
        certificate = case.hard(status=Status.MAX_ITER)
    if not isinstance(certificate, Inconclusive) or not 0 < certificate.upper < math.inf:
        return
    margin = certificate.upper * factor
    for _ in range(abs(steps)):
        margin = math.nextafter(margin, math.copysign(math.inf, steps))
    account = Account(status=Status.NO_SUCH_MARGIN, min_margin=margin)
    claimed = replaced(certificate, account=account)
    assert (claimed is not None) == (certificate.upper < margin)
    with ARITHMETIC[arithmetic]():
        made = case.hard(status=Status.NO_SUCH_MARGIN, min_margin=margin)
    if claimed is None:
        assert made.status is Status.PRECISION
    else:
        assert made == claimed
        text = claimed.sentences()[0]
        if claimed.spread is None:
            said, asked = text.split(" has a margin above ")[1].split(", so none has a margin of ")
            assert sentences.number(said) <= margin == float(asked[:-1])


@more_examples(2)
@given(
    store=stores,
    case=cases(ordinary),
    affine=st.booleans(),
    power=st.integers(-1000, 900),
    factor=st.sampled_from([1.0, 0.5, 1.01, 1e3]),
)
def test_what_is_next_to_nothing_is_called_numerical(store, case, affine, power, factor):
    # Every example meets one with the other sign that is a little off.
    X = np.vstack([case.X, case.X * (1.0 - 2.0**-45)]) * 2.0**power
    y = np.concatenate([case.signs, np.negative(case.signs)])
    support, weights = np.arange(len(X)), np.ones(len(X), dtype=np.int64)
    certifier = Certifier.of(STORES[store](X), y, positive=1, affine=affine)
    made = certifier.hard(
        Account(status=Status.PRECISION),
        coef=np.zeros(X.shape[1]),
        proof=Weighted(support, weights),
        with_model=False,
    )
    assert made.upper == 0.0 or isinstance(made, Inconclusive)
    apart = truth.spread_is_true(made.upper * 2.0**31 * len(X), X, affine)
    if isinstance(made, NonSeparation) or made.spread is None:
        assert made.upper == 0.0 or made.upper == math.inf or not apart
        return
    assert verdict.is_true(made, X, y) and 0.0 < made.upper <= 2.0**-30 * made.spread
    assert sentences.is_true(made.verify(STORES[store](X), y), made, X, y)
    assert Inconclusive.from_json(made.to_json()) == made
    claimed = dataclasses.replace(made, spread=made.spread * max(factor, 0.9))
    assert accepted(claimed, X, y) == (claimed.spread <= made.spread)
    with pytest.raises(Undecided, match="no hyperplane"):
        bool(made)


def test_a_common_offset_is_no_spread():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(60, 1e8), 1e-10 * rng.normal(size=(60, 45))])
    y = np.repeat([1, -1], 30)
    made = Certifier.of(X, y, positive=1, affine=True).hard(
        Account(status=Status.MAX_ITER),
        coef=np.zeros(46),
        proof=Weighted(np.arange(60), np.ones(60)),
    )
    assert made.spread is None or truth.spread_is_true(made.spread, X, True)
    made.verify(X, y)


def test_it_is_neither_true_nor_false_whatever_it_knows():
    known = undecided()
    nothing = dataclasses.replace(known, upper=math.inf, support=[], weights=[], model=None)
    # w = 0, which has no margin.
    zero = undecided(coef=(0.0,))
    for certificate in (known, nothing, zero, undecided(with_model=False)):
        with pytest.raises(Undecided, match=r"undecided: it is neither proved that a hyperplane"):
            bool(certificate)
        assert agrees(certificate, LINE, Y)
        assert sentences.is_true(certificate.verify(LINE, Y), certificate, LINE, Y)
    assert (nothing.lower, nothing.upper) == (-math.inf, math.inf)


def test_without_a_model_nothing_is_said_of_one():
    bare = undecided(with_model=False)
    assert bare.model is None and bare.coef is None and bare.intercept is None
    verified = bare.verify(LINE, Y)
    assert (verified.lower, verified.errors, verified.upper) == (None, None, 0.5)
    assert "model" not in verified.sentence and "model" not in str(bare)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(upper=-1.0), "not negative"),
        (dict(upper=math.nan), "not a number"),
        (dict(support=[], weights=[]), "the support that should prove it is empty"),
        (dict(spread=1.0), "not positive and small beside"),
        (dict(spread=math.inf), "not positive and small beside"),
        (dict(upper=0.0, spread=1.0), "not positive and small beside"),
        (dict(model=Model(coef=[1.0], intercept=0.0, margin=0.1, errors=0)), "a Separation"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes, message):
    with pytest.raises(CertificateError, match=message):
        dataclasses.replace(undecided(), **changes)


def test_a_separation_is_never_undecided():
    certifier = Certifier.of(LINE, Y, positive="in", affine=True)
    model = certifier.soft_model([1.0], C=2.0, proof=Weighted([0, 1], [1, 1]))
    account = Account(status=Status.TIME_LIMIT)
    found = certifier.undecided(account, model, proof=Weighted())
    assert isinstance(found, Separation) and found.model.soft is None
    # The weights of the soft margin bound the margin too.
    assert found.upper == 0.5 and found.verify(LINE, Y).upper == 0.5
    wrong = certifier.soft_model([-1.0], C=2.0, proof=Weighted([0, 1], [1, 1]))
    found = certifier.undecided(account, wrong, proof=Weighted())
    assert isinstance(found, Inconclusive) and found.upper == 0.5 and found.model.soft.C == 2.0
    assert sentences.is_true(found.verify(LINE, Y), found, LINE, Y)


def test_what_the_check_decides_is_not_verified_as_undecided():
    certifier = Certifier.of(LINE, Y, positive="in", affine=True)
    separates = certifier.hard(
        Account(status=Status.MAX_ITER), coef=[1.0], proof=Weighted([0, 1], [1, 1])
    )
    assert isinstance(separates, Separation)
    edited = dataclasses.replace(
        undecided(), model=dataclasses.replace(separates.model, margin=-1.0)
    )
    with pytest.raises(CertificateError, match="the model separates the examples"):
        edited.verify(LINE, Y, check_fingerprint=False)


def test_an_upper_bound_of_zero_is_not_called_undecided():
    X, y = np.array([[0.0], [2.0], [1.0]]), [1, 1, -1]
    certifier = Certifier.of(X, y, positive=1, affine=True)
    proved = certifier.refuted(certifier.refute([0, 1, 2], [1, 1, 2]))
    account = Account(status=Status.MAX_ITER)
    for upper in (0.0, 1.0, math.inf):
        edited = Inconclusive(
            problem=proved.problem,
            account=account,
            upper=upper,
            support=proved.support,
            weights=proved.weights,
        )
        verified = edited.verify(X, y)
        assert verified.sentence.startswith("Verified: no hyperplane separates 1 (2) from -1 (1);")
        assert sentences.is_true(verified, edited, X, y)
        assert ("so none separates the 3 examples" in str(edited)) == (upper == 0.0)
