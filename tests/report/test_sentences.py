"""What certificates say to people: short numbers, none of them rounded to the wrong side."""

import math

import numpy as np
import pytest

from novikoff.certificate import (
    PerClass,
    Status,
    certify_margin,
    certify_nonseparable,
    certify_soft,
)
from novikoff.report.sentences import parts_of, price, shown, told, verdict

X = np.array([[0.0], [1.0], [2.0], [3.0]])
ENDS, MIDDLE = np.array([1, -1, -1, -1]), np.array([-1, 1, -1, -1])
RUN = {"affine": True, "status": Status.GAP_REACHED, "n_updates": 3}


def separation(signs=ENDS, **other):
    claim = {"support": [0, 1], "weights": [1, 1], "coef": [-1.0], "intercept": 0.6} | RUN | other
    return certify_margin(X, signs, **claim)


def soft(**other):
    return certify_soft(
        X, MIDDLE, coef=[-0.1], delta=0.5, support=[0, 1], weights=[1, 1], **RUN | other
    )


def refuted(**other):
    return certify_nonseparable(X, MIDDLE, support=[0, 1, 2], affine=True, **other)


def test_a_separation():
    assert told(separation()) == [
        "Separable: the hyperplane separates all 4 examples with margin at least 0.4, "
        "and no hyperplane has more than 0.5 (gap 20 %)."
    ]
    assert told(separation(support=[], weights=[])) == [
        "Separable: the hyperplane separates all 4 examples with margin at least 0.4; "
        "no upper bound was proved."
    ]


def test_the_origin_is_named():
    assert "no hyperplane through the origin has less than" in told(soft(affine=False))[0]


def test_the_others_say_it_themselves():
    for certificate in (refuted(), separation(coef=[1.0], intercept=-0.5)):
        assert told(certificate) == str(certificate).splitlines()[:-1]


def test_several_classes():
    parts = [
        separation(positive="a"),
        refuted(positive="b"),
        separation(coef=[1.0], positive="c"),
        soft(positive="d"),
    ]
    certificate = PerClass(classes=tuple("abcd"), certificates=tuple(parts))
    assert parts_of(certificate) == tuple(parts)
    lines = told(certificate)
    assert lines[0] == (
        "Of 4 classes, each against the rest, 1 is separable, 1 is proved not to be, "
        "1 is undecided and 1 is fitted with slack."
    )
    assert lines[1] == "a: separable, margin 0.4 to 0.5 (gap 20 %)"
    assert lines[2] == "b: not separable, 3 examples prove it"
    assert lines[3] == "c: undecided, no margin above 0.5"
    assert lines[4].startswith("d: soft margin, C = 2, objective ")
    assert verdict(certificate) is False


def test_verdicts():
    assert verdict(separation()) is True
    assert verdict(refuted()) is False
    assert verdict(soft()) is None


def test_prices():
    assert price(soft()) == 2.0
    assert price(None) == math.inf


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-9, 1e-5, 0.1])
def test_bounds_are_short_and_safe(gap):
    low, high = 1 / 3 - gap, 1 / 3
    least, most = shown(low, high)
    assert float(least) <= low <= high <= float(most)
    assert len(least) <= 8 and len(most) <= 8
