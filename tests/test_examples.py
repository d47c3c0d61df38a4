"""Every program in examples/ runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted((ROOT / "examples").glob("*.py"))
NEEDS = {"beta_loss": "torch", "statsmodels_separation": "statsmodels"}
ARGUMENTS = {
    "breast_cancer_csv": "breast_cancer.csv",
    "kernel_picture": "kernels.svg",
    "max_margin": "margin.png",
    "patients_csv": "patients.csv",
    "picture": "certificate.svg",
    "random_features": "2000",
    "separate_bodies": "bodies.svg",
    "watch_the_bounds": "bounds.png",
}


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.stem for program in PROGRAMS])
def test_it_runs(program, tmp_path):
    pytest.importorskip(NEEDS.get(program.stem, "novikoff"))
    argument = ARGUMENTS.get(program.stem)
    done = subprocess.run(
        [sys.executable, program, *([] if argument is None else [argument])],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if argument is not None and not argument.isdigit():
        assert (tmp_path / argument).stat().st_size > 0
    else:
        assert done.stdout
