"""`novikoff separable`: yes, no, or an honest shrug."""

import json
from pathlib import Path

import pytest

from novikoff.certificate import Certificate, NonSeparation, Status


def test_yes(run, fruit):
    result = run("separable", fruit, "--target", "kind")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "Separable  yes\n"
        "Proved     Separable: the hyperplane separates the 50 examples with margin at least "
    )
    assert "\nRun        is_separable: " in result.stdout
    assert Status.SEPARATED.value in result.stdout
    assert result.stderr == ""


def test_no(run, mixed, noisy):
    for file in (mixed, noisy):
        result = run("separable", file, "--target", "kind")
        assert result.exit_code == 0
        assert result.stdout.startswith(
            "Separable  no\nProved     Not separable: no hyperplane separates the "
        )
        assert (
            "prove it: a weighted average of one class equals one of the other, exactly."
            in result.stdout
        )
        assert "The model" not in result.stdout


def test_undecided(run, noisy):
    result = run("separable", noisy, "--target", "kind", "--max-iter", 1)
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "Separable  undecided in these limits; but overlap is proved: see Estimates\n"
        "Proved     Inconclusive: "
    )
    assert Status.MAX_ITER.value in result.stdout
    assert result.stderr == ""


def test_more_than_two_classes(run, three, between):
    result = run("separable", three, "-t", "kind")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "Separable  yes\nProved     Of 3 classes, each against the rest, 3 are separable.\n"
    )
    result = run("separable", between, "-t", "kind")
    assert result.exit_code == 0
    # Each pair of classes is separable, so all at once are: logistic regression has no estimates.
    assert result.stdout.startswith(
        "Separable  no, not each class from the rest; but all classes at once: complete separation"
    )
    assert "2 are separable and 1 is proved not to be separable." in result.stdout
    assert "'b': not separable, " in result.stdout


def test_more_than_two_classes_together(run, refused, between):
    result = run("separable", between, "-t", "kind", "--multi-class", "joint")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "Separable  yes\nProved     Separable: the model separates all 3 classes"
    )
    assert "--multi-class both: give joint or ovr" in refused(
        "separable", between, "-t", "kind", "--multi-class", "both"
    )


def test_json(run, fruit, mixed, noisy):
    def told(file, *options):
        return json.loads(run("separable", file, "-t", "kind", "--json", *options).stdout)

    assert told(fruit)["separable"] is True
    assert told(mixed)["separable"] is False
    assert told(noisy)["separable"] is False
    assert told(noisy, "--max-iter", 1)["separable"] is None
    assert isinstance(Certificate.from_dict(told(mixed)["certificate"]), NonSeparation)


def test_quiet(run, fruit, noisy):
    assert run("separable", fruit, "-t", "kind", "-q").output == ""
    shrug = run("separable", noisy, "-t", "kind", "-q", "--time-limit", 0)
    assert (shrug.exit_code, shrug.output) == (1, "")


def test_progress_is_told(run, fruit, monkeypatch):
    monkeypatch.setattr("novikoff.cli.shared.screen._LOG", 0.0)
    result = run("separable", fruit, "-t", "kind")
    assert all(line.startswith("pass ") for line in result.stderr.splitlines())
    assert result.stderr


def test_an_interruption_exits_130_and_writes_nothing(run, noisy, monkeypatch):
    def interrupt(screen, line):
        raise KeyboardInterrupt

    monkeypatch.setattr("novikoff.cli.shared.screen.Screen.progress", interrupt)
    result = run("separable", noisy, "-t", "kind", "--out", "proof.json")
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr == "novikoff: interrupted: nothing was written\n"
    assert not Path("proof.json").exists()


@pytest.mark.parametrize("where", ["split_rows", "find_coefficients"])
def test_an_interruption_during_the_estimates_leaves_the_proof(run, fruit, monkeypatch, where):
    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"novikoff.estimators.existence.{where}", interrupt)
    asked = ("separable", fruit, "-t", "kind", "--estimates", "verdict.json")
    result = run(*asked, "--out", "proof.json")
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr == (
        "novikoff: interrupted: proof.json was written, but estimates were not decided\n"
    )
    assert not Path("verdict.json").exists()
    assert run("verify", "proof.json", fruit).exit_code == 0
    result = run(*asked)
    assert result.exit_code == 130
    assert result.stderr == "novikoff: interrupted: nothing was written\n"


def test_the_proof_can_be_kept_and_checked(run, refused, fruit, mixed):
    result = run("separable", mixed, "-t", "kind", "--out", "proof.json")
    assert f"Check      novikoff verify proof.json {mixed}\n" in result.stdout
    result = run("verify", "proof.json", mixed)
    assert result.exit_code == 0
    assert "no hyperplane separates 'banana' (26) from 'apple' (25)" in result.stdout
    assert run("verify", "proof.json", fruit).exit_code == 1
    assert Certificate.load("proof.json").hyperplane is None
    Path("proof.json").write_text(Path("proof.json").read_text()[:-9])
    assert "proof.json" in refused("verify", "proof.json", mixed)


def test_a_cryptographic_hash(run, fruit):
    run("separable", fruit, "-t", "kind", "--out", "proof.json", "--sha256", "-q")
    assert run("verify", "proof.json", fruit, "--sha256").exit_code == 0


def test_through_the_origin_the_answer_may_differ(run):
    Path("line.csv").write_text("x,kind\n1.0,low\n2.0,high\n")
    assert "yes" in run("separable", "line.csv", "-t", "kind").stdout
    result = run("separable", "line.csv", "-t", "kind", "--no-intercept")
    assert result.stdout.startswith("Separable  no\n")


PATIENTS = "NV,PI,HG\n" + "\n".join(
    ["0,1,0", "0,2,0", "0,3,1", "0,4,0", "0,5,1", "0,2,1", "1,1,1", "1,3,1", "1,5,1"]
)


def test_a_strict_no_does_not_say_that_estimates_exist(run):
    Path("patients.csv").write_text(PATIENTS)
    result = run("separable", "patients.csv", "-t", "HG")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "Separable  no, not strictly; but the separation is quasi-complete: see Estimates\n"
    )
    assert "\nEstimates  Quasi-complete separation: a direction has 3 of the 9" in result.stdout
    assert "NV is +infinity: all 3 examples with NV = 1 have HG = 1." in result.stdout
    assert "ends only if all 3 separated examples are left out." in result.stdout
    assert "The separation ends without the column NV.\n" in result.stdout
    assert "Firth" in result.stdout


def test_the_verdict_on_estimates_for_machines(run):
    Path("patients.csv").write_text(PATIENTS)
    told = json.loads(run("separable", "patients.csv", "-t", "HG", "--json").stdout)["estimates"]
    assert (told["separation"], told["exist"], told["unique"]) == ("quasi-complete", False, False)
    assert told["columns"] == {"(Intercept)": "finite", "NV": "+inf", "PI": "finite"}
    assert Certificate.from_dict(told["certificate"]).kind == "quasi-complete"


def test_estimates_that_exist(run, noisy):
    result = run("separable", noisy, "-t", "kind")
    assert "\nEstimates  Overlap: no direction separates any of the" in result.stdout
    assert "exists and is unique." in result.stdout
    assert "Firth" not in result.stdout


def test_the_first_level_of_words_is_left_out(run):
    rows = ["red,1,a", "red,2,b", "red,3,a", "blue,1,b", "blue,2,b", "green,1,a", "green,2,b"]
    Path("colours.csv").write_text("colour,x,y\n" + "\n".join([*rows, "green,2,a"]))
    told = json.loads(run("separable", "colours.csv", "-t", "y", "--json").stdout)["estimates"]
    assert told["columns"] == {
        "(Intercept)": "+inf",
        "colour=green": "-inf",
        "colour=red": "-inf",
        "x": "finite",
    }
    assert told["remedies"][-1] == (
        "All 2 examples with colour=blue, the first level, have y = 'b': to merge it with another "
        "level may end the separation."
    )
    without = run("separable", "colours.csv", "-t", "y", "--json", "--no-intercept").stdout
    assert "colour=blue" in json.loads(without)["estimates"]["columns"]


def test_a_verdict_on_estimates_although_the_search_for_a_margin_gave_up(run, noisy):
    told = json.loads(run("separable", noisy, "-t", "kind", "--json", "--max-iter", 1).stdout)
    assert told["separable"] is None
    assert told["estimates"]["separation"] == "overlap"


def test_a_stored_verdict_on_estimates_is_checked_with_the_names_of_the_file(run):
    Path("patients.csv").write_text(PATIENTS)
    told = json.loads(run("separable", "patients.csv", "-t", "HG", "--json").stdout)["estimates"]
    Certificate.from_dict(told["certificate"]).save("verdict.json")
    result = run("verify", "verdict.json", "patients.csv", "-t", "HG")
    assert result.exit_code == 0
    assert "The estimate of NV is +infinity: all 3 examples with NV = 1" in result.stdout
    Path("patients.csv").write_text(PATIENTS.replace("1,5,1", "1,5,0"))
    assert run("verify", "verdict.json", "patients.csv", "-t", "HG").exit_code == 1


DATA = Path(__file__).parents[1] / "facial"
"""Tables of Heinze and Schemper (2002), and of Schoener (1970)."""


def test_counts_of_successes_and_failures(run):
    lizards = str(DATA / "lizards.csv")
    counts = ("-t", "grahami", "--failures", "opalinus")
    result = run("separable", lizards, *counts, "-o", "strict.json", "--estimates", "mle.json")
    assert result.exit_code == 0
    assert "\nEstimates  Overlap: no direction separates any of the 42 examples" in result.stdout
    assert "\nCounts     grahami (success = 1) and opalinus (success = 0)" in result.stdout
    assert "novikoff verify mle.json" in result.stdout
    for name in ("strict.json", "mle.json"):
        assert run("verify", name, lizards).exit_code == 0
    assert Certificate.load("mle.json").kind == "overlap"
    changed = Path(lizards).read_text().replace("8.0,1.0,<5ft", "8.0,0.0,<5ft")
    Path("other.csv").write_text(changed)
    assert run("verify", "mle.json", "other.csv").exit_code == 1


def test_counts_are_whole_numbers_in_two_columns(refused):
    lizards = str(DATA / "lizards.csv")
    assert "counts" in refused("separable", lizards, "-t", "light", "--failures", "opalinus")
    assert "--target" in refused("separable", lizards, "--failures", "opalinus")
    both = ("--failures", "opalinus", "--weights", "opalinus")
    assert "exclude each other" in refused("separable", lizards, "-t", "grahami", *both)
    same = ("-o", "a.json", "--estimates", "a.json")
    assert "same file" in refused("separable", str(DATA / "endometrial.csv"), "-t", "HG", *same)


def test_endometrial_as_published(run):
    """Heinze and Schemper (2002): the estimate of NV is infinite, the others are finite."""
    data = str(DATA / "endometrial.csv")
    result = run("separable", data, "-t", "HG", "--estimates", "mle.json")
    assert "The estimate of NV is +infinity: all 13 examples with NV = 1 have HG = 1.\n" in (
        result.stdout
    )
    assert "Finite: (Intercept), PI and EH.\n" in result.stdout
    verified = run("verify", "mle.json", data)
    assert verified.exit_code == 0 and "quasi-complete separation of 0 (49)" in verified.stdout
    forged = Path("mle.json").read_text().replace('"estimate": "+inf"', '"estimate": "-inf"')
    Path("forged.json").write_text(forged)
    assert run("verify", "forged.json", data).exit_code == 1


def test_rows_of_weight_zero_take_no_part(run):
    rows = ["1,A,0,5", "1,A,1,2", "2,A,0,3", "2,A,1,4", "1,B,0,0", "1,B,1,3", "2,B,0,0", "2,B,1,1"]
    Path("table.csv").write_text("dose,group,died,freq\n" + "\n".join(rows))
    options = ("-t", "died", "--weights", "freq")
    result = run("separable", "table.csv", *options, "-o", "s.json", "--estimates", "e.json")
    assert "of group=B is +infinity: all 2 examples with group=B have died = 1." in result.stdout
    assert "merge that level with A, the first of group." in result.stdout
    for name in ("s.json", "e.json"):
        assert run("verify", name, "table.csv", "--weights", "freq").exit_code == 0
    assert "exists and is unique" in run("separable", "table.csv", "-t", "died").stdout


def test_a_first_level_is_left_out_again_when_verified(run):
    rows = ["red,1,a", "red,2,b", "red,3,a", "blue,1,b", "blue,2,b", "green,1,a", "green,2,b"]
    Path("colours.csv").write_text("colour,x,y\n" + "\n".join([*rows, "green,2,a"]))
    run("separable", "colours.csv", "-t", "y", "--estimates", "e.json", "-q")
    assert run("verify", "e.json", "colours.csv").exit_code == 0
    # Without the note, the features of the file are not those of the certificate.
    text = Path("e.json").read_text()
    Path("e.json").write_text(text.replace("without the first", "with the first"))
    assert run("verify", "e.json", "colours.csv").exit_code == 2


def test_time_that_is_up_is_said(run):
    result = run("separable", str(DATA / "endometrial.csv"), "-t", "HG", "--time-limit", "0")
    assert result.exit_code == 1
    assert "\nEstimates  of logistic regression: undecided after" in result.stdout
