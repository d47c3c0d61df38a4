"""A column of weights is read beside the features, and bad weights are named."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from novikoff.data import read
from novikoff.data.formats.idx import to_idx
from tests.data.hostile import message

X = np.array([[0.5, 0.0], [0.0, -1.0], [3.0, 0.1]])


@pytest.fixture
def csv(tmp_path):
    def write(weights):
        rows = zip(X.tolist(), weights, "uvu", strict=True)
        lines = [f"{a},{weight},{b},{label}" for (a, b), weight, label in rows]
        path = tmp_path / "data.csv"
        path.write_text("\n".join(["a,w,b,y", *lines, ""]))
        return path

    return write


@pytest.mark.parametrize("column", ["w", 1, -3, "1"])
def test_csv(csv, column):
    table = read(csv([1, 0.25, 0]), "y", weights=column)
    np.testing.assert_array_equal(table.X, X)
    assert table.weights.tolist() == [1.0, 0.25, 0.0] and table.weights.dtype == np.float64
    assert table.y.tolist() == ["u", "v", "u"] and table.feature_names == ("a", "b")
    assert read(csv([1, 2, 3]), "y").weights is None


def test_features_of_a_model(csv):
    table = read(csv([1, 2, 3]), features=["b", "a"], weights="w")
    np.testing.assert_array_equal(table.X, X[:, ::-1])
    assert table.weights.tolist() == [1, 2, 3] and table.y is None


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int64(), pa.uint8(), pa.bool_()])
def test_parquet(tmp_path, kind):
    path = tmp_path / "a.parquet"
    weights = pa.array([1, 0, 1]).cast(kind)
    pq.write_table(pa.table({"w": weights, "a": X[:, 0], "b": X[:, 1], "y": [1, 2, 1]}), path)
    table = read(path, "y", weights="w")
    assert table.weights.tolist() == [1, 0, 1] and table.weights.dtype == np.float64
    np.testing.assert_array_equal(table.X, X)


def test_weights_over_many_batches(tmp_path):
    path, n = tmp_path / "a.parquet", 300_000
    numbers = np.arange(n)
    pq.write_table(pa.table({"a": numbers, "w": numbers / 2.0, "y": numbers % 3}), path)
    table = read(path, "y", weights="w")
    np.testing.assert_array_equal(table.weights, numbers / 2.0)
    pq.write_table(pa.table({"a": numbers, "w": 299_990.0 - numbers, "y": numbers % 3}), path)
    assert message(path, "y", weights="w").startswith(
        "column 'w', row 299992: the weight -1.0 is negative"
    )


def test_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.column_stack([X, [1, 2, 1], [3, 4, 5]]))
    table = read(tmp_path / "a.npy", 2, weights=-1)
    np.testing.assert_array_equal(table.X, X)
    assert table.weights.tolist() == [3, 4, 5] and table.y.tolist() == [1, 2, 1]
    np.savez(tmp_path / "a.npz", X=X, y=[1, 2, 1], w=np.array([3, 4, 5], np.uint8))
    table = read(tmp_path / "a.npz", weights="w")
    assert table.weights.tolist() == [3, 4, 5] and table.y.tolist() == [1, 2, 1]
    table = read(tmp_path / "a.npz", weights="0")
    assert table.weights.tolist() == X[:, 0].tolist() and table.X.tolist() == X[:, 1:].tolist()
    assert message(tmp_path / "a.npz", weights="v").startswith("no array 'v': it contains X, y, w")
    sp.save_npz(tmp_path / "s.npz", sp.csr_matrix(X))
    assert read(tmp_path / "s.npz", weights=0).weights.tolist() == X[:, 0].tolist()


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, -2, 3], "column 'w', row 2: the weight -2.0 is negative"),
        ([1, 2, "nan"], "column 'w', row 3: the value is missing"),
        ([1, "", 3], "column 'w', row 2: the value is missing"),
        (["inf", 1, 1], "column 'w', row 1: the weight inf is not a finite number"),
        ([1, "heavy", 3], "column 'w', row 2: 'heavy' is not a number; weights are numbers"),
        ([1, 1, 2**53 + 1], "column 'w', row 3: float64 cannot represent 9007199254740993"),
    ],
)
def test_bad_weights(csv, weights, expected):
    assert message(csv(weights), "y", weights="w").startswith(expected)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1.0, -2.0, 3.0], "array 'w', row 2: the weight -2.0 is negative"),
        ([1.0, np.nan, 3.0], "array 'w', row 2: the weight nan is not a finite number"),
        ([-1, 2, 3], "array 'w', row 1: the weight -1 is negative"),
        ([1, 2, 2**53 + 1], "array 'w', row 3: float64 cannot represent the weight 90071992547409"),
        ([1, 2, 2**60 + 1], "array 'w', row 3: float64 cannot represent the weight 11529215046068"),
        (["1", "2", "3"], "array 'w' is of type <U1: weights are numbers"),
        ([1.0, 2.0], "array 'w' has shape (2,) where (3,) is expected"),
        (np.ones(3, complex), "array 'w' is of type complex128"),
    ],
)
def test_bad_arrays_of_weights(tmp_path, weights, expected):
    np.savez(tmp_path / "a.npz", X=X, w=weights)
    assert message(tmp_path / "a.npz", weights="w").startswith(expected)


def test_a_column_has_one_role(csv):
    path = csv([1, 2, 3])
    assert message(path, "y", weights="y") == (
        "column 'y' is the target and the weights: choose one"
    )
    assert message(path, "y", weights="a", features=["a", "b"]) == (
        "column 'a' is the weights and a feature: choose one"
    )
    assert message(path, "y", weights="v").startswith("no column 'v'")


def test_formats_without_weights(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n")
    (tmp_path / "a.idx").write_bytes(to_idx(np.eye(3)))
    for path in (tmp_path / "a.svm", tmp_path / "a.idx"):
        assert message(path, weights=0).endswith("has no weights: leave out --weights")
