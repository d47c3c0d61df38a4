"""Complete, quasi-complete, overlap: exactly one verifies, and no forgery does."""

import dataclasses
import json

import numpy as np
import pytest

from novikoff import Certificate, separation
from novikoff.certificate import CertificateError, SeparationVerdict
from novikoff.certificate.integers import Integers, read_integers

X = np.array([[0.0], [1.0], [1.0], [2.0]])
NO_ROWS = np.empty(0, dtype=np.int64)


def of(labels, data=X, **options):
    return separation(data, labels, **options)


def rejects(certificate, data, labels, match=None, **changes):
    with pytest.raises(CertificateError, match=match):
        forged = dataclasses.replace(certificate, **changes)
        forged.verify(data, labels, check_fingerprint=False)


def test_the_three_kinds():
    complete, quasi, overlap = of([0, 0, 0, 1]), of([0, 0, 1, 1]), of([0, 1, 1, 0])
    assert [c.kind for c in (complete, quasi, overlap)] == ["complete", "quasi-complete", "overlap"]
    assert [c.exists for c in (complete, quasi, overlap)] == [False, False, True]
    assert overlap.unique and not quasi.unique
    assert complete.separated.all() and not overlap.separated.any()
    assert quasi.separated.tolist() == [True, False, False, True]
    assert overlap.direction.tolist() == [0, 0]
    for certificate, labels in ((complete, [0, 0, 0, 1]), (quasi, [0, 0, 1, 1])):
        products = (2 * np.array(labels) - 1) * (np.c_[np.ones(4), X] @ certificate.direction)
        assert ((products > 0) == certificate.separated).all() and (products >= 0).all()


def test_it_has_no_truth_value():
    with pytest.raises(TypeError, match=r"\.exists"):
        bool(of([0, 0, 1, 1]))


@pytest.mark.parametrize("labels", [[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]])
def test_json(labels):
    certificate = of(labels)
    for each in (certificate, certificate.with_columns()):
        again = Certificate.from_json(each.to_json())
        assert again == each and again.verify(X, labels).sentence.startswith("Verified: ")
    plain = SeparationVerdict.from_json(
        dataclasses.replace(certificate, coefficients=None).to_json()
    )
    with pytest.raises(CertificateError, match=r"call novikoff\.separation"):
        plain.columns  # noqa: B018


def test_damaged_json_is_refused():
    document = json.loads(of([0, 0, 1, 1]).with_columns().to_json())
    for path, value in [
        (("verdict",), "perfect"),
        (("separated_rows",), [3, 0]),
        (("separated_rows",), None),
        (("boundary_rows",), [1, 2]),
        (("vector",), [1]),
        (("vector",), [1.0, 2.0]),
        (("vector",), ["0x1", 2]),
        (("weights",), [0]),
        (("weights",), [-1]),
        (("support",), [1]),
        (("support",), [9]),
        (("coefficients", "columns"), []),
        (("coefficients", "columns", 0, "estimate"), "large"),
        (("coefficients", "columns", 0, "weights"), [0]),
        (("coefficients", "columns", 0, "multiple"), []),
        (("coefficients", "columns", 0, "directions"), [[1, 1]]),
    ]:
        damaged = json.loads(json.dumps(document))
        part = damaged
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value
        with pytest.raises(CertificateError):
            Certificate.from_dict(damaged)


def test_long_integers_are_stored_as_text():
    numbers = Integers([5, -(1 << 5000), 1 << 53])
    assert read_integers("vector", json.loads(json.dumps(numbers.to_json()))) == numbers
    for wrong in ([True], ["5"], ["0x5"], [1 << 60], ["0xZ"], ["-0x"], 5, ["0x_1000000000000000"]):
        with pytest.raises(CertificateError):
            read_integers("vector", wrong)


def test_forged_kinds_are_rejected():
    labels = [0, 0, 1, 1]
    quasi = of(labels)
    rows = np.arange(4)
    every = dict(basis=NO_ROWS, support=NO_ROWS, weights=())
    rejects(
        quasi,
        X,
        labels,
        "strictly",
        verdict="complete",
        separated_rows=rows,
        boundary_rows=None,
        **every,
    )
    overlap = dict(verdict="overlap", separated_rows=NO_ROWS, boundary_rows=None, vector=())
    rejects(quasi, X, labels, "not in the span", **overlap)
    rejects(quasi, X, labels, "not all positive", **overlap, basis=[0, 1], support=[2], weights=[1])
    rejects(quasi, X, labels, "not all positive", **overlap, basis=[0, 1], support=[3], weights=[1])
    rejects(quasi, X, labels, "shows? the kind", verdict="complete", **every)


def test_forged_parts_are_rejected():
    labels = [0, 0, 1, 1]
    quasi = of(labels)
    rejects(quasi, X, labels, "strictly", vector=(1, -1))
    rejects(quasi, X, labels, "not zero on the boundary", vector=(-1, 2))
    rejects(quasi, X, labels, "strictly|boundary", vector=(0, 0))
    rejects(quasi, X, labels, "separated", support=[3])
    rejects(quasi, X, labels, "not independent|both|basis and in", basis=[1, 2])
    rejects(quasi, X, labels, "not all positive", support=NO_ROWS, weights=())
    rejects(quasi, X, labels, None, separated_rows=[3])
    rejects(quasi, X, labels, None, separated_rows=[0, 1, 3])
    rejects(quasi, X, [0, 1, 1, 1])
    rejects(quasi, X + np.array([[0.0], [1e-15], [0.0], [0.0]]), labels)


@pytest.mark.parametrize("labels", [[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]])
def test_forged_columns_are_rejected(labels):
    certificate = of(labels).with_columns()
    truth = certificate.coefficients
    others = [
        of(other).with_columns().coefficients
        for other in ([0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0])
    ]
    every = [column for each in others for column in each.columns]
    for place in (0, 1):
        for column in every:
            if column.estimate == truth.columns[place].estimate:
                continue
            columns = list(truth.columns)
            columns[place] = column
            forged = dataclasses.replace(truth, columns=tuple(columns))
            rejects(certificate, X, labels, coefficients=forged)
    rejects(certificate, X, labels, coefficients=dataclasses.replace(truth, independent=[0]))
    rejects(certificate, X, labels, coefficients=dataclasses.replace(truth, independent=[1, 2]))


def test_a_group_is_checked():
    data, labels = [[0.0], [0.0], [1.0], [1.0]], [0, 1, 1, 1]
    certificate = separation(data, labels).with_columns()
    column = certificate.coefficients.columns[1]
    assert (column.group.value, column.group.count, column.group.code) == (1.0, 2, 1)
    for change in ({"count": 3}, {"value": 0.0}, {"code": 0}):
        wrong = dataclasses.replace(column, group=dataclasses.replace(column.group, **change))
        columns = (certificate.coefficients.columns[0], wrong)
        forged = dataclasses.replace(certificate.coefficients, columns=columns)
        rejects(certificate, data, labels, "group", coefficients=forged)


def test_sentences():
    text = str(of([0, 0, 1, 1]).with_columns())
    assert "Quasi-complete separation: a direction has 2 of the 4 examples strictly" in text
    assert "does not exist" in text
    assert "The estimate of x0 is +infinity." in text
    text = str(of([0, 1, 1, 0]))
    assert "Overlap: " in text and "exists and is unique" in text
    twice = separation(np.c_[X, X], [0, 1, 1, 0]).with_columns()
    assert not twice.unique and "Not identified: x1" in str(twice)
    assert repr(of([0, 0, 0, 1])) == (
        "<SeparationVerdict: complete separation, the maximum-likelihood estimate does not exist>"
    )
