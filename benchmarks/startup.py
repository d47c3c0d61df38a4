"""Import and a first small fit in a new process, with compiled code in the cache."""

import subprocess
import sys
from statistics import median

from benchmarks.measure import Report, Times

CHILD = """
import time
started = time.perf_counter(), time.process_time()
import numpy as np
from {module} import Perceptron
rng = np.random.default_rng(0)
X = rng.standard_normal((1000, 20))
y = X[:, 0] > 0
imported = time.process_time() - started[1]
Perceptron().fit(X, y)
print(time.perf_counter() - started[0], time.process_time() - started[1], imported)
"""
ROUNDS = 7


def seconds(module: str) -> tuple[float, float, float]:
    """Wall-clock time, CPU time, and CPU time of the import, of a new process."""
    code = CHILD.format(module=module)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    wall, cpu, imported = map(float, done.stdout.split())
    return wall, cpu, imported


def main() -> None:
    report = Report("startup", "Import and first fit of 1,000 x 20 in a new process")
    modules = {"ours": "novikoff", "theirs": "sklearn.linear_model"}
    for module in modules.values():
        seconds(module)
    rounds = [{side: seconds(module) for side, module in modules.items()} for _ in range(ROUNDS)]
    times = {side: Times(tuple(each[side][1] for each in rounds)) for side in modules}
    walls = {side: median(each[side][0] for each in rounds) for side in modules}
    imports = {side: median(each[side][2] for each in rounds) for side in modules}
    ours, theirs = times["ours"], times["theirs"]
    report.add(
        "second process",
        ours.median,
        "s",
        from_minima=ours.least,
        at_most=1.5 * theirs.median + 1.0,
        note=f"scikit-learn {theirs.median:.2f} s; import {imports['ours']:.2f} s and "
        f"{imports['theirs']:.2f} s; wall clock {walls['ours']:.2f} s and {walls['theirs']:.2f} s",
    )
    report.finish()


if __name__ == "__main__":
    main()
