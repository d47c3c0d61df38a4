"""Small data sets, hyperplanes and weights, of ordinary and of extreme size."""

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from unittest import mock

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate.exact import hull, margins, slack
from novikoff.certificate.examples import blocks as rows


@dataclass
class Case:
    X: np.ndarray
    signs: np.ndarray
    coef: np.ndarray
    intercept: float
    affine: bool
    support: np.ndarray
    weights: np.ndarray
    costs: np.ndarray | None = None


ordinary = st.one_of(
    st.integers(-4, 4).map(float),
    st.floats(-10, 10),
    st.sampled_from([0.1, -0.1, 1 / 3, 1e-3, 255.0]),
)
extreme = st.one_of(
    ordinary,
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1e300, -1e300, 1e-300, 5e-324, -5e-324, 1.7e308, 2.0**-1022]),
)


@st.composite
def cases(draw, numbers=ordinary, max_examples=8, max_features=4):
    n = draw(st.integers(1, max_examples))
    d = draw(st.integers(1, max_features))
    X = draw(hnp.arrays(np.float64, (n, d), elements=numbers))
    signs = draw(hnp.arrays(np.int8, n, elements=st.sampled_from([1, -1])))
    coef = draw(hnp.arrays(np.float64, d, elements=numbers))
    affine = draw(st.booleans())
    intercept = draw(numbers) if affine else 0.0
    if affine and draw(st.booleans()) and (signs > 0).any() and (signs < 0).any():
        # A hyperplane between the classes where there is one: otherwise few would separate.
        with np.errstate(all="ignore"):
            values = X @ coef
            middle = -0.5 * values[signs > 0].min() - 0.5 * values[signs < 0].max()
        if np.isfinite(middle):
            intercept = float(middle)
    size = draw(st.integers(1, n))
    support = np.array(draw(st.permutations(range(n)))[:size])
    counts = st.integers(0, 10**15)
    reals = st.floats(0, 1e300) if numbers is extreme else st.floats(0, 1e3)
    weights = draw(
        st.one_of(
            hnp.arrays(np.int64, size, elements=counts),
            hnp.arrays(np.float64, size, elements=reals),
        )
    )
    weights[draw(st.integers(0, size - 1))] = 1
    return Case(X, signs, coef, intercept, affine, support, weights)


def separated(numbers=ordinary):
    """Cases whose hyperplane is right about every example but those on it."""

    def turn(case):
        with np.errstate(all="ignore"):
            values = case.X @ case.coef + case.intercept
        case.signs = np.where(values >= 0, 1, -1).astype(np.int8)
        return case

    return cases(numbers).map(turn)


@st.composite
def priced(draw, unpriced, numbers=ordinary):
    """Cases with costs, some of them 0, where there is no weight."""
    case = draw(unpriced)
    prices = [0.0, 1.0, 2.0, 1 / 3, 5e-324, 1e300] if numbers is extreme else [0.0, 1.0, 2.0, 1 / 3]
    elements = st.one_of(st.sampled_from(prices), st.floats(0.0, 10.0))
    case.costs = draw(hnp.arrays(np.float64, len(case.X), elements=elements))
    carrier = int(np.argmax(case.weights > 0))
    case.costs[case.support[carrier]] = draw(st.sampled_from([1.0, 0.5, 3.0]))
    case.weights[case.costs[case.support] == 0.0] = 0
    return case


STORES = {
    "dense": lambda X: X,
    "fortran": np.asfortranarray,
    "csr": sparse.csr_array,
}


@contextmanager
def filter_first():
    """Leave to exact arithmetic only what the filter cannot decide, however little it is."""
    with (
        mock.patch.object(margins, "EXACT_VALUES", 0),
        mock.patch.object(hull, "EXACT_VALUES", 0),
        mock.patch.object(hull, "_LARGEST_EXACT", 0),
        mock.patch.object(slack, "EXACT_VALUES", 0),
    ):
        yield


@contextmanager
def small_blocks():
    """Read the data a few values at a time, so that small data has many blocks."""
    with mock.patch.object(rows, "BLOCK_VALUES", 3):
        yield


@contextmanager
def filter_small_blocks():
    with filter_first(), small_blocks():
        yield


ARITHMETIC = {
    "exact": nullcontext,
    "filter": filter_first,
    "exact blocks": small_blocks,
    "filter blocks": filter_small_blocks,
}
"""Ways through the checker that must all come to the same verdict."""
