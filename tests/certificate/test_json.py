"""Certificates as text: exact both ways, and files that stay whole."""

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

from novikoff.certificate import Certificate, CertificateError, NonSeparation
from tests.certificate.samples import CONVERGED, PROOF, SAMPLES, VERSION_1, by_kind, changed, make
from tests.certificate.strategies import cases, extreme, priced


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


def test_a_file_of_version_1_says_what_to_do():
    with pytest.raises(CertificateError) as caught:
        Certificate.from_json(VERSION_1)
    assert str(caught.value) == (
        "the certificate has version 1, and this program reads 2: fit again"
    )


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
