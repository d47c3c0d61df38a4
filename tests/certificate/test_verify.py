"""What a check is given, and what it gives back."""

import dataclasses
import json
import math
import subprocess
import sys

import numpy as np
import pytest

import novikoff
from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Certifier,
    Status,
    Verified,
    Weighted,
    verify,
)
from novikoff.certificate.verify import MODEL_PARAMETERS
from tests.certificate.four_examples import CONVERGED, LINE, SIDES, XOR, Y, line
from tests.certificate.samples import VERSION_1
from tests.certificate.strategies import STORES


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["in", "in", "out", "elsewhere"], "row 3 has the label 'elsewhere'"),
        (["in", "in", "out", "\x1b[2J"], r"row 3 has the label '\\x1b\[2J'"),
        (["in", "in", "out"], "4 examples need as many labels, not 3"),
        ([["in", "in"], ["out", "out"]], "one column"),
        ([1, 1, 0, 0], "row 0 has the label 1"),
        (np.array(["in", "in", "out", None], dtype=object), "row 3 has the missing label"),
        (np.array(["in", "in", "out", math.nan], dtype=object), "row 3 has the missing label"),
        (np.ma.masked_array([1, 1, 0, 0], [0, 0, 0, 1]), "masked"),
    ],
)
def test_labels_of_another_problem_are_named(y, message):
    with pytest.raises(CertificateError, match=message) as caught:
        line().verify(LINE, y)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (LINE + 1.0, "not the data that the certificate was made for: its fingerprint is nk1:"),
        (LINE[::-1], "not the data"),
        (LINE[:3], "3 examples and 1 feature, that of the certificate has 4 examples"),
        (LINE.astype(str), "numbers"),
        (LINE.ravel(), "table of rows"),
        (np.where(LINE == 3.0, math.nan, LINE), "not the data"),
        (np.ma.masked_array(LINE, LINE == 3.0), "masked"),
        ([[3.0], [1.0, 2.0], [1.0], [1.0]], "different lengths"),
    ],
)
def test_other_data_is_named(X, message):
    with pytest.raises(CertificateError, match=message) as caught:
        line().verify(X, SIDES)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_found_wherever_it_is(bad, store):
    X, y = np.vstack([XOR, XOR + 3.0]), [*Y, *Y]
    weights = [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.0]
    makers = [
        Certifier.of(X, y, positive="odd", affine=True),
        Certifier.of(X, y, positive="odd", affine=True, sample_weight=weights),
    ]
    for row in range(8):
        broken = X.copy()
        broken[row, 1] = bad
        for maker, given in zip(makers, (None, weights), strict=True):
            refutation = maker.refute([0, 1, 2, 3])
            nothing = Account(status=Status.MAX_ITER)
            for proof in (
                maker.refuted(refutation),
                maker.refuted(refutation, maker.model([1.0, 0.0])),
                maker.hard(nothing, coef=[1.0, 0.0], with_model=False),
                maker.hard(nothing, coef=[0.0, 0.0]),
            ):
                with pytest.raises(CertificateError, match=f"row {row} holds a NaN or an inf"):
                    table = STORES[store](broken)
                    proof.verify(table, y, sample_weight=given, check_fingerprint=False)


def test_names_are_never_compared():
    named = line().named(target="somewhere", feature_names=("x",))
    plain = line()
    assert named != plain and named.verify(LINE, SIDES).lower == plain.verify(LINE, SIDES).lower
    assert named.named() == plain


# Cryptographic identity


def test_sha256_is_checked_where_it_is_stored():
    made = line().with_sha256(LINE, SIDES)
    assert len(made.problem.sha256) == 64 and Certificate.from_json(made.to_json()) == made
    made.verify(LINE.astype(np.float32), SIDES)
    forged = dataclasses.replace(made, problem=dataclasses.replace(made.problem, sha256="0" * 64))
    with pytest.raises(CertificateError, match="its SHA-256 differs"):
        forged.verify(LINE, SIDES)
    forged.verify(LINE, SIDES, check_fingerprint=False)
    with pytest.raises(CertificateError, match="not the data"):
        line().with_sha256(LINE + 1.0, SIDES)


def test_sha256_is_of_the_weights_too():
    weights, same = [1, 2, 3, 0], np.array([1.0, 2.0, 3.0, -0.0])
    maker = Certifier.of(LINE, SIDES, positive="in", affine=True, sample_weight=weights)
    made = maker.hard(CONVERGED, coef=[1.0]).with_sha256(LINE, SIDES, weights)
    made.verify(LINE, SIDES, sample_weight=same)
    others = Certifier.of(LINE, SIDES, positive="in", affine=True, sample_weight=[1, 2, 3, 4])
    problem = dataclasses.replace(others.problem, sha256=made.problem.sha256)
    with pytest.raises(CertificateError, match="SHA-256"):
        dataclasses.replace(made, problem=problem).verify(LINE, SIDES, sample_weight=[1, 2, 3, 4])
    plain, ones = line().with_sha256(LINE, SIDES), line().with_sha256(LINE, SIDES, [1, 1, 1, 1])
    assert plain == ones


# What comes back


def test_exact_arithmetic_is_counted_in_examples():
    # Margin, errors, objective and both bounds all take exact arithmetic on the same rows.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1], 30)
    X[0] = X[30]
    maker = Certifier.of(X, y, positive=1, affine=True)
    model = maker.soft_model(
        [1.0, 0.0, 0.0], C=1.0, proof=Weighted(np.arange(60), rng.integers(1, 9, 60))
    )
    proof = maker.refuted(maker.refute([0, 30]), model)
    assert proof.verify(X, y).n_exact == 60
    assert maker.soft(CONVERGED, model).verify(X, y).n_exact == 60


def test_one_result_whatever_was_checked():
    fields = {field.name for field in dataclasses.fields(Verified)}
    assert fields >= {"problem", "counts", "lower", "upper", "primal", "dual", "errors"}
    maker = Certifier.of(LINE, SIDES, positive="in", affine=True)
    soft = maker.soft(CONVERGED, maker.soft_model([0.5], C=1.0, proof=Weighted([1, 2], [1, 1])))
    for certificate in (line(), line(-1.0), soft):
        verified = certificate.verify(LINE, SIDES)
        assert type(verified) is Verified and verified.problem is certificate.problem
        assert verified.counts == (2, 2) and verified.n_taking_part == 4
        assert (verified.primal is None) == (certificate is not soft)
        assert verified.lower <= verified.upper == 1.0 and str(verified) == verified.sentence
    assert (verified.primal, verified.dual) == (soft.primal, soft.dual)


# Whatever form a model comes in


def predicting():
    """Of the second class against the first, as in every model of two classes."""
    maker = Certifier.of(LINE, SIDES, positive="out", affine=True)
    usual = Account(status=Status.CONVERGED)
    return maker.hard(usual, coef=[-1.0], proof=Weighted([1, 2], [1, 1]))


class Fitted:
    certificate_ = predicting()
    classes_ = np.array(["in", "out"])
    coef_, intercept_ = np.array([[-1.0]]), np.array([0.0])


def test_a_model_a_certificate_or_a_file_is_verified(tmp_path):
    path = tmp_path / "proof.json"
    line().save(path)
    assert (
        verify(line(), LINE, SIDES) == verify(path, LINE, SIDES) == verify(str(path), LINE, SIDES)
    )
    assert verify(Fitted(), LINE, SIDES) == predicting().verify(LINE, SIDES)
    for name, value in (
        ("intercept_", np.array([5.0])),
        ("classes_", np.array(["out", "in"])),
        ("classes_", np.array(["in", "out", "over"])),
    ):
        changed = Fitted()
        setattr(changed, name, value)
        with pytest.raises(CertificateError, match=f"{name} is not what was certified"):
            verify(changed, LINE, SIDES)
    swapped = Fitted()
    swapped.certificate_ = line()
    with pytest.raises(CertificateError, match="the positive class is not the second of two"):
        verify(swapped, LINE, SIDES)
    with pytest.raises(CertificateError, match="a object without certificate_; fit it first"):
        verify(object(), LINE, SIDES)
    with pytest.raises(CertificateError, match="the data has 2 examples"):
        verify(path, LINE[:2], SIDES[:2])


def model_document(**changes):
    document = {
        "format": "novikoff model",
        "version": 2,
        "kind": "MaxMargin",
        "about": {},
        "parameters": {},
        "fitted": {"classes_dtype": "str"},
        "certificate": predicting().to_dict(),
    }
    return document | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 1}, "the model has version 1, and this program reads 2: fit again"),
        ({"version": None}, "the model has version null; this program reads 2"),
        ({"certificate": None}, "not a certificate"),
        ({"certificate": []}, "not a certificate"),
        ({"certificate": {}}, "not a certificate"),
        ({"certificate": json.loads(VERSION_1)}, "version 1, and this program reads 2: fit again"),
    ],
)
def test_a_file_of_a_model_that_is_damaged_is_a_one_line_error(tmp_path, changes, message):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model_document()))
    assert verify(path, LINE, SIDES) == predicting().verify(LINE, SIDES)
    path.write_text(json.dumps(model_document(**changes)))
    with pytest.raises(CertificateError, match=message) as caught:
        verify(path, LINE, SIDES)
    assert "\n" not in str(caught.value)


def test_the_check_takes_nothing_of_the_solver():
    code = (
        "import sys; from novikoff.certificate import verify; "
        "print(*sorted(name for name in sys.modules if name.startswith('novikoff.')))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    rooms = {name.split(".")[1] for name in found}
    assert rooms <= {"certificate", "_lazy", "_version"}


def test_the_parameters_of_models_are_those_of_the_estimators():
    kinds = {kind.__name__: kind for kind in (novikoff.MaxMargin, novikoff.Perceptron)}
    assert set(MODEL_PARAMETERS) == set(kinds)
    for name, kind in kinds.items():
        assert sorted(MODEL_PARAMETERS[name]) == sorted(kind().get_params(deep=False))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"kind": "Oracle"}, "there is no model of the kind 'Oracle'"),
        ({"kind": 3}, "kind"),
        (
            {"parameters": {"sesame": "open"}},
            "the list of parameters has an unknown field 'sesame'",
        ),
    ],
)
def test_a_model_of_no_known_kind_is_refused(tmp_path, damage, said):
    X, y = [[1.0], [3.0]], [0, 1]
    path = tmp_path / "model.json"
    novikoff.save(novikoff.MaxMargin().fit(X, y), path)
    document = json.loads(path.read_text())
    novikoff.verify(path, X, y)
    path.write_text(json.dumps(document | damage))
    with pytest.raises(CertificateError, match=said):
        novikoff.verify(path, X, y)
