"""Model files that are damaged, hostile or old: one line, exit code 2, little memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NESTED = "[" * 900 + "]" * 900


@pytest.fixture
def model(run, fruit):
    assert run("fit", fruit, "-t", "kind", "-q").exit_code == 0
    return Path("model.json")


def put(path, value, *keys):
    """Write a value, as JSON, at a place of a document."""
    document = json.loads(path.read_text())
    *way, last = keys
    place = document
    for key in way:
        place = place[key]
    place[last] = "the value"
    path.write_text(json.dumps(document).replace('"the value"', value))


BAD_FIELDS = [
    ("3", "about", "drop"),
    ('["kind"]', "about", "target"),
    ("null", "about", "target"),
    ("true", "about", "header"),
    ("[]", "about"),
    ('"text"', "about"),
    ('"<U100000000"', "fitted", "classes_dtype"),
    ('"O, O"', "fitted", "classes_dtype"),
    ("8", "fitted", "classes_dtype"),
    ("[]", "fitted"),
    ("[]", "parameters"),
    ("{}", "certificate"),
    ("null", "certificate"),
    ('"much"', "certificate", "upper"),
    ("NaN", "certificate", "upper"),
    ("null", "certificate", "problem", "classes", 0),
    ("7", "certificate", "problem", "fingerprint"),
    ("[1]", "certificate", "problem", "feature_names"),
    ("99999999999999999999", "certificate", "problem", "n_examples"),
    ("4294967296", "certificate", "support", 0),
    ("1", "certificate", "version"),
    (NESTED, "about"),
    (NESTED, "about", "target"),
    (NESTED, "certificate"),
    (NESTED, "certificate", "model", "coef"),
    (NESTED, "certificate", "problem", "classes"),
    (NESTED, "fitted"),
    (NESTED, "fitted", "classes_dtype"),
    (NESTED, "parameters"),
    ("[" * 100_000 + "]" * 100_000, "about"),
    ("9" * 5000, "certificate", "problem", "n_examples"),
]


@pytest.mark.parametrize("verb", ["verify", "predict"])
@pytest.mark.parametrize("field", BAD_FIELDS, ids=lambda field: f"{field[1:]}: {field[0][:20]}")
def test_a_field_of_another_form(refused, model, fruit, verb, field):
    put(model, *field)
    assert "model.json: " in refused(verb, model, fruit)


@pytest.mark.parametrize("verb", ["verify", "predict"])
def test_a_truncated_file(refused, model, fruit, verb):
    text = model.read_text()
    for length in (0, 1, len(text) // 2, len(text) - 3):
        model.write_text(text[:length])
        assert "model.json: " in refused(verb, model, fruit)


@pytest.mark.parametrize("verb", ["verify", "predict"])
def test_a_file_of_version_1_is_to_be_made_again(refused, model, fruit, verb):
    put(model, "1", "version")
    line = refused(verb, model, fruit)
    assert "version 1" in line
    assert "fit again" in line
    Path("old.json").write_text('{"format": "novikoff certificate", "version": 1, "kind": "x"}')
    assert "fit again" in refused("verify", "old.json", fruit)


@pytest.mark.parametrize("verb", ["verify", "predict"])
def test_a_field_too_many_or_too_few(refused, model, fruit, verb):
    document = json.loads(model.read_text())
    model.write_text(json.dumps(document | {"coef": [1.0]}))
    assert "'coef'" in refused(verb, model, fruit)
    del document["fitted"]
    model.write_text(json.dumps(document))
    assert "'fitted'" in refused(verb, model, fruit)


@pytest.mark.parametrize("verb", ["verify", "predict"])
def test_other_files(refused, fruit, verb):
    for name, content in {
        "other.json": b'{"name": "something else"}',
        "list.json": b"[1, 2]",
        "bytes.json": bytes(range(256)),
        "utf16.json": '{"format": "novikoff model"}'.encode("utf-16"),
    }.items():
        Path(name).write_bytes(content)
        assert f"{name}: " in refused(verb, name, fruit)


@pytest.mark.parametrize("verb", ["verify", "predict"])
def test_files_that_are_not_there(refused, model, fruit, verb):
    assert "nowhere.json: no such file" in refused(verb, "nowhere.json", fruit)
    assert "nowhere.csv: no such file" in refused(verb, model, "nowhere.csv")
    Path("folder").mkdir()
    assert "it is a folder" in refused(verb, "folder", fruit)
    assert "File name too long" in refused(verb, "n" * 300, fruit)


LITTLE = 1 << 29


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS counts otherwise elsewhere")
@pytest.mark.parametrize("verb", ["verify", "predict"])
@pytest.mark.parametrize(
    "field",
    [
        ('"<U100000000"', "fitted", "classes_dtype"),
        (NESTED, "about"),
        ("1000000000000", "certificate", "problem", "n_features"),
    ],
    ids=lambda field: str(field[1:]),
)
def test_a_hostile_file_takes_little_memory(model, fruit, verb, field):
    """Half a gigabyte beside what the program itself needs, of which its libraries are most."""
    put(model, *field)
    code = f"""
import resource, sys
import novikoff.cli.verbs, novikoff.data, novikoff.estimators, novikoff.report.verification
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + {LITTLE}, now + {LITTLE}))
sys.argv[0] = "novikoff"
novikoff.cli.main()
"""
    result = subprocess.run(
        [sys.executable, "-c", code, verb, str(model), str(fruit)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    assert "not enough memory" not in result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.returncode == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_saving_over_what_is_not_a_regular_file(refused, fruit):
    os.mkfifo("pipe")
    assert "--out pipe: it is not a regular file" in refused(
        "fit", fruit, "-t", "kind", "-o", "pipe"
    )
    long = "n" * 300
    assert "File name too long" in refused("fit", fruit, "-t", "kind", "-o", long)


def test_the_longest_name_and_the_mode_of_the_old_file(run, fruit):
    name = "m" * 250 + ".json"
    assert run("fit", fruit, "-t", "kind", "-o", name, "-q").exit_code == 0
    os.chmod(name, 0o600)
    assert run("fit", fruit, "-t", "kind", "-o", name, "-q", "--C", 1).exit_code == 0
    assert os.stat(name).st_mode & 0o777 == 0o600
    assert run("verify", name, fruit).exit_code == 0
