"""The help of the command line."""

import pytest

VERBS = [
    [],
    ["fit"],
    ["verify"],
    ["predict"],
    ["separable"],
    ["warmup"],
    ["reproduce"],
    ["reproduce", "minimax"],
    ["reproduce", "mnist"],
    ["reproduce", "online"],
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_flags_are_shown_without_a_type(run, verb):
    result = run(*verb, "--help")
    assert result.exit_code == 0
    assert "--help" in result.output
    assert "<bool>" not in result.output
    assert "BOOLEAN" not in result.output
