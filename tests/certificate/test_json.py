"""Certificates as text: exact both ways, and every damage is a one-line error."""

import copy
import dataclasses
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Certifier,
    Examples,
    NonSeparation,
    PerClass,
    Refutation,
    Separation,
    Status,
    Weighted,
    problem_of,
)
from tests.certificate.strategies import cases, extreme, priced

X = np.array([[0.1, 1.0], [-2.0, 1e-300], [3.0, -1e300]])
Y = ["a", "b", "a"]
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
    near = np.array([[1.0], [1.0 + 2.0**-50]])
    yield make(near, names, affine=False).hard(
        Account(status=Status.PRECISION), coef=[0.0], proof=Weighted([0, 1], [1, 1])
    )
    yield per_class()


SAMPLES = list(samples())
by_kind = pytest.mark.parametrize("certificate", SAMPLES, ids=lambda c: type(c).__name__)


@by_kind
def test_round_trip(certificate, tmp_path):
    text = certificate.to_json()
    assert Certificate.from_json(text) == certificate
    assert type(certificate).from_json(text.encode()) == certificate
    assert Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate
    path = tmp_path / "proof.json"
    certificate.save(path)
    certificate.save(path)
    assert Certificate.load(path) == certificate
    assert [p.name for p in tmp_path.iterdir()] == ["proof.json"]
    assert hash(Certificate.load(path)) == hash(certificate)


@by_kind
def test_reading_leaves_the_document_alone(certificate):
    document = certificate.to_dict()
    before = copy.deepcopy(document)
    Certificate.from_dict(document)
    assert document == before


@given(case=cases(extreme) | priced(cases(extreme), extreme), C=st.none() | st.floats(1e-9, 1e9))
def test_numbers_survive_bit_by_bit(case, C):
    made = case.hard() if C is None else case.soft(C)
    read = Certificate.from_json(made.to_json())
    assert read == made and read.problem == made.problem
    assert read.coef.tobytes() == made.coef.tobytes()
    one, other = (c if C is None else c.soft for c in (read, made))
    assert (one.weights.dtype, one.weights.tobytes()) == (
        other.weights.dtype,
        other.weights.tobytes(),
    )
    assert (read.lower.hex(), read.upper.hex()) == (made.lower.hex(), made.upper.hex())
    case.verify(read)


@pytest.mark.parametrize("label", ["1", 1, 1.0, True, 'ü€\n"', "\ud800", -(2**60), 0.1])
def test_labels_keep_their_type(label):
    made = dataclasses.replace(
        SAMPLES[1],
        problem=dataclasses.replace(SAMPLES[1].problem, classes=(label, 7), positive=label),
    )
    read = Certificate.from_json(made.to_json())
    assert read.problem.positive == label and type(read.problem.positive) is type(label)
    assert read == made


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


@pytest.mark.parametrize(
    "change",
    [
        {"model.intercept": 5e-324},
        {"model.coef": [1.0, -0.0]},
        {"weights": [3.0, 4.0]},
        {"account.status": "MAX_ITER"},
        {"account.asked": "classic()"},
        {"account.n_updates": 8},
        {"problem.classes": ["a", "c"]},
        {"problem.classes": ["b", "a"]},
        {"problem.positive": "b"},
        {"problem.fingerprint": "nk1:1"},
        {"problem.class_weights": [1.0, 1.0]},
        {"problem.weighted": True},
        {"problem.target": "x"},
        {"problem.sha256": ""},
    ],
)
def test_certificates_differ_in_the_last_bit_and_in_type(change):
    first = SAMPLES[0]
    other = Certificate.from_dict(changed(first.to_dict(), change))
    assert other != first and other != "a certificate"


def test_one_and_true_are_different_labels_of_a_file():
    document = changed(SAMPLES[0].to_dict(), {"problem.classes": [1, 0], "problem.positive": 1})
    whole = Certificate.from_dict(document)
    document = changed(document, {"problem.classes": [True, False], "problem.positive": True})
    assert Certificate.from_dict(document) != whole


def test_loading_the_wrong_kind_is_an_error():
    with pytest.raises(CertificateError, match="is a Separation, not a NonSeparation"):
        NonSeparation.from_json(SAMPLES[0].to_json())


@by_kind
def test_every_truncation_is_a_one_line_error(certificate):
    text = certificate.to_json().rstrip()
    for length in {*range(0, len(text), 7), len(text) - 1}:
        with pytest.raises(CertificateError) as caught:
            Certificate.from_json(text[:length])
        assert "\n" not in str(caught.value)


WRONG = [None, True, -1, 0.5, "x", "NaN", [], [None], {}, [1, 2, 3], ["1", "2"], 1e999, "infinity"]
WRONG += ["\x1b[2J\n", [[[]]], 2**70, -0.0, {"status": "CONVERGED"}]


def places(value, path=()):
    """Every place in the document where a value stands, lists of numbers as a whole."""
    inner = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        inner = enumerate(value)
    for key, part in inner:
        yield (*path, key)
        yield from places(part, (*path, key))


@by_kind
def test_every_wrong_value_is_a_one_line_error_or_another_certificate(certificate):
    document = certificate.to_dict()
    for path in places(document):
        for wrong in WRONG:
            spoilt = copy.deepcopy(document)
            place = spoilt
            for key in path[:-1]:
                place = place[key]
            good, place[path[-1]] = place[path[-1]], wrong
            try:
                read = Certificate.from_dict(spoilt)
            except CertificateError as error:
                message = str(error)
                assert "\n" not in message and message.isprintable() and len(message) < 250
            else:
                # What is accepted must be a value of the right type, and be kept.
                assert same_type(wrong, good, path[-1]), (path, wrong)
                assert read != certificate or wrong == good
                assert read.to_dict() == spoilt or isinstance(wrong, int | float)
                assert all(line.isprintable() for line in str(read).split("\n"))
                assert repr(read).isprintable()


OPTIONAL = {"class_weights", "target", "feature_names", "sha256", "tol", "min_margin", "margin"}
OPTIONAL |= {"soft", "account", "model", "weights", "spread", "errors"}
NUMBERS = {"upper", "primal", "dual", "margin", "intercept", "C", "scale", "spread", "tol"}
NUMBERS |= {"min_margin"}
LISTS = {"class_weights", "feature_names", "weights", "support", "coef"}


def same_type(wrong, good, key):
    if wrong is None:
        return good is None or key in OPTIONAL
    if key == "positive":
        return isinstance(wrong, str | int | float)
    if key in NUMBERS:
        return isinstance(wrong, int | float) and not isinstance(wrong, bool)
    if key in LISTS:
        return isinstance(wrong, list)
    if key in ("target", "sha256"):
        return isinstance(wrong, str)
    return type(wrong) is type(good)


@by_kind
def test_missing_and_unknown_fields_are_named(certificate):
    document = certificate.to_dict()
    for path in [(), *places(document)]:
        place = document
        for key in path:
            place = place[key]
        if not isinstance(place, dict):
            continue
        for key in list(place):
            spoilt = copy.deepcopy(document)
            inner = spoilt
            for step in path:
                inner = inner[step]
            del inner[key]
            with pytest.raises(CertificateError) as caught:
                Certificate.from_dict(spoilt)
            assert "\n" not in str(caught.value)
            inner[key], inner["no\x1bte"] = place[key], "hand-made"
            with pytest.raises(CertificateError, match=r"unknown field 'no\\x1bte'"):
                Certificate.from_dict(spoilt)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"support": [0, 3]}, "refers to row 3, but there are only 3 rows"),
        ({"support": [0, 0]}, "twice"),
        ({"support": [0, -1]}, "whole number"),
        ({"support": [0]}, "2 weights for 1 example"),
        ({"weights": [3, -4]}, "whole number"),
        ({"weights": [3.0, -4.0]}, "not negative"),
        ({"weights": [3, 4.0]}, "mixes"),
        ({"weights": [0, 0]}, "all zero"),
        ({"weights": [3, 2**63]}, "whole number"),
        ({"weights": None}, "weights must be a list"),
        ({"model": None}, "model must be an object with named fields"),
        ({"model.coef": [1.0]}, "2 features"),
        ({"model.coef": [1.0, "inf"]}, "finite"),
        ({"model.coef": [0.0, 0.0]}, "a margin unless its coef is zero"),
        ({"model.margin": None}, "a margin unless its coef is zero"),
        ({"model.margin": 0.0}, "positive margin"),
        ({"model.margin": "inf"}, "infinite"),
        ({"model.margin": 1e300}, "above the upper bound"),
        ({"model.errors": 1}, "makes no errors"),
        ({"model.errors": 4}, "4 errors on 3 examples"),
        ({"upper": -1.0}, "above the upper bound"),
        ({"support": [], "weights": []}, "carries it"),
        ({"problem.n_examples": 0}, "at least one example"),
        ({"problem.classes": ["a", None]}, "a label"),
        ({"problem.classes": ["a", "a"]}, "equal labels"),
        ({"problem.classes": [1, True], "problem.positive": 1}, "equal labels"),
        ({"problem.classes": [1, 1.0], "problem.positive": 1}, "equal labels"),
        ({"problem.positive": "c"}, "the positive class 'c' is not among"),
        ({"problem.positive": None}, "needs the positive class"),
        ({"account.status": "DONE"}, "one of CONVERGED"),
        ({"account.status": "SEPARATED\n"}, "one of CONVERGED"),
        ({"problem.affine": False, "model.intercept": 1.0}, "intercept is 1.0"),
        ({"kind": "Proof"}, "no certificate of the kind 'Proof'"),
        ({"kind": "Binary"}, "no certificate of the kind"),
        ({"kind": None}, "no certificate of the kind null"),
        ({"kind": ["Separation"]}, "no certificate of the kind a list of 1"),
        ({"kind": "PerClass"}, "the PerClass has no 'certificates'"),
        ({"format": "other"}, "format"),
        ({"format": ["novikoff certificate"]}, "format"),
        ({"version": 1}, "has version 1, and this program reads 2: fit again"),
        ({"version": 3}, "has version 3; this program reads 2"),
        ({"version": 2.0}, "has version 2.0; this program reads 2"),
        ({"version": True}, "has version true; this program reads 2"),
        ({"version": None}, "has version null; this program reads 2"),
        ({"version": {}}, "has version an object with named fields; this program reads 2"),
    ],
)
def test_a_hand_edit_is_named(change, message):
    assert isinstance(SAMPLES[0], Separation)
    with pytest.raises(CertificateError, match=message):
        Certificate.from_dict(changed(SAMPLES[0].to_dict(), change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"problem.positive": "a"}, "three classes or more"),
        ({"problem.classes": ["a", "b"]}, "is not among the classes"),
        ({"errors": None}, "errors are claimed where every class has a model"),
        ({"certificates": []}, "0 certificates for 3 classes"),
        ({"certificates": {}}, "must be a list"),
        ({"certificates": [1, 2, 3]}, "must be a list of objects"),
    ],
)
def test_a_hand_edit_of_several_classes_is_named(change, message):
    with pytest.raises(CertificateError, match=message):
        Certificate.from_dict(changed(SAMPLES[-1].to_dict(), change))


@pytest.mark.parametrize("change", [{"kind": "PerClass"}, {"positive": "b"}, {"positive": None}])
def test_a_hand_edit_of_one_of_several_classes_is_named(change):
    document = SAMPLES[-1].to_dict()
    document["certificates"][0] |= change
    with pytest.raises(CertificateError) as caught:
        Certificate.from_dict(document)
    assert "\n" not in str(caught.value)


VERSION_1 = """{
 "format": "novikoff certificate", "version": 1, "kind": "Separation",
 "n_examples": 2, "n_features": 1, "affine": true, "fingerprint": "nk1:0123456789abcdef",
 "positive": "a", "negative": "b", "status": "CONVERGED", "asked": "Classic()", "n_updates": 1,
 "costs": null, "coef": [1.0], "intercept": 0.0, "lower": 1.0, "upper": 1.0,
 "support": [0, 1], "weights": [1, 1]
}"""


def test_a_file_of_version_1_says_what_to_do():
    with pytest.raises(CertificateError) as caught:
        Certificate.from_json(VERSION_1)
    assert str(caught.value) == (
        "the certificate has version 1, and this program reads 2: fit again"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "{",
        '{"a": NaN}',
        '{"a": 1, "a": 2}',
        "[" * 100_000,
        b"\xff\xfe",
        '{"a": ' + "9" * 5000 + "}",
        "\x00",
    ],
)
def test_what_is_no_certificate_is_a_one_line_error(text):
    with pytest.raises(CertificateError) as caught:
        Certificate.from_json(text)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


@pytest.mark.parametrize("depth", [50, 400, 900])
@by_kind
def test_a_deeply_nested_value_is_a_one_line_error(certificate, depth):
    deep = []
    for _ in range(depth):
        deep = [deep]
    document = certificate.to_dict()
    for path in places(document):
        spoilt = copy.deepcopy(document)
        place = spoilt
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = deep
        with pytest.raises(CertificateError) as caught:
            Certificate.from_dict(spoilt)
        assert len(str(caught.value)) < 200


def test_a_failed_write_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "proof.json"
    SAMPLES[0].save(path)
    before = path.read_bytes()

    def full(_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        SAMPLES[1].save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["proof.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_stays_and_its_target_is_written(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link, again = folder / "proof.json", tmp_path / "link.json", tmp_path / "again.json"
    link.symlink_to(Path("elsewhere", "proof.json"))
    again.symlink_to(link)
    for path, sample in ((link, SAMPLES[0]), (again, SAMPLES[1])):
        sample.save(path)
        assert link.is_symlink() and again.is_symlink() and not target.is_symlink()
        assert Certificate.load(target) == Certificate.load(path) == sample
    assert [p.name for p in folder.iterdir()] == ["proof.json"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.json", "elsewhere", "link.json"]


def test_arrays_of_a_certificate_cannot_be_changed():
    coef = np.array([1.0, 0.0])
    made = make().hard(CONVERGED, coef=coef, proof=PROOF)
    coef[0] = 7.0
    assert made.coef[0] == 1.0
    for array in (made.coef, made.support, made.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        made.upper = 1.0
    assert math.isfinite(made.upper)
