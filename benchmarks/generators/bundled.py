"""Real data that come with scikit-learn and scipy: nothing is downloaded."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn import datasets
from sklearn.feature_extraction.image import extract_patches_2d
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import MinMaxScaler, StandardScaler

SHORTEST = 1000
"""Files with fewer characters are left out: empty ones occur in both classes."""

SHARED = {"externals", "_external", "_lib"}
"""Folders with the sources of third packages, some of which both have."""

KEPT = 0.9
"""The share of the rows that is drawn, so that another seed gives other data."""


def bundled(
    name: str, seed: int, *, scale: str = "", classes: tuple[int, int] | None = None
) -> tuple[Any, Any]:
    """One of scikit-learn's bundled sets of numbers, two classes of it, raw or scaled.

    More than two classes are taken by parity, numbers by their median. ``scale`` is "", "standard"
    or "minmax".
    """
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if classes is not None:
        kept = np.isin(y, classes)
        X, y = X[kept], y[kept] == classes[1]
    elif len(np.unique(y)) > 20:
        y = y > np.median(y)
    else:
        y = y % 2
    if scale:
        X = {"standard": StandardScaler, "minmax": MinMaxScaler}[scale]().fit_transform(X)
    return _subset(X, y, seed)


def patches(n: int, side: int, seed: int, dtype: str = "uint8") -> tuple[Any, Any]:
    """Square patches of scikit-learn's two sample photographs, with three colours."""
    parts = [
        extract_patches_2d(image, (side, side), max_patches=n // 2, random_state=seed + k)
        for k, image in enumerate(datasets.load_sample_images().images)
    ]
    X = np.concatenate(parts).reshape(len(parts[0]) + len(parts[1]), -1)
    y = np.repeat([1, -1], [len(part) for part in parts])
    order = np.random.default_rng(seed).permutation(len(y))
    X = X[order]
    return (X if dtype == "uint8" else (X / 255.0).astype(dtype)), y[order]


def source_text(seed: int, *, tfidf: bool = True, ngrams: int = 1) -> tuple[Any, Any]:
    """The source files of scikit-learn against those of scipy, as bags of words."""
    texts = [_sources(package.__file__) for package in (sklearn, scipy)]
    kind = TfidfVectorizer if tfidf else CountVectorizer
    vectorizer = kind(ngram_range=(1, ngrams), min_df=2, binary=not tfidf, dtype=np.float64)
    X = vectorizer.fit_transform([text for each in texts for text in each])
    return _subset(X, np.repeat([1, 0], [len(each) for each in texts]), seed)


def source_folders(*, least: int = 25) -> tuple[Any, Any]:
    """The source files of scikit-learn and scipy by sub-package, as bags of words: many classes.

    Sub-packages with fewer than ``least`` files are left out, and all but the 4,000 most frequent
    words.
    """
    texts: list[str] = []
    labels: list[str] = []
    for package in (sklearn, scipy):
        home = Path(package.__file__).parent
        for folder in sorted(path for path in home.iterdir() if path.name not in SHARED):
            found = _sources(str(folder / "__init__.py")) if folder.is_dir() else ()
            if len(found) >= least:
                texts += found
                labels += [f"{package.__name__}.{folder.name}"] * len(found)
    words = TfidfVectorizer(min_df=2, max_features=4000, dtype=np.float64)
    return words.fit_transform(texts), np.array(labels)


@cache
def _sources(package: str) -> tuple[str, ...]:
    folder = Path(package).parent
    files = sorted(file for file in folder.rglob("*.py") if not SHARED & {*file.parts})
    texts = (file.read_text("utf-8", errors="replace") for file in files)
    return tuple(text for text in texts if len(text) >= SHORTEST)


def _subset(X: Any, y: Any, seed: int) -> tuple[Any, Any]:
    order = np.random.default_rng(seed).permutation(len(y))[: round(KEPT * len(y))]
    return X[order], np.where(y[order] > 0, 1, -1)
