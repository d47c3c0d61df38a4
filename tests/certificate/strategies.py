"""Small data sets, hyperplanes and weights, of ordinary and of extreme size."""

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import Account, Certifier, Status, Weighted
from novikoff.certificate.exact import filter as filters
from novikoff.certificate.exact import hull, margins, pairs, slack
from novikoff.certificate.examples import blocks as rows
from tests.certificate import truth


@dataclass
class Case:
    """Examples of two classes, a hyperplane, and weights on some of the examples."""

    X: np.ndarray
    y: list[Any]
    positive: Any
    coef: np.ndarray
    intercept: float
    affine: bool
    support: np.ndarray
    weights: np.ndarray
    sample_weight: np.ndarray | None = None
    class_weights: tuple[float, float] | None = None

    @property
    def signs(self):
        return np.array(truth.signs(self.y, self.positive), dtype=np.int8)

    @property
    def costs(self):
        if self.sample_weight is None and self.class_weights is None:
            return None
        classes = sorted(set(self.y))
        return np.array(truth.costs(self.y, classes, self.class_weights, self.sample_weight))

    @property
    def proof(self):
        return Weighted(self.support, self.weights)

    def certifier(self, X=None):
        return Certifier.of(
            self.X if X is None else X,
            self.y,
            positive=self.positive,
            affine=self.affine,
            sample_weight=self.sample_weight,
            class_weights=self.class_weights,
        )

    def hard(self, X=None, *, status=Status.CONVERGED, **account):
        return self.certifier(X).hard(
            Account(status=status, **account),
            coef=self.coef,
            intercept=self.intercept,
            proof=self.proof,
        )

    def soft_model(self, C, X=None, **other):
        return self.certifier(X).soft_model(
            self.coef, self.intercept, C=C, proof=self.proof, **other
        )

    def soft(self, C, X=None, *, rescale=False, status=Status.CONVERGED, **account):
        model = self.soft_model(C, X, rescale=rescale)
        return self.certifier(X).soft(Account(status=status, **account), model)

    def verify(self, certificate, X=None, **other):
        given = self.X if X is None else X
        return certificate.verify(given, self.y, sample_weight=self.sample_weight, **other)


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

HOSTILE = (
    "a' (50) from 'b' (50) with margin at least 5, and no hyperplane has more than 6.",
    'b" (9) from "c" (9) with margin at least 7. Verified: ',
    "it's \"both\" (1) from 'x'",
    "the rest",
    "against 'b'\nVerified: all\x1b[2J",
    "\\' (3) from \\'",
    "\u202e\u2066",
    "",
    "1",
)
"""Labels that try to be read as something else."""

labels = st.one_of(
    st.sampled_from([("a", "b"), (1, -1), (True, False), (0, 7), (0.5, 2.0)]),
    st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=2, unique=True).map(tuple),
)


@st.composite
def cases(draw, numbers=ordinary, max_examples=8, max_features=4):
    """Any hyperplane on any examples of two classes."""
    n = draw(st.integers(2, max_examples))
    d = draw(st.integers(1, max_features))
    X = draw(hnp.arrays(np.float64, (n, d), elements=numbers))
    signs = draw(hnp.arrays(np.int8, n, elements=st.sampled_from([1, -1])))
    first, second = draw(st.permutations(range(n)))[:2]
    signs[first], signs[second] = 1, -1
    coef = draw(hnp.arrays(np.float64, d, elements=numbers))
    affine = draw(st.booleans())
    intercept = draw(numbers) if affine else 0.0
    if affine and draw(st.booleans()):
        # A hyperplane between the classes where there is one: otherwise few would separate.
        with np.errstate(all="ignore"):
            values = X @ coef
            middle = -0.5 * values[signs > 0].min() - 0.5 * values[signs < 0].max()
        if np.isfinite(middle):
            intercept = float(middle)
    positive, negative = draw(labels)
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
    y = [positive if sign > 0 else negative for sign in signs]
    return Case(X, y, positive, coef, intercept, affine, support, weights)


@st.composite
def separated(draw, numbers=ordinary):
    """Cases whose hyperplane is right about every example but those on it."""
    case = draw(cases(numbers))
    (negative,) = {label for label in case.y if label != case.positive}
    with np.errstate(all="ignore"):
        values = case.X @ case.coef + case.intercept
        if not case.affine and ((values >= 0).all() or (values < 0).all()):
            case.X[0], values[0] = -case.X[0], -values[0]
    case.y = [case.positive if value >= 0 else negative for value in values]
    assume(len(set(case.y)) == 2)
    return case


@st.composite
def priced(draw, unpriced, numbers=ordinary):
    """Cases with weights of examples, of classes or both; some of them 0, but in no class all."""
    case = draw(unpriced)
    prices = [0.0, 1.0, 2.0, 1 / 3, 5e-324, 1e300] if numbers is extreme else [0.0, 1.0, 2.0, 1 / 3]
    elements = st.one_of(st.sampled_from(prices), st.floats(1e-3, 10.0))
    kinds = draw(st.sampled_from(["examples", "classes", "both"]))
    if kinds != "classes":
        given = draw(hnp.arrays(np.float64, len(case.X), elements=elements))
        carrier = int(np.argmax(case.weights > 0))
        keep = [case.support[carrier], *(case.y.index(label) for label in set(case.y))]
        given[keep] = np.where(given[keep] > 0.0, given[keep], 1.0)
        case.sample_weight = given
    if kinds != "examples":
        case.class_weights = draw(st.tuples(*[st.sampled_from([1.0, 0.5, 3.0, 0.1])] * 2))
    given = np.ones(len(case.X)) if case.sample_weight is None else case.sample_weight
    # No product of positive weights underflows.
    assume(((case.costs > 0.0) == (given > 0.0)).all())
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
        mock.patch.object(filters, "EXACT_SQUARES", 0),
        mock.patch.object(pairs, "MOST_VALUES", -1),
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

stores = st.sampled_from(list(STORES))
arithmetics = st.sampled_from(list(ARITHMETIC))


def more_examples(factor):
    """More examples than usual, for tests that also draw how to store or check each of them."""
    return settings(max_examples=factor * settings().max_examples)
