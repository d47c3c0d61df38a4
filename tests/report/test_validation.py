"""What the summary says of the choice of C."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from novikoff.report.validation import choice_row

LARGEST = "This is the largest C that has a score; a larger one"
SMALLEST = "This is the smallest C that has a score; a smaller one"


@pytest.mark.parametrize(
    ("C", "hard", "said"),
    [
        (10.0, np.nan, LARGEST),
        (1.0, np.nan, None),
        (10.0, 0.7, None),
        (inf, 0.9, None),
        (0.1, np.nan, SMALLEST),
        (0.1, 0.7, SMALLEST),
    ],
)
def test_a_best_c_at_an_end_of_the_grid_is_named(C, hard, said):
    Cs = np.array([0.1, 1.0, 10.0, inf])
    scores = np.where(Cs == C, 0.8, 0.75)[np.newaxis] * np.ones((5, 1))
    scores[:, -1] = hard
    row = choice_row(SimpleNamespace(C_=C, Cs_=Cs, scores_=scores))
    assert [end for end in (LARGEST, SMALLEST) if end in row[1]] == ([said] if said else [])


def test_an_end_that_is_as_good_as_others_is_not_named():
    row = choice_row(SimpleNamespace(C_=0.1, Cs_=np.array([0.1, 1.0]), scores_=np.ones((5, 2))))
    assert "that has a score" not in row[1]
