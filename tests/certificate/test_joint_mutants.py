"""Forged certificates of several classes: whatever is edited, what verifies is true."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.certificate import (
    Account,
    JointCertifier,
    JointWeighted,
    Refutation,
    Status,
)
from tests.certificate.strategies import extreme, ordinary
from tests.certificate.test_mutants import forgeries, judge
from tests.certificate.verdict import agrees


@st.composite
def jointly(draw):
    """A certificate of several classes together, and the data it was made for."""
    numbers = draw(st.sampled_from([ordinary, extreme, st.integers(-2, 2).map(float)]))
    K, d = draw(st.integers(3, 4)), draw(st.integers(1, 2))
    codes = [*range(K), *draw(st.lists(st.integers(0, K - 1), max_size=3))]
    n = len(codes)
    X = np.array(draw(st.lists(numbers, min_size=n * d, max_size=n * d))).reshape(n, d)
    y = [("a", "b", "c", "d")[code] for code in codes]
    affine = draw(st.booleans())
    weights = np.array(draw(st.lists(st.sampled_from([1.0, 2.0, 0.3]), min_size=n, max_size=n)))
    weighted = draw(st.booleans()) and (weights != 1.0).any()
    by_class = draw(st.sampled_from([None, (1.0, 2.0, 0.5, 3.0)[:K]]))
    sample_weight = weights if weighted else None
    maker = JointCertifier.of(
        X, y, affine=affine, sample_weight=sample_weight, class_weights=by_class
    )
    if draw(st.booleans()):
        # Scores that tell the classes apart: their names are far from each other on a line.
        X[:, 0] = [float(code) for code in codes]
        steps = np.arange(K + 0.0)
        maker = JointCertifier.of(
            X, y, affine=affine, sample_weight=sample_weight, class_weights=by_class
        )
        coef = np.column_stack([2.0 * steps, np.zeros((K, d - 1))])
        return _separated(draw, maker, coef, -(steps**2) * affine, X, y, codes, sample_weight)
    coef = np.array(draw(st.lists(numbers, min_size=K * d, max_size=K * d))).reshape(K, d)
    intercept = np.array(draw(st.lists(numbers, min_size=K, max_size=K))) * affine
    table = draw(st.lists(st.sampled_from([0, 0, 1, 2, 5]), min_size=n * K, max_size=n * K))
    lambdas = np.array(table).reshape(n, K)
    lambdas[np.arange(n), codes] = 0
    proof = JointWeighted(np.arange(n), lambdas)
    kind = draw(st.sampled_from(["hard", "bound", "soft", "beside", "pair", "basis"]))
    model = {"coef": coef, "intercept": intercept}
    account = Account(status=draw(st.sampled_from(Status)), tol=0.5, min_margin=1.0)
    if kind in ("hard", "bound"):
        made = maker.hard(account, **model, proof=proof, with_model=kind == "hard")
    elif kind == "soft":
        rescale = draw(st.booleans())
        fitted = maker.soft_model(**model, C=0.3, proof=proof, rescale=rescale)
        made = maker.soft(Account(status=Status.GAP_REACHED, tol=0.5), fitted)
    else:
        own = Account(status=Status.GAP_REACHED, tol=0.5)
        fitted = maker.soft_model(**model, C=2.0, proof=proof, account=own)
        made = maker.undecided(Account(status=Status.TIME_LIMIT), fitted, proof=proof)
        refutation = None
        if kind == "pair":
            X[1] = X[0]
            maker = JointCertifier.of(
                X, y, affine=affine, sample_weight=sample_weight, class_weights=by_class
            )
            fitted = maker.soft_model(**model, C=2.0, proof=proof, account=own)
            how = draw(st.sampled_from([None, np.array([3, 3])]))
            refutation = maker.refute_pair(0, 1, Refutation(np.array([0, 1]), how))
        elif kind == "basis":
            X[:3] = X[0]
            maker = JointCertifier.of(
                X, y, affine=affine, sample_weight=sample_weight, class_weights=by_class
            )
            fitted = maker.soft_model(**model, C=2.0, proof=proof, account=own)
            refutation = maker.refute_basis([0, 1, 2], [1, 2, 0])
        if refutation is not None:
            made = maker.refuted(refutation, fitted)
        elif kind != "beside":
            # Equal examples at the origin combine to zero one by one.
            assert not X[0].any() and not affine
            made = maker.undecided(Account(status=Status.TIME_LIMIT), fitted, proof=proof)
    return made, X, list(y), sample_weight


def _separated(draw, maker, coef, intercept, X, y, codes, sample_weight):
    """The certificate of a model that separates the classes, if there are intercepts."""
    n, K = len(codes), len(coef)
    lambdas = np.zeros((n, K), dtype=int)
    for i, code in enumerate(codes):
        lambdas[i, max(code - 1, 0) if draw(st.booleans()) else min(code + 1, K - 1)] = 1
    lambdas[np.arange(n), codes] = 0
    proof = JointWeighted(np.arange(n), lambdas)
    account = Account(status=Status.GAP_REACHED, tol=1.0)
    if draw(st.booleans()):
        made = maker.hard(account, coef=coef, intercept=intercept, proof=proof)
    else:
        made = maker.soft(account, maker.soft_model(coef, intercept, C=0.5, proof=proof))
    return made, X, list(y), sample_weight


@settings(max_examples=4 * settings().max_examples)
@given(forgery=forgeries(jointly()))
def test_what_verifies_is_true_and_so_is_its_sentence(forgery):
    judge(*forgery)


@given(made=jointly())
def test_true_certificates_pass_the_judge(made):
    certificate, X, y, weights = made
    assert judge(certificate.to_dict(), X, y, weights) is not None
    assert agrees(certificate, X, y, weights)
    for line in (str(certificate), repr(certificate), certificate._repr_html_()):
        assert line.replace("\n", "").isprintable()
