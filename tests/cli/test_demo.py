"""`make demo` fits, proves and verifies."""

import re
import runpy
import shlex
import sys
from pathlib import Path

import novikoff
from novikoff.certificate import Separation

ROOT = Path(__file__).parents[2]
SHOWN = [
    "Data     build/breast_cancer.csv: 569 examples, 30 features",
    "Classes  diagnosis: 'benign' (357) and 'malignant' (212)",
    "Support  31 of 569 examples carry the model",
    "Errors   0 of 569 examples (0 %)",
    "Check    novikoff verify build/model.json build/breast_cancer.csv",
    "Verified     the hyperplane separates 'malignant' (212) from 'benign' (357) with margin at "
    "least 0.0000413713, and no hyperplane has more than 0.0000413714. All 569 examples take part, "
    "without weights; hyperplanes with an intercept.",
]


def make_demo():
    """The commands of the Makefile, without the folder of the programs."""
    recipe = re.search(r"^demo:.*?\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)[1]
    return [shlex.split(line.replace("$(BIN)/", "")) for line in recipe.splitlines()]


def test_the_demo(run, monkeypatch):
    printed = ""
    Path("build").mkdir()
    for command, *arguments in make_demo():
        if command == "python":
            monkeypatch.setattr(sys, "argv", arguments)
            runpy.run_path(str(ROOT / arguments[0]), run_name="__main__")
        elif command == "novikoff":
            result = run(*arguments)
            assert result.exit_code == 0
            assert result.stderr == ""
            printed += f"$ {shlex.join([command, *arguments])}\n{result.stdout}"
    for line in SHOWN:
        assert line in printed.splitlines()
    model = novikoff.load("build/model.json")
    assert isinstance(model.certificate_, Separation)
    assert 4.137e-5 < model.margin_ <= model.margin_upper_bound_ < 4.138e-5
    assert model.certificate_.gap <= 1e-6
