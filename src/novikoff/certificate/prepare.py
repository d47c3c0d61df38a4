"""Compiling the loops that check large tables, by calling each once."""

import numpy as np

from novikoff.certificate.exact import compiled_gram, compiled_sums
from novikoff.certificate.exact.sums import read_only
from novikoff.certificate.examples import compiled_hashing, compiled_rows
from novikoff.certificate.examples.blocks import NATIVE
from novikoff.certificate.feature_space import compiled_distances, compiled_exponential


def compile_checks() -> None:
    """Call every compiled loop of the checker on a table of one value, of each type."""
    number, place = read_only(np.ones(1)), read_only(np.zeros(1, dtype=np.int64))
    keys, hashes = read_only(np.ones((2, 1), np.uint64)), np.zeros(1, dtype=np.uint64)
    same = np.ones(1, dtype=np.bool_)
    for dtype in NATIVE:
        values = read_only(np.ones((1, 1), dtype))
        compiled_hashing.hash_dense(values, keys, hashes)
        compiled_sums.dense_sums(values, number, np.ones(1), np.ones(1))
        compiled_sums.dense_combine(values, place, number, np.ones(1), np.ones(1))
        compiled_rows.compare_dense(values, place, place, same)
        compiled_rows.compare_column(values[:, 0], place, place, same)
    compiled_hashing.hash_table(read_only(hashes), place, number, 2, 1)
    for index in (np.int32, np.int64):
        indices, ends = read_only(np.zeros(1, index)), read_only(np.array([0, 1], index))
        compiled_hashing.hash_sparse(number, indices, ends, hashes)
        compiled_sums.sparse_sums(number, indices, ends, number, np.ones(1), np.ones(1))
        compiled_sums.sparse_combine(number, indices, ends, place, number, np.ones(1), np.ones(1))
        compiled_gram.lower_gram(number, indices, ends, np.ones((1, 1)))
        compiled_rows.state(indices, ends, 1)
        compiled_rows.compare_sparse(number, indices, ends, place, place, same)
    compile_kernels()


def compile_kernels() -> None:
    """Call every compiled loop of kernels on a table of one value."""
    table, number = np.ones((1, 1)), np.ones(1)
    compiled_exponential.gaussian(table, number, number, 1.0)
    compiled_exponential.decay(table, 1.0)
    compiled_exponential.tanh(table, 1.0, 0.0)
    row, entry = read_only(np.ones((1, 1))), read_only(number)
    compiled_distances.dense(row, row, True, table)
    place, ends = read_only(np.zeros(1, np.int64)), read_only(np.array([0, 1]))
    compiled_distances.sparse(entry, place, ends, entry, place, ends, True, table)
