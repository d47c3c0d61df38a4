"""One certificate for each class against the rest, and the errors that they make together."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Certifier,
    Examples,
    PerClass,
    Status,
    Undecided,
    Weighted,
    problem_of,
)
from novikoff.certificate.exact.prediction import joint_errors
from tests.certificate import sentences, verdict
from tests.certificate.strategies import HOSTILE, STORES, extreme, more_examples, ordinary, stores
from tests.certificate.verdict import agrees

X = np.eye(3)
Y = np.array(["a", "b", "c"])


def makers(X, y, *, affine=True, sample_weight=None, class_weights=None):
    """Who certifies each class."""
    problem = problem_of(
        X, y, affine=affine, sample_weight=sample_weight, class_weights=class_weights
    )
    problems = [problem.against(label) for label in problem.classes]
    return problem, [
        Certifier(p, Examples.of(p, X, y, sample_weight, check_fingerprint=False)) for p in problems
    ]


def together(problem, parts, X, y, sample_weight=None):
    models = [part.hyperplane for part in parts]
    errors = None
    if all(model is not None for model in models):
        data = verdict.Data(problem, X, list(y), sample_weight)
        mask = np.isin(np.arange(len(y)), data.part)
        codes = np.array([problem.classes.index(label) for label in y])
        coef, intercept = [m.coef for m in models], [m.intercept for m in models]
        found = joint_errors(X, codes, np.array(coef), np.array(intercept), taking_part=mask)
        errors = found.count
    return PerClass(problem=problem, certificates=tuple(parts), errors=errors)


def separations(statuses=(Status.CONVERGED,) * 3, turned=(1.0, 1.0, 1.0)):
    problem, certifiers = makers(X, Y)
    parts = [
        certifier.hard(
            Account(status=status, n_updates=5, asked="Classic()"),
            coef=turn * np.where(np.arange(3) == k, 1.0, -1.0),
            proof=Weighted([0, 1, 2], [1, 1, 1]),
        )
        for k, (certifier, status, turn) in enumerate(zip(certifiers, statuses, turned))  # noqa: B905
    ]
    return together(problem, parts, X, Y)


def test_the_gap_said_to_be_reached_is_true_of_every_class():
    proof = separations((Status.MAX_ITER,) * 3)
    parts = [
        dataclasses.replace(
            part,
            model=dataclasses.replace(part.model, margin=part.lower * share),
            account=dataclasses.replace(part.account, status=Status.GAP_REACHED, tol=tol),
        )
        for part, share, tol in zip(
            proof.certificates, (1.0, 0.25, 1.0), (0.5, 0.9, 0.5), strict=True
        )
    ]
    proof = dataclasses.replace(proof, certificates=tuple(parts))
    assert max(part.gap for part in parts) > 0.5
    assert (proof.status, proof.account.tol) == (Status.GAP_REACHED, 0.9)
    assert "as close as was asked for: 0.9." in str(proof)


@st.composite
def several(draw, numbers=ordinary):
    """Examples of three classes, a hyperplane for each, and a kind of certificate for each."""
    n, d = draw(st.integers(3, 8)), draw(st.integers(1, 3))
    table = draw(hnp.arrays(np.float64, (n, d), elements=numbers))
    names = draw(
        st.sampled_from([("a", "b", "c"), (0, 1, 2), (0.5, 1, 2)])
        | st.lists(st.sampled_from(HOSTILE), min_size=3, max_size=3, unique=True)
    )
    y = [*names, *draw(st.lists(st.sampled_from(names), min_size=n - 3, max_size=n - 3))]
    affine = draw(st.booleans())
    weights = None
    if draw(st.booleans()):
        weights = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 1.0, 2.0])))
        weights[:3] = draw(st.sampled_from([1.0, 0.5]))
    classes = draw(st.none() | st.just((0.5, 2.0, 1.0)))
    problem, certifiers = makers(
        table, y, affine=affine, sample_weight=weights, class_weights=classes
    )
    parts = []
    for certifier in certifiers:
        coef = draw(hnp.arrays(np.float64, d, elements=numbers))
        intercept = draw(numbers) if affine else 0.0
        account, proof = Account(status=Status.MAX_ITER), Weighted([0, 1, 2], [1, 1, 1])
        if draw(st.booleans()):
            plane = dict(coef=coef, intercept=intercept)
            parts.append(certifier.hard(account, **plane, proof=proof))
        else:
            model = certifier.soft_model(coef, intercept, C=2.0, proof=proof)
            parts.append(certifier.soft(account, model))
    return together(problem, parts, table, y, weights), table, y, weights


@more_examples(2)
@given(store=stores, case=several() | several(extreme))
def test_what_is_made_is_true_and_verifies(store, case):
    proof, table, y, weights = case
    assert verdict.is_true(proof, table, y, weights)
    verified = proof.verify(STORES[store](table), y, sample_weight=weights)
    assert sentences.is_true(verified, proof, table, y, weights)
    assert verified.errors == proof.errors and verified.n_exact <= len(y)
    for part, found in zip(proof.certificates, verified.parts, strict=True):
        assert sentences.is_true(found, part, table, y, weights)
        assert found.n_exact <= verified.n_exact and found.counts == verified.counts
    assert Certificate.from_json(proof.to_json()) == proof
    assert all(line.isprintable() for line in str(proof).splitlines())


@given(case=several() | several(extreme), data=st.data())
def test_after_an_edit_exactly_the_truth_is_accepted(case, data):
    proof, table, y, weights = case
    row = data.draw(st.integers(0, len(y) - 1))
    edit = data.draw(st.sampled_from(["label", "example", "errors", "part", "swap", "weights"]))
    if edit == "label":
        y = list(y)
        y[row] = data.draw(st.sampled_from(proof.problem.classes))
    elif edit == "example":
        table = table.copy()
        table[row, 0] = data.draw(st.sampled_from([1.0, -1.0, 1e10]))
    elif edit == "errors":
        proof = dataclasses.replace(proof, errors=row)
    elif edit == "weights":
        weights = np.ones(len(y)) if weights is None else weights.copy()
        weights[row] = data.draw(st.sampled_from([0.0, 3.0]))
    else:
        first, second, third = proof.certificates
        if edit == "swap":
            # The hyperplane of one class, claimed of another.
            problem = first.problem
            parts = (dataclasses.replace(second, problem=problem), second, third)
        else:
            coef = first.hyperplane.coef + 1.0
            try:
                changed = dataclasses.replace(
                    first, model=dataclasses.replace(first.model, coef=coef)
                )
            except CertificateError:
                return
            parts = (changed, second, third)
        proof = dataclasses.replace(proof, certificates=parts)
    assert agrees(proof, table, y, weights)


def test_all_separated():
    proof = separations()
    assert proof and proof.account.n_updates == 15 and proof.status is Status.CONVERGED
    for data in (X, sparse.csr_array(X), X.astype(np.uint8)):
        verified = proof.verify(data, Y)
        assert [part.lower > 0 for part in verified.parts] == [True] * 3
        assert (verified.errors, verified.lower, verified.upper) == (0, None, None)
        assert verified.counts == (1, 1, 1) and verified.n_taking_part == 3
    assert str(proof).startswith("Of 3 classes, each against the rest, 3 are separable.\n'a': ")
    assert Certificate.from_json(proof.to_json()) == proof
    assert verified.sentence.splitlines()[0] == (
        "Verified: All 3 examples take part, without weights; hyperplanes with an intercept."
    )
    assert verified.sentence.splitlines()[1].startswith(
        "'a': the hyperplane separates 'a' (1) from the rest (2) with margin at least 0.57"
    )


def test_one_undecided():
    statuses = (Status.CONVERGED, Status.MAX_ITER, Status.CONVERGED)
    proof = separations(statuses, (1.0, -1.0, 1.0))
    with pytest.raises(Undecided, match="class 'b' against the rest: undecided"):
        bool(proof)
    assert proof.status is Status.MAX_ITER and len(proof.verify(X, Y).parts) == 3
    assert proof.verify(X, Y).errors == proof.errors > 0


def test_one_refuted_decides():
    table, y = np.array([[0.0], [1.0], [2.0], [1.0]]), [0, 1, 2, 2]
    problem, (first, *others) = makers(table, y)
    account = Account(status=Status.MAX_ITER)
    undecided = first.hard(account, coef=[0.0], with_model=False)
    refuted = [certifier.refuted(certifier.refute([1, 3], [1, 1])) for certifier in others]
    # Undecided and refuted: the refutation alone settles it.
    proof = together(problem, [undecided, *refuted], table, y)
    assert not proof and proof.errors is None and proof.hyperplane is None
    verified = proof.verify(table, y)
    assert len(verified.parts) == 3 and verified.errors is None
    assert sentences.is_true(verified, proof, table, y)


def test_the_class_that_fails_is_named():
    proof = separations()
    first, second, third = proof.certificates
    model = dataclasses.replace(second.model, margin=second.model.margin * 1.01)
    raised = dataclasses.replace(second, model=model)
    false = dataclasses.replace(proof, certificates=(first, raised, third))
    with pytest.raises(CertificateError, match="class 'b': the hyperplane does not have"):
        false.verify(X, Y)
    with pytest.raises(CertificateError, match="not the data"):
        proof.verify(X + 1.0, Y)
    with pytest.raises(CertificateError, match="row 2 has the label 'd'"):
        proof.verify(X, ["a", "b", "d"])
    with pytest.raises(CertificateError, match="the data has 2 examples"):
        proof.verify(X[:2], Y[:2])


def test_the_joint_errors_are_part_of_the_claim():
    proof = separations()
    with pytest.raises(CertificateError, match="the model makes 0 errors on the examples, not 1"):
        dataclasses.replace(proof, errors=1).verify(X, Y)
    for errors in (None, -1, 0.0, True, 4):
        with pytest.raises(CertificateError, match="errors"):
            dataclasses.replace(proof, errors=errors)


def test_what_does_not_fit_together_is_refused():
    proof = separations()
    problem, (a, b, c) = proof.problem, proof.certificates
    other = dataclasses.replace(c, problem=dataclasses.replace(c.problem, n_examples=4))
    for parts, message in [
        ((), "0 certificates for 3 classes"),
        ((a, b), "2 certificates for 3 classes"),
        ((a, b, b), "certificate of class 'c' is of another problem"),
        ((b, a, c), "certificate of class 'a' is of another problem"),
        ((a, b, None), "class 'c' has no certificate of its own"),
        ((a, b, proof), "class 'c' has no certificate of its own"),
        ((a, b, other), "certificate of class 'c' is of another problem"),
    ]:
        with pytest.raises(CertificateError, match=message):
            PerClass(problem=problem, certificates=parts, errors=0)
    two = dataclasses.replace(problem, classes=("a", "b"))
    for wrong in (two, problem.against("a")):
        with pytest.raises(CertificateError, match="three classes or more"):
            PerClass(problem=wrong, certificates=(a, b), errors=0)


def test_one_part_verifies_alone():
    proof = separations()
    part = proof.certificates[1]
    verified = part.verify(X, Y)
    assert verified == proof.verify(X, Y).parts[1]
    assert "of the classes 'a' (1), 'b' (1) and 'c' (1), without weights" in verified.sentence
    assert sentences.is_true(verified, part, X, Y.tolist())


def test_many_classes_are_told_in_few_words():
    n = 200
    table, y = np.eye(n), np.arange(n)
    problem, certifiers = makers(table, y, class_weights=tuple(np.linspace(1.0, 2.0, n)))
    account = Account(status=Status.CONVERGED)
    parts = [
        certifier.hard(account, coef=2.0 * table[k] - 1.0, intercept=0.0)
        for k, certifier in enumerate(certifiers)
    ]
    verified = together(problem, parts, table, y).verify(table, y)
    assert len(verified.parts) == n and verified.sentence.count("\n") == n + 1
    assert all(len(part.sentence) < 1000 for part in verified.parts)
    assert "8 (1), 9 (1) and 190 more, with class weights 1 for 0" in verified.parts[7].sentence
