"""RobustProjection on sparse examples: the time and the memory of its measured certificate."""

import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from benchmarks.measure import Report
from benchmarks.memory import MEGABYTE, load_arrays, peak, save_arrays

N, D, K = 10_000, 5_000, 1_000


def child(folder: Path, density: str) -> None:
    """Fit, project and certify once; print the seconds, the peak memory and the certificate."""
    from novikoff import RobustProjection

    X, _ = load_arrays(folder)
    projection = RobustProjection(
        n_components=K, density=float(density) if density else None, random_state=0
    )
    times = [time.process_time()]
    projection.fit(X)
    times.append(time.process_time())
    projection.transform(X)
    times.append(time.process_time())
    certificate = projection.gram_certificate(X)
    times.append(time.process_time())
    print(*(end - start for start, end in pairwise(times)), peak())
    print(certificate.tau, certificate.epsilon)


def main() -> None:
    from benchmarks.generators import text_like

    report = Report("projection", "The measured certificate of a random projection")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = text_like(N, D, 80, random_state=0)
        size = save_arrays(folder, made.X, made.y)
        for case, density in {"Gaussian": "", "±1 of density 1/3": str(1 / 3)}.items():
            command = [sys.executable, "-m", "benchmarks.projection", name, density]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            first, second = done.stdout.splitlines()
            fit, transform, certify, memory = map(float, first.split())
            tau, epsilon = map(float, second.split())
            where = f"CSR {N:,} x {D:,} to {K:,}, {case}"
            report.add(
                f"{where}: gram_certificate",
                certify,
                "s",
                at_most=60.0,
                note=f"fit {fit:.2g} s, transform {transform:.2g} s; tau {tau:.3g}, "
                f"margins from {epsilon:.3g} R on keep half",
            )
            report.add(
                f"{where}: peak of the process",
                memory / MEGABYTE,
                "MB",
                at_most=1000.0,
                note=f"data {size / MEGABYTE:.0f} MB, matrix {8 * D * K / MEGABYTE:.0f} MB",
            )
    report.finish()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        child(Path(sys.argv[1]), sys.argv[2])
    else:
        main()
