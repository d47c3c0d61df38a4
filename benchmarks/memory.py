"""Memory that a fit uses in addition to the data."""

import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from benchmarks.measure import Report

MEGABYTE = 1e6
STATUS = Path("/proc/self/status")


def save_arrays(folder: Path, X: Any, y: Any) -> int:
    """Write each array to its own file, so that loading them makes no second copy."""
    parts = {"X": X}
    if sparse.issparse(X):
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        np.save(folder / "shape.npy", X.shape)
    for name, array in {**parts, "y": y}.items():
        np.save(folder / f"{name}.npy", array)
    return sum(array.nbytes for array in parts.values())


def load_arrays(folder: Path) -> tuple[Any, Any]:
    y = np.load(folder / "y.npy")
    if (folder / "X.npy").exists():
        return np.load(folder / "X.npy"), y
    parts = tuple(np.load(folder / f"{name}.npy") for name in ("data", "indices", "indptr"))
    return sparse.csr_matrix(parts, shape=np.load(folder / "shape.npy")), y


def peak() -> int:
    """The peak memory of this process so far, in bytes."""
    if STATUS.exists():
        line = next(x for x in STATUS.read_text().splitlines() if x.startswith("VmHWM"))
        return 1024 * int(line.split()[1])
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def child(folder: Path, side: str, warm: bool) -> None:
    """Fit once and print by how many bytes the peak memory increased."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    if side == "novikoff":
        from novikoff import Perceptron
    else:
        from sklearn.linear_model import Perceptron
    X, y = load_arrays(folder)
    if warm:
        few = np.unique(y, return_index=True)[1].tolist() + list(range(20))
        Perceptron(random_state=0).fit(X[few], y[few])
    before = peak()
    Perceptron(random_state=0).fit(X, y)
    print(peak() - before)


def extra(folder: Path, side: str, warm: bool) -> float:
    command = [sys.executable, "-m", "benchmarks.memory", str(folder), side, str(int(warm))]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    from benchmarks import datasets

    report = Report("memory", "Memory of a fit with default parameters: peak beyond the data")
    cases = {
        "MNIST even-v-odd float64": datasets.even_odd,
        "MNIST even-v-odd float32": lambda: datasets.even_odd("float32"),
        "MNIST even-v-odd uint8": lambda: datasets.even_odd("uint8"),
        "100,000 x 100 float64, 5 % noise": lambda: datasets.narrow(noise=0.05),
        "CSR 50,000 x 20,000": datasets.text,
    }
    for case, data in cases.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            size = save_arrays(folder, *data())
            warm = extra(folder, "novikoff", warm=True)
            cold = extra(folder, "novikoff", warm=False)
            peer = extra(folder, "scikit-learn", warm=True)
        report.add(
            case,
            warm / MEGABYTE,
            "MB",
            at_most=0.1 * size / MEGABYTE + 50.0,
            note=f"data {size / MEGABYTE:.0f} MB; including loading of compiled code "
            f"{cold / MEGABYTE:.0f} MB; scikit-learn {peer / MEGABYTE:.0f} MB",
        )
    report.finish()


if __name__ == "__main__":
    if len(sys.argv) == 4:
        child(Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "1")
    else:
        main()
