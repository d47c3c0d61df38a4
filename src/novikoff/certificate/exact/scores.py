from dataclasses import dataclass

import numpy as np

from novikoff.certificate.exact.margins import exact_values


@dataclass
class Errors:
    count: int
    exact_rows: object


def count_errors(X, signs, coef, intercept, values=None, taking_part=None):
    low, high = values
    wrong = np.where(signs > 0, high < 0, high <= 0)
    unclear = (low <= 0) & (high >= 0)
    rows = np.flatnonzero(unclear)
    if rows.size:
        ex = [v for b in exact_values(X, signs, rows, coef, intercept) for v in b]
        for r, v in zip(rows, ex):
            wrong[r] = (v < 0) if signs[r] > 0 else (v <= 0)
    if taking_part is not None:
        wrong &= taking_part
    return Errors(int(wrong.sum()), rows)


def scores(X, coef, intercept):
    return np.asarray(X @ coef.T) + intercept


def joint_errors(X, codes, coef, intercept, taking_part=None):
    s = scores(X, coef, intercept)
    p = (s[:, 0] >= 0).astype(int) if s.shape[1] == 1 else s.argmax(1)
    w = p != codes
    if taking_part is not None:
        w &= taking_part
    return Errors(int(w.sum()), np.empty(0, dtype=np.int64))
