"""How values are written in a file: said once at the fit, and remembered by the model."""

import json
from pathlib import Path

import pytest

GERMAN = "preis;gewicht;art\n" + "".join(
    f"{'1.' if heavy else ''}{900 + i};0,{i};{'teuer' if heavy else 'billig'}\n"
    for heavy in (0, 1)
    for i in range(1, 9)
)


@pytest.fixture
def german():
    path = Path("laden.csv")
    path.write_text(GERMAN)
    return path


def test_thousands_are_never_read_as_decimals(run, refused, german):
    for options in ((), ("--decimal", ",")):
        line = refused("fit", german, "-t", "art", *options)
        assert line.endswith("Try: novikoff fit laden.csv -t art --decimal , --thousands .\n")
    assert run("fit", german, "-t", "art", "--decimal", ",", "--thousands", ".").exit_code == 0
    assert json.loads(Path("model.json").read_text())["about"]["thousands"] == "."
    assert run("verify", "model.json", german).exit_code == 0
    result = run("predict", "model.json", german, "-t", "art")
    assert result.stderr == "0 errors in 16 labelled examples (0 %)\n"
    # A copy that is written otherwise.
    text = german.read_text().replace(".", "").replace(",", ".")
    german.write_text(text)
    assert run("verify", "model.json", german, "--decimal", ".").exit_code == 0
    assert "choose one of" in refused("fit", german, "-t", "art", "--thousands", ".")


def test_texts_for_missing_values_are_remembered(run, refused):
    rows = [
        f"{i},{'n.a.' if i == 3 else i * i},{'-' if i == 5 else 'uv'[i > 9]}" for i in range(20)
    ]
    Path("a.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    line = refused("fit", "a.csv", "-t", "y")
    assert (
        "column 'b', row 4: 'n.a.' is not a number, but 19 other values are; correct it, or" in line
    )
    assert line.endswith("Try: novikoff fit a.csv -t y --missing drop --na n.a.\n")
    options = ("--missing", "drop", "--na", "n.a.", "--na", "-")
    assert run("fit", "a.csv", "-t", "y", *options).exit_code == 0
    checked = run("verify", "model.json", "a.csv")
    assert "2 of 20 rows left out" in checked.stdout
    predicted = run("predict", "model.json", "a.csv").stdout.splitlines()[1:]
    assert [i for i, label in enumerate(predicted) if label == '""'] == [3]
    Path("a.csv").write_text(Path("a.csv").read_text().replace("n.a.", "gone"))
    line = refused("predict", "model.json", "a.csv")
    assert "read it as a missing value with --na gone (and --missing drop)" in line
    assert run("predict", "model.json", "a.csv", "--na", "gone").exit_code == 0


def test_a_gap_where_the_fit_had_none(run, refused):
    rows = [f"{i},{'' if i == 3 else i * i},{'uv'[i > 9]}" for i in range(20)]
    Path("a.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    assert run("fit", "a.csv", "-t", "y", "--missing", "indicator").exit_code == 0
    Path("new.csv").write_text("a,b\n1,1\n,4\n9,81\n")
    line = refused("predict", "model.json", "new.csv")
    assert "none was missing at the fit; correct the file, or pass --missing drop" in line
    predicted = run("predict", "model.json", "new.csv", "--missing", "drop").stdout.splitlines()
    assert [label != '""' for label in predicted[1:]] == [True, False, True]


def test_the_target_of_a_file_without_names(run, refused):
    Path("bare.csv").write_text("".join(f"{i},{i % 3},{'uv'[i > 9]}\n" for i in range(20)))
    assert run("fit", "bare.csv", "--no-header", "-t", "-1").exit_code == 0
    line = refused("predict", "model.json", "bare.csv")
    assert "it has 3 features where 2 are expected: pass --target -1 if the file has labels" in line
    assert run("predict", "model.json", "bare.csv", "-t", "-1").exit_code == 0
    Path("wide.csv").write_text("1,2,3,4\n")
    line = refused("predict", "model.json", "wide.csv")
    assert "name those that are no features with --target and --drop" in line
