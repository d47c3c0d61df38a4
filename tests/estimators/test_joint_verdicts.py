"""Whether one linear model separates all classes: yes or no, against a linear program."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from novikoff import Perceptron, is_separable
from novikoff.certificate import Joint, PerClass, Separation
from tests.maxmargin.joint.problems import pinwheel


def by_linear_program(X, codes, *, affine):
    """Whether some scores have ``f_y - f_r >= 1`` for every example and wrong class."""
    lifted = np.hstack([X, np.ones((len(X), 1))]) if affine else X
    n_classes = int(codes.max()) + 1
    rows = []
    for x, y in zip(lifted, codes, strict=True):
        for r in range(n_classes):
            if r != y:
                row = np.zeros((n_classes, lifted.shape[1]))
                row[y], row[r] = -x, x
                rows.append(row.ravel())
    size = n_classes * lifted.shape[1]
    found = linprog(np.zeros(size), np.array(rows), -np.ones(len(rows)), bounds=(None, None))
    assert found.status in (0, 2)
    return found.status == 0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_verdict_is_that_of_a_linear_program(fit_intercept):
    draw = np.random.default_rng(0)
    answers = []
    for _ in range(60):
        n_classes, d = int(draw.integers(3, 5)), int(draw.integers(1, 4))
        n = int(draw.integers(n_classes, 12))
        X = draw.integers(-4, 5, size=(n, d)).astype(np.float64)
        codes = draw.permutation(np.arange(n) % n_classes)
        proof = is_separable(X, codes, fit_intercept=fit_intercept, multi_class="joint")
        assert isinstance(proof, Joint)
        proof.verify(X, codes)
        answers.append(bool(proof))
        assert answers[-1] == by_linear_program(X, codes, affine=fit_intercept)
    assert 10 < sum(answers) < 50


def test_the_middle_of_three_classes():
    X, y = np.array([[0.0], [1.0], [2.0]]), ["a", "b", "c"]
    assert is_separable(X, y, multi_class="joint")
    each = is_separable(X, y)
    assert isinstance(each, PerClass)
    assert not each


def test_pairs_that_are_separable_do_not_make_all_of_them_so():
    X, codes = pinwheel()
    for left_out in range(3):
        some = codes != left_out
        assert is_separable(X[some], codes[some])
    proof = is_separable(X, codes, multi_class="joint")
    assert not proof
    assert proof.refutation.pair is None
    proof.verify(X, codes)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_two_classes_that_overlap_prove_it(store):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [9.0, 9.0]])
    y = np.array([0, 0, 1, 1, 2])
    proof = is_separable(store(X), y, multi_class="joint")
    assert not proof
    assert proof.refutation.pair == (0, 1)
    proof.verify(X, y)


def test_two_classes_are_one_problem():
    assert isinstance(is_separable([[0.0], [1.0]], [0, 1], multi_class="joint"), Separation)


def test_examples_without_weight_take_no_part():
    X, y = np.array([[0.0], [1.0], [2.0], [1.0]]), [0, 1, 2, 0]
    assert not is_separable(X, y, multi_class="joint")
    assert is_separable(X, y, multi_class="joint", sample_weight=[1, 1, 1, 0])


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="multi_class='both' must be 'joint' or 'ovr'"):
        is_separable([[0.0], [1.0]], [0, 1], multi_class="both")


def test_a_perceptron_proves_it_of_pairs_too():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [9.0, 9.0]])
    y = np.array([0, 0, 1, 1, 2])
    clf = Perceptron(multi_class="joint").fit(X, y)
    assert not clf.certificate_
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_rows_that_are_nearly_equal(seed, fit_intercept):
    """A row and its copy 1e-7 apart, of the next class: the margin is below that."""
    rng = np.random.default_rng(seed)
    X, W = rng.standard_normal((20, 3)).round(2), rng.standard_normal((3, 4))
    y = (X @ W).argmax(axis=1)
    i = int(rng.integers(20))
    X, y = np.vstack([X, X[i] + [1e-7, -1e-7, 1e-7]]), np.append(y, (y[i] + 1) % 4)
    found = is_separable(X, y, multi_class="joint", fit_intercept=fit_intercept)
    # The truth value of what is undecided raises an exception.
    assert bool(found) is (found.lower > 0.0)
    found.verify(X, y)
