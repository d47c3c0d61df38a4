"""The command that a refusal suggests works, whatever is wrong with the columns of a file."""

import csv
import json
import shlex
from itertools import combinations
from pathlib import Path

import pytest

ROWS = 30

# What is wrong with a column: its name, and its value in each row.
TROUBLES = {
    "row numbers": ("", lambda i: i),
    "identifiers": ("full name", lambda i: f"Person, no. {i}"),
    "long integers": ("account no", lambda i: 9_007_199_254_740_993 + i),
    "few missing": ("age (years)", lambda i: "" if i == 4 else 20 + i % 9),
    "many missing": ("cabin", lambda i: "NA" if i % 3 else f"C{i % 2}"),
    "all missing": ("notes", lambda i: "?"),
    "a word among numbers": ("height's", lambda i: "tall" if i == 3 else i % 5),
    "words among many numbers": ("$price", lambda i: "n.v." if i == 3 else i * 1.5),
    "decimal commas": ("weight; kg", lambda i: f"{i % 7},5"),
    "decimal commas and thousands": ("rent", lambda i: f"{1 + i % 7}.500,25"),
    "thousands": ("wage", lambda i: f"{1 + i % 7},500" if i % 3 else 900),
    "points": ("tax", lambda i: i + 0.5),
    "a dash among thousands": ("debt", lambda i: "-" if i == 9 else f"{1 + i % 7},500.5"),
    "a currency": ("bonus", lambda i: f"{i}.50 €"),
    "infinite": ("ratio", lambda i: "inf" if i == 2 else i % 4),
    "dates read both ways": ("born on", lambda i: f"0{1 + i % 9}/0{1 + i % 5}/2001"),
    "dates of two orders": ("seen", lambda i: "31/12/2001" if i % 2 else "12/31/2001"),
    "short years": ("left", lambda i: f"{13 + i % 9}.01.99"),
    "impossible dates": ("paid", lambda i: "29/02/2023" if i == 5 else f"{13 + i % 9}/02/2023"),
    "short years or versions": ("release", lambda i: f"1.{1 + i % 3}.10"),
    "a label is missing": ("class of ship", lambda i: "" if i == 6 else "uv"[i % 2]),
}
TARGET = "class of ship"


def write(path, troubles, delimiter):
    chosen = [TROUBLES[trouble] for trouble in troubles]
    columns = [("x", lambda i: (i % 2) * 3 + i % 4), *chosen]
    if TARGET not in [name for name, _ in columns]:
        columns.append((TARGET, lambda i: "uv"[i % 2]))
    with Path(path).open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow([name for name, _ in columns])
        writer.writerows([value(i) for _, value in columns] for i in range(ROWS))


ALONE = [(trouble,) for trouble in TROUBLES]
PAIRS = list(combinations(TROUBLES, 2))


@pytest.mark.parametrize(
    ("troubles", "delimiter"),
    [
        *((troubles, delimiter) for troubles in [*ALONE, tuple(TROUBLES)] for delimiter in ",;\t"),
        *((pair, ",;\t"[k % 3]) for k, pair in enumerate(PAIRS)),
    ],
)
def test_the_suggested_command_works(run, refused, troubles, delimiter):
    write("my data.csv", troubles, delimiter)
    typed = ("separable", "my data.csv", "--target", TARGET, "--quiet", "-o", "proof.json")
    if troubles == ("points",):
        assert run(*typed).exit_code == 0
        return
    line = refused(*typed)
    command = shlex.split(line[line.index("novikoff ", line.index("Try: ")) :])[1:]
    result = run(*command)
    assert result.exit_code == 0, (line, result.output)
    assert json.loads(Path("proof.json").read_text())["about"]["target"] == TARGET
    assert run("verify", "proof.json", "my data.csv").exit_code == 0


def test_nothing_is_suggested_that_leaves_nothing(refused):
    for text in ("name,y\na,u\nb,v\nc,u\nd,v\n", f"n,y\n{2**53 + 1},u\n{2**53 + 3},v\n"):
        Path("a.csv").write_text(text)
        line = refused("separable", "a.csv", "--target", "y")
        assert "--drop" in line and "Try" not in line
    Path("a.csv").write_text("x,z,y\n1,,u\n2,3,\n,4,v\n")
    assert "Try" not in refused("separable", "a.csv", "--target", "y")


def test_a_column_without_a_name_is_shown(refused):
    Path("a.csv").write_text(",x,y\n0,1,u\n1,2,v\n")
    assert "the 3 columns are '', x, y" in refused("separable", "a.csv")


def test_dates_are_read_in_the_order_that_another_column_proves(refused):
    rows = "".join(
        f"0{1 + i % 9}/0{1 + i % 5}/2001,1/{13 + i}/2001,{'uv'[i % 2]}\n" for i in range(8)
    )
    Path("a.csv").write_text(f"born,seen,y\n{rows}")
    line = refused("separable", "a.csv", "--target", "y")
    assert "pass --dates month-first, as seen is written, or --dates day-first" in line
    assert line.strip().endswith("--dates month-first")


def test_an_impossible_date_is_named_once(refused):
    Path("a.csv").write_text("x,born,y\n1,28/02/2023,u\n2,29/02/2023,v\n3,13/02/2023,u\n")
    line = refused("separable", "a.csv", "--target", "y")
    assert "column 'born', row 2: '29/02/2023' is not a date; correct it" in line
    assert "first" not in line


@pytest.mark.parametrize("wrong", ["00.00.0000", "31.13.2020"])
def test_wrong_dates_with_a_year_of_four_digits_are_no_versions(refused, wrong):
    days = "".join(f"{i},{13 + i % 9}.03.2020,{'uv'[i % 2]}\n" for i in range(12))
    Path("a.csv").write_text(f"x,born,y\n{days}13,{wrong},u\n")
    line = refused("fit", "a.csv", "-t", "y")
    assert f"column 'born', row 13: '{wrong}' is not a date; correct it" in line


def test_versions_are_words(run):
    versions = ["1.0.10", "1.2.10", "2.0.11"]
    rows = "".join(f"{i},{versions[i % 3]},{'uv'[i % 2]}\n" for i in range(12))
    Path("a.csv").write_text(f"x,release,y\n{rows}")
    assert run("separable", "a.csv", "--target", "y", "-o", "proof.json").exit_code == 0
    columns = json.loads(Path("proof.json").read_text())["about"]["encoding"]["columns"]
    assert columns[1]["levels"] == versions


def test_rows_are_not_dropped_where_that_leaves_one_class(refused, run):
    Path("a.csv").write_text("x,z,y\n" + "".join(f"{i},{i},u\n" for i in range(30)) + "4,,v\n")
    line = refused("separable", "a.csv", "--target", "y")
    assert "the other rows do not have two classes" in line and "drop" not in line
    command = shlex.split(line[line.index("novikoff ", line.index("Try: ")) :])[1:]
    assert command[-2:] == ["--missing", "indicator"]
    assert run(*command).exit_code == 0
    Path("a.csv").write_text("x,y\n1,u\n2,u\n3,\n")
    line = refused("separable", "a.csv", "--target", "y")
    assert "Try" not in line and "drop" not in line
