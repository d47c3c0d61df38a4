"""MaxMargin of all classes together beside LinearSVC and LogisticRegression.

MNIST, 60,000 x 784 pixels divided by 255: the soft margin to a certified gap of 1e-3, with both
losses, beside ``LinearSVC(multi_class="crammer_singer")``, which has the hinge. Each has the C that
errs least on the last 10,000 of the training examples, when fitted to the others; with the hinge,
MaxMargin's C is twice LinearSVC's for the same problem.

Small tables and texts: the mean error of ten splits. MaxMarginCV chooses its C by cross-validation,
the peers theirs by the same folds among the same values.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.generators.topics import topics
from benchmarks.measure import Report, clock
from novikoff import MaxMargin, MaxMarginCV
from novikoff.data.mnist import load_mnist

MNIST_CS = (0.003, 0.01, 0.03, 0.1)
CS = np.logspace(-3, 2, 6)
SPLITS = 10
FASTER = 3.0


def crammer_singer(**options: Any) -> LinearSVC:
    return LinearSVC(multi_class="crammer_singer", random_state=0, **options)


def hinge(**options: Any) -> MaxMargin:
    return MaxMargin(loss="hinge", **options)


def chosen(make: Any, X: Any, y: Any, Cs: tuple[float, ...] = MNIST_CS) -> float:
    """Return the C that errs least on the last 10,000 examples."""
    scores = [make(C=C).fit(X[:50_000], y[:50_000]).score(X[50_000:], y[50_000:]) for C in Cs]
    return Cs[int(np.argmax(scores))]


def digits(report: Report) -> None:
    """MNIST, ten classes."""
    mnist = load_mnist()
    X, y, X_test, y_test = mnist.X_train / 255.0, mnist.y_train, mnist.X_test / 255.0, mnist.y_test
    for make in (MaxMargin, hinge):
        make(C=0.01).fit(X[:3000], y[:3000])
    theirs = crammer_singer(C=chosen(crammer_singer, X, y))
    peer = clock(lambda: theirs.fit(X, y))
    beside = f"C = {theirs.C}: {peer:.3g} s, {100 * (1 - theirs.score(X_test, y_test)):.2f} %"
    doubled = tuple(2.0 * C for C in MNIST_CS)
    for ours, most, least in (
        (MaxMargin(C=chosen(MaxMargin, X, y)), 7.5, FASTER),
        (hinge(C=chosen(hinge, X, y, doubled)), 7.1, None),
    ):
        seconds = clock(lambda ours=ours: ours.fit(X, y))
        error, gap = 100 * (1 - ours.score(X_test, y_test)), ours.certificate_.soft.gap
        case = f"MNIST, test error of the joint soft margin, {ours.loss}"
        note = f"C = {ours.C}: {seconds:.3g} s, gap {gap:.1e}"
        report.add(case, error, "%", at_most=most, note=note)
        case = 'the same, beside LinearSVC(multi_class="crammer_singer")'
        report.add(case, peer / seconds, "times faster", at_least=least, note=beside)


def tables() -> Iterator[tuple[str, Any, Any]]:
    """Yield a name, examples and labels."""
    for load in (load_digits, load_wine, load_iris, load_breast_cancer):
        X, y = load(return_X_y=True)
        yield load.__name__.removeprefix("load_"), StandardScaler().fit_transform(X), y
    yield "texts, 20 topics", *topics()


def small(report: Report) -> None:
    """Ten splits of each table."""
    peers = {
        "LogisticRegression": LogisticRegression(max_iter=200),
        "LinearSVC": LinearSVC(max_iter=200),
        "crammer_singer": crammer_singer(max_iter=200),
    }
    for name, X, y in tables():
        errors: dict[str, list[float]] = {}
        splits = StratifiedShuffleSplit(SPLITS, test_size=0.3, random_state=0)
        models = {"MaxMarginCV": MaxMarginCV(Cs=CS)} | {
            key: GridSearchCV(peer, {"C": CS}, cv=5) for key, peer in peers.items()
        }
        for train, test in splits.split(X, y):
            for key, model in models.items():
                score = model.fit(X[train], y[train]).score(X[test], y[test])
                errors.setdefault(key, []).append(100 * (1 - score))
        means = {key: float(np.mean(each)) for key, each in errors.items()}
        best = min(peers, key=lambda key: means[key])
        apart = np.array(errors["MaxMarginCV"]) - np.array(errors[best])
        report.add(
            f"{name}: error of MaxMarginCV above the best peer's",
            means["MaxMarginCV"] - means[best],
            "points",
            at_most=1.0 + 2.0 * float(apart.std(ddof=1)) / SPLITS**0.5,
            note=", ".join(f"{key} {mean:.2f} %" for key, mean in means.items()),
        )


def main() -> None:
    report = Report("joint_margins", "Margins of all classes together")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        digits(report)
        small(report)
    report.finish()


if __name__ == "__main__":
    main()
