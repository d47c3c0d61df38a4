"""What stands beside a certificate, ``support_`` and ``dual_coef_``, is checked by ``verify``."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from typer.testing import CliRunner

import novikoff
from novikoff.certificate import CertificateError
from novikoff.cli import app
from tests.checks.subjects import ESTIMATORS, MARGINS, OTHER_RULES, make
from tests.estimators.problems import whole_numbers


def first(value):
    """Return the array of the first hyperplane."""
    return value[0] if isinstance(value, list) else value


def three_classes():
    X, y = load_iris(return_X_y=True)
    return X[::3], y[::3]


PROBLEMS = {"two": whole_numbers, "three": three_classes}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("classes", PROBLEMS)
@pytest.mark.parametrize("name", [*ESTIMATORS, *OTHER_RULES])
def test_edited_weights_are_refused(name, classes, store, tmp_path):
    X, y = PROBLEMS[classes]()
    clf = make(name, max_iter=200).fit(store(X), y)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    whole = novikoff.verify(clf, store(X), y)
    assert novikoff.verify(path, store(X), y) == whole
    flipped = first(clf.dual_coef_)
    flipped *= -1
    wrong = "has not the sign of its label|is positive for another class"
    with pytest.raises(CertificateError, match=wrong):
        novikoff.verify(clf, store(X), y)
    document = json.loads(path.read_text())
    key = "signs" if "signs" in document["fitted"] else "dual_coef"
    document["fitted"][key][0] = (-np.array(document["fitted"][key][0])).tolist()
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError, match=wrong):
        novikoff.verify(path, store(X), y)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in MARGINS])
def test_weights_that_do_not_make_the_hyperplane_are_refused(name):
    X, y = whole_numbers()
    clf = make(name).fit(X, y)
    clf.dual_coef_[:] *= 2
    with pytest.raises(CertificateError, match="do not make its coef_"):
        novikoff.verify(clf, X, y)


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_true_weights_of_noise_are_accepted(average):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)) + 100.0, rng.integers(0, 2, 300)
    clf = novikoff.Perceptron(average=average, max_iter=20, random_state=0).fit(X, y)
    novikoff.verify(clf, X, y)


def test_the_command_line_refuses_flipped_signs(tmp_path):
    X, y = whole_numbers()
    data, path = tmp_path / "data.csv", tmp_path / "model.json"
    lines = [",".join(map(repr, map(float, row))) for row in np.column_stack([X, y])]
    names = ",".join(f"x{j}" for j in range(X.shape[1]))
    data.write_text("\n".join([f"{names},label", *lines]) + "\n")
    runner = CliRunner()
    fitted = runner.invoke(app, ["fit", str(data), "--target", "label", "--out", str(path)])
    assert fitted.exit_code == 0
    assert runner.invoke(app, ["verify", str(path), str(data)]).exit_code == 0
    document = json.loads(path.read_text())
    document["fitted"]["signs"][0][0] *= -1
    path.write_text(json.dumps(document))
    refused = runner.invoke(app, ["verify", str(path), str(data)])
    assert refused.exit_code == 1
    assert "has not the sign of its label" in " ".join(refused.output.split())
