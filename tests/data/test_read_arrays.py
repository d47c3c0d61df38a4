"""npy, npz, libsvm and idx: round trips and bad files; and what `read` says before it opens one."""

import bz2
import gzip

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import dump_svmlight_file

from novikoff.data import FORMATS, DataError, read
from novikoff.data.formats.idx import to_idx
from tests.data.hostile import message

X = np.array([[0.5, 0.0, -2.0], [0.0, 0.0, 1e-300], [3.0, 0.1, 0.0]])
Y = np.array([1, -1, 1])


# --- npy and npz


@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", "i8", "i4", ">f8"])
def test_npy_keeps_the_type(tmp_path, dtype):
    array = np.arange(12, dtype=dtype).reshape(4, 3)
    np.save(tmp_path / "a.npy", array)
    table = read(tmp_path / "a.npy")
    assert table.X.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(table.X, array)
    assert table.y is None and table.feature_names is None and table.target_name is None


@pytest.mark.parametrize(("given", "kept"), [("f2", "f4"), ("?", "u1")])
def test_npy_widens_what_the_library_does_not_compute_with(tmp_path, given, kept):
    np.save(tmp_path / "a.npy", np.eye(2, dtype=given))
    assert read(tmp_path / "a.npy").X.dtype == np.dtype(kept)


@pytest.mark.parametrize(("target", "rest"), [(0, [1, 2]), (-1, [0, 1]), ("1", [0, 2])])
def test_npy_target_by_position(tmp_path, target, rest):
    np.save(tmp_path / "a.npy", X)
    table = read(tmp_path / "a.npy", target)
    np.testing.assert_array_equal(table.X, X[:, rest])
    np.testing.assert_array_equal(table.y, X[:, int(target)])
    assert table.X.flags.c_contiguous
    np.testing.assert_array_equal(read(tmp_path / "a.npy", drop=[target]).X, X[:, rest])


def test_npz_with_named_arrays(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=X, y=np.array(["b", "a", "b"]), fold=Y)
    table = read(path, labelled=True)
    np.testing.assert_array_equal(table.X, X)
    assert table.y.tolist() == ["b", "a", "b"]
    assert read(path, "fold").y.tolist() == Y.tolist()
    assert read(path, 0).y.tolist() == X[:, 0].tolist()
    assert read(path, "2").y.tolist() == X[:, 2].tolist()
    assert message(path, "group").startswith("no array 'group': it contains X, y, fold")


def test_npz_labels_may_be_a_column_or_bytes(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=np.array([[b"u"], [b"v"], [b"u"]]))
    assert read(tmp_path / "a.npz").y.tolist() == ["u", "v", "u"]


FORMS = [
    sp.csr_matrix,
    sp.csc_matrix,
    sp.csr_array,
    sp.coo_matrix,
    sp.dia_matrix,
    sp.bsr_matrix,
    lambda X: sp.bsr_matrix(X, blocksize=(3, 1)),
]


@pytest.mark.parametrize("make", FORMS)
def test_npz_of_a_sparse_matrix(tmp_path, make):
    path = tmp_path / "a.npz"
    sp.save_npz(path, make(X))
    table = read(path)
    assert table.X.format == "csr" and table.y is None
    np.testing.assert_array_equal(table.X.toarray(), X)
    split = read(path, 0)
    np.testing.assert_array_equal(split.X.toarray(), X[:, 1:])
    np.testing.assert_array_equal(split.y, X[:, 0])


@pytest.mark.parametrize(
    ("given", "kept"), [("f2", "f4"), ("?", "u1"), (">f8", "f8"), ("i1", "i1")]
)
def test_npz_of_a_sparse_matrix_keeps_or_widens_the_type(tmp_path, given, kept):
    matrix = sp.csr_matrix(np.eye(3))
    parts = {"indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape}
    data = matrix.data.astype(given)
    np.savez(tmp_path / "a.npz", data=data, format=np.array(b"csr"), **parts)
    table = read(tmp_path / "a.npz", weights=0)
    assert table.X.dtype == np.dtype(kept) and table.weights.tolist() == [1, 0, 0]
    assert table.X.toarray().tolist() == [[0, 0], [1, 0], [0, 1]]


def test_npz_of_a_sparse_matrix_with_labels(tmp_path):
    matrix = sp.csr_matrix(X)
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    np.savez(tmp_path / "a.npz", **parts, shape=matrix.shape, format=np.array(b"csr"), y=Y)
    table = read(tmp_path / "a.npz")
    np.testing.assert_array_equal(table.X.toarray(), X)
    np.testing.assert_array_equal(table.y, Y)


def with_value(value):
    array = X.copy()
    array[1, 2] = value
    return array


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.arange(3.0), "the array has shape (3,)"),
        (np.zeros((2, 2, 2)), "the array has shape (2, 2, 2)"),
        (np.zeros((0, 3)), "it has no rows"),
        (np.array([["a"]]), "the array is of type <U1"),
        (np.zeros((2, 2), complex), "the array is of type complex128"),
        (with_value(np.nan), "column 2, row 2: nan is not a finite number"),
        (with_value(-np.inf), "column 2, row 2: -inf is not a finite number"),
    ],
)
def test_bad_arrays(tmp_path, array, expected):
    np.save(tmp_path / "a.npy", array)
    assert message(tmp_path / "a.npy").startswith(expected)
    np.savez(tmp_path / "a.npz", X=array)
    assert message(tmp_path / "a.npz").startswith(expected)


def test_non_finite_value_is_found_in_a_later_block(tmp_path):
    array = np.zeros((1_100_000, 2))
    array[1_099_998, 1] = np.inf
    np.save(tmp_path / "a.npy", array)
    assert message(tmp_path / "a.npy").startswith("column 1, row 1099999: inf")


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"A": X}, "it contains A: name the rows X"),
        ({}, "it contains nothing: name the rows X"),
        ({"X": X, "y": Y[:2]}, "array 'y' has shape (2,) where (3,) is expected"),
        ({"X": X, "y": np.array([1.0, np.nan, 0])}, "array 'y', row 2: the label is missing"),
        ({"X": X, "y": np.array(["a", "", "b"])}, "array 'y', row 2: the label is missing"),
        ({"X": X, "y": Y.astype(complex)}, "array 'y' is of type complex128"),
        ({"X": X, "y": np.array(["a", None, 2], object)}, "it contains Python objects"),
        ({"X": X.astype(object)}, "it contains Python objects"),
    ],
)
def test_bad_npz(tmp_path, arrays, expected):
    np.savez(tmp_path / "a.npz", **arrays)
    assert message(tmp_path / "a.npz").startswith(expected)


def test_bad_sparse_npz(tmp_path):
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.csr_matrix(with_value(np.nan)))
    assert message(path).startswith("column 2, row 2: nan is not a finite number")
    sp.save_npz(path, sp.csr_matrix((0, 3)))
    assert message(path) == "it has no rows"
    sp.save_npz(path, sp.csr_matrix(X.astype(complex)))
    assert message(path).startswith("the matrix is of type complex128")
    np.savez(path, data=X, shape=X.shape, format=np.array(b"zip"))
    assert message(path).startswith("not a readable sparse matrix")
    outside = {"data": np.ones(1), "indices": np.array([10**6]), "indptr": np.array([0, 1])}
    np.savez(path, **outside, shape=(1, 3), format=np.array(b"csr"))
    assert message(path).startswith("not a readable sparse matrix")


def test_object_arrays_are_never_unpickled(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    assert message(tmp_path / "a.npy").startswith("it contains Python objects")


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_numpy_file_cut_short(tmp_path, name):
    path = tmp_path / name
    if name == "a.npy":
        np.save(path, X)
    else:
        np.savez(path, X=X)
    path.write_bytes(path.read_bytes()[:-10])
    assert message(path).startswith("not a readable numpy file")
    path.write_bytes(b"junk")
    assert message(path).startswith("not a readable numpy file")


def test_arrays_without_target(tmp_path):
    np.save(tmp_path / "a.npy", X)
    text = message(tmp_path / "a.npy", labelled=True)
    assert text.startswith("no target is named: pass --target") and "positions 0 to 2" in text
    assert message(tmp_path / "a.npy", 3).startswith("no column 3")
    assert message(tmp_path / "a.npy", "kind").startswith("no column 'kind'")
    assert "3 features where 2" in message(tmp_path / "a.npy", n_features=2)


# --- libsvm


@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 8), st.integers(1, 5)),
        elements=st.one_of(st.just(0.0), st.floats(-1e9, 1e9)),
    )
)
def test_libsvm_round_trip(tmp_path_factory, X):
    path = tmp_path_factory.mktemp("libsvm") / "a.libsvm"
    y = np.arange(len(X)) % 3 - 1
    dump_svmlight_file(X, y, str(path), zero_based=False)
    table = read(path, n_features=X.shape[1])
    np.testing.assert_allclose(table.X.toarray(), X, rtol=1e-15)
    assert table.y.tolist() == y.tolist() and table.y.dtype == np.int64
    assert table.X.indices.dtype == table.X.indptr.dtype == np.int32


@pytest.mark.parametrize(("name", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_libsvm_packed_with_comments_and_query_ids(tmp_path, name, pack):
    path = tmp_path / ("a.svm" + name)
    path.write_bytes(pack(b"# head\n1.5 qid:1 1:2 3:4 # tail\n\n-1 2:0.5\n"))
    table = read(path)
    assert table.X.toarray().tolist() == [[2, 0, 4], [0, 0.5, 0]]
    assert table.y.tolist() == [1.5, -1]
    path.write_bytes(pack(b"1 1:2\n1 1:x\n"))
    assert message(path) == "row 2: '1:x' is not of the form index:value"


def test_libsvm_width(tmp_path):
    path = tmp_path / "a.libsvm"
    path.write_text("1 1:1 3:1\n-1 2:1\n")
    assert read(path).X.shape == (2, 3)
    assert read(path, n_features=5).X.shape == (2, 5)
    assert read(path, features=list("abcd")).X.shape == (2, 4)
    assert message(path, n_features=2) == "it has 3 features where 2 are expected"
    path.write_text("1 0:1 3:1\n")
    assert read(path).X.shape == (1, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 1:1\nred 1:2\n", "row 2: the label 'red' is not a number"),
        ("1 1:1\n\n1,2 1:2\n", "row 2: the label '1,2' is not a number"),
        ("1:1 2:1\n", "row 1: the label '1:1' is not a number"),
        ("1 1:1\n1 foo\n", "row 2: 'foo' is not of the form index:value"),
        ("1 1:1\n1 3:1 2:1\n", "row 2: the index of '2:1' does not ascend"),
        ("1 1:1 1:2\n", "row 1: the index of '1:2' does not ascend"),
        ("1 -1:2\n", "row 1: the index of '-1:2' is not between"),
        ("1 99999999999:2\n", "row 1: the index of '99999999999:2' is not between"),
        ("1 1:1\n1 2:nan\n", "column 1, row 2: nan is not a finite number"),
        ("1 1:1\n1\n1 1:1 2:inf\n", "column 1, row 3: inf is not a finite number"),
        ("1 1:1\nnan 2:1\n", "the label, row 2: the label is missing"),
        ("# nothing\n", "it has no rows"),
    ],
)
def test_bad_libsvm(tmp_path, text, expected):
    path = tmp_path / "a.libsvm"
    path.write_text(text)
    assert message(path).startswith(expected)


def test_libsvm_has_its_own_target(tmp_path):
    path = tmp_path / "a.libsvm"
    path.write_text("1 1:1\n")
    assert "leave out --target" in message(path, "label")


@pytest.mark.parametrize("name", ["a.libsvm.gz", "a.csv.gz", "a.idx"])
@pytest.mark.parametrize("spoil", [lambda c: c[:-20], lambda c: c[:300] + b"xxxxxxxx" + c[308:]])
def test_packed_file_spoilt(tmp_path, name, spoil):
    path = tmp_path / name
    text = b"1 1:%f\n" * 20_000 % tuple(np.sqrt(range(20_000)))
    whole = to_idx(np.frombuffer(text, np.uint8)[:, None]) if name == "a.idx" else text
    path.write_bytes(spoil(gzip.compress(whole)))
    assert message(path, header=False).startswith("it cannot be read")


# --- idx


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_idx_images_with_the_labels_beside_them(tmp_path, pack):
    images = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    path = tmp_path / "some-images-idx3-ubyte"
    path.write_bytes(pack(to_idx(images)))
    assert read(path).y is None
    assert "pass their idx file as --target" in message(path, labelled=True)
    (tmp_path / "some-labels-idx1-ubyte").write_bytes(pack(to_idx(np.array([7, 3]))))
    table = read(path, labelled=True)
    np.testing.assert_array_equal(table.X, images.reshape(2, 12))
    assert table.X.dtype == np.uint8 and table.y.tolist() == [7, 3]


def test_idx_labels_by_name(tmp_path):
    (tmp_path / "a.idx").write_bytes(to_idx(np.eye(3)))
    (tmp_path / "b.idx").write_bytes(to_idx(np.array([1, 2, 3])))
    (tmp_path / "short.idx").write_bytes(to_idx(np.array([1, 2])))
    assert read(tmp_path / "a.idx", "b.idx").y.tolist() == [1, 2, 3]
    assert read(tmp_path / "a.idx", str(tmp_path / "b.idx")).y.tolist() == [1, 2, 3]
    assert message(tmp_path / "a.idx", "c.idx") == "no file 'c.idx' with the labels"
    with pytest.raises(DataError, match=r"short\.idx: the array has shape \(2,\) where \(3,\)"):
        read(tmp_path / "a.idx", "short.idx")


def test_idx_of_big_endian_floats(tmp_path):
    content = bytes([0, 0, 0x0D, 2]) + np.array([2, 1], ">u4").tobytes()
    (tmp_path / "a.idx").write_bytes(content + np.array([0.5, -1], ">f4").tobytes())
    table = read(tmp_path / "a.idx")
    assert table.X.dtype == np.float32 and table.X.tolist() == [[0.5], [-1.0]]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\0\0", "not an idx file"),
        (b"junk and more", "not an idx file"),
        (b"\0\0\x07\x01", "not an idx file"),
        (to_idx(np.eye(3))[:-1], "it has 20 bytes where 21 are expected"),
        (to_idx(np.eye(3))[:7], "it has 7 bytes"),
        (to_idx(np.eye(3)) + b"\0", "it has more than the 21 bytes that its header promises"),
        (to_idx(np.array([1, 2])), "it contains labels, not examples"),
        (to_idx(np.zeros((0, 2, 2))), "it has no rows"),
        (gzip.compress(to_idx(np.eye(3)), mtime=0)[:-9], "it cannot be read"),
    ],
)
def test_bad_idx(tmp_path, content, expected):
    path = tmp_path / "a.idx"
    path.write_bytes(content)
    assert message(path).startswith(expected)


# --- before a file is opened


def test_no_such_file_folder_empty_file_unknown_ending(tmp_path):
    assert message(tmp_path / "a.csv") == "no such file"
    assert message(tmp_path) == "it is a folder; name a file in it"
    path = tmp_path / "a.data"
    path.write_text("a,b\n1,2\n")
    assert "pass --format, one of csv, parquet, libsvm, npy, npz, idx" in message(path)
    assert read(path, format="csv").X.tolist() == [[1, 2]]
    with pytest.raises(DataError, match="no format 'xls': choose one of csv"):
        read(path, format="xls")
    for name in FORMATS:
        (tmp_path / "empty").write_bytes(b"")
        assert message(tmp_path / "empty", format=name) == "it is empty"


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "a.idx"
    path.write_bytes(to_idx(np.eye(2)))

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)
    assert message(path) == "it cannot be read (Permission denied)"
