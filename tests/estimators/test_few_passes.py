"""Small data that nothing separates: a proof, and a model in few passes."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron, rules
from novikoff.certificate import Inconclusive, NonSeparation, Separation, Status
from novikoff.run.search import LEAST_PASSES, MOST_PASSES, PATIENCE

# The units of the columns are what makes separators hard to find here.
pytestmark = pytest.mark.filterwarnings("ignore:No separator was found, and columns differ")


def table(n=300, noise=0.1, seed=0, scales=(1.0, 1.0, 10.0, 100.0)):
    """Columns in different units; some of the labels are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    y = X.sum(axis=1) > 0
    y[rng.random(n) < noise] ^= True
    return X * scales + 5.0, y


def test_the_proof_is_exact_and_the_passes_are_few():
    X, y = table()
    clf = Perceptron(random_state=0).fit(X, y)
    assert type(clf.certificate_) is NonSeparation
    assert clf.certificate_.verify(X, y)
    assert PATIENCE < clf.n_iter_ <= PATIENCE + MOST_PASSES
    assert clf.status_ is Status.NOT_SEPARABLE
    assert clf.certificate_.model.account.status in (Status.MAX_ITER, Status.NO_SUCH_MARGIN)


def test_the_model_is_a_sum_of_examples():
    X, y = table()
    clf = Perceptron(random_state=0).fit(X, y)
    assert (clf.dual_coef_ * np.where(y[clf.support_], 1, -1) >= 0.0).all()
    coef = clf.dual_coef_ @ (X[clf.support_] - clf.centre_)
    np.testing.assert_allclose(coef, clf.coef_[0], rtol=1e-9)


def test_it_predicts_as_well_as_a_long_run():
    X, y = table(2000, scales=(1.0, 1.0, 3.0, 10.0))
    differences = []
    for seed in range(6):
        few = Perceptron(random_state=seed).fit(X[:300], y[:300])
        # With slack the run knows nothing of separability and takes all of its passes.
        long = Perceptron(random_state=seed, C=1e6, average=True, max_iter=1000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            long.fit(X[:300], y[:300])
        assert few.n_iter_ < long.n_iter_ / 2
        differences.append(few.score(X[300:], y[300:]) - long.score(X[300:], y[300:]))
    assert np.mean(differences) >= -0.01


def test_two_of_the_digits_are_proved_not_to_be_separable():
    X, y = load_digits(return_X_y=True)
    for digit in (8, 9):
        clf = Perceptron(random_state=0).fit(X, y == digit)
        assert type(clf.certificate_) is NonSeparation
        assert clf.n_iter_ <= PATIENCE + LEAST_PASSES + 64


def test_a_separator_is_never_given_up():
    X, y = load_digits(return_X_y=True)
    clf = Perceptron(random_state=0).fit(X, y == 3)
    assert clf.n_iter_ > 2 * PATIENCE
    assert type(clf.certificate_) is Separation
    assert clf.status_ is Status.CONVERGED


def test_sparse_and_other_types_give_the_same_model():
    X, y = table()
    X = np.rint(X)
    clf = Perceptron(random_state=0).fit(X, y)
    for other in (sparse.csr_matrix(X), X.astype(np.float32)):
        again = Perceptron(random_state=0).fit(other, y)
        assert type(again.certificate_) is type(clf.certificate_)
        np.testing.assert_allclose(again.coef_, clf.coef_, rtol=1e-12)


def test_limits_hold():
    X, y = table()
    for most in (PATIENCE, PATIENCE + 5):
        clf = Perceptron(random_state=0, max_iter=most)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(X, y)
        assert clf.n_iter_ == most
    updates = 1500
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf = Perceptron(random_state=0, max_updates=updates).fit(X, y)
    assert clf.n_updates_ == updates


def test_equal_rows_with_different_labels_need_few_passes_of_any_rule():
    X, y = table()
    X[7], y[7] = X[23], not y[23]
    for rule in ("min-over", "scale-free"):
        clf = Perceptron(rule=rule, random_state=0, min_margin=1e-9).fit(X, y)
        assert type(clf.certificate_) is NonSeparation
        assert clf.n_iter_ <= (30 if rule == "min-over" else PATIENCE + MOST_PASSES)


def test_a_min_margin_of_0_looks_for_no_proof():
    X, y = table()
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        clf = Perceptron(random_state=0, min_margin=0.0).fit(X, y)
    assert clf.n_iter_ == 1000
    assert type(clf.certificate_) is Inconclusive


def test_average_true_is_the_mean_over_all_updates():
    X, y = table()
    how = dict(rule="scale-free", random_state=0)
    tail = Perceptron(**how).fit(X, y)
    whole = Perceptron(**how, average=True).fit(X, y)
    last = Perceptron(**how, average=False).fit(X, y)
    assert tail.n_updates_ == whole.n_updates_ == last.n_updates_
    assert not np.array_equal(tail.coef_, whole.coef_)
    assert last.dual_coef_.dtype.kind == "i"


@pytest.mark.parametrize("rule", ["alma", "passive-aggressive", "dynamic", "min-over"])
def test_other_rules(rule):
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf = Perceptron(rule=rule, random_state=0, max_iter=200).fit(X, y)
    assert isinstance(clf.certificate_, NonSeparation | Inconclusive)
    assert clf.certificate_.verify(X, y)


def test_a_warm_start_keeps_the_proof():
    X, y = table()
    clf = Perceptron(rule=rules.Margin(beta=1.0), random_state=0, warm_start=True).fit(X, y)
    updates = clf.n_updates_
    assert type(clf.fit(X, y).certificate_) is NonSeparation
    assert clf.n_updates_ > updates


def test_no_solver_of_margins_is_imported():
    script = (
        "import sys, numpy as np\n"
        "from novikoff.estimators.perceptron import Perceptron\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.standard_normal((300, 4)) * [1, 1, 30, 1000]\n"
        "y = rng.random(300) < 0.5\n"
        "clf = Perceptron(random_state=0, min_margin=1e-9).fit(X, y)\n"
        "print(type(clf.certificate_).__name__)\n"
        "import novikoff.compiled as compiled\n"
        "from novikoff.compiled import factor, wolfe\n"
        "from novikoff.certificate.kernels import Kernel\n"
        "print(sum(f.is_used for m in (factor, wolfe) for f in vars(m).values()\n"
        "          if isinstance(f, Kernel) and f.__module__ == m.__name__))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["NonSeparation", "0"]
