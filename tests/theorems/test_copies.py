"""The same numbers in another room: dense or CSR, any type, any layout, the same updates.

On small integers every sum is exact, so that equal order makes equal runs, to the last bit.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.data import planted
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of
from novikoff.sample.storage import Converted
from tests.data.layouts import read_only, with_duplicates, with_explicit_zeros, with_long_indices
from tests.theorems.problems import SEEDS, integer_problems, orders
from tests.theorems.rule_sets import UNIT_STEP_RULES
from tests.theorems.runs import mostly_decided, settle

COPIES = {
    "float32": lambda X: storage_of(X.astype(np.float32)),
    "uint8": lambda X: storage_of(X.astype(np.uint8)),
    "int64": lambda X: storage_of(X.astype(np.int64)),
    "int8": lambda X: storage_of(X.astype(np.int8)),
    "Fortran order": lambda X: storage_of(np.asfortranarray(X)),
    "read-only": lambda X: storage_of(read_only(X)),
    "strided": lambda X: storage_of(np.repeat(X, 2, axis=1)[:, ::2]),
    "CSR": lambda X: storage_of(sparse.csr_matrix(X)),
    "CSR int64 indices": lambda X: storage_of(with_long_indices(X)),
    "CSR float32": lambda X: storage_of(sparse.csr_matrix(X.astype(np.float32))),
    "CSR int32 values": lambda X: storage_of(sparse.csr_matrix(X.astype(np.int32))),
    "CSR stored zeros": lambda X: storage_of(with_explicit_zeros(X)),
    "CSR unsorted": lambda X: storage_of(with_duplicates(X)),
    "blocks": lambda X: Converted(X.astype(np.int64)),
    "CSR blocks": lambda X: Converted(sparse.csr_matrix(X.astype(np.int16))),
}


# Integers do not fit into the unit ball of Algorithm 4.
RULES = [rule for name, rule in UNIT_STEP_RULES.items() if name != "infinity"]


def assert_same_run(one, two):
    assert one.status is two.status
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.memory.stamps, two.memory.stamps)
    np.testing.assert_array_equal(one.memory.w, two.memory.w)
    np.testing.assert_array_equal(one.memory.state, two.memory.state)
    assert one.bounds.upper == two.bounds.upper


@pytest.mark.parametrize("copy", COPIES)
@mostly_decided
@given(
    problem=integer_problems(intercept=True),
    rule=st.sampled_from(RULES),
    how=st.sampled_from([{}, {"slack2": 4.0}, {"affine": False, "slack2": 1.0}]),
    seed=SEEDS,
)
def test_equal_runs(copy, problem, rule, how, seed):
    X = problem.X - problem.X.min()  # uint8 has no negative numbers
    order = orders(len(problem.y), seed)
    dense = settle(Sample.of(storage_of(X), problem.y, order=order, **how), rule)
    other = settle(Sample.of(COPIES[copy](X), problem.y, order=order, **how), rule)
    if dense is not None and other is not None:
        assert_same_run(dense, other)
        one, two = dense.sample.model(dense.weights), other.sample.model(other.weights)
        np.testing.assert_array_equal(one[0], two[0])
        assert one[1] == two[1]


@pytest.mark.parametrize("copy", ["blocks", "CSR blocks"])
def test_several_blocks(copy):
    """A sample converted block by block, in blocks smaller than a pass."""
    p = planted(200, 6, 0.02, intercept=True, random_state=1)
    X = np.rint(50 * p.X) + 60
    room = COPIES[copy](X)
    room.chunk = 37
    order = orders(200, 3)
    limits = Limits(max_iter=8)
    for rule in RULES:
        dense = run(Sample.of(storage_of(X), p.y, order=order), rule, clock=Clock(limits))
        blocks = run(Sample.of(room, p.y, order=order), rule, clock=Clock(limits))
        assert_same_run(dense, blocks)
