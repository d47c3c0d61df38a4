"""Two data sets of four examples: XOR, and a line that a threshold separates."""

import numpy as np

from novikoff.certificate import Account, Certifier, Status, Weighted

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
Y = ["even", "even", "odd", "odd"]
CONVERGED = Account(status=Status.CONVERGED)
LINE, SIDES = np.array([[3.0], [1.0], [-1.0], [-2.0]]), ["in", "in", "out", "out"]


def line(coef=1.0, **account):
    """A certificate of the line, for a hyperplane with this coefficient."""
    maker = Certifier.of(LINE, SIDES, positive="in", affine=True)
    usual = Account(**(dict(status=Status.CONVERGED) | account))
    return maker.hard(usual, coef=[coef], proof=Weighted([1, 2], [1, 1]))
