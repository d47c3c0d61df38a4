"""An rbf kernel for many examples: random features, then a linear classifier with its proof.

A kernel classifier costs the square of the number of examples. Random Fourier features (RBFSampler)
or the Nystroem method make columns whose inner products are nearly the kernel's, and MaxMargin on
them costs a few passes, also for a million examples. The certificate is then of these columns: it
proves what it says of the approximate kernel.

Usage: python random_features.py [number of examples]
"""

import sys
import time

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import make_pipeline

from novikoff import MaxMargin


def rings(n: int, random_state: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points in the plane, labelled by whether the ring that they lie in is odd."""
    generator = np.random.default_rng(random_state)
    X = generator.uniform(-2.0, 2.0, (n, 2))
    return X, np.floor(np.hypot(*X.T) * 1.5).astype(int) % 2


def main(n: int) -> None:
    """Fit with both kinds of features, and print time, error and proof."""
    X, y = rings(n, 0)
    X_test, y_test = rings(10_000, 1)
    for features in (
        RBFSampler(gamma=3.0, n_components=200, random_state=0),
        Nystroem(gamma=3.0, n_components=200, random_state=0),
    ):
        model = make_pipeline(features, MaxMargin(C=10.0))
        started = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - started
        wrong = 100.0 * float(np.mean(model.predict(X_test) != y_test))
        print(f"{type(features).__name__}: {n} examples in {seconds:.1f} s, {wrong:.1f} % errors")
        print(f"  {model[-1].certificate_.headline()}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
