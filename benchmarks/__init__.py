"""Benchmarks side by side with the peers: ratios taken in one run, one thread on each side."""

import os

# The libraries read these when they are first imported.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"
