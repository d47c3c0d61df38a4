"""Decide whether data sets are linearly separable, with certificates that anyone can verify."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris

from novikoff import is_separable

iris = load_iris()
cancer = load_breast_cancer()
rng = np.random.default_rng(0)
sides = np.repeat([-1, 1], 1000)

cases = {
    "exclusive or": (np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1, 1])),
    "iris: setosa and the others": (iris.data, iris.target == 0),
    "iris: virginica and the others": (iris.data, iris.target == 2),
    "breast cancer": (cancer.data, cancer.target),
    "two overlapping clouds": (rng.normal(size=(2000, 2)) + sides[:, None], sides),
}

for name, (X, y) in cases.items():
    certificate = is_separable(X, y)
    print(f"{name}: {'yes' if certificate else 'no'}")
    print(certificate)
    print(certificate.verify(X, y).sentence, end="\n\n")
