"""One certificate for each class against the rest."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import (
    Certificate,
    CertificateError,
    PerClass,
    Status,
    Undecided,
    certify_margin,
    certify_nonseparable,
    signs_of,
)

X = np.eye(3)
Y = np.array(["a", "b", "c"])


def separation(label, status=Status.CONVERGED, turn=1.0):
    index = "abc".index(label)
    return certify_margin(
        X,
        signs_of(Y, label),
        coef=turn * np.where(np.arange(3) == index, 1.0, -1.0),
        affine=True,
        support=[0, 1, 2],
        weights=[1, 1, 1],
        status=status,
        positive=label,
        n_updates=5,
    )


def build(*certificates):
    return PerClass(classes=tuple(c.positive for c in certificates), certificates=certificates)


def test_all_separated():
    proof = build(*map(separation, "abc"))
    assert proof and proof.n_updates == 15 and proof.status is Status.CONVERGED
    for data in (X, sparse.csr_array(X), X.astype(np.uint8)):
        verified = proof.verify(data, Y)
        assert [v.lower > 0 for v in verified] == [True] * 3
    assert str(proof).startswith("Of 3 classes, each against the rest, 3 are separated")
    assert Certificate.from_json(proof.to_json()) == proof


def test_one_undecided():
    proof = build(separation("a"), separation("b", Status.MAX_ITER, -1.0), separation("c"))
    with pytest.raises(Undecided, match="class 'b' against the rest"):
        bool(proof)
    assert proof.status is Status.MAX_ITER and len(proof.verify(X, Y)) == 3


def test_one_refuted_decides():
    data = np.array([[0.0], [1.0], [2.0], [1.0]])
    y = [0, 1, 2, 2]
    refuted = [
        certify_nonseparable(
            data, signs_of(y, label), support=[1, 3], weights=[1, 1], affine=True, positive=label
        )
        for label in (1, 2)
    ]
    rest = certify_margin(
        data, signs_of(y, 0), coef=None, affine=True, status=Status.MAX_ITER, positive=0
    )
    proof = build(rest, *refuted)
    assert not proof
    assert len(proof.verify(data, y)) == 3
    # Undecided and refuted: the refutation alone settles it.
    with pytest.raises(Undecided):
        bool(build(rest))


def test_the_class_that_fails_is_named():
    good = separation("b")
    raised = dataclasses.replace(good, lower=good.upper * 2)
    proof = build(separation("a"), raised, separation("c"))
    with pytest.raises(CertificateError, match="class 'b': the hyperplane does not have"):
        proof.verify(X, Y)
    with pytest.raises(CertificateError, match="class 'a': this is not the data"):
        proof.verify(X + 1.0, Y)
    with pytest.raises(CertificateError, match="no certificate speaks of the label 'd'"):
        proof.verify(X, ["a", "b", "d"])
    with pytest.raises(CertificateError, match="shape"):
        proof.verify(X[:2], Y[:2])


def test_what_does_not_fit_together_is_refused():
    a, b = separation("a"), separation("b")
    for classes, certificates, message in [
        ((), (), "0 certificates"),
        (("a",), (a, b), "2 certificates for 1"),
        (("a", "a"), (a, a), "two certificates"),
        (("b", "a"), (a, b), "not that class's"),
        (("a", "b"), (a, None), "no certificate of its own"),
        (("a", "b"), (a, dataclasses.replace(b, n_examples=4)), "differ in n_examples"),
        (("a", "b"), (a, dataclasses.replace(b, negative="a")), "not that class's"),
    ]:
        with pytest.raises(CertificateError, match=message):
            PerClass(classes=classes, certificates=certificates)
