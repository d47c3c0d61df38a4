"""`novikoff separable`: yes, no, or an honest shrug."""

import json
from pathlib import Path

from novikoff.certificate import Certificate, NonSeparation


def test_yes(run, fruit):
    result = run("separable", fruit, "--target", "kind")
    assert result.exit_code == 0
    assert result.stdout.startswith("Separable  yes\nProof      Separable: ")
    assert result.stderr == ""


def test_no(run, mixed):
    result = run("separable", mixed, "--target", "kind", "--max-iter", 5)
    assert result.exit_code == 0
    assert result.stdout.startswith("Separable  no\nProof      Not separable: ")


def test_undecided(run, noisy):
    result = run("separable", noisy, "--target", "kind", "--max-iter", 5)
    assert result.exit_code == 1
    assert result.stdout.startswith("Separable  undecided\nKnown      Inconclusive: ")
    assert result.stderr == ""


def test_json(run, fruit, mixed, noisy):
    def told(file):
        return json.loads(run("separable", file, "-t", "kind", "--max-iter", 5, "--json").stdout)

    assert told(fruit)["separable"] is True
    assert told(mixed)["separable"] is False
    assert told(noisy)["separable"] is None
    assert isinstance(Certificate.from_dict(told(mixed)["certificate"]), NonSeparation)


def test_quiet(run, fruit, noisy):
    assert run("separable", fruit, "-t", "kind", "-q").output == ""
    shrug = run("separable", noisy, "-t", "kind", "-q", "--time-limit", 0.05)
    assert (shrug.exit_code, shrug.output) == (1, "")


def test_the_proof_can_be_kept_and_checked(run, refused, fruit, mixed):
    run("separable", mixed, "-t", "kind", "--max-iter", 5, "--out", "proof.json")
    result = run("verify", "proof.json", mixed, "--target", "kind")
    assert result.exit_code == 0
    assert "no hyperplane separates the examples" in result.stdout
    assert run("verify", "proof.json", fruit, "--target", "kind").exit_code == 1
    assert "pass --target" in refused("verify", "proof.json", mixed)
    Path("proof.json").write_text(Path("proof.json").read_text()[:-9])
    assert "proof.json" in refused("verify", "proof.json", mixed, "--target", "kind")


def test_through_the_origin_the_answer_may_differ(run):
    Path("line.csv").write_text("x,kind\n1.0,low\n2.0,high\n")
    assert "yes" in run("separable", "line.csv", "-t", "kind").stdout
    result = run("separable", "line.csv", "-t", "kind", "--no-intercept", "--max-iter", 50)
    assert "yes" not in result.stdout
