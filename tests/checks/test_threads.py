"""A fit and a check in threads give the same to the last bit as in one."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.certificate import threads
from novikoff.certificate.examples import blocks
from novikoff.sample import storage

STORES = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: np.clip(40 * X + 128, 0, 255).astype(np.uint8),
    "csr": sparse.csr_matrix,
}


@pytest.fixture
def small_blocks(monkeypatch):
    """Let small data have many blocks."""
    monkeypatch.setattr(storage, "CHUNK_BYTES", 1 << 12)
    monkeypatch.setattr(blocks, "BLOCK_VALUES", 1 << 7)
    monkeypatch.setattr(threads, "SLICE", 1 << 6)


def examples(noise, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(900, 12))
    y = np.where(X[:, 0] + noise * rng.normal(size=900) > 0.0, 1, -1)
    X[:, 0] += 0.2 * y
    return X, y


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(
    ("model", "noise"),
    [
        (MaxMargin(C=1.0, tol=1e-6), 1.0),
        (MaxMargin(tol=1e-6), 0.0),
        (MaxMargin(), 1.0),
        (Perceptron(max_iter=20, random_state=0), 0.0),
    ],
)
def test_fits_and_checks_do_not_depend_on_threads(model, noise, store):
    X, y = examples(noise)
    X = STORES[store](X)
    fitted = [model.set_params(n_jobs=n_jobs).fit(X, y) for n_jobs in (1,)]
    coef, certificate = fitted[0].coef_.copy(), fitted[0].certificate_
    verified = certificate.verify(X, y)
    for n_jobs in (2, 3):
        again = model.set_params(n_jobs=n_jobs).fit(X, y)
        assert np.array_equal(again.coef_, coef)
        assert again.certificate_ == certificate
        assert certificate.verify(X, y, n_jobs=n_jobs) == verified


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_verdicts_do_not_depend_on_threads(noise):
    X, y = examples(noise, seed=1)
    one = is_separable(X, y)
    assert bool(one) is (noise == 0.0)
    for n_jobs in (2, 3):
        assert is_separable(X, y, n_jobs=n_jobs) == one


@pytest.mark.usefixtures("small_blocks")
def test_an_interrupted_pass_ends_in_good_order():
    X, y = examples(1.0)
    seen = []

    def stop(line):
        seen.append(line)
        raise KeyboardInterrupt

    clf = MaxMargin(C=100.0, tol=1e-12, n_jobs=2).set_callbacks(stop)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert len(seen) == 1
    clf.certificate_.verify(X, y, n_jobs=2)
