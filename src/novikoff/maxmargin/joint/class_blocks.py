"""The preconditioner of Newton's method on sparse rows: one block for each class."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from novikoff.compiled import joint_conjugate as compiled
from novikoff.compiled.joint_conjugate import Curved
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.joint.problem import Ids, Vector

MOMENT, SOLVE, VALUE = 4.0, 6.0, 20.0
"""What a product of two values of a row takes, a number of a block, and a value of a sparse row in
a product with the Hessian, in multiplications of a factorisation. Rough estimates from a profile of
10,000 x 800 and 20,000 x 1,000 values, five classes, on a busy machine; not varied."""


class ClassBlocks:
    """Second derivatives along the numbers of one class, and their inverse.

    Exact along the intercept and some columns; along each of the others alone.

    Parameters
    ----------
    rows : CSR
        With the columns of each row in order.
    curved : Curved
        The examples whose hinges curve.
    shift : array of shape (n_features,)
        What rows are relative to.
    shape : tuple
        Of a model.
    penalty : float
        The second derivatives of the penalty along each feature.
    hold : float
        What is added along the intercepts.
    most : int
        How many columns are exact, at most.
    """

    def __init__(
        self,
        rows: CSR,
        curved: Curved,
        shift: Vector,
        shape: tuple[int, int],
        penalty: float,
        hold: float,
        most: int,
    ) -> None:
        d, k = len(shift), shape[1]
        self.affine = shape[0] > d
        self.head = self._frequent(rows, curved, d, most)
        m = len(self.head)
        places = np.full(d, -1)
        places[self.head] = np.arange(m)
        blocks = np.zeros((k, m + int(self.affine), m + int(self.affine)))
        firsts, seconds, totals = np.zeros((d, k)), np.zeros((d, k)), np.zeros(k)
        work = compiled.class_moments(rows, curved, places, blocks, firsts, seconds, totals)
        self.build_work = MOMENT * work + k * float(m) ** 3 / 3.0
        """The multiplications of a factorisation that take as long as building the blocks."""
        values = float((rows.indptr[curved.ids + 1] - rows.indptr[curved.ids]).sum())
        self.solve_work = SOLVE * k * float(m) ** 2 + VALUE * values
        """Those that take as long as a product and a solution."""
        # About the shift.
        seconds += shift[:, None] * (shift[:, None] * totals - 2.0 * firsts)
        firsts -= shift[:, None] * totals
        self.curves = np.maximum(seconds, 0.0) + penalty
        self.factors = []
        at, inner = shift[self.head], slice(0, m)
        for r in range(k):
            block = blocks[r]
            # sum D (x - c)(x - c)^T = sum D x x^T - c g^T - g c^T - total c c^T, g about c.
            across = np.outer(firsts[self.head, r] + 0.5 * totals[r] * at, at)
            block[inner, inner] -= across + across.T
            block[np.arange(m), np.arange(m)] = self.curves[self.head, r]
            if self.affine:
                block[m, inner] = firsts[self.head, r]
                # Without a curved example of the class nothing else holds its intercept.
                block[m, m] = totals[r] + hold or 1.0
            block[np.diag_indices_from(block)] *= 1.0 + 1e-10
            self.factors.append(cho_factor(block, lower=True, overwrite_a=True, check_finite=False))

    @staticmethod
    def _frequent(rows: CSR, curved: Curved, d: int, most: int) -> Ids:
        """Return the columns with most squares among the curved examples, in order."""
        if d <= most:
            return np.arange(d, dtype=np.int64)
        squares = compiled.column_squares(rows, curved.ids, np.zeros(d))
        return np.sort(np.argpartition(-squares, most)[:most]).astype(np.int64)

    def solve(self, residual: Vector) -> Vector:
        """Return the inverse times a residual, its mean over the classes taken off.

        Equal changes of all classes change no difference of scores, and a gradient has none.
        """
        out = np.empty_like(residual)
        d = len(self.curves)
        out[:d] = residual[:d] / self.curves
        ids = np.append(self.head, d) if self.affine else self.head
        for r, factor in enumerate(self.factors):
            out[ids, r] = cho_solve(factor, residual[ids, r], check_finite=False)
        out -= out.mean(axis=1)[:, None]
        return out
