"""The examples and the commands of the README and the docs print what they say they print."""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
EXAMPLES = [
    pytest.param(program, printed, id=f"{name}-{number}")
    for name, text in TEXTS.items()
    for number, (program, printed) in enumerate(
        re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.S)
    )
]
COMMANDS = re.findall(r"```console\n(.*?)```", TEXTS["README.md"], re.S)
PROSE = re.sub(r"```.*?```", "", TEXTS["README.md"], flags=re.S)
IN_SENTENCES = [
    " ".join(command.split()) for command in re.findall(r"`(novikoff \w+[^`]*)`", PROSE)
]


@pytest.mark.parametrize(("program", "printed"), EXAMPLES)
def test_the_examples_print_what_they_say(program, printed):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(program, {})
    assert out.getvalue() == printed


def test_every_example_is_run():
    assert len(EXAMPLES) == sum(text.count("```python") for text in TEXTS.values())


def test_the_commands_of_the_readme_print_what_it_says(tmp_path):
    """All of them in order, in one folder, as a reader would type them."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    bin_folder = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": bin_folder + os.pathsep + os.environ.get("PATH", ""),
        "COLUMNS": "100",
    }
    for block in COMMANDS:
        printed = ""
        for command in re.findall(r"^\$ (.*)$", block, re.M):
            done = typed(command, tmp_path, environment)
            printed += f"$ {command}\n{done.stdout}{without_progress(done.stderr)}"
        assert without_times(printed) == without_times(block)
    for command in IN_SENTENCES:
        done = typed(command, tmp_path, environment)
        assert done.returncode == 0, (command, done.stderr)


def test_there_are_commands():
    assert sum(block.count("$ novikoff") for block in COMMANDS) >= 4
    assert {command.split()[1] for command in IN_SENTENCES} >= {"separable", "fit", "warmup"}


def test_links_lead_somewhere():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#]+)\)", TEXTS[page.name]):
            if "://" not in link:
                assert (page.parent / link).exists(), (page.name, link)


def typed(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
    """Run a command as a reader would type it."""
    words = shlex.split(command)
    return subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def without_progress(text: str) -> str:
    """Leave out what is only said of a fit that takes long, or compiles."""
    return re.sub(r"^(pass \d|Compiling).*\n", "", text, flags=re.M)


def without_times(text: str) -> str:
    """Leave out what depends on the machine: times, and how rounding made a search go on."""
    text = re.sub(r"^(Time +).*$", r"\1", text, flags=re.M)
    text = re.sub(r"^(Run +).*\n( .*\n)*", r"\1\n", text, flags=re.M)
    return re.sub(r"\(gap [^)]*\)", "(gap)", text)
