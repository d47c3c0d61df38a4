"""Bad input gets one line that names the cause, exit code 2, and writes nothing."""

from pathlib import Path

import pytest

SPOILT = {
    "nan": ("x,kind\n1,a\nnan,b\n", "column 'x', row 2"),
    "infinity": ("x,kind\ninf,a\n2,b\n", "column 'x', row 1"),
    "one class": ("x,kind\n1,a\n2,a\n", "only one class, 'a'"),
    "no rows": ("x,kind\n", "no rows"),
    "empty": ("", "it is empty"),
    "no such column": ("x,sort\n1,a\n2,b\n", "no column 'kind'"),
    "ragged": ("x,kind\n1,a\n2\n", "row 2 has 1 fields"),
    "overflow": ("x,kind\n1e200,a\n-1e200,b\n", "overflow"),
    "a word": ("x,kind\n1,a\ntwo,b\n", "row 2: 'two' is not a number"),
    "missing": ("x,z,kind\n1,,a\n2,3,b\n", "row 1"),
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
        (["--rule", "infinity", "--rule-param", "alpha=7"], "ScaleFreeInfinity"),
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
    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert "No space left on device" in refused("fit", fruit, "-t", "kind")
