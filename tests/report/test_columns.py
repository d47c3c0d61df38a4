"""Columns that the summary of a fit names."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.data import Table
from novikoff.data.encoding import ColumnEncoding, Encoding
from novikoff.report.columns import FEWEST_ROWS, Columns
from novikoff.sample.scale import column_exponents

RNG = np.random.default_rng(0)
N = 40
MASS, LENGTH = RNG.normal(4000.0, 800.0, N), RNG.normal(40.0, 5.0, N)
NUMBER, SITE = RNG.permutation(N) + 101.0, np.full(N, 7.0)
KINDS = [np.asarray, np.asfortranarray, sparse.csr_matrix]


def columns(*parts, names=None, kind=np.asarray, weights=None, exponents=None):
    X = kind(np.column_stack(parts))
    y = np.arange(X.shape[0]) % 2
    return Columns.of(Table(X, y, names, None, weights), exponents)


def lines(found):
    return [line for _, text in found.rows() for line in text.splitlines()]


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_named(kind):
    names = ("mass", "length", "number", "a site")
    found = columns(MASS, LENGTH, NUMBER, SITE, names=names, kind=kind)
    assert lines(found) == [
        "'mass' carries 99 % of the squared distance to the mean and outweighs the others: "
        "add --scale",
        "'a site' is constant",
        "'number' looks like an identifier (whole numbers, all different): "
        "--drop number leaves it out",
    ]
    variances = np.array([MASS, LENGTH, NUMBER]).var(axis=1)
    assert found.share == pytest.approx(variances[0] / variances.sum(), rel=1e-9)
    told = found.document()
    assert told | {"share": 0} == dict(
        heaviest="mass", share=0, constant=["a site"], identifiers=["number"]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_say(kind):
    found = columns(LENGTH, LENGTH[::-1] ** 2 / 80.0, kind=kind)
    assert found.rows() == []
    # Of the columns that are not constant, one alone outweighs no other.
    assert lines(columns(MASS, SITE, kind=kind)) == ["feature 1 is constant"]


def test_without_names_by_position():
    assert lines(columns(np.arange(N), SITE, SITE, SITE, SITE, LENGTH)) == [
        "feature 1, feature 2, feature 3 and 1 more are constant",
        "feature 0 looks like an identifier (whole numbers, all different)",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_rows_some_of_which_were_left_out(kind):
    number = np.delete(np.arange(N + 5), [3, 7, 8, 20, 44]) + 1001.0
    assert columns(number, LENGTH, kind=kind).identifiers == [0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "column",
    [
        np.arange(N) + 0.5,
        np.r_[0.0, np.arange(N - 1)],
        np.arange(N) * 2.0,
        np.r_[0.0, N - 1.0, np.full(N - 2, 1.5)],
    ],
)
def test_what_is_no_identifier(column, kind):
    assert columns(column, LENGTH, kind=kind).identifiers == []


def test_an_identifier_that_outweighs_the_others_is_to_be_left_out_not_scaled():
    found = columns(1000.0 + np.arange(N), LENGTH / 100.0, names=("id", "length"))
    assert found.heaviest == 0
    assert lines(found) == [
        "'id' looks like an identifier (whole numbers, all different): --drop id leaves it out"
    ]


def test_consecutive_days_are_no_identifier():
    names = ("colour=blue", "colour=red", "day", "number")
    colour = np.arange(N) % 2
    X = np.column_stack([colour, 1 - colour, np.arange(N) + 19_000, NUMBER])
    words = ColumnEncoding("colour", "words", ("blue", "red"))
    encoding = Encoding((words, ColumnEncoding("day", "date"), ColumnEncoding("number")))
    table = Table(X, colour, names, encoding=encoding)
    assert Columns.of(table).document()["identifiers"] == ["number"]


def test_few_rows_have_no_identifiers():
    for n, wanted in ((FEWEST_ROWS - 1, []), (FEWEST_ROWS, [0])):
        assert columns(np.arange(n), RNG.normal(size=n)).identifiers == wanted


def test_in_the_units_of_the_fit():
    X = np.column_stack([MASS, LENGTH])
    assert columns(MASS, LENGTH).heaviest == 0
    assert columns(MASS, LENGTH, exponents=tuple(column_exponents(X).tolist())).rows() == []
    # One that outweighs the others all the same is not advised to be scaled once more.
    (line,) = lines(columns(MASS, LENGTH, exponents=(0, 0)))
    assert line.endswith("outweighs the others")


def test_examples_without_weight_do_not_count():
    column = np.r_[np.full(N - 1, 7.0), 8.0]
    weights = np.r_[np.ones(N - 1), 0.0]
    assert columns(column, LENGTH, weights=weights).constant == [0]
    assert columns(column, LENGTH).constant == []


def test_numbers_whose_squares_overflow():
    assert columns(1e200 * MASS, LENGTH).heaviest is None


def test_names_are_quoted():
    found = columns(SITE, SITE, LENGTH, names=("hair=auburn", "hair=auburn, grey", "length"))
    assert lines(found) == ["'hair=auburn' and 'hair=auburn, grey' are constant"]
