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


def test_blanks_around_names_and_values_are_left_out(run):
    rows = [f"{i}, {'ab'[i % 2]}, {'yes' if i > 9 else 'no'}" for i in range(20)]
    Path("a.csv").write_text("\n".join(["a, b, y", *rows, "30,a,yes"]) + "\n")
    told = run("fit", "a.csv", "-t", "y").stdout
    assert "y: 'no' (10) and 'yes' (11) (blanks around labels are left out)" in told
    assert "'b': words, 2 features of 0 and 1 (a and b)" in told
    assert run("verify", "model.json", "a.csv").exit_code == 0
    assert run("predict", "model.json", "a.csv").stdout.splitlines()[1] == "no"


def test_vertical_bars_between_fields(run):
    rows = [f"{i}|{i % 3}|{'uv'[i > 9]}" for i in range(20)]
    Path("a.csv").write_text("\n".join(["a|b|y", *rows]) + "\n")
    assert "20 examples, 2 features" in run("fit", "a.csv", "-t", "y").stdout
    assert run("verify", "model.json", "a.csv").exit_code == 0


def test_one_column_only(refused):
    Path("a.csv").write_text("a b label\n1 2 u\n2 3 v\n")
    line = refused("fit", "a.csv", "-t", "label")
    assert "no column 'label': the only column is 'a b label' (a CSV file has commas, semi" in line


@pytest.mark.parametrize("verb", ["fit", "separable"])
def test_a_quantity_is_no_target(refused, verb):
    Path("a.csv").write_text("a,b,size\n1,2,1\n2,3,1.5\n3,4,2.5\n")
    line = refused(verb, "a.csv", "-t", "size")
    assert "a.csv: column 'size' contains numbers with fractions, such as 1.5, and not" in line
    assert "--target" in line and "continuous" not in line


def test_a_column_of_which_no_word_was_seen(run):
    rows = [f"{i},{('no', 'yes')[i % 2]},{'pq'[i % 2]},{'uv'[i > 9]}" for i in range(20)]
    Path("a.csv").write_text("\n".join(["a,smoker,c,y", *rows]) + "\n")
    assert run("fit", "a.csv", "-t", "y").exit_code == 0
    Path("new.csv").write_text("a,smoker,c\n1,False,p\n2,True,z\n")
    first, second = run("predict", "model.json", "new.csv").stderr.splitlines()
    assert first == (
        "novikoff: warning: column 'smoker': no row has a word that the fit saw ('no' and 'yes'); "
        "the first is 'False', and all its indicator columns are 0: write the values as at the fit"
    )
    assert second.startswith("column 'c': a word the fit did not see, as 'z', in 1 row")


def test_every_column_of_words_is_listed(run):
    names = [f"w{j}" for j in range(8)]
    rows = [",".join(["pqr"[(i + j) % 3] for j in range(8)] + ["uv"[i % 2]]) for i in range(24)]
    Path("a.csv").write_text("\n".join([",".join([*names, "y"]), *rows]) + "\n")
    told = run("separable", "a.csv", "-t", "y", "--estimates", "e.json").stdout
    assert "24 examples, 24 features; 16 for the estimates, without first levels of words" in told
    for name in names:
        assert f"'{name}': words, 3 features of 0 and 1 (p, q and r)\n" in told
    told = run("verify", "e.json", "a.csv").stdout
    assert "24 examples, 16 features" in told
    assert "'w7': words, 2 features of 0 and 1 (q and r), without the first, 'p'\n" in told
