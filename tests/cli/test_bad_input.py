"""Bad input gets one line that names the cause, exit code 2, and writes nothing."""

import json
import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from novikoff.data.formats.idx import to_idx

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, pipes and names of POSIX")

SPOILT = {
    "nan": ("x,kind\n1,a\nnan,b\n", "column 'x', row 2"),
    "infinity": ("x,kind\ninf,a\n2,b\n", "column 'x', row 1"),
    "one class": ("x,kind\n1,a\n2,a\n", "only one class, 'a'"),
    "no rows": ("x,kind\n", "no rows"),
    "empty": ("", "it is empty"),
    "no such column": ("x,sort\n1,a\n2,b\n", "no column 'kind'"),
    "ragged": ("x,kind\n1,a\n2\n", "row 2 has 1 field"),
    "overflow": ("x,kind\n1e300,a\n-1e300,b\n", "overflow"),
    "a word": ("x,kind\n1,a\ntwo,b\n", "row 2: 'two' is not a number"),
    "missing": ("x,z,kind\n1,,a\n2,3,b\n", "row 1"),
    "long integer": (f"x,kind\n1,a\n{'0' * 5000}9007199254740993,b\n", "float64 cannot represent"),
    "long name": (f"{'x' * 131_073},kind\n1,a\n2,b\n", "first line is not readable as CSV"),
    "long label": (f"x,kind\n1,a\n2,{'7' * 4000}b\n", "row 2: the label has 4,001 characters"),
    "long number": (f"x,kind\n1,1\n2,{'7' * 4000}\n", "too large for float64"),
    "large integers": ("x,kind\n1,18446744073709551616\n2,18446744073709551617\n", "texts"),
    "null byte": ("x,kind\n1\0,a\n2,b\n", r"'1\x00' is not a number"),
    "missing label": ("x,kind\n1,a\n2,\n", "the label is missing"),
}


@pytest.mark.parametrize("case", SPOILT)
@pytest.mark.parametrize("verb", ["fit", "separable"])
def test_spoilt_files(refused, tmp_path, verb, case):
    text, cause = SPOILT[case]
    Path(tmp_path, "data.csv").write_text(text)
    assert cause in refused(verb, "data.csv", "--target", "kind")


def test_a_failed_fit_leaves_the_old_model_whole(run, refused, fruit):
    assert run("fit", fruit, "-t", "kind", "-q").exit_code == 0
    fruit.write_text(fruit.read_text() + "nan,1.0,apple\n")
    refused("fit", fruit, "-t", "kind")


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (["--C", "-1"], "C=-1.0"),
        (["--C", "0"], "C=0.0"),
        (["--C", "nan"], "C=nan"),
        (["--C", "much"], "--C"),
        (["--tol", "0"], "tol=0.0"),
        (["--tol", "1"], "tol=1.0"),
        (["--tol", "inf"], "tol"),
        (["--rule", "perfect"], "rule='perfect' is not a rule"),
        (["--rule", "scale-free", "--rule-param", "alpha=1.5"], "alpha"),
        (["--rule", "scale-free", "--rule-param", "c"], "NAME=VALUE"),
        (
            ["--rule", "infinity", "--rule-param", "alpha=7"],
            "alpha=7 must be a number in (1.0, 2.0)",
        ),
        (["--rule", "scale-free-infinity", "--rule-param", "alpha=7"], "alpha=7"),
        (["--rule", "scale-free", "--rule-param", "c=-1"], "c=-1"),
        (["--rule", "scale-free", "--C", "-1"], "C=-1.0"),
        (["--rule", "scale-free", "--C", "nan"], "C=nan"),
        (["--rule", "scale-free", "--seed", "-1"], "--seed"),
        (["--max-iter", "0"], "--max-iter"),
        (["--max-iter", "many"], "--max-iter"),
        (["--time-limit", "nan"], "time"),
        (["--format", "xls"], "xls"),
        (["--drop", "colour"], "no column 'colour'"),
        (["--out", "no/such/model.json"], "there is no folder no/such"),
        (["--out", "."], "it is a folder"),
        (["--targt", "kind"], "--targt"),
    ],
)
def test_bad_parameters(refused, fruit, arguments, cause):
    assert cause in refused("fit", fruit, "-t", "kind", *arguments)


@pytest.mark.parametrize("option", ["--max-updates", "--seed", "--tol", "--C", "--rule"])
def test_separable_has_no_options_of_a_fit(refused, fruit, option):
    assert option in refused("separable", fruit, "-t", "kind", option, 1)


def test_no_target_lists_the_columns(refused, fruit):
    assert "x0, x1, kind" in refused("fit", fruit)


@pytest.mark.parametrize("command", [["fit"], ["verify", "model.json"], ["fly"], ["--fly"]])
def test_bad_usage(refused, command):
    assert "--help)" in refused(*command)


def test_a_file_that_is_not_there(refused):
    assert "train.csv: no such file" in refused("fit", "train.csv", "-t", "kind")


def test_a_disk_that_refuses(refused, fruit, monkeypatch):
    replace = os.replace

    def full(source, target):
        # What is compiled here for the first time may still be kept.
        if str(target).endswith((".nbi", ".nbc")):
            return replace(source, target)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert "No space left on device" in refused("fit", fruit, "-t", "kind")


HOSTILE = "\x1b[2J\u202e\x9b31m"


@pytest.mark.parametrize("verb", ["fit", "separable"])
def test_a_name_cannot_act_on_the_terminal(run, refused, tmp_path, verb):
    path = Path(tmp_path, "data.csv")
    path.write_text(f"x{HOSTILE},kind{HOSTILE}\n1,a{HOSTILE}\n2,b\n")
    assert r"kind\x1b[2J\u202e\x9b31m" in refused(verb, path, "-t", "kin")
    result = run(verb, path, "-t", 0)
    assert result.exit_code == 0 and r"(a\x1b[2J\u202e" in result.stdout
    Path("model.json").unlink(missing_ok=True)
    assert r"\x1b[2J\u202e" in refused(verb, path, "-t", HOSTILE)
    path.write_text(f"x,kind\n1,a{HOSTILE}\n2,a{HOSTILE}\n")
    assert r"\x1b[2J" in refused(verb, path, "-t", "kind")
    path.write_text(f"x,kind{HOSTILE}\n1,a{HOSTILE}\n2,b\n")
    for form in ([], ["--json"]):
        result = run(verb, path, "-t", "-1", *form)
        assert result.exit_code == 0 and "1b[2J" in result.stdout
        for line in result.output.splitlines():
            assert line.isprintable()


@posix
def test_outputs_that_cannot_be_written(refused, fruit, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refused("fit", fruit, "-t", "kind", "-o", "pipe")
    assert "File name too long" in refused("fit", fruit, "-t", "kind", "-o", "m" * 300)
    assert "File name too long" in refused("predict", "m" * 300, fruit)
    assert "File name too long" in refused("fit", "d" * 300 + ".csv")
    Path("loop").symlink_to("loop")
    assert "symbolic links" in refused("fit", fruit, "-t", "kind", "-o", "loop")
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


@posix
def test_a_private_model_stays_private(run, fruit):
    name = "m" * 255
    assert run("fit", fruit, "-t", "kind", "-q", "-o", name).exit_code == 0
    os.chmod(name, 0o600)
    assert run("fit", fruit, "-t", "kind", "-q", "-o", name).exit_code == 0
    assert stat.S_IMODE(os.stat(name).st_mode) == 0o600
    assert run("verify", name, fruit).exit_code == 0


@pytest.fixture
def digits(tmp_path):
    """Two files of images, and their labels under a name that does not tell."""
    Path(tmp_path, "images.idx").write_bytes(to_idx(np.array([[0, 9], [9, 0], [1, 8], [8, 1]])))
    Path(tmp_path, "secret.idx").write_bytes(to_idx(np.array([0, 1, 0, 1])))


def test_a_model_opens_no_file(run, refused, digits):
    assert run("fit", "images.idx", "-t", "secret.idx", "-q").exit_code == 0
    text = Path("model.json").read_text()
    assert "secret" not in text
    assert run("verify", "model.json", "images.idx", "-t", "secret.idx").exit_code == 0
    assert "as --target" in refused("verify", "model.json", "images.idx")
    document = json.loads(text)
    document.setdefault("about", {})["target"] = str(Path("secret.idx").absolute())
    Path("model.json").write_text(json.dumps(document))
    assert "as --target" in refused("verify", "model.json", "images.idx")


@pytest.mark.parametrize("note", ["target", "drop", "header"])
@pytest.mark.parametrize("value", [5, ["a"], {"a": 1}, True])
def test_notes_in_a_model_that_are_not_texts(run, refused, tmp_path, note, value):
    np.save(tmp_path / "data.npy", np.array([[0.0, 1.0], [1.0, 2.0], [5.0, 1.0]]))
    assert run("fit", "data.npy", "-t", "-1", "-q", "-o", "model.json").exit_code == 0
    document = json.loads(Path("model.json").read_text())
    document["about"][note] = value
    Path("model.json").write_text(json.dumps(document))
    assert "must be a text" in refused("verify", "model.json", "data.npy")


@posix
def test_nowhere_is_a_place_to_write_to(run, fruit):
    for verb in ("fit", "separable"):
        result = run(verb, fruit, "-t", "kind", "-o", "/dev/null")
        assert result.exit_code == 0
        assert "Saved" not in result.stdout and "Check" not in result.stdout
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize(
    ("option", "value", "cause"),
    [
        ("--missing", "ignore", "choose one of error, drop, indicator"),
        ("--decimal", ":", "choose . or ,"),
        ("--class-weight", "heavy", "the only choice is balanced"),
        ("--words", "kind", "is not a feature"),
    ],
)
def test_bad_options_of_the_data(refused, fruit, option, value, cause):
    assert cause in refused("fit", fruit, "-t", "kind", option, value)


def test_damaged_encodings_are_refused(run, refused):
    rows = "".join(f"{i},{'ab'[i % 2]},{'uv'[i % 2]}\n" for i in range(8))
    Path("data.csv").write_text(f"x,w,kind\n{rows}")
    assert run("fit", "data.csv", "-t", "kind", "-q").exit_code == 0
    assert run("separable", "data.csv", "-t", "kind", "-q", "-o", "proof.json").exit_code == 0
    for name, verbs in (("model.json", ("verify", "predict")), ("proof.json", ("verify",))):
        text = Path(name).read_text()
        for old, new, cause in (
            ('"words"', '"tree"', "kind must be one of"),
            ('"levels": ["a", "b"]', '"levels": ["a"]', "does not make the features"),
            ('"missing": "error"', '"missing": 5', "missing must be a text"),
            ('"encoding": {', '"encoding": 7, "other": {', "about.encoding must be an object"),
        ):
            assert old in text
            Path(name).write_text(text.replace(old, new))
            for verb in verbs:
                assert cause in refused(verb, name, "data.csv")
        Path(name).write_text(text)
        assert run("verify", name, "data.csv").exit_code == 0


def test_flags_have_no_type_in_the_help(run):
    for verb in ("fit", "verify", "predict", "separable", "reproduce"):
        assert "<bool>" not in run(verb, "--help").stdout
    assert "<bool>" not in run("--help").stdout
    assert "<bool>" not in run("reproduce", "theorems", "--help").stdout


def test_classes_named_like_missing_values_are_pointed_out(run):
    rows = "".join(f"{i},{'NA' if i > 5 else 'DE'}\n" for i in range(10))
    Path("data.csv").write_text(f"x,kind\n{rows}")
    assert run("fit", "data.csv", "-t", "kind", "-q").stderr == (
        "novikoff: warning: 'NA' is read as the name of a class, of 4 examples: "
        "--missing drop leaves such rows out\n"
    )


def test_choices_are_named_as_options(refused, run, fruit):
    assert run("fit", fruit, "-t", "kind", "-q").exit_code == 0
    for command in (("fit", fruit, "-t", "kind"), ("predict", "model.json", fruit)):
        line = refused(*command, "--missing", "zero")
        assert "--missing zero: choose one of error, drop, indicator" in line
        assert "--decimal x: choose . or ," in refused(*command, "--decimal", "x")
