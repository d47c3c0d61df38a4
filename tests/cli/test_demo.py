"""`make demo` prints what the README says it prints."""

import re
import runpy
import shlex
import sys
from pathlib import Path

import novikoff
from novikoff.certificate import Separation

ROOT = Path(__file__).parents[2]
# Seconds, and what rounding moves: how close the bounds are, by which steps, and which examples
# needed exact arithmetic.
VARIES = re.compile(
    r"(?<=Time)\s+.*|gap \S+ %|[\d,]+ updates?|[\d,]+ full pass(es)?|(?<=solver: ).*"
    r"|[\d,]+ examples? checked in exact arithmetic, [\d,]+"
)


def make_demo():
    """The commands of the Makefile, without the folder of the programs."""
    recipe = re.search(r"^demo:.*?\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)[1]
    return [shlex.split(line.replace("$(BIN)/", "")) for line in recipe.splitlines()]


def test_the_demo(run, monkeypatch):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```\n(\$ novikoff fit build/.*?)```", readme, re.S)[1]
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
    assert VARIES.sub("...", printed) == VARIES.sub("...", shown)
    model = novikoff.load("build/model.json")
    assert isinstance(model.certificate_, Separation)
    assert 4.137e-5 < model.margin_ <= model.margin_upper_bound_ < 4.138e-5
    assert model.certificate_.gap <= 1e-6
