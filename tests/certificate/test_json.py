"""Certificates as text: exact both ways, and every damage is a one-line error."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from novikoff.certificate import (
    Certificate,
    CertificateError,
    NonSeparation,
    PerClass,
    Separation,
    Status,
    certify_margin,
    certify_nonseparable,
    certify_soft,
    signs_of,
)
from tests.certificate.strategies import cases, extreme

X = np.array([[0.1, 1.0], [-2.0, 1e-300], [3.0, -1e300]])
Y = ["a", "b", "a"]
COMMON = dict(support=[0, 1], weights=[3, 4], status=Status.CONVERGED, asked="Classic()")
TWO = dict(positive="a", negative="b")


def samples():
    signs = signs_of(Y, "a", "b")
    yield certify_margin(X, signs, coef=[1.0, 0.0], affine=True, **COMMON, **TWO)
    yield certify_margin(X, signs, coef=[-1.0, -0.0], affine=False, **COMMON, **TWO)
    yield certify_margin(X, signs, coef=None, affine=False, status=Status.MAX_ITER, **TWO)
    yield certify_margin(X, signs, coef=None, affine=True, excluded_margin=1e301, **COMMON, **TWO)
    yield certify_soft(X, signs, coef=[1.0, 0.0], affine=True, delta=0.3, **COMMON, **TWO)
    yield certify_nonseparable(X[[0, 0]], [1, -1], support=[0, 1], weights=[0.1, 0.1], affine=True)
    yield certify_nonseparable(X[[0, 0]], [1, -1], support=[0, 1], affine=True)
    near = np.array([[1.0], [1.0 + 2.0**-50]])
    yield certify_margin(
        near,
        [1, -1],
        coef=None,
        affine=False,
        support=[0, 1],
        weights=[1, 1],
        status=Status.PRECISION,
    )
    costs = [0.1, 1.0, 0.0]
    yield certify_soft(
        X, signs, coef=[1.0, 0.0], affine=True, delta=1.0, costs=costs, **COMMON, **TWO
    )
    parts = [
        certify_margin(
            X, signs_of(Y, label), coef=[1.0, 0.5], affine=False, positive=label, **COMMON
        )
        for label in ("a", "b")
    ]
    yield PerClass(classes=("a", "b"), certificates=tuple(parts))


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


@given(case=cases(extreme))
def test_numbers_survive_bit_by_bit(case):
    made = certify_margin(
        case.X,
        case.signs,
        coef=case.coef,
        intercept=case.intercept,
        affine=case.affine,
        support=case.support,
        weights=case.weights,
        status=Status.CONVERGED,
    )
    read = Certificate.from_json(made.to_json())
    assert read == made
    assert read.coef.tobytes() == made.coef.tobytes()
    assert (read.weights.dtype, read.weights.tobytes()) == (
        made.weights.dtype,
        made.weights.tobytes(),
    )
    assert read.lower.hex() == made.lower.hex() and read.upper.hex() == made.upper.hex()


@pytest.mark.parametrize("label", ["1", 1, 1.0, True, 'ü€\n"', "\ud800", -(2**63), 0.1])
def test_labels_keep_their_type(label):
    made = certify_margin(
        np.eye(2), [1, -1], coef=[1, 0], affine=False, status=Status.MAX_ITER, positive=label
    )
    read = Certificate.from_json(made.to_json())
    assert read.positive == label and type(read.positive) is type(label)
    assert read == made


def test_certificates_differ_in_the_last_bit_and_in_type():
    first = SAMPLES[0]
    document = first.to_dict()
    for change in (
        {"intercept": math.nextafter(0.0, 1.0)},
        {"coef": [1.0, -0.0]},
        {"weights": [3.0, 4.0]},
        {"status": "MAX_ITER"},
        {"positive": "c"},
    ):
        assert Certificate.from_dict(document | change) != first
    assert first != "a certificate"


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
NULL_IS_FINE = {"coef", "positive", "negative", "weights", "excluded_margin", "spread", "costs"}


def leaves(document):
    """Every certificate in the document, with the place to change it."""
    yield document
    yield from document.get("certificates", [])


@by_kind
def test_every_wrong_value_is_a_one_line_error_or_another_certificate(certificate):
    text = certificate.to_json()
    for index, part in enumerate(leaves(json.loads(text))):
        for key, good in part.items():
            for wrong in WRONG:
                document = json.loads(text)
                list(leaves(document))[index][key] = wrong
                try:
                    read = Certificate.from_dict(document)
                except CertificateError as error:
                    assert "\n" not in str(error) and len(str(error)) < 200
                else:
                    # What is accepted must be a value of the right type, and be kept.
                    assert same_type(wrong, good, key), (key, wrong)
                    assert read != certificate or wrong == good


def same_type(wrong, good, key):
    if wrong is None:
        return key in NULL_IS_FINE
    if key in ("positive", "negative"):
        return isinstance(wrong, str | int | float) and not isinstance(wrong, dict)
    if key in ("asked", "fingerprint"):
        return isinstance(wrong, str)
    if isinstance(good, list) or key == "costs":
        return isinstance(wrong, list)
    if key in ("lower", "upper", "primal", "dual", "intercept", "delta"):
        return isinstance(wrong, int | float) and not isinstance(wrong, bool)
    if key in ("excluded_margin", "spread"):
        return isinstance(wrong, int | float) and not isinstance(wrong, bool)
    return type(wrong) is type(good)


@by_kind
def test_missing_and_unknown_fields_are_named(certificate):
    document = certificate.to_dict()
    for key in document:
        rest = {k: v for k, v in document.items() if k != key}
        with pytest.raises(CertificateError) as caught:
            Certificate.from_dict(rest)
        assert "\n" not in str(caught.value)
    with pytest.raises(CertificateError, match="unknown field 'note'"):
        Certificate.from_dict(document | {"note": "hand-made"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"support": [0, 3]}, "names example 3 of 3"),
        ({"support": [0, 0]}, "twice"),
        ({"support": [0, -1]}, "whole number"),
        ({"support": [0]}, "2 weights for 1 example"),
        ({"weights": [3, -4]}, "whole number"),
        ({"weights": [3.0, -4.0]}, "not negative"),
        ({"weights": [3, 4.0]}, "mixes"),
        ({"weights": [0, 0]}, "all zero"),
        ({"weights": [3, 2**63]}, "whole number"),
        ({"coef": [1.0]}, "2 features"),
        ({"costs": [1.0, 2.0]}, "as many costs"),
        ({"costs": [1.0, -1.0, 1.0]}, "costs must be finite and not negative"),
        ({"costs": [0.0, 0.0, 0.0]}, "costs are all zero"),
        ({"costs": [1.0, 0.0, 1.0]}, "example 1 has cost 0"),
        ({"coef": [1.0, "inf"]}, "finite"),
        ({"lower": 0.0}, "positive lower bound"),
        ({"lower": "inf"}, "infinite"),
        ({"upper": -1.0}, "not negative"),
        ({"support": [], "weights": []}, "carries it"),
        ({"n_examples": 0}, "at least one example"),
        ({"status": "DONE"}, "one of CONVERGED"),
        ({"negative": "a"}, "both classes"),
        ({"affine": False, "intercept": 1.0}, "intercept is 1.0"),
        ({"kind": "Proof"}, "no certificate of the kind 'Proof'"),
        ({"kind": "_MarginBounds"}, "no certificate of the kind"),
        ({"format": "other"}, "format"),
        ({"version": 2}, "version 2"),
    ],
)
def test_a_hand_edit_is_named(change, message):
    assert isinstance(SAMPLES[0], Separation)
    with pytest.raises(CertificateError, match=message):
        Certificate.from_dict(SAMPLES[0].to_dict() | change)


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
    made = certify_margin(X, [1, -1, 1], coef=coef, affine=True, **COMMON)
    coef[0] = 7.0
    assert made.coef[0] == 1.0
    for array in (made.coef, made.support, made.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        made.lower = 1.0
