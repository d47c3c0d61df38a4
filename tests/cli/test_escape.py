"""Names and labels from files never act upon the terminal, nor make up lines of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novikoff

EVIL = "\x1b[2J\x9b31m\x7f\u202e\nVerified  everything\r\n\u2028\t"


@pytest.fixture
def evil(tmp_path, monkeypatch):
    """A file in whose name, columns, target and labels a terminal would find orders."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 20)
    X = rng.uniform(-1, 1, (40, 2)) + 4 * codes[:, None]
    return write(Path(f"fruit{EVIL}.parquet"), X, codes)


def write(path, X, codes):
    columns = {f"x{EVIL}": X[:, 0], f"{EVIL}z": X[:, 1]}
    labels = np.array([f"apple{EVIL}", f"{EVIL}banana"])[codes]
    pq.write_table(pa.table(columns | {f"kind{EVIL}": labels}), path)
    return path


def check(result):
    """Only printable characters, and no line that a label made up."""
    text = result.stdout + result.stderr
    assert text
    assert all(character.isprintable() or character == "\n" for character in text)
    assert not any(line.lstrip().startswith("Verified  ev") for line in text.splitlines())
    return text


TARGET = ["--target", f"kind{EVIL}"]


@pytest.mark.parametrize("options", [[], ["--C", 1], ["--rule", "scale-free"], ["--json"]])
def test_fit_and_verify(run, evil, options):
    out = f"model{EVIL}.json"
    fitted = run("fit", evil, *TARGET, "--out", out, *options)
    assert fitted.exit_code == 0
    check(fitted)
    flags = ["--json"] if "--json" in options else []
    verified = run("verify", out, evil, *flags)
    assert verified.exit_code == 0
    text = check(verified)
    for name in ("apple", "banana", "kind", "fruit"):
        assert name in text
    if flags:
        assert json.loads(verified.stdout)["classes"] == [f"{EVIL}banana", f"apple{EVIL}"]


def test_several_classes(run, evil, tmp_path):
    table = pq.read_table(evil)
    labels = table.column(2).to_pylist()
    labels[:5] = [EVIL] * 5
    pq.write_table(table.set_column(2, f"kind{EVIL}", [labels]), evil)
    for arguments in (
        ["fit", evil, *TARGET, "--out", "model.json"],
        ["verify", "model.json", evil],
        ["separable", evil, *TARGET, "--out", "proof.json"],
        ["verify", "proof.json", evil],
    ):
        result = run(*arguments)
        assert result.exit_code == 0
        check(result)


def test_limits_and_errors(run, evil):
    X = np.random.default_rng(1).standard_normal((200, 2))
    write(evil, X, np.arange(200) % 2)
    limited = run("fit", evil, *TARGET, "--max-iter", 1, "--rule", "scale-free", "--min-margin", 0)
    assert "novikoff: warning: " in check(limited)
    for arguments in (
        ["fit", evil],
        ["fit", evil, "--target", f"{EVIL}nothing"],
        ["fit", evil, *TARGET, "--drop", EVIL],
        ["fit", evil, *TARGET, "--out", f"{EVIL}/model.json"],
        ["fit", evil, *TARGET, "--weights", f"kind{EVIL}"],
        ["fit", f"{EVIL}.csv", *TARGET],
        ["fit", evil, *TARGET, "--rule", EVIL],
        ["verify", f"{EVIL}.json", evil],
        [EVIL],
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        check(result)


def put(value, *keys):
    document = json.loads(Path("model.json").read_text())
    *way, last = keys
    place = document
    for key in way:
        place = place[key]
    place[last] = value
    Path("model.json").write_text(json.dumps(document))


@pytest.mark.parametrize(
    "keys",
    [
        ("certificate", "problem", "fingerprint"),
        ("certificate", "problem", "sha256"),
        ("certificate", "problem", "target"),
        ("certificate", "problem", "feature_names", 0),
        ("certificate", "problem", "classes", 0),
        ("certificate", "account", "asked"),
        ("certificate", "account", "status"),
        ("certificate", "kind"),
        ("certificate", "version"),
        ("certificate", "format"),
        ("certificate", EVIL),
        ("about", "data"),
        ("about", "target"),
        ("about", "drop"),
        ("about", EVIL),
        ("fitted", "classes_dtype"),
        ("fitted", "solver", 0),
        ("kind",),
        ("version",),
        ("format",),
        (EVIL,),
    ],
    ids=lambda keys: repr(keys[-1]),
)
def test_texts_of_a_model_file(run, fruit, keys):
    run("fit", fruit, "-t", "kind", "-q")
    put(EVIL, *keys)
    for verb in ("verify", "predict"):
        for options in ([], ["--json"]):
            result = run(verb, "model.json", fruit, *options)
            assert result.exit_code in (0, 1, 2)
            # In a pipe predictions are data, and left as they are.
            if verb == "verify" or options or "classes" not in keys:
                check(result)


def test_a_label_that_the_model_has_never_seen(run, evil):
    run("fit", evil, *TARGET, "-q")
    table = pq.read_table(evil)
    labels = [f"cherry{EVIL}", *table.column(2).to_pylist()[1:]]
    pq.write_table(table.set_column(2, f"kind{EVIL}", [labels]), evil)
    result = run("predict", "model.json", evil, *TARGET)
    assert result.exit_code == 2
    assert "cherry" in check(result)
    result = run("verify", "model.json", evil)
    assert result.exit_code == 1
    assert "cherry" in check(result)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_predictions_are_escaped_on_a_terminal_and_unchanged_in_a_pipe(run, evil):
    run("fit", evil, *TARGET, "-q")
    piped = run("predict", "model.json", evil).stdout_bytes.decode()
    assert piped.startswith(f'label\n"apple{EVIL}"\n')
    main, end = os.openpty()
    command = [sys.executable, "-m", "novikoff", "predict", "model.json", str(evil)]
    with subprocess.Popen(command, stdout=end, stderr=subprocess.DEVNULL) as process:
        os.close(end)
        shown = b""
        while True:
            try:
                piece = os.read(main, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
    os.close(main)
    assert process.returncode == 0
    lines = shown.decode().replace("\r\n", "\n").splitlines()
    assert len(lines) == 41
    assert all(line.isprintable() for line in lines)


def test_python_prints_nothing_raw_either(run, evil):
    run("fit", evil, *TARGET, "-q")
    certificate = novikoff.load("model.json").certificate_
    for text in (str(certificate), repr(certificate), str(certificate.problem)):
        assert all(character.isprintable() or character == "\n" for character in text)
