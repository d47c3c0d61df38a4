"""Predicting and verifying start quickly: scikit-learn, numba and the like are not imported."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

CHILD = """
import json, sys
sys.argv = ["novikoff", *json.loads(sys.argv[1])]
from novikoff.cli import main
try:
    main()
except SystemExit as exit:
    assert not exit.code, exit.code
heavy = {"joblib", "matplotlib", "numba", "pandas", "pyarrow.parquet", "sklearn", "torch"}
heavy.add("scipy.optimize")
print(json.dumps(sorted(heavy & set(sys.modules))), file=sys.stderr)
"""


def imported(*arguments, folder):
    """The heavy packages that a command has imported, and what it has written."""
    command = [sys.executable, "-c", CHILD, json.dumps([*map(str, arguments)])]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stderr.splitlines()[-1]), done.stdout


def test_fitting_shows_that_the_test_can_fail(fruit, tmp_path):
    assert "sklearn" in imported("fit", fruit, "-t", "kind", folder=tmp_path)[0]


@pytest.mark.parametrize("data", ["fruit", "three", "mixed"])
def test_labels_that_are_texts(run, request, data, tmp_path):
    path = request.getfixturevalue(data)
    assert run("fit", path, "-t", "kind", "-q").exit_code == 0
    assert imported("predict", "model.json", path, "-t", "kind", folder=tmp_path)[0] == []
    found, text = imported("verify", "model.json", path, folder=tmp_path)
    assert found == []
    assert text.startswith("Verified")


@pytest.mark.parametrize("C", ["inf", "1"])
def test_labels_that_are_numbers_and_a_soft_margin(run, tmp_path, C):
    lines = [f"{i},{i * i % 7},{int(i > 20)}" for i in range(40)]
    (tmp_path / "numbers.csv").write_text("\n".join(["a,b,kind", *lines]) + "\n")
    assert run("fit", "numbers.csv", "-t", "kind", "-q", "--C", C).exit_code == 0
    for verb in ("predict", "verify"):
        assert imported(verb, "model.json", "numbers.csv", folder=tmp_path)[0] == []


def test_sparse_rows(run, tmp_path):
    # Not from a libsvm file, which scikit-learn parses.
    labels = np.arange(30) % 2
    X = np.column_stack([labels * 2.0, np.arange(30) % 3 == 0, np.zeros(30), labels])
    sparse.save_npz(tmp_path / "rows.npz", sparse.csr_matrix(X))
    assert run("fit", "rows.npz", "-t", "-1", "-q").exit_code == 0
    predict = ("predict", "model.json", "rows.npz", "-t", "-1")
    for command in (predict, ("verify", "model.json", "rows.npz", "-t", "-1")):
        assert imported(*command, folder=tmp_path)[0] == []
