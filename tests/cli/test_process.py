"""The command as the shell runs it."""

import errno
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff
from novikoff._version import __version__
from novikoff.certificate import Status
from novikoff.certificate.announce import COMPILING

COMMAND = [sys.executable, "-m", "novikoff"]


def shell(*arguments, folder):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False
    )


def test_a_whole_session(fruit, tmp_path):
    fitted = shell("fit", fruit.name, "--target", "kind", folder=tmp_path)
    assert fitted.returncode == 0
    assert all(line.startswith(("pass ", COMPILING)) for line in fitted.stderr.splitlines())
    checked = shell("verify", "model.json", fruit.name, "--json", folder=tmp_path)
    assert checked.returncode == 0
    assert json.loads(checked.stdout)["verified"] is True


def test_an_error_has_no_traceback(tmp_path):
    result = shell("fit", "nowhere.csv", "--target", "kind", folder=tmp_path)
    assert result.returncode == 2
    assert result.stderr == "novikoff: error: nowhere.csv: no such file\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_has_no_traceback(fruit, tmp_path):
    assert shell("fit", fruit.name, "--target", "kind", folder=tmp_path).returncode == 0
    with open("/dev/full", "w") as full:
        command = [*COMMAND, "predict", "model.json", fruit.name]
        result = subprocess.run(
            command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 2
    reason = os.strerror(errno.ENOSPC)
    assert result.stderr == f"novikoff: error: the result cannot be written ({reason})\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_closed_stdout_has_no_traceback(fruit, tmp_path):
    assert shell("fit", fruit.name, "--target", "kind", folder=tmp_path).returncode == 0
    command = shlex.join([*COMMAND, "predict", "model.json", fruit.name]) + " >&-"
    result = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_help_and_version_import_no_solver():
    # A bare package stands in for the library's face, so that only the command line's own
    # imports count.
    code = f"""
import sys, types
bare = types.ModuleType("novikoff")
bare.__path__ = {list(novikoff.__path__)!r}
sys.modules["novikoff"] = bare
from novikoff.cli import app
app(["--version"], standalone_mode=False)
app(["fit", "--help"], standalone_mode=False)
print(sorted({{"numpy", "numba", "sklearn", "scipy", "pyarrow", "flint"}} & set(sys.modules)))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    lines = result.stdout.splitlines()
    assert lines[0] == f"novikoff {__version__}"
    assert lines[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a single child on Windows")
def test_ctrl_c_during_a_fit_keeps_the_best_model(noisy, tmp_path):
    rule = ["--rule", "scale-free", "--min-margin", "0"]
    command = [*COMMAND, "fit", noisy.name, "-t", "kind", *rule]
    with subprocess.Popen(
        [*command, "--max-iter", "100000000"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        # The first command of a new install says first that it compiles.
        first = next(line for line in process.stderr if not line.startswith("Compiling"))
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert first.startswith("pass ")
    assert process.returncode == 1
    assert "novikoff: interrupted: the best model so far was saved to model.json" in rest
    assert "Traceback" not in rest
    assert novikoff.load(Path(tmp_path, "model.json")).status_ is Status.INTERRUPTED


@pytest.mark.parametrize("module", ["typer", "numpy", "flint", "sklearn", "pyarrow"])
def test_ctrl_c_during_the_first_imports(fruit, tmp_path, module):
    """Struck while the command line or a verb imports what it needs: one line, nothing written."""
    stand_in = tmp_path / "elsewhere" / module / "__init__.py"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text("raise KeyboardInterrupt")
    path = os.pathsep.join([str(tmp_path / "elsewhere"), *filter(None, sys.path)])
    result = subprocess.run(
        [*COMMAND, "fit", fruit.name, "--target", "kind"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stderr == "novikoff: interrupted: nothing was written\n"
    assert result.returncode == 130
    assert not Path(tmp_path, "model.json").exists()


def test_ctrl_c_before_a_verb_is_known(run, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("novikoff.cli.shared.group.Verbs.parse_args", interrupt)
    result = run("fit", "train.csv")
    assert result.exit_code == 130
    # Some releases of typer end the command themselves, without a word.
    assert result.stderr.strip() in ("", "novikoff: interrupted: nothing was written")


def test_a_piped_summary_is_plain_lines(mixed, tmp_path):
    fitted = shell("fit", mixed.name, "--target", "kind", folder=tmp_path)
    assert fitted.returncode == 0
    assert "\x1b" not in fitted.stdout + fitted.stderr
    names = [line.split()[0] for line in fitted.stdout.splitlines() if line[0] != " "]
    assert names == [
        *("Data", "Classes", "Proved", "C", "Support"),
        *("Errors", "Risk", "Run", "Saved", "Time", "Check"),
    ]
    told = shell("separable", mixed.name, "--target", "kind", "--json", folder=tmp_path)
    assert json.loads(told.stdout)["separable"] is False


def test_a_closed_pipe_is_no_traceback(fruit, tmp_path):
    shell("fit", fruit.name, "--target", "kind", "-q", folder=tmp_path)
    script = f'"{sys.executable}" -m novikoff predict model.json {fruit.name} | head -n 1'
    result = subprocess.run(
        script, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.stdout == "label\n"
    assert result.stderr == ""
