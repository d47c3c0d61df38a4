"""Every damage to a file is a one-line error, or another certificate."""

import copy

import pytest

from novikoff.certificate import Certificate, CertificateError, Separation
from tests.certificate.samples import SAMPLES, by_kind, changed


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
OPTIONAL |= {"bound", "refutation", "pair"}
NUMBERS = {"upper", "primal", "dual", "margin", "intercept", "C", "scale", "spread", "tol"}
NUMBERS |= {"min_margin", "threshold"}
LISTS = {"class_weights", "feature_names", "weights", "support", "coef"}
LISTS |= {"columns", "coefs", "without", "relations", "remainders", "wrong", "pair"}


def same_type(wrong, good, key):
    if wrong is None:
        return good is None or key in OPTIONAL
    if key == "positive":
        return isinstance(wrong, str | int | float)
    if key == "intercept" and isinstance(good, list):
        return isinstance(wrong, list)
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
            if key == "slacks":
                # Then it is a proof of another kind, and of older files.
                read = Certificate.from_dict(spoilt)
                assert getattr(read, "refutation", read).slacks is None
                continue
            if key == "remainders":
                # So are slacks of older files.
                assert Certificate.from_dict(spoilt).slacks.remainders == ()
                continue
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
        ({"model.margin": "inf"}, "must be finite"),
        ({"model.margin": 1e300}, "above the upper bound"),
        ({"model.errors": 1}, "makes no errors"),
        ({"model.errors": 4}, "4 errors on 3 examples"),
        ({"upper": -1.0}, "above the upper bound"),
        ({"support": [], "weights": []}, "the support that should prove it is empty"),
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "PerClass"}, "a PerClass cannot contain another PerClass"),
        ({"positive": "b"}, "the certificate of class 'a' is of another problem"),
        ({"positive": None}, "positive must be a label"),
    ],
)
def test_a_hand_edit_of_one_of_several_classes_is_named(change, message):
    document = SAMPLES[-1].to_dict()
    document["certificates"][0] |= change
    with pytest.raises(CertificateError, match=message) as caught:
        Certificate.from_dict(document)
    assert "\n" not in str(caught.value)


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
def test_other_files_are_a_one_line_error(text):
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
