"""A certificate of every kind, and edits of their documents."""

import copy

import numpy as np
import pytest

from novikoff.certificate import (
    Account,
    Certifier,
    Examples,
    JointCertifier,
    JointWeighted,
    PerClass,
    Refutation,
    Relation,
    Slacks,
    Status,
    Weighted,
    problem_of,
)

X = np.array([[0.1, 1.0], [-2.0, 1e-300], [3.0, -1e300]])
Y = ["a", "b", "a"]
# The corners of a square, with a column twice, and an example with a feature of its own.
CORNERS = np.array([[0, 0, 0, 0], [1, 1, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [5, 5, 1, 7.0]])
CORNERS_Y = ["a", "a", "b", "b", "a"]
PROOF = Weighted([0, 1], [3, 4])
CONVERGED = Account(status=Status.CONVERGED, asked="Classic()", n_updates=7)
ASKED = Account(status=Status.GAP_REACHED, asked="MaxMargin()", tol=1.0)


def make(X=X, y=Y, **other):
    return Certifier.of(X, y, **({"positive": "a", "affine": True} | other))


def per_class():
    y = ["a", "b", "c"]
    problem = problem_of(X, y, affine=False, sample_weight=[1.0, 2.0, 0.5])
    parts = []
    for label in problem.classes:
        mine = problem.against(label)
        examples = Examples.of(mine, X, y, [1.0, 2.0, 0.5], check_fingerprint=False)
        parts.append(Certifier(mine, examples).hard(CONVERGED, coef=[1.0, 0.5], proof=PROOF))
    return PerClass(problem=problem, certificates=tuple(parts), errors=2)


LINE, LINE_Y = np.array([[0.0], [2.0], [4.0], [1.0]]), ["a", "b", "c", "a"]
PAIRS = JointWeighted([0, 1, 2], [[0, 0.1, 0], [1, 0, 1], [0, 1, 0]])
SCORES = {"coef": [[-1.0], [0.0], [1.0]], "intercept": [1.5, 0.0, -3.0]}


def joint():
    """Certificates of several classes together."""
    maker = JointCertifier.of(LINE, LINE_Y, affine=True, class_weights=(1.0, 2.0, 0.1))
    yield maker.hard(CONVERGED, **SCORES, proof=PAIRS)
    yield maker.soft(ASKED, maker.soft_model(**SCORES, C=0.3, proof=PAIRS, rescale=True))
    mixed = JointCertifier.of(LINE, ["a", "b", "a", "c"], affine=True)
    model = mixed.soft_model(**SCORES, C=2.0, proof=PAIRS, account=ASKED)
    yield mixed.undecided(Account(status=Status.MAX_ITER), model, proof=PAIRS)
    pair = mixed.refute_pair(0, 1, Refutation(np.array([0, 1, 2]), None))
    yield mixed.refuted(pair, model)
    yield mixed.refuted(mixed.refute_basis([0, 1, 2], [1, 0, 1]))
    wide = JointCertifier.of(CORNERS, ["a", "a", "b", "b", "c"], affine=True)
    slacks = Refutation(np.array([0, 1, 2]), None, corner_slacks(without=[]))
    yield wide.refuted(wide.refute_pair(1, 0, slacks))


def corner_slacks(**other):
    same = Relation(np.array([2, 0]), np.array([1.0, -1.0]))
    parts = {"coef": np.zeros(4), "intercept": 0.0, "threshold": 0.5, "without": [3]}
    return Slacks(**(parts | {"relations": (same,)} | other))


def replaced_slacks(**other):
    """The second column is replaced by half of itself minus a quarter, in two parts, of the first.

    In the new columns the hyperplane is ``0.25 x_1 + 0.5 e - 0.125``, which is ``0.25 x_2 - 0.125``
    in the old.
    """
    half = Relation(np.array([1, 0, 0]), np.array([0.5, -0.25, -0.25]))
    parts = {"coef": np.array([0.25, 0.5, 0.0, 0.0]), "intercept": -0.125}
    return corner_slacks(**(parts | {"remainders": (half,)} | other))


def samples():
    yield make().hard(CONVERGED, coef=[1.0, 0.0], proof=PROOF)
    yield make(affine=False).hard(CONVERGED, coef=[-1.0, -0.0], proof=PROOF)
    yield make().hard(Account(status=Status.MAX_ITER), coef=[0.0, 0.0], with_model=False)
    excluded = Account(status=Status.NO_SUCH_MARGIN, min_margin=1e301)
    yield make().hard(excluded, coef=[0.0, 0.0], proof=PROOF)
    maker = make(sample_weight=[0.1, 1.0, 0.0], class_weights=(2.0, 0.1))
    yield maker.soft(ASKED, maker.soft_model([1.0, 0.0], C=0.3, proof=PROOF, rescale=True))
    twins, names = X[[0, 0]], ["a", "b"]
    maker = make(twins, names)
    basis = maker.refuted(maker.refute([0, 1]))
    yield basis
    model = maker.soft_model([1.0, 0.0], C=0.3, proof=Weighted([0], [1.0]), account=ASKED)
    yield maker.refuted(Refutation([0, 1], [0.1, 0.1]), model).named(
        target="label", feature_names=("width", "height")
    )
    maker = make(CORNERS, CORNERS_Y)
    yield maker.refuted(maker.refute_by_slacks(corner_slacks(), [0, 1, 2]))
    yield maker.refuted(maker.refute_by_slacks(replaced_slacks(), [0, 1, 2]))
    near = np.array([[1.0], [1.0 + 2.0**-50]])
    yield make(near, names, affine=False).hard(
        Account(status=Status.PRECISION), coef=[0.0], proof=Weighted([0, 1], [1, 1])
    )
    yield from joint()
    yield per_class()


SAMPLES = list(samples())
by_kind = pytest.mark.parametrize("certificate", SAMPLES, ids=lambda c: type(c).__name__)


def changed(document, change):
    """The document with values at some paths replaced."""
    document = copy.deepcopy(document)
    for path, value in change.items():
        *parents, last = path.split(".")
        place = document
        for key in parents:
            place = place[key]
        place[last] = value
    return document


VERSION_1 = """{
 "format": "novikoff certificate", "version": 1, "kind": "Separation",
 "n_examples": 2, "n_features": 1, "affine": true, "fingerprint": "nk1:0123456789abcdef",
 "positive": "a", "negative": "b", "status": "CONVERGED", "asked": "Classic()", "n_updates": 1,
 "costs": null, "coef": [1.0], "intercept": 0.0, "lower": 1.0, "upper": 1.0,
 "support": [0, 1], "weights": [1, 1]
}"""
