"""Attempts to mislead whoever checks a certificate, and what they get."""

import dataclasses
import json
import math
import subprocess
import sys

import numpy as np
import pytest

from novikoff import certificate as package
from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Certifier,
    Inconclusive,
    Model,
    NonSeparation,
    Problem,
    Refutation,
    Separation,
    SoftOptimum,
    Status,
    Undecided,
    Verified,
    Weighted,
    problem_of,
    verify,
)
from tests.certificate import sentences
from tests.certificate.strategies import HOSTILE, STORES
from tests.certificate.test_json import SAMPLES, VERSION_1
from tests.certificate.verdict import replaced

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
Y = ["even", "even", "odd", "odd"]
CONVERGED = Account(status=Status.CONVERGED)
LINE, SIDES = np.array([[3.0], [1.0], [-1.0], [-2.0]]), ["in", "in", "out", "out"]


def line(coef=1.0, **account):
    maker = Certifier.of(LINE, SIDES, positive="in", affine=True)
    usual = Account(**(dict(status=Status.CONVERGED) | account))
    return maker.hard(usual, coef=[coef], proof=Weighted([1, 2], [1, 1]))


def clouds(n=40):
    """Two clouds that overlap a little, and a hyperplane that is nearly right."""
    rng = np.random.default_rng(0)
    y = np.repeat(["left", "right"], n)
    X = rng.normal(size=(2 * n, 2)) + np.where(y == "right", 1.5, -1.5)[:, None]
    X[0] = X[-1]
    maker = Certifier.of(X, y, positive="right", affine=True)
    model = maker.model([1.0, 1.0])
    return maker.refuted(maker.refute([0, 2 * n - 1]), model), X, y


# The model beside a proof


def test_a_negated_hyperplane_fails_or_shows_its_errors():
    proof, X, y = clouds()
    assert isinstance(proof, NonSeparation) and proof.verify(X, y).errors == proof.model.errors <= 4
    coef = -proof.model.coef
    negated = replaced(proof, of_model=dict(coef=coef))
    with pytest.raises(CertificateError, match=r"does not have the margin|makes \d+ errors"):
        negated.verify(X, y)
    with pytest.raises(CertificateError, match=r"makes \d+ errors on the examples, not"):
        replaced(negated, of_model=dict(margin=-math.inf)).verify(X, y)
    # With claims of its own it verifies, and says what it is worth.
    found = int(((X @ coef >= 0.0) != (y == "right")).sum())
    honest = replaced(proof, of_model=dict(coef=coef, margin=-math.inf, errors=found))
    assert f"The model makes {found} errors on the 80 examples." in honest.verify(X, y).sentence
    assert honest.verify(X, y).errors == found >= 76


@pytest.mark.parametrize("change", ["coef", "intercept"])
@pytest.mark.parametrize("kind", range(len(SAMPLES)))
def test_every_hyperplane_is_checked(kind, change):
    """Whatever the certificate is of: another hyperplane has other numbers."""
    certificate = SAMPLES[kind]
    models = [part.hyperplane for part in getattr(certificate, "certificates", [certificate])]
    if not all(models):
        return
    X, y, weights = data_of(certificate)
    certificate.verify(X, y, sample_weight=weights)
    document = certificate.to_dict()
    part = document if "model" in document else document["certificates"][0]
    if change == "coef":
        part["model"]["coef"] = [-value or 1.0 for value in part["model"]["coef"]]
        part["model"]["margin"] = "-inf"
    elif document["problem"]["affine"]:
        part["model"]["intercept"] = -1e300
    else:
        return
    try:
        edited = Certificate.from_dict(document)
        verified = edited.verify(X, y, sample_weight=weights)
    except CertificateError as error:
        assert "errors" in str(error) or "margin" in str(error) or "attain" in str(error)
    else:
        assert sentences.is_true(verified, edited, X, y, weights)


def data_of(certificate):
    from tests.certificate import test_json as made

    problem = certificate.problem
    if problem.n_examples == 2:
        X = made.X[[0, 0]] if problem.n_features == 2 else np.array([[1.0], [1.0 + 2.0**-50]])
        return X, ["a", "b"], None
    if len(problem.classes) == 3:
        return made.X, ["a", "b", "c"], [1.0, 2.0, 0.5]
    return made.X, made.Y, [0.1, 1.0, 0.0] if problem.weighted else None


def test_a_proof_without_a_model_verifies():
    bare, X, y = clouds()
    bare = dataclasses.replace(bare, model=None)
    verified = bare.verify(X, y)
    assert (verified.lower, verified.upper, verified.errors) == (None, 0.0, None)
    assert "model" not in verified.sentence and bare.hyperplane is None
    for name in ("coef", "intercept", "hyperplane"):
        assert getattr(bare, name) is None


# What the problem is


def separable(y, positive, weights=None, classes=None):
    """XOR, dressed up as separable."""
    problem = Problem(
        classes=tuple(sorted(set(y))) if classes is None else classes,
        positive=positive,
        affine=True,
        n_examples=4,
        n_features=2,
        fingerprint=problem_of(XOR, Y, affine=True, sample_weight=weights).fingerprint,
        weighted=weights is not None,
    )
    model = Model(coef=[1.0, 0.0], intercept=5.0, margin=1e-9, errors=0)
    return Separation(
        problem=problem,
        account=CONVERGED,
        model=model,
        upper=math.inf,
        support=[],
        weights=[],
    )


@pytest.mark.parametrize("intercept", [5.0, -5.0])
@pytest.mark.parametrize("check_fingerprint", [True, False])
def test_a_class_that_does_not_occur_separates_nothing(intercept, check_fingerprint):
    for positive in ("neither", "even"):
        claim = separable([*Y, "neither"], positive, classes=("even", "neither", "odd"))
        claim = replaced(claim, of_model=dict(intercept=intercept))
        with pytest.raises(CertificateError, match="no example has the label 'neither'"):
            claim.verify(XOR, Y, check_fingerprint=check_fingerprint)
    claim = separable(Y, "neither", classes=("even", "neither"))
    with pytest.raises(CertificateError, match="row 2 has the label 'odd'"):
        claim.verify(XOR, Y, check_fingerprint=check_fingerprint)
    with pytest.raises(CertificateError, match="two classes or more"):
        separable(Y, "even", classes=("even",))
    with pytest.raises(CertificateError, match="None"):
        separable(Y, "even", classes=("even", None))


def test_labels_of_one_class_are_no_problem():
    with pytest.raises(CertificateError, match="two classes or more"):
        Certifier.of(XOR, ["even"] * 4, positive="even", affine=True)
    claim = separable(Y, "even")
    with pytest.raises(CertificateError, match="no example has the label 'odd'"):
        claim.verify(XOR, ["even"] * 4, check_fingerprint=False)


def test_examples_of_weight_0_are_not_passed_over_in_silence():
    # Two points are left, which a hyperplane separates; the sentence says that two are left.
    weights = [1.0, 0.0, 0.0, 1.0]
    maker = Certifier.of(XOR, Y, positive="odd", affine=True, sample_weight=weights)
    made = maker.hard(CONVERGED, coef=[1.0, 0.0], intercept=-0.5)
    assert isinstance(made, Separation)
    for check_fingerprint in (True, False):
        with pytest.raises(CertificateError, match="give their weights"):
            made.verify(XOR, Y, check_fingerprint=check_fingerprint)
    verified = made.verify(XOR, Y, sample_weight=weights)
    assert "'odd' (1) from 'even' (1)" in verified.sentence
    assert "2 of 4 examples take part (the others have weight 0)" in verified.sentence
    assert verified.n_taking_part == 2 and verified.counts == (1, 1)
    # Not even with one class left.
    with pytest.raises(CertificateError, match="class 'even' has a positive weight"):
        made.verify(XOR, Y, sample_weight=[0.0, 0.0, 1.0, 1.0], check_fingerprint=False)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["in", "in", "out", "elsewhere"], "row 3 has the label 'elsewhere'"),
        (["in", "in", "out", "\x1b[2J"], r"row 3 has the label '\\x1b\[2J'"),
        (["in", "in", "out"], "4 examples need as many labels, not 3"),
        ([["in", "in"], ["out", "out"]], "one column"),
        ([1, 1, 0, 0], "row 0 has the label 1"),
        (np.array(["in", "in", "out", None], dtype=object), "row 3 has no label"),
        (np.array(["in", "in", "out", math.nan], dtype=object), "row 3 has no label"),
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
        (LINE[:3], r"shape \(3, 1\), that of the certificate has \(4, 1\)"),
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


# What is counted, and what is said


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


def test_truth_depends_on_the_class_alone():
    proof = clouds()[0]
    separation, undecided = line(), line(-1.0)
    maker = Certifier.of(LINE, SIDES, positive="in", affine=True)
    soft = maker.soft(CONVERGED, maker.soft_model([1.0], C=1.0))
    assert isinstance(undecided, Inconclusive) and isinstance(soft, SoftOptimum)
    for status in Status:
        for certificate in (separation, proof, undecided, soft):
            changed = replaced(certificate, account=Account(status=status))
            if changed is None:
                continue
            if isinstance(changed, Separation | NonSeparation):
                assert bool(changed) is isinstance(changed, Separation)
            else:
                with pytest.raises(Undecided, match="undecided"):
                    bool(changed)
    assert soft.model.errors == 0 and soft.lower > 0.0


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


TEXTS = [*HOSTILE, "\x1b]0;owned\x07", "a\r\nVerified: yes", "x" * 5000, "\x9b2J", "\u2028"]


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_of_a_file_has_power_over_a_terminal(text):
    y = np.array([text, text, "zz", "zz"], dtype=object)
    maker = Certifier.of(LINE, y, positive=text, affine=True)
    made = maker.hard(
        Account(status=Status.CONVERGED, asked=text), coef=[1.0], proof=Weighted([1, 2], [1, 1])
    ).named(target=text, feature_names=(text,))
    verified = made.verify(LINE, y)
    assert sentences.is_true(verified, made, LINE, y.tolist())
    shown = [str(verified), repr(verified), repr(made), *str(made).split("\n"), str(made.problem)]
    shown += [repr(made.problem), repr(made.account), repr(made.model), str(made.account)]
    shown += [made.headline(), *made.sentences()]
    broken = dataclasses.replace(
        made, problem=dataclasses.replace(made.problem, fingerprint=text, sha256=text)
    )
    attempts = [
        lambda: broken.verify(LINE, y),
        lambda: made.verify(LINE, np.array([text, "zz", "zz", text + "!"], dtype=object)),
        lambda: made.verify(LINE, np.array([text] * 4, dtype=object)),
        lambda: made.problem.against(text + "!"),
        lambda: Certificate.from_dict(made.to_dict() | {"kind": text}),
        lambda: Certificate.from_dict(made.to_dict() | {"version": text}),
        lambda: Certificate.from_dict(made.to_dict() | {text: 1}),
        lambda: Certificate.from_dict(made.to_dict() | {"support": text}),
    ]
    for attempt in attempts:
        with pytest.raises(CertificateError) as caught:
            attempt()
        shown.append(str(caught.value))
        assert len(str(caught.value)) < 400
    assert all(line.isprintable() for line in shown)
    assert len(verified.sentence) < 1000


def test_a_label_cannot_pass_for_a_claim():
    label = "a' (50) from 'b' (50) with margin at least 5, and no hyperplane has more than 6."
    y = np.array([label, label, "b", "b"], dtype=object)
    maker = Certifier.of(LINE, y, positive=label, affine=True)
    sentence = maker.hard(CONVERGED, coef=[1.0]).verify(LINE, y).sentence
    # The label is in quotation marks that do not occur in it, so it ends where they do.
    assert sentence.startswith(f'Verified: the hyperplane separates "{label[:79]}')
    assert sentence.split('"')[2].startswith(" (2) from 'b' (2) with margin at least 1;")


# Whatever form a model comes in


class Fitted:
    certificate_ = line()


def test_a_model_a_certificate_or_a_file_is_verified(tmp_path):
    path = tmp_path / "proof.json"
    line().save(path)
    wanted = line().verify(LINE, SIDES)
    for model in (line(), Fitted(), path, str(path)):
        assert verify(model, LINE, SIDES) == wanted
    with pytest.raises(CertificateError, match="a object without certificate_; fit it first"):
        verify(object(), LINE, SIDES)
    with pytest.raises(CertificateError, match="shape"):
        verify(path, LINE[:2], SIDES[:2])


def model_document(**changes):
    document = {
        "format": "novikoff model",
        "version": 2,
        "kind": "MaxMargin",
        "about": {},
        "parameters": {},
        "fitted": {"classes_dtype": "str"},
        "certificate": line().to_dict(),
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
    assert verify(path, LINE, SIDES) == line().verify(LINE, SIDES)
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
    assert rooms <= {"certificate", "_version"}


def test_what_is_public_is_documented():
    for name in package.__all__:
        assert getattr(package, name).__doc__ or name == "Label", name
    assert Refutation.__doc__
