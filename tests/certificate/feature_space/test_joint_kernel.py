"""Several classes together in a feature space, against balls and the linear certificates."""

import math

import numpy as np
import pytest
from flint import arb, ctx

from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Joint,
    JointCertifier,
    JointKernelCertifier,
    JointWeighted,
    Kernel,
    Refutation,
    Status,
    Undecided,
)
from novikoff.certificate.feature_space import enclosed
from novikoff.certificate.feature_space.kernel_predictor import KernelPredictor
from novikoff.certificate.feature_space.vectors import Vectors
from tests.certificate.feature_space import balls

DONE = Account(status=Status.CONVERGED)
KERNELS = [
    Kernel("linear"),
    Kernel("rbf", gamma=0.5),
    Kernel("laplacian", gamma=0.5),
    Kernel("poly", gamma=0.5, degree=2, coef0=1.0),
]
by_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


def problem(seed=0, n=12, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    y = np.arange(n) % n_classes
    support = np.array([0, 1, 2, 5, 6, 7])
    # A flow around the classes balances: each example takes from the class before its own.
    weights = np.zeros((6, 3), dtype=np.int64)
    weights[np.arange(6), (y[support] + 2) % 3] = np.repeat(rng.integers(1, 5, 2), 3)
    return X, y, support, weights


def flow(y, support, weights):
    found = -weights.copy()
    found[np.arange(len(support)), y[support]] = weights.sum(axis=1)
    return found


def true_leads(kernel, X, y, support, coef, intercept):
    scores = [
        balls.scores(kernel, X, support, column, b)
        for column, b in zip(coef.T, intercept, strict=True)
    ]
    return [
        min((scores[c][i] - scores[r][i] for r in range(len(scores)) if r != c), key=arb.mid)
        for i, c in enumerate(y)
    ]


def square(kernel, X, support, coef):
    total = arb(0)
    for column in coef.T:
        total += balls.square(kernel, X, support, [balls.rational(c) for c in column])
    return total


@by_kernel
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("affine", [True, False])
def test_bounds_are_true_and_close(kernel, exact, affine, monkeypatch):
    if not exact:
        monkeypatch.setattr(enclosed, "SMALL_TABLE", 0)
    X, y, support, weights = problem()
    coef = 0.5 * flow(y, support, weights)
    intercept = np.array([0.25, -0.5, 0.125]) if affine else np.zeros(3)
    maker = JointKernelCertifier.of(X, y, kernel=kernel, affine=affine)
    proof = JointWeighted(support, weights)
    found = maker.hard(DONE, support=support, coef=coef, intercept=intercept, proof=proof)
    leads = true_leads(kernel, X, y, support, coef, intercept)
    margin = min(leads, key=arb.mid) / (2 * square(kernel, X, support, coef)).sqrt()
    assert arb(found.lower) <= margin < arb(found.lower + 1e-9)
    ctx.prec = balls.PRECISION
    norm = square(kernel, X, support, flow(y, support, weights)).sqrt()
    upper = norm / (arb(2).sqrt() * int(weights.sum()))
    assert arb(found.upper - 1e-9) < upper <= arb(found.upper)
    assert found.verify(X, y).lower >= found.lower
    assert found.errors == sum(bool(lead < 0) for lead in leads)
    assert Certificate.from_json(found.to_json()) == found
    assert f"kernel {kernel}" in str(found)


@by_kernel
@pytest.mark.parametrize("rescale", [True, False])
def test_soft_bounds_are_true_and_close(kernel, rescale):
    X, y, support, weights = problem(1)
    sample_weight = np.random.default_rng(2).random(12) + 0.5
    coef, intercept = 0.1 * flow(y, support, weights), np.array([0.0, 0.5, -0.5])
    maker = JointKernelCertifier.of(X, y, kernel=kernel, affine=True, sample_weight=sample_weight)
    model = maker.soft_model(
        support, coef, intercept, C=0.7, proof=JointWeighted(support, weights), rescale=rescale
    )
    found = maker.soft(Account(status=Status.GAP_REACHED, tol=1.0), model)
    scale = arb(found.soft.scale)
    primal = square(kernel, X, support, coef) * scale**2
    leads = true_leads(kernel, X, y, support, coef, intercept)
    for lead, cost in zip(leads, sample_weight, strict=True):
        if 1 - lead * scale > 0:
            primal += arb(0.7) * arb(float(cost)) * (1 - lead * scale) ** 2
    assert arb(found.soft.primal - 1e-9) < primal <= arb(found.soft.primal)
    quadratic = square(kernel, X, support, flow(y, support, weights)) / 2
    for j, a in zip(support, weights.sum(axis=1), strict=True):
        quadratic += arb(int(a)) ** 2 / (2 * arb(0.7) * arb(float(sample_weight[j])))
    dual = arb(int(weights.sum())) ** 2 / (2 * quadratic)
    assert arb(found.soft.dual) <= dual < arb(found.soft.dual + 1e-9)
    verified = found.verify(X, y, sample_weight=sample_weight)
    assert verified.primal <= found.soft.primal and verified.dual >= found.soft.dual
    assert Certificate.from_json(found.to_json()) == found
    with pytest.raises(Undecided):
        bool(found)


def test_the_linear_kernel_gives_the_linear_bounds():
    X, y, support, weights = problem(3)
    X = np.round(4 * X)
    coef, proof = 0.5 * flow(y, support, weights), JointWeighted(support, weights)
    one = JointKernelCertifier.of(X, y, kernel=Kernel("linear"), affine=True).hard(
        DONE, support=support, coef=coef, proof=proof
    )
    other = JointCertifier.of(X, y, affine=True).hard(DONE, coef=coef.T @ X[support], proof=proof)
    assert (one.lower, one.upper, one.errors) == (other.lower, other.upper, other.errors)


def separated():
    X, y, support, weights = problem(4, n=9)
    kernel = Kernel("rbf", gamma=4.0)
    everyone = np.arange(9)
    table = np.array([[float(k.mid()) for k in row] for row in balls.table(kernel, X, X)])
    wanted = np.where(y[:, None] == np.arange(3), 1.0, 0.0)
    coef = np.linalg.solve(table, wanted)
    found = JointKernelCertifier.of(X, y, kernel=kernel, affine=True).hard(
        DONE, support=everyone, coef=coef, proof=JointWeighted(support, weights)
    )
    return X, y, found


def forged():
    yield "gamma", lambda c: c["problem"]["kernel"].update(gamma=2.0)
    yield "margin", lambda c: c["model"].update(margin=c["model"]["margin"] * (1 + 1e-6))
    yield "upper", lambda c: c["bound"].update(upper=c["bound"]["upper"] * (1 - 1e-6))
    yield "classes", lambda c: c["model"].update(coef=[row[::-1] for row in c["model"]["coef"]])
    yield "support", lambda c: c["model"]["support"].__setitem__(0, 99)
    yield "twice", lambda c: c["model"]["support"].__setitem__(0, 1)
    yield "missing", lambda c: c["model"]["support"].pop()
    yield "balance", lambda c: c["bound"]["weights"].__setitem__(0, 99)
    yield "own", lambda c: c["bound"]["wrong"].__setitem__(0, 0)
    yield "errors", lambda c: c["model"].update(errors=1)
    yield "no kernel", lambda c: c["problem"].pop("kernel")
    yield "shape", lambda c: c["model"].update(coef=[row[:2] for row in c["model"]["coef"]])


@pytest.mark.parametrize("name, change", list(forged()), ids=[name for name, _ in forged()])
def test_forgeries_never_verify(name, change):
    X, y, found = separated()
    assert isinstance(found, Joint) and found and found.verify(X, y)
    document = Certificate.from_json(found.to_json()).to_dict()
    change(document)
    with pytest.raises(CertificateError):
        Certificate.from_dict(document).verify(X, y, check_fingerprint=False)


def test_other_labels_do_not_verify():
    X, y, found = separated()
    with pytest.raises(CertificateError):
        found.verify(X, (y + 1) % 3, check_fingerprint=False)


def test_predictions_are_the_largest_scores():
    X, y, found = separated()
    predictor = KernelPredictor.of(found, Vectors.of(X, found.model.support))
    assert (predictor.scores(X).argmax(axis=1) == y).all()
    new = np.random.default_rng(5).standard_normal((20, 2))
    model = found.model
    scores = predictor.scores(new)
    both = np.vstack([X, new])
    for column, (c, b) in enumerate(zip(model.coef.T, model.intercept, strict=True)):
        truth = balls.scores(model_kernel(found), both, model.support, c, b)[len(X) :]
        assert all(
            abs(arb(float(a)) - t) < 1e-8 for a, t in zip(scores[:, column], truth, strict=True)
        )


def model_kernel(certificate):
    return certificate.problem.kernel


def test_equal_examples_of_two_classes():
    X, y = np.array([[0.1], [0.1], [2.0]]), [0, 1, 2]
    maker = JointKernelCertifier.of(X, y, kernel=Kernel("rbf", gamma=1.0), affine=True)
    refutation = maker.refute_pair(0, 1, Refutation(np.array([0, 1]), np.array([1, 1])))
    found = maker.refuted(refutation)
    assert not found
    assert "no hyperplane of the feature space separates 0 (1) from 1 (1)" in str(
        found.verify(X, y)
    )
    assert Certificate.from_json(found.to_json()) == found
    assert maker.refute_pair(0, 2, Refutation(np.array([0, 2]), np.array([1, 1]))) is None
    with pytest.raises(CertificateError, match="not proved"):
        found.verify(np.array([[0.1], [0.2], [2.0]]), y, check_fingerprint=False)


def test_a_model_of_zero():
    X, y, *_ = problem(6)
    maker = JointKernelCertifier.of(X, y, kernel=Kernel("rbf", gamma=1.0), affine=True)
    found = maker.hard(DONE, support=[], coef=[], intercept=[0.0, 1.0, 0.0])
    assert found.lower == -math.inf and found.errors == 8
    found.verify(X, y)
    assert Certificate.from_json(found.to_json()) == found
