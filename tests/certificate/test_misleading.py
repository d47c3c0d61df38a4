"""Attempts to mislead whoever checks a certificate, and what they get."""

import dataclasses
import math

import numpy as np
import pytest

from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Certifier,
    Inconclusive,
    Joint,
    Model,
    NonSeparation,
    Problem,
    Separation,
    SoftOptimum,
    Status,
    Undecided,
    Weighted,
    problem_of,
)
from tests.certificate import samples, sentences
from tests.certificate.four_examples import CONVERGED, LINE, SIDES, XOR, Y, line
from tests.certificate.samples import SAMPLES
from tests.certificate.strategies import HOSTILE
from tests.certificate.verdict import replaced


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


@pytest.mark.parametrize("wrong", [0, 2])
def test_a_wrong_number_of_errors_is_refused_with_the_right_one(wrong):
    X, y = np.array([[-1.0], [1.0], [2.0], [-2.0]]), ["left", "right", "left", "left"]
    maker = Certifier.of(X, y, positive="right", affine=False)
    made = maker.hard(Account(status=Status.MAX_ITER), coef=[1.0])
    assert made.verify(X, y).errors == 1
    with pytest.raises(CertificateError, match=f"makes 1 error on the examples, not {wrong}$"):
        replaced(made, of_model=dict(errors=wrong)).verify(X, y)


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
        coef = -np.array(part["model"]["coef"])
        part["model"]["coef"] = np.where(coef == 0.0, 1.0, coef).tolist()
        part["model"]["margin"] = "-inf"
    elif document["problem"]["affine"]:
        nested = isinstance(certificate, Joint)
        part["model"]["intercept"] = [-1e300, 0.0, 0.0] if nested else -1e300
    else:
        return
    try:
        edited = Certificate.from_dict(document)
        verified = edited.verify(X, y, sample_weight=weights)
    except CertificateError as error:
        assert " error" in str(error) or "margin" in str(error) or "attain" in str(error)
    else:
        assert sentences.is_true(verified, edited, X, y, weights)


def data_of(certificate):
    problem = certificate.problem
    if isinstance(certificate, Joint) and problem.n_features == 1:
        return samples.LINE, samples.LINE_Y if problem.class_weights else ["a", "b", "a", "c"], None
    if problem.n_examples == 2:
        X = samples.X[[0, 0]] if problem.n_features == 2 else np.array([[1.0], [1.0 + 2.0**-50]])
        return X, ["a", "b"], None
    if problem.n_examples == 5:
        return samples.CORNERS, samples.CORNERS_Y, None
    if len(problem.classes) == 3:
        return samples.X, ["a", "b", "c"], [1.0, 2.0, 0.5]
    return samples.X, samples.Y, [0.1, 1.0, 0.0] if problem.weighted else None


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


# What is said


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
