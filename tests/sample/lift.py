"""The signed, lifted examples of a sample, every coordinate written out."""

import math

import numpy as np

from novikoff.sample import Sample


def lifted_examples(sample: Sample, X) -> np.ndarray:
    """The examples as the rules see them: the lift of the intercept, and one for each slack."""
    parts = [np.asarray(X, dtype=np.float64) - sample.centre]
    if sample.affine:
        parts.append(np.full((len(X), 1), math.sqrt(sample.frame.lift2)))
    Z = np.hstack(parts) * sample.signs[:, None]
    return np.hstack([Z, math.sqrt(sample.frame.slack2) * np.eye(len(X))])
