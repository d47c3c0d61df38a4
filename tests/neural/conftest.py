"""The small digits that scikit-learn bundles."""

import numpy as np
import pytest
from sklearn.datasets import load_digits


@pytest.fixture(scope="session")
def few_digits():
    X, y = load_digits(return_X_y=True)
    return (X[:300] / 16).astype(np.float32), y[:300]
