"""The scikit-learn contract, with no expected failure and no tag that skips a check."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import MaxMargin, MaxMarginCV, Perceptron, RobustProjection, rules


class Products:
    """A kernel that is a function, with a name that is the same in every process."""

    def __call__(self, A, B):
        return A @ B.T

    def __repr__(self):
        return "products"


pytestmark = pytest.mark.filterwarnings(
    # Some checks fit on data that no limit within reason would let a rule finish.
    "ignore:The run stopped at its limit:sklearn.exceptions.ConvergenceWarning",
    # Some have polynomials of large numbers, of which rounding leaves few digits.
    "ignore:The bounds are as close as floating-point:sklearn.exceptions.ConvergenceWarning",
    # Some weigh examples that are separable.
    "ignore:The examples are separable, so (sample|class)_weight had no effect:UserWarning",
)


@parametrize_with_checks(
    [
        Perceptron(),
        Perceptron(scale=True),
        Perceptron(multi_class="ovr"),
        Perceptron(rule="classic", max_iter=100),
        Perceptron(rule=rules.PassiveAggressive(C=1.0), C=0.5, max_iter=100),
        # No shuffle=False: it visits the rows as they come, and the check of weights shuffles them.
        Perceptron(rule="dynamic", average=True, max_iter=100),
        MaxMargin(),
        MaxMargin(scale=True),
        MaxMargin(C=1.0),
        MaxMargin(C=1.0, loss="hinge"),
        MaxMargin(loss="hinge", multi_class="ovr"),
        MaxMargin(C=0.1, class_weight="balanced", tol=1e-6),
        MaxMargin(multi_class="ovr"),
        MaxMarginCV(Cs=4, cv=3),
        MaxMarginCV(Cs=4, cv=3, loss="hinge"),
        MaxMarginCV(Cs=4, cv=3, multi_class="ovr"),
        # With slack: a hard margin separates whatever a wide kernel can, and weights of classes
        # have no effect on it. In MaxMargin no gamma="scale", as in SVC: it is a variance over the
        # rows, which weights do not change. The sigmoid kernel has the parameters, and
        # the precomputed one the slack, for which no combination of examples that a search meets
        # has a negative square: some checks have rows of length 140, and one truncates the kernel
        # matrix to integers.
        Perceptron(kernel="rbf", C=0.01, max_iter=100),
        Perceptron(kernel="rbf", C=0.01, max_iter=100, multi_class="ovr"),
        Perceptron(kernel="laplacian", rule="passive-aggressive", average=True, C=0.01),
        Perceptron(kernel="laplacian", C=0.01, max_iter=100, multi_class="ovr"),
        # With lower powers: a pure cubic needs more passes to separate blobs, under some orders.
        Perceptron(kernel="poly", coef0=1.0, C=0.01, max_iter=100),
        Perceptron(kernel="poly", coef0=1.0, C=0.01, max_iter=100, multi_class="ovr"),
        Perceptron(kernel=Products(), rule="classic", C=1.0, max_iter=100),
        Perceptron(kernel=Products(), C=1.0, max_iter=100, multi_class="ovr"),
        Perceptron(kernel="sigmoid", gamma=1e-5, coef0=-1.0, C=1.0, max_iter=20),
        Perceptron(kernel="sigmoid", gamma=1e-6, coef0=-1.0, C=1e4, max_iter=20, multi_class="ovr"),
        Perceptron(kernel="precomputed", C=0.01, max_iter=100),
        Perceptron(kernel="precomputed", C=0.01, max_iter=100, multi_class="ovr"),
        MaxMargin(kernel="rbf", gamma="auto", C=1.0),
        MaxMargin(kernel="rbf", gamma="auto", C=1.0, multi_class="ovr"),
        MaxMargin(kernel="poly", gamma="auto", C=1.0),
        MaxMargin(kernel="poly", gamma="auto", C=1.0, multi_class="ovr"),
        MaxMargin(kernel="laplacian", gamma="auto", C=1.0),
        MaxMargin(kernel="laplacian", gamma="auto", C=1.0, multi_class="ovr"),
        MaxMargin(kernel=Products(), C=1.0),
        MaxMargin(kernel=Products(), C=1.0, multi_class="ovr"),
        MaxMargin(kernel="sigmoid", gamma=1e-5, coef0=-1.0, C=1.0),
        MaxMargin(kernel="sigmoid", gamma=1e-5, coef0=-1.0, C=1.0, multi_class="ovr"),
        MaxMargin(kernel="precomputed", C=0.01),
        MaxMargin(kernel="precomputed", C=0.01, multi_class="ovr"),
        RobustProjection(n_components=1),
        RobustProjection(n_components=1, density=0.5),
    ]
)
def test_contract(estimator, check):
    check(estimator)
