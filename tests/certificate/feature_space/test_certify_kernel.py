"""Certificates in a feature space, against balls and fractions."""

import math

import numpy as np
import pytest
from flint import arb
from scipy import sparse

from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Certifier,
    Inconclusive,
    Kernel,
    KernelCertifier,
    NonSeparation,
    PerClass,
    Separation,
    SoftOptimum,
    Status,
    Undecided,
    Weighted,
    problem_of,
)
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space import enclosed
from novikoff.certificate.feature_space.kernel_claims import joint_errors
from tests.certificate.feature_space import balls

DONE = Account(status=Status.CONVERGED)
KERNELS = [
    Kernel("linear"),
    Kernel("rbf", gamma=0.3),
    Kernel("laplacian", gamma=0.7),
    Kernel("poly", gamma=0.5, degree=3, coef0=1.0),
]
by_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
large_too = pytest.mark.parametrize("small", [True, False], ids=["exact", "filtered"])


@pytest.fixture
def few_exact(small, monkeypatch):
    """Small tables are computed exactly, unless this says otherwise."""
    if not small:
        monkeypatch.setattr(enclosed, "SMALL_TABLE", 0)


def problem(seed=0, n=12, d=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    y[:2] = [0, 1]
    support = rng.permutation(n)[: n // 2]
    support = np.union1d(support, [0, 1])
    weights = rng.random(support.size)
    signs = np.where(y == 1, 1, -1)
    return X, y, signs, support, weights


def make(X, y, kernel, **other):
    return KernelCertifier.of(X, y, **({"kernel": kernel, "positive": 1, "affine": True} | other))


def ridge(kernel, X, signs, penalty=1e-6):
    """Coefficients of a classifier that separates the examples: values near the signs."""
    table = np.array([[float(k.mid()) for k in row] for row in balls.table(kernel, X, X)])
    return np.linalg.solve(table + penalty * np.eye(len(X)), signs.astype(float))


@by_kernel
@large_too
@pytest.mark.parametrize("affine", [True, False])
def test_hard_bounds_are_true_and_close(kernel, affine, few_exact):
    X, y, signs, support, weights = problem()
    maker, proof = make(X, y, kernel, affine=affine), Weighted(support, weights)
    intercept = 0.25 if affine else 0.0
    coef = signs[support] * weights
    found = maker.hard(DONE, support=support, coef=coef, intercept=intercept, proof=proof)
    margin = balls.margin(kernel, X, signs, support, coef, intercept)
    upper = balls.upper(kernel, X, signs, support, weights, affine)
    assert arb(found.lower) <= margin < arb(found.lower + 1e-9)
    assert arb(found.upper - 1e-9) < upper <= arb(found.upper)
    values = balls.scores(kernel, X, support, coef, intercept)
    errors = sum(bool(v >= 0) != (s > 0) for v, s in zip(values, signs, strict=True))
    assert found.model.errors == errors
    verified = found.verify(X, y)
    assert found.lower <= verified.lower and verified.upper <= found.upper
    assert verified.errors == errors
    assert arb(verified.lower) <= margin and upper <= arb(verified.upper)


@by_kernel
@large_too
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("rescale", [True, False])
def test_soft_bounds_are_true_and_close(kernel, affine, rescale, few_exact):
    X, y, signs, support, weights = problem(1)
    sample_weight = np.random.default_rng(2).random(12) + 0.5
    maker = make(X, y, kernel, affine=affine, sample_weight=sample_weight, class_weights=(2.0, 0.5))
    costs = maker.examples.costs
    # Three times a classifier that is right of most examples.
    coef = 3.0 * ridge(kernel, X[support], signs[support], 0.1)
    intercept = 0.25 if affine else 0.0
    model = maker.soft_model(
        support, coef, intercept, C=0.7, proof=Weighted(support, weights), rescale=rescale
    )
    found = maker.soft(Account(status=Status.GAP_REACHED, tol=1.0), model)
    truth = (kernel, X, signs, support)
    primal = balls.primal(*truth, coef, intercept, 0.7, costs, scale=found.soft.scale)
    dual = balls.dual(*truth, weights, 0.7, costs, affine)
    assert arb(found.primal - 1e-7) < primal <= arb(found.primal)
    assert arb(found.dual) <= dual < arb(found.dual + 1e-9)
    assert dual < primal
    if rescale:
        for other in (0.9, 1.1):
            worse = balls.primal(
                *truth, coef, intercept, 0.7, costs, scale=found.soft.scale * other
            )
            assert worse > primal
    verified = found.verify(X, y, sample_weight=sample_weight)
    assert verified.primal <= found.primal and verified.dual >= found.dual
    assert Certificate.from_json(found.to_json()) == found


@by_kernel
def test_a_separation_says_so(kernel):
    X, y, signs, *_ = problem(n=8, d=4)
    if kernel.name == "linear":
        y = (X[:, 0] > 0).astype(int)
        signs = np.where(y == 1, 1, -1)
    coef = ridge(kernel, X, signs)
    found = make(X, y, kernel).hard(
        DONE, support=np.arange(8), coef=coef, proof=Weighted(np.arange(8), np.ones(8))
    )
    assert isinstance(found, Separation) and found
    assert "the kernel classifier separates the 8 examples with margin at least" in str(found)
    assert f"in the feature space of the kernel {kernel}" in str(found)
    again = Certificate.from_json(found.to_json())
    assert again == found
    assert again.problem.kernel == kernel


@pytest.mark.parametrize("affine", [True, False])
def test_linear_kernel_gives_the_bounds_of_the_hyperplane(affine):
    X, y, signs, support, weights = problem(3)
    coef = signs[support] * weights
    proof = Weighted(support, weights)
    one = make(X, y, Kernel("linear"), affine=affine).hard(
        DONE, support=support, coef=coef, proof=proof
    )
    plane = Certifier.of(X, y, positive=1, affine=affine).hard(
        DONE, coef=coef @ X[support], proof=proof
    )
    assert one.lower == pytest.approx(plane.lower, rel=1e-12)
    assert one.upper == plane.upper
    assert one.model.errors == plane.model.errors


def test_linear_kernel_is_exact_on_integers():
    X, y = np.array([[3.0, 0.0], [0.0, 4.0], [-3.0, 0.0], [0.0, -4.0]]), [1, 1, 0, 0]
    found = make(X, y, Kernel("linear")).hard(
        DONE, support=[0, 1], coef=[1.0, 0.5], proof=Weighted([0, 1, 2, 3], [16, 9, 16, 9])
    )
    plane = Certifier.of(X, y, positive=1, affine=True).hard(
        DONE, coef=[3.0, 2.0], proof=Weighted([0, 1, 2, 3], [16, 9, 16, 9])
    )
    assert (found.lower, found.upper) == (plane.lower, plane.upper)


@pytest.mark.parametrize("kind", ["sparse", "float32", "uint8", "fortran"])
@by_kernel
def test_storages_agree(kernel, kind):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 5, (40, 6)) * (rng.random((40, 6)) < 0.6)
    y = rng.integers(0, 2, 40)
    copies = {
        "sparse": sparse.csr_array(X.astype(float)),
        "float32": X.astype(np.float32),
        "uint8": X.astype(np.uint8),
        "fortran": np.asfortranarray(X.astype(float)),
    }
    signs = np.where(y == 1, 1, -1)
    found = make(X.astype(float), y, kernel).hard(
        DONE, support=np.arange(20), coef=signs[:20] * 0.1, proof=Weighted(np.arange(20), [1] * 20)
    )
    verified = found.verify(copies[kind], y)
    assert verified.upper <= found.upper and verified.lower >= found.lower
    other = make(copies[kind], y, kernel).hard(
        DONE, support=np.arange(20), coef=signs[:20] * 0.1, proof=Weighted(np.arange(20), [1] * 20)
    )
    other.verify(X.astype(float), y)


def forged():
    """Changes of the document of a Separation, none of which is true."""
    yield "gamma", lambda c: c["problem"]["kernel"].update(gamma=0.25)
    yield "kernel", lambda c: c["problem"]["kernel"].update(name="laplacian")
    yield "coef", lambda c: c["model"]["coef"].__setitem__(0, -c["model"]["coef"][0])
    yield "margin", lambda c: c["model"].update(margin=c["model"]["margin"] * (1 + 1e-6))
    yield "upper", lambda c: c.update(upper=c["upper"] * (1 - 1e-6))
    yield "support", lambda c: c["model"]["support"].__setitem__(0, 1)
    yield "range", lambda c: c["model"]["support"].__setitem__(0, 99)
    yield "negative", lambda c: c["model"]["support"].__setitem__(0, -1)
    yield "intercept", lambda c: c["model"].update(intercept=c["model"]["intercept"] + 10.0)
    yield "proof", lambda c: c["support"].__setitem__(0, 99)
    yield "twice", lambda c: c["support"].__setitem__(0, 1)
    yield "one-sided", lambda c: c["weights"].__setitem__(slice(0, 8), [0.0] * 8)
    yield "errors", lambda c: c["model"].update(errors=1)
    yield "affine", lambda c: c["problem"].update(affine=False)
    yield "no kernel", lambda c: c["problem"].pop("kernel")
    yield "no model", lambda c: c["model"].pop("support")
    yield "parameter", lambda c: c["problem"]["kernel"].update(degree=2)
    yield "unknown", lambda c: c["problem"]["kernel"].update(name="gaussian")
    yield "not a number", lambda c: c["problem"]["kernel"].update(gamma="scale")


def separation(kernel=None):
    X, y, signs, *_ = problem(5, n=16)
    kernel = Kernel("rbf", gamma=0.5) if kernel is None else kernel
    order = np.argsort(-signs, kind="stable")
    X, y, signs = X[order], y[order], signs[order]
    coef = ridge(kernel, X, signs)
    weights = np.abs(coef)
    found = make(X, y, kernel).hard(
        DONE,
        support=np.arange(16),
        coef=coef,
        intercept=0.01,
        proof=Weighted(np.arange(16), weights),
    )
    assert isinstance(found, Separation)
    return X, y, found


@pytest.mark.parametrize("name, change", list(forged()), ids=[name for name, _ in forged()])
def test_forgeries_never_verify(name, change):
    X, y, found = separation()
    assert found.verify(X, y)
    document = found.to_dict()
    document = Certificate.from_dict(document).to_dict()
    change(document)
    with pytest.raises(CertificateError):
        Certificate.from_dict(document).verify(X, y, check_fingerprint=False)


def test_other_labels_and_other_degrees_do_not_verify():
    kernel = Kernel("poly", gamma=1.0, degree=3, coef0=1.0)
    X, y, found = separation(kernel)
    with pytest.raises(CertificateError):
        found.verify(X, 1 - y, check_fingerprint=False)
    with pytest.raises(CertificateError, match="not the data"):
        found.verify(X, 1 - y)
    document = found.to_dict()
    document["problem"]["kernel"]["degree"] = 2
    with pytest.raises(CertificateError):
        Certificate.from_dict(document).verify(X, y)


@pytest.mark.parametrize("field, factor", [("primal", 1 - 1e-7), ("dual", 1 + 1e-7)])
def test_forged_soft_bounds_do_not_verify(field, factor):
    X, y, signs, support, weights = problem(6)
    maker = make(X, y, Kernel("rbf", gamma=0.5))
    model = maker.soft_model(
        support, signs[support] * weights, C=1.0, proof=Weighted(support, weights)
    )
    document = maker.soft(DONE, model).to_dict()
    document["model"]["soft"][field] *= factor
    with pytest.raises(CertificateError, match="prove"):
        Certificate.from_dict(document).verify(X, y)


@pytest.mark.parametrize("name", ["linear", "rbf", "laplacian", "poly", "sigmoid"])
def test_equal_examples_with_opposite_labels(name):
    X, y = np.array([[0.1, 0.2], [0.1, 0.2], [3.0, 4.0]]), [0, 1, 1]
    maker = make(X, y, Kernel(name, gamma=0.1, degree=2, coef0=0.1))
    refutation = maker.refute([0, 1], [1, 1])
    found = maker.refuted(refutation)
    assert isinstance(found, NonSeparation) and not found
    assert "is exactly zero" in str(found.verify(X, y))
    assert Certificate.from_json(found.to_json()) == found
    assert maker.refute([0, 2], [1, 1]) is None
    with pytest.raises(CertificateError):
        maker.refuted(refutation).verify(np.array([[0.1, 0.2], [0.1, 0.3], [3.0, 4.0]]), y)
    other = X + np.array([[0, 0], [0, 1e-9], [0, 0]])
    with pytest.raises(CertificateError, match="not proved"):
        found.verify(other, y, check_fingerprint=False)


def test_no_polynomial_of_degree_one_separates_exclusive_or():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), [0, 0, 1, 1]
    maker = make(X, y, Kernel("poly", gamma=0.5, degree=1, coef0=0.25))
    found = maker.hard(
        DONE, support=[0], coef=[1.0], proof=Weighted([0, 1, 2, 3], [1.0, 1.0, 1.0, 1.0])
    )
    assert isinstance(found, NonSeparation)
    found.verify(X, y)
    squared = make(X, y, Kernel("poly", gamma=0.5, degree=2, coef0=0.25))
    assert squared.refute([0, 1, 2, 3], [1, 1, 1, 1]) is None


def test_three_points_on_a_line():
    X, y = np.array([[-1.0], [0.0], [1.0]]), [1, 0, 1]
    kernel = Kernel("poly", gamma=1.0, degree=2, coef0=0.0)
    found = make(X, y, kernel).hard(
        DONE, support=[2], coef=[2.0], intercept=-1.0, proof=Weighted([0, 1, 2], [1, 2, 1])
    )
    assert (found.lower, found.upper) == (0.5, 0.5)
    found.verify(X, y)


def test_a_tie_is_exactly_zero():
    """The middle of two examples of opposite sign, where floating point sees some sign."""
    X, y = np.array([[0.1, 0.3], [0.7, 0.2], [0.4, 0.25]]), [1, 0, 1]
    X = np.round(X * 1024) / 1024
    X[2] = (X[0] + X[1]) / 2
    for name in ("rbf", "laplacian"):
        maker = make(X, y, Kernel(name, gamma=0.37))
        model = maker.model([0, 1], [1.5, -1.5])
        assert model.errors == 0 and model.margin == 0.0
        assert make(X, [1, 0, 0], Kernel(name, gamma=0.37)).model([0, 1], [1.5, -1.5]).errors == 1


@pytest.mark.parametrize("affine", [True, False])
def test_classifier_of_zero(affine):
    X, y, *_ = problem(7)
    maker = make(X, y, Kernel("rbf", gamma=1.0), affine=affine)
    found = maker.hard(DONE, support=[], coef=[])
    assert isinstance(found, Inconclusive)
    assert found.lower == -math.inf and found.upper == math.inf
    assert found.model.errors == (y == 0).sum()
    found.verify(X, y)
    with pytest.raises(Undecided):
        bool(found)


def test_costs_of_zero_take_no_part():
    X, y, signs, support, weights = problem(8)
    out = np.setdiff1d(np.arange(12), support)[:2]
    sample_weight = np.ones(12)
    sample_weight[out] = 0.0
    kernel = Kernel("rbf", gamma=0.5)
    proof, coef = Weighted(support, weights), signs[support] * weights
    found = make(X, y, kernel, sample_weight=sample_weight).hard(
        DONE, support=support, coef=coef, proof=proof
    )
    keep = sample_weight > 0
    truth = balls.margin(
        kernel,
        X[keep],
        signs[keep],
        [int(keep[:j].sum()) for j in support],
        coef,
        0.0,
    )
    assert float(truth.mid()) == pytest.approx(found.lower, rel=1e-12)
    sample_weight[support[0]] = 0.0
    with pytest.raises(CertificateError, match="has weight 0"):
        make(X, y, kernel, sample_weight=sample_weight).hard(
            DONE, support=support, coef=coef, proof=proof
        )


def test_per_class():
    X, *_ = problem(9)
    y = np.arange(12) % 3
    kernel = Kernel("rbf", gamma=2.0)
    whole = problem_of(X, y, affine=True, kernel=kernel)
    parts = []
    for label in (0, 1, 2):
        mine = whole.against(label)
        examples = Examples.of(mine, X, y, None, check_fingerprint=False)
        signs = np.where(y == label, 1, -1)
        coef = ridge(kernel, X, signs)
        support = np.arange(12) if label else np.arange(3, 12)
        parts.append(
            KernelCertifier(mine, examples).hard(
                DONE,
                support=support,
                coef=coef[support],
                proof=Weighted(support, np.abs(coef[support])),
            )
        )
    values = np.array(
        [
            [
                float(v.mid())
                for v in balls.scores(kernel, X, part.model.support, part.model.coef, 0.0)
            ]
            for part in parts
        ]
    )
    errors = int((values.argmax(axis=0) != y).sum())
    examples = Examples.of(whole, X, y, None, check_fingerprint=False)
    assert joint_errors([part.model for part in parts], examples).count == errors
    found = PerClass(problem=whole, certificates=tuple(parts), errors=errors)
    assert found.verify(X, y).errors == errors
    again = Certificate.from_json(found.to_json())
    assert again == found
    with pytest.raises(CertificateError, match="error"):
        PerClass(problem=whole, certificates=tuple(parts), errors=errors + 1).verify(X, y)


def test_soft_optimum_says_nothing_on_separability():
    X, y, signs, support, weights = problem(10)
    maker = make(X, y, Kernel("rbf", gamma=0.5))
    model = maker.soft_model(support, signs[support] * weights, C=1.0)
    found = maker.soft(DONE, model)
    assert isinstance(found, SoftOptimum) and found.dual == 0.0 and found.upper == math.inf
    with pytest.raises(Undecided):
        bool(found)
    undecided = maker.undecided(DONE, model, proof=Weighted(support, weights))
    assert isinstance(undecided, Inconclusive) and undecided.upper < math.inf
    undecided.verify(X, y)


@large_too
def test_coefficients_that_nearly_cancel(few_exact):
    """Large coefficients of a short normal, whose square rounding would swamp."""
    X, y, signs, *_ = problem(11)
    coef, kernel = ridge(Kernel("linear"), X, signs, 1e-8), Kernel("linear")
    found = make(X, y, kernel).hard(DONE, support=np.arange(12), coef=coef)
    margin = balls.margin(kernel, X, signs, np.arange(12), coef, 0.0)
    assert np.abs(coef).max() > 1e6
    assert float(margin.mid()) == pytest.approx(found.lower, rel=1e-3)
    assert arb(found.lower) <= margin
    found.verify(X, y)
