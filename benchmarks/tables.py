"""Real tables that scikit-learn and PyPI packages carry, as examples and labels.

A package is only looked up and never imported: ``ISLP`` alone would import PyTorch. Columns of
words become indicator columns without the first level; rows with a missing value are dropped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

from benchmarks.datasets import Labelled


@dataclass(frozen=True)
class Table:
    """A data set by name: its source, and how it becomes examples and labels.

    ``quick`` says whether it belongs to the quick selection.
    """

    name: str
    package: str
    make: Callable[[], Labelled]
    quick: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether its package can be found."""
        return find_spec(self.package) is not None

    def load(self) -> Labelled:
        """Read the examples and the labels."""
        return self.make()


def _bundled(load: Callable[..., Any]) -> Callable[[], Labelled]:
    def make() -> Labelled:
        X, y = load(return_X_y=True)
        # A quantity is to be told to be above its median.
        return Labelled(X, y if len(np.unique(y)) <= 10 else y > np.median(y))

    return make


@cache
def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{package} is not installed: pip install '.[bench]'")
    return Path(spec.submodule_search_locations[0])


def _read(package: str, path: str, **how: Any) -> Any:
    return pd.read_csv(_folder(package) / path, na_values=["NA", "?"], **how)


def examples(frame: Any, target: Any, drop: tuple[str, ...] = ()) -> Labelled:
    """Return numbers for the columns of a table, and the labels.

    ``target`` is a column, or labels for the rows (which may be missing).
    """
    if isinstance(target, str):
        drop, target = (*drop, target), frame[target]
    features = frame.drop(columns=list(drop))
    whole = features.notna().all(axis=1) & target.notna()
    features, labels = features[whole], target[whole]
    words = [name for name in features if not pd.api.types.is_numeric_dtype(features[name])]
    X = pd.get_dummies(features, columns=words, drop_first=True, dtype=np.float64)
    return Labelled(X.to_numpy(dtype=np.float64), np.array(labels.tolist()))


def _above_median(column: Any) -> Any:
    return (column > column.median()).where(column.notna())


def _islp(file: str, target: Any, drop: tuple[str, ...] = ()) -> Callable[[], Labelled]:
    def make() -> Labelled:
        frame = _read("ISLP", f"data/{file}.csv")
        return examples(frame, target(frame) if callable(target) else target, drop)

    return make


def _penguins(target: str) -> Callable[[], Labelled]:
    def make() -> Labelled:
        return examples(_read("palmerpenguins", "data/penguins.csv"), target)

    return make


def _statsmodels(
    name: str, target: Any, drop: tuple[str, ...] = (), **how: Any
) -> Callable[[], Labelled]:
    def make() -> Labelled:
        frame = _read("statsmodels", f"datasets/{name}/{name}.csv", **how)
        return examples(frame, target(frame) if callable(target) else target, drop)

    return make


def _khan() -> Labelled:
    """Gene expression, 83 x 2,308, four kinds of tumours."""
    parts = [_read("ISLP", f"data/Khan_x{part}.csv") for part in ("train", "test")]
    labels = [_read("ISLP", f"data/Khan_y{part}.csv") for part in ("train", "test")]
    return examples(pd.concat(parts), pd.concat(labels)["x"])


QUOTED = {"quotechar": "'"}

TABLES = (
    Table("iris", "sklearn", _bundled(datasets.load_iris), quick=True),
    Table("wine", "sklearn", _bundled(datasets.load_wine), quick=True),
    Table("breast cancer", "sklearn", _bundled(datasets.load_breast_cancer), quick=True),
    Table("digits", "sklearn", _bundled(datasets.load_digits)),
    Table("diabetes, above median", "sklearn", _bundled(datasets.load_diabetes), quick=True),
    Table("penguins, sex", "palmerpenguins", _penguins("sex"), quick=True),
    Table("penguins, species", "palmerpenguins", _penguins("species"), quick=True),
    Table(
        "Auto, mileage above median",
        "ISLP",
        _islp("Auto", lambda t: _above_median(t["mpg"]), ("mpg", "name")),
    ),
    Table(
        "Boston, crime above median",
        "ISLP",
        _islp("Boston", lambda t: _above_median(t["crim"]), ("crim",)),
    ),
    Table("BrainCancer", "ISLP", _islp("BrainCancer", "status")),
    Table("Caravan", "ISLP", _islp("Caravan", "Purchase")),
    Table("Carseats, high sales", "ISLP", _islp("Carseats", lambda t: t["Sales"] > 8, ("Sales",))),
    Table("College, private", "ISLP", _islp("College", "Private"), quick=True),
    Table("Credit, student", "ISLP", _islp("Credit", "Student", ("ID",))),
    Table("Default", "ISLP", _islp("Default", "default")),
    Table(
        "Hitters, salary above median",
        "ISLP",
        _islp("Hitters", lambda t: _above_median(t["Salary"]), ("Salary",)),
    ),
    Table("Khan", "ISLP", _khan),
    Table("OJ", "ISLP", _islp("OJ", "Purchase"), quick=True),
    Table("Publication, significant", "ISLP", _islp("Publication", "posres")),
    Table("Smarket", "ISLP", _islp("Smarket", "Direction", ("Today",))),
    Table(
        "Wage above median",
        "ISLP",
        _islp("Wage", lambda t: _above_median(t["wage"]), ("wage", "logwage")),
    ),
    Table("Weekly", "ISLP", _islp("Weekly", "Direction", ("Today",))),
    Table("anes96", "statsmodels", _statsmodels("anes96", "vote", sep="\t", **QUOTED), quick=True),
    Table(
        "fair, affairs",
        "statsmodels",
        _statsmodels("fair", lambda t: t["affairs"] > 0, ("affairs",)),
    ),
    Table(
        "modechoice",
        "statsmodels",
        _statsmodels("modechoice", "choice", ("individual",), sep=";"),
    ),
    Table(
        "randhie, any visit",
        "statsmodels",
        _statsmodels("randhie", lambda t: t["mdvis"] > 0, ("mdvis",)),
    ),
    Table(
        "spector", "statsmodels", _statsmodels("spector", "GRADE", ("OBS",), sep=r"\s+", **QUOTED)
    ),
)
