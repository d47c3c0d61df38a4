"""A fit and a check in threads give the same to the last bit as in one."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.certificate import NonSeparation, threads
from novikoff.certificate.exact import pairs
from novikoff.certificate.examples import blocks
from novikoff.estimators import margin_fit
from novikoff.maxmargin.choose.hard import hard_margin
from novikoff.maxmargin.choose.settings import ChooseSettings
from novikoff.sample import storage
from tests.maxmargin.problems import noisy, planted, text_like

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
    # Small tables are bounded in one piece.
    monkeypatch.setattr(pairs, "MOST_VALUES", -1)


@pytest.fixture
def submitted(monkeypatch, small_blocks):
    """What was handed to threads."""
    runs = []

    class Counting(ThreadPoolExecutor):
        def submit(self, work, /, *args, **options):
            runs.append(work)
            return super().submit(work, *args, **options)

    monkeypatch.setattr(threads, "ThreadPoolExecutor", Counting)
    return runs


def examples(noise, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(900, 12))
    y = np.where(X[:, 0] + noise * rng.normal(size=900) > 0.0, 1, -1)
    X[:, 0] += 0.2 * y
    return X, y


def text(n, d, noise):
    found = text_like(n, d, 20, noise=noise, random_state=0)
    return found.X, found.y


def results(model):
    """All that a fit leaves, without how long it took."""
    found = {
        name: np.asarray(getattr(model, name)).tobytes()
        for name in ("coef_", "intercept_", "support_", "dual_coef_", "n_iter_")
        if hasattr(model, name)
    }
    found["history_"] = [line[:-1] for line in model.history_]
    return found | {
        "solver_": getattr(model, "solver_", None),
        "certificate_": model.certificate_.to_json(),
    }


def assert_same_in_threads(model, X, y, submitted):
    """Fit and verify in one, two and three threads; return the model of one."""
    one = clone(model).set_params(n_jobs=1).fit(X, y)
    certificate, expected = one.certificate_, results(one)
    verified = certificate.verify(X, y)
    assert not submitted
    for n_jobs in (2, 3):
        several = clone(model).set_params(n_jobs=n_jobs).fit(X, y)
        assert len(submitted) > 20
        submitted.clear()
        assert results(several) == expected
        assert certificate.verify(X, y, n_jobs=n_jobs) == verified
        assert len(submitted) > 5
        submitted.clear()
    return one


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
def test_fits_and_checks_do_not_depend_on_threads(model, noise, store, submitted):
    X, y = examples(noise)
    assert_same_in_threads(model, STORES[store](X), y, submitted)


@pytest.mark.parametrize(
    ("solver", "C", "tol", "data"),
    [
        ("coordinate", 1.0, 1e-3, partial(text, 600, 800, 0.05)),
        ("coordinate+newton", 100.0, 1e-3, partial(text, 1500, 510, 0.5)),
        ("newton", 100.0, 1e-3, partial(text, 1500, 200, 0.1)),
        ("pivoting", 1.0, 1e-6, partial(noisy, 0, 200, 150)),
        ("coordinate+pivoting", 1.0, 1e-6, partial(noisy, 0, 300, 500)),
        ("newton", 1.0, 1e-6, partial(noisy, 0, 30_000, 8)),
        ("newton+wolfe", 1e4, 1e-6, partial(planted, 0, 3000, 40)),
        ("wolfe", np.inf, 1e-6, partial(planted, 0, 2000, 30)),
        ("coordinate", np.inf, 1e-3, partial(text, 600, 800, 0.0)),
    ],
)
def test_every_solver_gives_the_same_bits(solver, C, tol, data, submitted):
    model = assert_same_in_threads(MaxMargin(C=C, tol=tol), *data(), submitted)
    assert {*solver.split("+")} <= {*model.solver_.split("+")}


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
def test_several_classes_give_the_same_bits(small_blocks, multi_class):
    X, _ = noisy(0, 600, 10)
    y = np.argmax(X[:, :3] + 0.5 * X[:, 3:6], axis=1)
    asked = MaxMargin(C=1.0, tol=1e-6, multi_class=multi_class)
    models = [clone(asked).set_params(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2, 3)]
    one = models[0]
    for several in models[1:]:
        assert several.coef_.tobytes() == one.coef_.tobytes()
        assert several.intercept_.tobytes() == one.intercept_.tobytes()
        assert several.certificate_.to_json() == one.certificate_.to_json()
        for mine, other in zip(several.dual_coef_, one.dual_coef_, strict=True):
            assert mine.tobytes() == other.tobytes()
        histories = zip(several.history_, one.history_, strict=True)
        if multi_class == "joint":
            histories = [(several.history_, one.history_)]
        for lines, others in histories:
            assert [line[:-1] for line in lines] == [line[:-1] for line in others]


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_proofs_by_slacks_are_the_same_bits(store, submitted, monkeypatch):
    settings = ChooseSettings(least_work=0.0, first_passes=0, patience=0.0)
    monkeypatch.setattr(margin_fit, "hard_margin", partial(hard_margin, settings=settings))
    X, y = noisy(0, 1500, 20)
    model = assert_same_in_threads(MaxMargin(tol=1e-3), store(X), y, submitted)
    assert isinstance(model.certificate_, NonSeparation)
    assert model.certificate_.slacks is not None
    verdicts = [is_separable(store(X), y, n_jobs=n_jobs).to_json() for n_jobs in (1, 2, 3)]
    assert '"slacks"' in verdicts[0] and len(set(verdicts)) == 1


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
