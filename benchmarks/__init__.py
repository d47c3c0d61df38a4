"""Benchmarks against other libraries: ratios measured in one run, with one thread on each side."""

import os

# The libraries read these when they are first imported.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"
