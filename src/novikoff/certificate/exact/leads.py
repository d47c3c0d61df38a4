"""How far the score of each example's own class leads that of every other class.

A model of ``K`` classes has the scores ``f_r(x) = w_r·x + b_r``. The *lead* of an example of class
``y`` is ``min_{r≠y} f_y(x) - f_r(x)``; the least lead over ``√2 ‖W‖`` (Frobenius norm) is the
model's margin, and the leads take the place of the signed values ``y (w·x + b)`` in the soft-margin
objective. For two classes and ``W = (-v, v)/2`` both are those of the hyperplane ``v``.

**Enclosure.** By :mod:`novikoff.certificate.exact.prediction` the scores are known as ``v_r`` with
bounds ``e_r`` on their errors, which exceed what the lemma of the filter needs by more than
``13 u M_r``, where ``u = 2**-53`` and ``M_r`` is the sum of moduli that bounds ``|v_r|``. The
difference ``v_y - v_r`` is rounded once, by at most ``2 u (M_y + M_r)``, and so is the sum
``e_y + e_r``, by less; so ``f_y - f_r`` is within the rounded ``e_y + e_r`` of the rounded
difference.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from novikoff.certificate.exact.dyadic import Dyadic, rational
from novikoff.certificate.exact.filter import squares_between
from novikoff.certificate.exact.margins import NO_ROWS, Bound, least_over_norm
from novikoff.certificate.exact.prediction import (
    Errors,
    Mask,
    filtered_scores,
    rounded_scores,
    score_blocks,
    undecided,
)
from novikoff.certificate.exact.slack import SQUARED_HINGE, Primal, least_scale, objective
from novikoff.certificate.examples.blocks import Floats, Indices, count_values, take

EXACT_LEADS = 1 << 11
"""Up to this many values, times classes, the objective is computed in exact arithmetic."""


@dataclass(frozen=True, eq=False)
class Leads:
    """Floats on either side of the lead of every example, and the training errors.

    An example is an error if the first largest of its correctly rounded scores is not that of its
    class, as in :func:`~novikoff.certificate.exact.prediction.joint_errors`.
    """

    X: Any
    codes: Indices
    coef: Floats
    intercept: Floats
    taking_part: Mask | None
    low: Floats
    high: Floats
    errors: Errors

    @classmethod
    def of(
        cls,
        X: Any,
        codes: Indices,
        coef: Floats,
        intercept: Floats,
        taking_part: Mask | None = None,
    ) -> "Leads":
        """In one pass over the examples, of which those count that take part; by default, all.

        Examples
        --------
        >>> leads = Leads.of(np.eye(3), np.array([0, 1, 1]), np.eye(3), np.zeros(3))
        >>> leads.errors.count, leads.low.round(9)
        (1, array([ 1.,  1., -1.]))
        """
        low, high = np.empty(codes.size), np.empty(codes.size)
        fixed: Mask = np.logical_not(coef.any(axis=1))
        n_wrong, left = 0, [NO_ROWS]
        with np.errstate(all="ignore"):
            for first, values, errors in score_blocks(X, coef, intercept):
                part = slice(first, first + len(values))
                own = codes[part]
                low[part], high[part] = lead_bounds(values, errors, own)
                wrong = values.argmax(axis=1) != own
                if taking_part is not None:
                    wrong &= taking_part[part]
                doubtful = undecided(values, errors, fixed, signs=False)
                wrong[doubtful] = False
                n_wrong += int(np.count_nonzero(wrong))
                left.append(first + doubtful)
        rows = np.concatenate(left)
        if taking_part is not None:
            rows = rows[taking_part[rows]]
        if rows.size:
            with np.errstate(all="ignore"):
                values, errors = filtered_scores(X, rows, coef, intercept)
                ends = lead_bounds(values, errors, codes[rows])
                low[rows] = np.maximum(low[rows], ends[0])
                high[rows] = np.minimum(high[rows], ends[1])
                doubtful = undecided(values, errors, fixed, signs=False)
            for column, (w, b) in enumerate(zip(coef, intercept, strict=True)):
                values[doubtful, column] = rounded_scores(X, rows[doubtful], w, float(b))
            n_wrong += int(np.count_nonzero(values.argmax(axis=1) != codes[rows]))
            rows = rows[doubtful]
        found = Errors(n_wrong, rows)
        return cls(X, codes, coef, intercept, taking_part, low, high, found)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The floats on either side."""
        return self.low, self.high

    def margin(self, *, thorough: bool = False) -> Bound:
        """A lower bound on the model's margin; minus infinity where all scores are constant.

        With ``thorough`` it is the largest float that is not above the margin.
        """
        if not self.coef.any():
            return Bound(-np.inf, True, NO_ROWS)

        def norm2(thorough: bool) -> tuple[fmpq, fmpq]:
            low, high = squares_between(self.coef.ravel(), thorough=thorough)
            return 2 * low, 2 * high

        return least_over_norm(
            self.ends,
            norm2,
            lambda rows: min(min(leads) for leads in self.exact(rows)),
            lambda rows: len(self.coef) * count_values(self.X, rows),
            self.taking_part,
            thorough=thorough,
        )

    def objective(
        self,
        C: float,
        costs: Floats | None,
        *,
        loss: str = SQUARED_HINGE,
        thorough: bool = False,
    ) -> Primal:
        """Enclose ``‖W‖² + C Σ s_i max(0, 1 - lead_i)²``, where the costs are the ``s_i``.

        With the loss ``"hinge"`` the hinges are not squared.
        """
        thorough = thorough or len(self.coef) * count_values(self.X) <= EXACT_LEADS
        norm2 = squares_between(self.coef.ravel(), thorough=thorough)
        return objective(norm2, self.ends, C, costs, self.exact, loss=loss, thorough=thorough)

    def best_scale(self, C: float, costs: Floats | None) -> float:
        """The scale ``s > 0`` at which the objective of ``s W`` is least; 1 where there is none.

        Only to floating-point accuracy, for nothing is claimed of it.
        """
        with np.errstate(all="ignore"):
            middle = 0.5 * self.low + 0.5 * self.high
            penalties = np.broadcast_to(2.0 * C * (1.0 if costs is None else costs), middle.shape)
            scale = float(least_scale(middle, 2.0 * np.square(self.coef).sum(), penalties))
            usable = all(np.isfinite(scale * part).all() for part in (self.coef, self.intercept))
        return scale if 0.0 < scale < np.inf and usable else 1.0

    def exact(self, rows: Indices) -> Iterator[list[fmpq]]:
        """The exact leads of some rows: a list for each block of them."""
        offsets = Dyadic.of(self.intercept)
        for block in take(self.X, rows):
            products = [block.exact_products(np.ascontiguousarray(w)) for w in self.coef]
            common = min(offsets.exponent, *(exponent for _, exponent in products))
            table = [
                [(s << (exponent - common)) + (int(b) << (offsets.exponent - common)) for s in sums]
                for (sums, exponent), b in zip(products, offsets.integers, strict=True)
            ]
            leads = []
            for own, scores in zip(self.codes[block.rows], zip(*table, strict=True), strict=True):
                others = max(score for r, score in enumerate(scores) if r != own)
                leads.append(rational(scores[own] - others, common))
            yield leads


def lead_bounds(values: Floats, errors: Floats, own: Indices) -> tuple[Floats, Floats]:
    """Floats on either side of the leads, from scores and the bounds on their errors."""
    at, wide = (np.arange(own.size), own), np.broadcast_to(errors, values.shape)
    difference = values[at][:, None] - values
    reach = wide[at][:, None] + wide
    low, high = difference - reach, difference + reach
    low[at] = high[at] = np.inf
    # Rounded outward after the minimum, which is the same and takes less time.
    low, high = low.min(axis=1), high.min(axis=1)
    known = np.isfinite(low) & np.isfinite(high)
    return (
        np.where(known, np.nextafter(low, -np.inf), -np.inf),
        np.where(known, np.nextafter(high, np.inf), np.inf),
    )
