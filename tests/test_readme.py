"""The examples of the README print what the README says they print."""

import contextlib
import io
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


TEXT = README.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", TEXT, re.S)


@pytest.mark.parametrize(("program", "printed"), EXAMPLES)
def test_the_examples_print_what_they_say(program, printed):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(program, {})
    assert out.getvalue() == printed


def test_there_are_examples():
    assert len(EXAMPLES) == TEXT.count("```python")
