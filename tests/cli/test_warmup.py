"""`novikoff warmup`: what was compiled, for which processor, and where it is kept."""

import json


def test_a_second_time_nothing_is_compiled(run):
    assert run("warmup", "--quiet").output == ""
    told = json.loads(run("warmup", "--json").stdout)
    assert told["compiled"] == 0
    assert any(folder for folder in told["folders"])
    shown = run("warmup").stdout
    assert shown.startswith("Compiled   nothing: all of it was there\n")
    assert told["processor"] in shown


def test_the_help_names_the_limits(run):
    text = " ".join(run("warmup", "--help").stdout.split())
    assert "the first fit compiles again" in text
    assert "also where they cannot write" in text
