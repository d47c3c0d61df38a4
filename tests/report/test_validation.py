"""What the summary says of the choice of C."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from novikoff.report.validation import choice_row

LARGEST = "This is the largest C that has a score"


@pytest.mark.parametrize(
    ("C", "hard", "said"),
    [
        (10.0, np.nan, True),
        (1.0, np.nan, False),
        (10.0, 0.7, False),
        (inf, 0.9, False),
    ],
)
def test_a_best_c_at_the_end_of_the_grid_is_named(C, hard, said):
    Cs = np.array([0.1, 1.0, 10.0, inf])
    scores = np.where(Cs == C, 0.8, 0.75)[np.newaxis] * np.ones((5, 1))
    scores[:, -1] = hard
    row = choice_row(SimpleNamespace(C_=C, Cs_=Cs, scores_=scores))
    assert (LARGEST in row[1]) == said
