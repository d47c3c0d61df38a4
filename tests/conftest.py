"""Hypothesis profiles: HYPOTHESIS_PROFILE=ci (the default) or thorough; what tests share."""

import os
import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_digits

# "ci" draws the same examples in every run, so that a failure there is never luck. Compiling on
# the first call and a busy machine make single examples slow: time is no criterion in either.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=1000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def few_digits():
    X, y = load_digits(return_X_y=True)
    return (X[:300] / 16).astype(np.float32), y[:300]


@pytest.fixture
def default_handler():
    """Python's own answer to Ctrl-C, which workers that run tests side by side ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
