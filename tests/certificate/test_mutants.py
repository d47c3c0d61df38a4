"""Forged certificates: whatever is edited, what verifies is true, and so is what is said of it."""

import copy
import json
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.certificate import Account, Certificate, CertificateError, Status
from tests.certificate import sentences, verdict
from tests.certificate.kinds.test_per_class import several
from tests.certificate.strategies import cases, extreme, ordinary, priced, separated

SCALARS = [None, True, False, 0, 1, -1, 2, 0.0, -0.0, 0.5, 1.5, 5e-324, 1e300, "inf", "-inf", "a"]
SCALARS += ["the rest", "b", "", "MAX_ITER", "GAP_REACHED", "SEPARATED", "NOT_SEPARABLE"]


@st.composite
def certificates(draw):
    """A certificate of every kind, and the data it was made for."""
    numbers = draw(st.sampled_from([ordinary, extreme]))
    if draw(st.integers(0, 3)) == 0:
        proof, X, y, weights = draw(several(numbers))
        return proof, X, list(y), weights
    plain = cases(numbers) | separated(numbers)
    case = draw(plain | priced(plain, numbers))
    kind = draw(st.sampled_from(["hard", "soft", "beside"]))
    if kind == "hard":
        made = case.hard(status=draw(st.sampled_from(Status)), tol=0.5, min_margin=1.0)
    elif kind == "soft":
        made = case.soft(draw(st.sampled_from([1.0, 0.3])), rescale=draw(st.booleans()), tol=0.5)
    else:
        maker = case.certifier()
        model = case.soft_model(2.0, account=Account(status=Status.GAP_REACHED, tol=0.5))
        made = maker.undecided(Account(status=Status.TIME_LIMIT), model, proof=case.proof)
    return made, case.X, list(case.y), case.sample_weight


def leaves(value, path=()):
    """Every number, text and null of a document, with the way to it."""
    inner = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    else:
        yield path
    for key, part in inner:
        yield from leaves(part, (*path, key))


def put(document, path, value):
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


def get(document, path):
    for key in path:
        document = document[key]
    return document


def moved(draw, value):
    """Another value, often one that is close."""
    if isinstance(value, float) or (type(value) is int and draw(st.booleans())):
        way = draw(st.sampled_from(["up", "down", "negated", "half", "double", "other"]))
        changes = {
            "up": lambda: math.nextafter(value, math.inf),
            "down": lambda: math.nextafter(value, -math.inf),
            "negated": lambda: -value,
            "half": lambda: value * 0.5,
            "double": lambda: value * 2,
        }
        if way in changes and abs(value) < 2**53:
            return changes[way]()
    if type(value) is int:
        return value + draw(st.sampled_from([1, -1, 2]))
    if isinstance(value, bool):
        return not value
    return draw(st.sampled_from(SCALARS))


@st.composite
def forgeries(draw, made=None):
    """An edited file and edited data."""
    made, X, y, weights = draw(certificates() if made is None else made)
    document = made.to_dict()
    for _ in range(draw(st.integers(1, 3))):
        paths = [path for path in leaves(document) if path[0] not in ("format", "version")]
        path = draw(st.sampled_from(paths))
        if draw(st.integers(0, 4)) == 0:
            # A value from elsewhere: the bound of another, the label of another class.
            put(document, path, copy.deepcopy(get(document, draw(st.sampled_from(paths)))))
        else:
            put(document, path, moved(draw, get(document, path)))
    X, weights = X.copy(), None if weights is None else weights.copy()
    edit = draw(st.sampled_from(["none", "none", "label", "swap", "drop", "weights", "example"]))
    row, classes = draw(st.integers(0, len(y) - 1)), made.problem.classes
    if edit == "label":
        y[row] = draw(st.sampled_from([*classes, "z"]))
    elif edit == "swap":
        y = [classes[0] if label == classes[1] else classes[1] for label in y]
    elif edit == "drop":
        y = [classes[0]] * len(y)
    elif edit == "weights":
        weights = np.ones(len(y)) if weights is None else weights
        weights[row] = draw(st.sampled_from([0.0, 1.0, 3.0]))
    elif edit == "example":
        X[row, 0] = draw(st.sampled_from([0.0, 1.0, -1.0]))
    return document, X, y, weights


def judge(document, X, y, weights):
    """Check a file against data: None if it is refused, otherwise what was verified."""
    try:
        certificate = Certificate.from_json(json.dumps(document))
    except CertificateError as error:
        assert str(error).isprintable() and len(str(error)) < 300
        return None
    try:
        labels = np.array(y, dtype=object)
        verified = certificate.verify(X, labels, sample_weight=weights, check_fingerprint=False)
    except CertificateError as error:
        assert str(error).isprintable() and len(str(error)) < 300
        return None
    assert verdict.is_true(certificate, X, y, weights)
    assert sentences.is_true(verified, certificate, X, y, weights)
    return verified


@settings(max_examples=4 * settings().max_examples)
@given(forgery=forgeries())
def test_what_verifies_is_true_and_so_is_its_sentence(forgery):
    judge(*forgery)


def test_true_certificates_pass_the_judge():
    found = []

    @given(made=certificates())
    def all_verify(made):
        certificate, X, y, weights = made
        found.append(judge(certificate.to_dict(), X, y, weights))

    all_verify()
    assert len(found) > 20 and None not in found
