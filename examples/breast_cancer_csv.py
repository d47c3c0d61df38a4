"""Write the Wisconsin breast-cancer data that scikit-learn bundles to a CSV file.

Usage: python breast_cancer_csv.py breast_cancer.csv
"""

import csv
import sys

from sklearn.datasets import load_breast_cancer


def main(path: str) -> None:
    bunch = load_breast_cancer()
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*bunch.feature_names, "diagnosis"])
        for row, target in zip(bunch.data.tolist(), bunch.target, strict=True):
            writer.writerow([*row, bunch.target_names[target]])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
