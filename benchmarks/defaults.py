"""Default fits on real tables, raw and with standardised columns: test error and CPU time.

``python -m benchmarks.defaults [--quick] [--splits N] [table ...]``. Estimators that this version
of novikoff does not have are left out, with the bars on them, and said to be.
"""

import argparse
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean, median, stdev
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as PeerPerceptron
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import novikoff
from benchmarks.contest import publish
from benchmarks.measure import Report, clock
from benchmarks.tables import TABLES, Table

SPLITS, QUICK_SPLITS = 10, 4
TEST_SHARE = 0.3
FOLDS = 5
CS = np.logspace(-4, 2, 9)
"""The grid of the tuned peer where MaxMarginCV, whose grid it otherwise is, is not there."""

Make = Callable[[int], Any]

OURS: dict[str, Make] = {
    "MaxMargin()": lambda seed: novikoff.MaxMargin(),
    "Perceptron()": lambda seed: novikoff.Perceptron(random_state=seed),
}
PEERS: dict[str, Make] = {
    "sklearn Perceptron": lambda seed: PeerPerceptron(random_state=seed),
    "LinearSVC": lambda seed: LinearSVC(random_state=seed),
    "SGDClassifier": lambda seed: SGDClassifier(random_state=seed),
    "LogisticRegression": lambda seed: LogisticRegression(),
}
CV, SCALED_CV, TUNED = "MaxMarginCV()", "MaxMarginCV(scale=True)", "LinearSVC, tuned"
MISSING: list[str] = []
_CV: Any = getattr(novikoff, "MaxMarginCV", None)
if _CV is None:
    MISSING += [CV, SCALED_CV]
else:
    OURS[CV] = lambda seed: _CV()
    if "scale" in inspect.signature(_CV).parameters:
        OURS[SCALED_CV] = lambda seed: _CV(scale=True)
    else:
        MISSING.append(SCALED_CV)


@dataclass
class Results:
    """Test errors in % and CPU seconds of each model on the splits of one table."""

    errors: dict[str, list[float]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    fell_back: list[bool] = field(default_factory=list)
    """Whether MaxMargin() fitted a soft margin, split by split."""

    def add(self, name: str, error: float, seconds: float) -> None:
        self.errors.setdefault(name, []).append(error)
        self.seconds.setdefault(name, []).append(seconds)

    def difference(
        self, ours: str, theirs: str, among: Sequence[bool] | None = None
    ) -> tuple[float, float]:
        """The mean of the paired differences in points, and its standard error."""
        pairs = zip(self.errors[ours], self.errors[theirs], strict=True)
        each = [a - b for a, b in pairs]
        if among is not None:
            each = [value for value, taken in zip(each, among, strict=True) if taken]
        return fmean(each), stdev(each) / len(each) ** 0.5 if len(each) > 1 else 0.0


def measure(table: Table, *, standardised: bool, splits: int) -> Results:
    """Fit every model on each split."""
    X, y = table.load()
    results = Results()
    for seed in range(splits):
        split = train_test_split(X, y, test_size=TEST_SHARE, random_state=seed, stratify=y)
        train, test, labels, wanted = split
        if standardised:
            scaler = StandardScaler().fit(train)
            train, test = scaler.transform(train), scaler.transform(test)
        grid = CS
        for name, make in (OURS | PEERS).items():
            model = make(seed)
            seconds = clock(partial(model.fit, train, labels))
            results.add(name, _error(model, test, wanted), seconds)
            if name == "MaxMargin()":
                results.fell_back.append(bool(np.isfinite(model.C_).any()))
            if name in (CV, SCALED_CV):
                grid = model.Cs_[np.isfinite(model.Cs_)]
        # Whether or not the columns were standardised: MaxMarginCV(scale=True) scales them too.
        tuned = make_pipeline(
            StandardScaler(),
            GridSearchCV(LinearSVC(random_state=seed), {"C": grid}, cv=FOLDS),
        )
        seconds = clock(partial(tuned.fit, train, labels))
        results.add(TUNED, _error(tuned, test, wanted), seconds)
    return results


def _error(model: Any, X: Any, y: Any) -> float:
    return 100.0 * float((model.predict(X) != y).mean())


def judge(report: Report, case: str, results: Results, *, raw: bool) -> None:
    """Compare with the bars: at most so many points, or two standard errors."""

    def bar(ours: str, theirs: str, points: float, among: Sequence[bool] | None = None) -> None:
        difference, error = results.difference(ours, theirs, among)
        means = f"{fmean(results.errors[ours]):.2f} % against {fmean(results.errors[theirs]):.2f} %"
        report.add(
            f"{case}: {ours} over {theirs}",
            difference,
            "points",
            at_most=max(points, 2.0 * error),
            note=f"{means}, standard error {error:.2f}",
        )

    if SCALED_CV in OURS:
        bar(SCALED_CV, TUNED, 1.0)
    if raw and any(results.fell_back):
        bar("MaxMargin()", "LinearSVC", 1.5, results.fell_back)
    bar("Perceptron()", "sklearn Perceptron", 1.5)


def chosen(names: Sequence[str], quick: bool) -> list[Table]:
    """The tables asked for; those whose package is missing are named and left out."""
    asked = [t for t in TABLES if (t.name in names if names else t.quick or not quick)]
    unknown = set(names) - {table.name for table in TABLES}
    if unknown:
        raise SystemExit(f"no table {', '.join(sorted(unknown))}")
    for package in sorted({table.package for table in asked if not table.is_installed}):
        print(f"{package} is not installed, its tables are left out: pip install '.[bench]'")
    return [table for table in asked if table.is_installed]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help="names of tables; by default all")
    parser.add_argument("--quick", action="store_true", help="few tables, few splits")
    parser.add_argument("--splits", type=int, help="how many splits into training and test")
    options = parser.parse_args(arguments)
    splits = options.splits or (QUICK_SPLITS if options.quick else SPLITS)
    warnings.simplefilter("ignore")
    if MISSING:
        print(f"left out, since this version does not have them: {', '.join(MISSING)}")
    report = Report("defaults", f"Default fits on real tables, {splits} splits")
    rows = []
    tables = chosen(options.tables, options.quick)
    for make in OURS.values():
        # Compiles what the first fits of a process need.
        make(0).fit(*load_iris(return_X_y=True))
    for table in tables:
        for standardised in (False, True):
            case = f"{table.name}, {'standardised' if standardised else 'raw'}"
            results = measure(table, standardised=standardised, splits=splits)
            judge(report, case, results, raw=not standardised)
            for name, errors in results.errors.items():
                milliseconds = 1e3 * median(results.seconds[name])
                error = stdev(errors) / splits**0.5 if splits > 1 else 0.0
                rows.append(
                    {
                        "case": case,
                        "method": name,
                        "test error, %": round(fmean(errors), 2),
                        "standard error": round(error, 2),
                        "CPU, ms": round(milliseconds, 1),
                    }
                )
            print(case, flush=True)
    publish("defaults", report.title, rows)
    report.finish()
    missed = [row for row in report.findings if row.verdict == "MISS"]
    judged = len(report.findings)
    print(f"{judged - len(missed)} of {judged} bars met")
    for row in missed:
        print(f"MISS {row.case}: {row.measured:.2f} points, bar {row.bar:.2f}; {row.note}")


if __name__ == "__main__":
    main()
