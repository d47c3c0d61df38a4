"""What a certificate speaks of, and what a run may say of itself."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Certifier,
    Inconclusive,
    NonSeparation,
    Problem,
    Separation,
    SoftOptimum,
    Status,
    Weighted,
)
from tests.certificate.strategies import cases, ordinary
from tests.certificate.verdict import replaced

LINE, Y = np.array([[3.0], [1.0], [-1.0], [-2.0]]), ["in", "in", "out", "out"]
SAME = np.array([[1.0], [3.0], [3.0], [-1.0]])


def problem(**changes):
    usual = dict(
        classes=("a", "b"), positive="b", affine=True, n_examples=4, n_features=1, fingerprint="nk1"
    )
    return Problem(**(usual | changes))


def certifier(X=LINE):
    return Certifier.of(X, Y, positive="in", affine=True)


def separation(**account):
    return certifier().hard(Account(**account), coef=[1.0], proof=Weighted([1, 2], [1, 1]))


def undecided(**account):
    return certifier().hard(Account(**account), coef=[-1.0], proof=Weighted([1, 2], [1, 1]))


def soft(**account):
    model = certifier().soft_model([0.8], C=1.0, proof=Weighted([1, 2], [1, 1]))
    return certifier().soft(Account(**account), model)


def refuted(**account):
    maker = certifier(SAME)
    model = maker.model([1.0])
    if account:
        model = dataclasses.replace(model, account=Account(**account))
    return maker.refuted(maker.refute([1, 2]), model)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(classes=("a",)), "two classes"),
        (dict(classes=()), "two classes"),
        (dict(classes=("a", None)), "None"),
        (dict(classes=(1, True), positive=1), "equal labels"),
        (dict(classes=(1, 1.0), positive=1), "equal labels"),
        (dict(classes=(0, False, 2), positive=2), "equal labels"),
        (dict(classes=("a", "a")), "equal labels"),
        (dict(classes=("b", math.nan)), "finite"),
        (dict(classes=("b", [1])), "a label must be"),
        (dict(positive="c"), "the positive class 'c' is not among the classes"),
        (dict(positive="B"), "not among the classes"),
        (dict(positive=1), "the positive class 1 is not among the classes"),
        (dict(n_examples=0), "at least one example"),
        (dict(n_examples=-1), "n_examples must be a whole number"),
        (dict(n_examples=2.0), "n_examples must be a whole number"),
        (dict(n_examples=True), "n_examples must be a whole number"),
        (dict(n_features="1"), "n_features must be a whole number"),
        (dict(affine=1), "affine must be true or false"),
        (dict(weighted=None), "weighted must be true or false"),
        (dict(fingerprint=None), "fingerprint must be a text"),
        (dict(sha256=7), "sha256 must be a text"),
        (dict(target=["x"]), "target must be a text"),
        (dict(feature_names=("x", "y")), "2 feature names for 1 feature"),
        (dict(feature_names=(3,)), "a feature name must be a text"),
    ],
)
def test_invalid_problems_are_named(changes, message):
    with pytest.raises(CertificateError, match=message) as caught:
        problem(**changes)
    assert "\n" not in str(caught.value)


def test_the_positive_class_is_one_of_the_classes():
    assert problem(classes=(0, 1), positive=True).positive is not True
    for positive, code, negative in (("a", 0, "b"), ("b", 1, "a")):
        made = problem(positive=positive)
        assert (made.code, made.negative) == (code, negative)
    three = problem(classes=("a", "b", "c"))
    assert three.negative is None and three.against("c").code == 2
    with pytest.raises(CertificateError, match="not among"):
        three.against("d")


def test_what_is_told_of_it():
    assert str(problem()) == (
        "'b' against 'a': 4 examples with 1 feature, without weights; "
        "hyperplanes with an intercept."
    )
    weighted = problem(affine=False, weighted=True, class_weights=(0.1, 2.0))
    assert str(weighted) == (
        "'b' against 'a': 4 examples with 1 feature, with weights of their own, and with class "
        "weights 0.1 for 'a' and 2 for 'b'; hyperplanes through the origin."
    )
    three = problem(classes=("a", "b", "c"))
    assert str(three).startswith("'b' against the rest: 4 examples")
    assert str(dataclasses.replace(three, positive=None)).startswith(
        "each of 3 classes against the rest: 4 examples"
    )


def test_names_are_shown_as_what_they_are():
    assert problem().names == ""
    named = problem(target="label", feature_names=("width",))
    assert named.names == "Names (not checked): target 'label'; feature 'width'."
    many = problem(n_features=25, feature_names=tuple(f"f{k}" for k in range(25)))
    assert many.names == (
        "Names (not checked): features 'f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8', 'f9' "
        "and 15 more."
    )
    ten = problem(n_features=10, feature_names=tuple("abcdefghij"))
    assert ten.names.endswith("'h', 'i' and 'j'.")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(status="CONVERGED"), "status must be a Status"),
        (dict(asked=None), "asked must be a text"),
        (dict(n_updates=-1), "n_updates must be a whole number"),
        (dict(n_updates=1.0), "n_updates must be a whole number"),
        (dict(tol=0.0), "tol must be above 0 and at most 1"),
        (dict(tol=1.5), "tol must be above 0 and at most 1"),
        (dict(tol=math.nan), "tol must be above 0 and at most 1"),
        (dict(min_margin=0.0), "min_margin must be above 0"),
        (dict(min_margin=math.inf), "min_margin must be above 0"),
    ],
)
def test_invalid_accounts_are_named(changes, message):
    with pytest.raises(CertificateError, match=message):
        Account(**(dict(status=Status.CONVERGED) | changes))


# What a status says is checked against the bounds whenever a certificate is built, so that a file
# with a contradiction cannot be loaded.

MAKERS = {
    "Separation": separation,
    "Inconclusive": undecided,
    "SoftOptimum": soft,
    "NonSeparation": lambda **account: refuted(),
}
ALLOWED = {
    "Separation": {"NOT_SEPARABLE": False},
    "Inconclusive": {"NOT_SEPARABLE": False, "SEPARATED": False},
    "SoftOptimum": {"NOT_SEPARABLE": False, "SEPARATED": False},
    "NonSeparation": {status.name: status is Status.NOT_SEPARABLE for status in Status},
}
NEEDS = {Status.GAP_REACHED: "GAP_REACHED contradicts", Status.NO_SUCH_MARGIN: "NO_SUCH_MARGIN con"}


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("kind", MAKERS)
def test_each_kind_has_its_statuses(kind, status):
    made = MAKERS[kind](status=Status.MAX_ITER)
    document = made.to_dict()
    document["account"]["status"] = status.name
    if not ALLOWED[kind].get(status.name, True):
        message = f"a {kind} cannot have the status {status.name}"
    elif status in NEEDS:
        message = NEEDS[status]
    else:
        loaded = Certificate.from_dict(document)
        assert loaded.status is status and loaded.verify(X_OF[kind], Y)
        return
    with pytest.raises(CertificateError, match=message):
        Certificate.from_dict(document)
    with pytest.raises(CertificateError, match=message):
        dataclasses.replace(made, account=Account(status=status))


X_OF = {"Separation": LINE, "Inconclusive": LINE, "SoftOptimum": LINE, "NonSeparation": SAME}


@pytest.mark.parametrize("make", [separation, soft])
def test_a_gap_is_reached_where_the_bounds_show_it(make):
    made = make(status=Status.MAX_ITER)
    assert 0.0 <= made.gap < 0.9
    closer = max(made.gap, 5e-324)
    for tol in (closer, 0.9, 1.0):
        account = Account(status=Status.GAP_REACHED, tol=tol)
        assert dataclasses.replace(made, account=account).status is Status.GAP_REACHED
        assert make(status=Status.GAP_REACHED, tol=tol).status is Status.GAP_REACHED
        assert make(status=Status.PRECISION, tol=tol).status is Status.GAP_REACHED
    assert make(status=Status.GAP_REACHED).status is not Status.GAP_REACHED


def test_a_gap_that_is_not_reached_is_not_said_to_be():
    made = soft(status=Status.MAX_ITER)
    less = math.nextafter(made.gap, 0.0)
    assert soft(status=Status.GAP_REACHED, tol=less).status is Status.PRECISION
    document = made.to_dict()
    document["account"] |= {"status": "GAP_REACHED", "tol": less}
    with pytest.raises(CertificateError, match="GAP_REACHED contradicts the gap"):
        Certificate.from_dict(document)


def test_a_margin_out_of_reach_is_above_the_bound():
    for make in (separation, undecided):
        made = make(status=Status.NO_SUCH_MARGIN, min_margin=1.01)
        assert made.status is Status.NO_SUCH_MARGIN and made.upper == 1.0
        for least in (1.0, 0.5):
            document = made.to_dict()
            document["account"]["min_margin"] = least
            with pytest.raises(CertificateError, match="NO_SUCH_MARGIN contradicts the upper"):
                Certificate.from_dict(document)
            settled = make(status=Status.NO_SUCH_MARGIN, min_margin=least).status
            assert settled is Status.PRECISION


def test_the_account_of_a_model_is_judged_too():
    made = refuted(status=Status.MAX_ITER)
    assert made.model_account.status is Status.MAX_ITER and made.status is Status.NOT_SEPARABLE
    for status, message in [
        ("GAP_REACHED", "GAP_REACHED contradicts"),
        ("NO_SUCH_MARGIN", "NO_SUCH_MARGIN contradicts"),
        ("NOT_SEPARABLE", "a model cannot have the status"),
        ("SEPARATED", "a model cannot have the status"),
    ]:
        document = made.to_dict()
        document["model"]["account"]["status"] = status
        with pytest.raises(CertificateError, match=message):
            Certificate.from_dict(document)
    maker = certifier(SAME)
    account = Account(status=Status.GAP_REACHED, tol=1e-9)
    model = maker.soft_model([0.1], C=1.0, proof=Weighted([0, 3], [1, 1]), account=account)
    # The maker settles it; what is edited afterwards is refused.
    assert model.account.status is Status.PRECISION and model.soft.gap > 1e-9
    for proof in (
        maker.refuted(maker.refute([1, 2]), model),
        maker.undecided(Account(status=Status.TIME_LIMIT), model, proof=Weighted()),
    ):
        assert replaced(proof, of_model=dict(account=account)) is None
    assert isinstance(proof, Inconclusive)


def test_separation_and_soft_optimum_have_one_account():
    account = Account(status=Status.MAX_ITER)
    for made in (separation(status=Status.MAX_ITER), soft(status=Status.MAX_ITER)):
        assert replaced(made, of_model=dict(account=account)) is None
    parts = soft(status=Status.MAX_ITER).soft
    assert replaced(separation(status=Status.MAX_ITER), of_model=dict(soft=parts)) is None
    assert replaced(soft(status=Status.MAX_ITER), of_model=dict(soft=None)) is None


def test_separability_has_a_status_of_its_own():
    assert separation(status=Status.SEPARATED).status is Status.SEPARATED
    assert separation(status=Status.PRECISION).status is Status.SEPARATED
    assert undecided(status=Status.SEPARATED).status is Status.PRECISION
    assert undecided(status=Status.NOT_SEPARABLE).status is Status.PRECISION
    assert soft(status=Status.SEPARATED).status is Status.PRECISION


@given(
    case=cases(ordinary),
    status=st.sampled_from(Status),
    tol=st.none() | st.sampled_from([1e-9, 0.1, 1.0]),
    least=st.none() | st.sampled_from([1e-3, 1.0, 100.0]),
    kind=st.sampled_from(["hard", "soft"]),
)
def test_whatever_a_search_says_the_maker_settles_it(case, status, tol, least, kind):
    account = dict(status=status, tol=tol, min_margin=least)
    made = case.hard(**account) if kind == "hard" else case.soft(2.0, **account)
    assert isinstance(made, Separation | Inconclusive | NonSeparation | SoftOptimum)
    assert Certificate.from_json(made.to_json()) == made
    if made.status is Status.GAP_REACHED:
        assert made.gap <= tol
    if made.status is Status.NO_SUCH_MARGIN:
        assert made.upper < least
    if status.at_limit and status is not Status.PRECISION:
        assert made.status in (status, Status.NOT_SEPARABLE)


def test_the_account_is_told_apart_from_what_is_proved():
    made = separation(status=Status.GAP_REACHED, tol=0.5, asked="MaxMargin(tol=0.5)", n_updates=9)
    *proved, account = str(made).splitlines()
    assert account == (
        "Run (not proved): MaxMargin(tol=0.5): 9 updates. The bounds are as close as was asked "
        "for: 0.5."
    )
    assert "MaxMargin" not in "".join(proved)
    assert "MaxMargin" not in made.verify(LINE, Y).sentence
    excluded = undecided(status=Status.NO_SUCH_MARGIN, min_margin=2.0)
    assert str(excluded).endswith(
        "0 updates. No separator with the margin that was asked for (min_margin) exists: 2."
    )
