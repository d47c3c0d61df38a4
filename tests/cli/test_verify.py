"""`novikoff verify`: 0 true, 1 false or other data, 2 unusable; and what it says was proved."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import novikoff
from novikoff.certificate import Certificate
from novikoff.data import read

SOLVER = {"estimators", "maxmargin", "run", "rules", "sample", "compiled", "sklearn"}


@pytest.fixture
def model(run, fruit):
    assert run("fit", fruit, "-t", "kind", "-q").exit_code == 0
    return Path("model.json")


def rows_of(result):
    """What was printed, by the name of each row; lines of one row are joined."""
    rows = {}
    for line in result.stdout.splitlines():
        if not line.startswith(" "):
            key, _, line = line.partition(" ")
            rows[key] = line.strip()
        else:
            rows[key] += "\n" + line.strip()
    return rows


def test_a_true_claim_is_verified(run, model, fruit):
    result = run("verify", model, fruit)
    assert result.exit_code == 0
    assert result.stderr == ""
    shown = rows_of(result)
    assert list(shown) == [
        *("Verified", "Risk", "Problem", "Data", "Fingerprint", "Arithmetic", "Run", "Time"),
    ]
    assert shown["Verified"].startswith(
        "the hyperplane separates 'banana' (25) from 'apple' (25) with margin at least "
    )
    assert shown["Problem"].splitlines() == [
        "classes 'apple' (25) and 'banana' (25)",
        "all 50 examples take part, without weights; hyperplanes with an intercept",
        "C = inf (hard margin)",
        "target 'kind'; features 'x0' and 'x1'",
    ]
    assert shown["Data"] == f"{fruit}: 50 examples, 2 features"
    assert shown["Fingerprint"] == (
        "matches: a fast hash that detects other data, not a cryptographic identity"
    )
    verified = novikoff.verify(model, *examples_of(fruit))
    assert shown["Arithmetic"] == (
        f"{verified.n_exact} example{'s' * (verified.n_exact != 1)} checked in exact arithmetic, "
        f"{50 - verified.n_exact} by rigorous floating-point bounds"
    )
    assert shown["Run"].startswith("(not proved) MaxMargin(C=inf, tol=0.001): ")


def examples_of(path):
    table = read(path, "kind")
    return table.X, table.y


def test_json(run, model, fruit):
    told = json.loads(run("verify", model, fruit, "--json").stdout)
    certificate = novikoff.load(model).certificate_
    assert told["verified"] is True
    assert told["certificate"] == "Separation"
    assert told["classes"] == ["apple", "banana"]
    assert told["counts"] == [25, 25]
    assert (told["n_examples"], told["n_taking_part"], told["n_features"]) == (50, 50, 2)
    assert told["weighted"] is False
    assert told["class_weights"] is told["C"] is told["primal"] is told["dual"] is None
    assert told["affine"] is True
    assert told["target"] == "kind"
    assert told["feature_names"] == ["x0", "x1"]
    assert told["lower"] >= certificate.lower
    assert told["upper"] <= certificate.upper
    assert told["errors"] == 0
    assert told["parts"] == []
    assert told["run"]["status"] == "GAP_REACHED"
    assert "status" not in told


def test_quiet_speaks_by_the_exit_code(run, model, fruit, mixed):
    good, bad = run("verify", model, fruit, "-q"), run("verify", model, mixed, "-q")
    assert (good.exit_code, good.output) == (0, "")
    assert (bad.exit_code, bad.output) == (1, "")


@pytest.mark.parametrize("verb", ["fit", "separable"])
def test_nothing_of_the_solver_is_imported(run, fruit, verb):
    assert run(verb, fruit, "-t", "kind", "--out", "claim.json").exit_code == 0
    code = """
import sys
from novikoff.cli import app
app(sys.argv[1:], standalone_mode=False)
ours = {name.split(".")[1] for name in sys.modules if name.startswith("novikoff.")}
print(*sorted(ours | ({"sklearn"} & set(sys.modules))))
"""
    command = [sys.executable, "-c", code, "verify", "claim.json", fruit.name, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    document, modules = result.stdout.splitlines()
    assert json.loads(document)["verified"] is True
    imported = set(modules.split())
    assert {"certificate", "cli", "data", "report"} <= imported
    assert not imported & SOLVER


def test_a_copy_in_another_format_with_other_columns_is_the_same_data(run, model, fruit):
    table = pacsv.read_csv(fruit)
    table = table.append_column("note", [["x"] * 50]).select(["note", "x1", "kind", "x0"])
    pq.write_table(table, "copy.parquet")
    assert run("verify", model, "copy.parquet").exit_code == 0


def test_every_class_is_verified(run, three):
    run("fit", three, "-t", "kind", "-q", "--multi-class", "ovr")
    shown = rows_of(run("verify", "model.json", three))
    for label in "abc":
        assert (
            f"\n'{label}': the hyperplane separates '{label}' (20) from the rest (40)"
            in (shown["Verified"])
        )
    assert shown["Problem"].startswith("classes 'a' (20), 'b' (20) and 'c' (20)\n")
    told = json.loads(run("verify", "model.json", three, "--json").stdout)
    certificate = novikoff.load("model.json").certificate_
    assert told["lower"] is told["upper"] is None
    assert told["errors"] == certificate.errors == 0
    assert [part["class"] for part in told["parts"]] == ["a", "b", "c"]
    for found, part in zip(told["parts"], certificate.certificates, strict=True):
        assert part.lower <= found["lower"] <= found["upper"] <= part.upper


def test_examples_are_counted_once(run, three):
    """A row that several classes or claims decide exactly is still one example."""
    run("fit", three, "-t", "kind", "-q")
    told = json.loads(run("verify", "model.json", three, "--json").stdout)
    assert 0 < told["n_exact"] <= told["n_taking_part"] == 60


def test_an_inconclusive_certificate_is_verified(run, noisy):
    run("fit", noisy, "-t", "kind", "-q", "--max-iter", 1)
    result = run("verify", "model.json", noisy)
    assert result.exit_code == 0
    shown = rows_of(result)
    assert shown["Verified"].startswith("it is not decided whether a hyperplane separates ")
    assert "; no hyperplane has a margin above " in shown["Verified"]
    assert "the soft-margin objective of the model is at most " in shown["Verified"]
    lines = shown["Run"].splitlines()
    assert len(lines) == 2
    assert all(line.startswith("(not proved) MaxMargin(C=") for line in lines)


@pytest.mark.parametrize("options", [["--C", 2], ["--C", 2, "--rule", "scale-free"]])
def test_a_soft_optimum_is_verified(run, mixed, options):
    run("fit", mixed, "-t", "kind", *options, "-q")
    result = run("verify", "model.json", mixed)
    assert result.exit_code == 0
    shown = rows_of(result)
    assert "For C = 2 the soft-margin objective of " in shown["Verified"]
    assert "\nC = 2\n" in shown["Problem"]
    told = json.loads(run("verify", "model.json", mixed, "--json").stdout)
    certificate = novikoff.load("model.json").certificate_
    assert told["C"] == 2.0
    assert told["primal"] <= certificate.primal
    assert told["dual"] >= certificate.dual
    assert told["errors"] == certificate.model.errors >= 1


def test_the_soft_model_beside_the_proof_is_verified(run, mixed):
    run("fit", mixed, "-t", "kind", "-q")
    result = run("verify", "model.json", mixed)
    assert result.exit_code == 0
    proof = rows_of(result)["Verified"]
    assert proof.startswith("no hyperplane separates 'banana' (26) from 'apple' (25); ")
    assert "the soft-margin objective of the model is at most " in proof
    told = json.loads(run("verify", "model.json", mixed, "--json").stdout)
    soft = novikoff.load("model.json").certificate_.model.soft
    assert told["upper"] == 0.0
    assert told["C"] == soft.C
    assert told["primal"] <= soft.primal
    assert told["dual"] >= soft.dual


def test_some_classes_with_slack(run, between):
    run("fit", between, "-t", "kind", "-q", "--multi-class", "ovr")
    lines = rows_of(run("verify", "model.json", between))["Verified"].splitlines()
    assert lines[1].startswith("'a': the hyperplane separates 'a' (10) from the rest (20)")
    assert lines[2].startswith("'b': no hyperplane separates 'b' (10) from the rest (20); ")
    assert "objective of the hyperplane of 'b' against the rest is at most " in lines[2]
    assert lines[3].startswith("'c': the hyperplane separates 'c' (10) from the rest (20)")
    told = json.loads(run("verify", "model.json", between, "--json").stdout)
    assert [part["primal"] is None for part in told["parts"]] == [True, False, True]
    assert [part["C"] is None for part in told["parts"]] == [True, False, True]


def test_other_data_is_told_by_its_fingerprint(run, model, fruit):
    rows = fruit.read_text().splitlines()
    fruit.write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    result = run("verify", model, fruit)
    assert result.exit_code == 1
    assert result.stdout.startswith("Not verified  this is not the data")
    told = run("verify", model, fruit, "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["verified"] is False


def test_without_the_fingerprint_the_arithmetic_decides(run, model, fruit):
    rows = fruit.read_text().splitlines()
    # A copy of another apple keeps the margin and the bound on new data; weighed in the upper
    # bound it may change that, so it replaces an example outside the support.
    support = set(novikoff.load(model).certificate_.support.tolist())
    free, other = [i for i in range(1, 25) if i not in support][:2]
    far = rows[other + 1]
    fruit.write_text("\n".join([*rows[: free + 1], far, *rows[free + 2 :]]) + "\n")
    assert run("verify", model, fruit).exit_code == 1
    result = run("verify", model, fruit, "--no-fingerprint")
    assert result.exit_code == 0
    assert rows_of(result)["Fingerprint"] == "not compared"
    far = far.replace("apple", "banana")
    fruit.write_text("\n".join([*rows[: free + 1], far, *rows[free + 2 :]]) + "\n")
    result = run("verify", model, fruit, "--no-fingerprint")
    assert result.exit_code == 1
    assert "the hyperplane does not have the margin" in result.stdout


def test_other_labels_are_other_data(run, model, fruit):
    fruit.write_text(fruit.read_text().replace("banana", "cherry"))
    result = run("verify", model, fruit)
    assert result.exit_code == 1
    assert "row 26 has the label 'cherry'" in result.stdout


@pytest.mark.parametrize("verb", ["verify", "predict"])
def test_rows_are_counted_as_in_the_file(run, fruit, verb):
    """From 1, with those that are left out because a value is missing."""
    rows = fruit.read_text().splitlines()
    rows[3] = "," + rows[3].partition(",")[2]
    fruit.write_text("\n".join(rows) + "\n")
    assert run("fit", fruit, "-t", "kind", "--missing", "drop", "-q").exit_code == 0
    rows[40] = rows[40].replace("banana", "cherry")
    fruit.write_text("\n".join(rows) + "\n")
    result = run(verb, "model.json", fruit, "-t", "kind")
    assert result.exit_code != 0
    assert "row 40" in " ".join(result.output.split())


def test_fewer_rows_are_other_data(run, model, fruit):
    fruit.write_text("\n".join(fruit.read_text().splitlines()[:-1]) + "\n")
    result = run("verify", model, fruit)
    assert result.exit_code == 1
    told = " ".join(result.stdout.split())
    assert "49 examples and 2 features, that of the certificate has 50 examples and 2" in told


def test_model_and_data_in_the_wrong_order(refused, model, fruit):
    assert "fruit.csv: it is not JSON, as models and certificates are" in refused(
        "verify", fruit, model
    )


def test_a_cryptographic_hash(run, refused, fruit):
    run("fit", fruit, "-t", "kind", "-q", "-o", "plain.json")
    run("fit", fruit, "-t", "kind", "-q", "-o", "hashed.json", "--sha256")
    assert "fit again with --sha256" in refused("verify", "plain.json", fruit, "--sha256")
    for options in ([], ["--sha256"]):
        result = run("verify", "hashed.json", fruit, *options)
        assert result.exit_code == 0
        assert rows_of(result)["Fingerprint"] == "SHA-256 matches"
    digest = json.loads(run("verify", "hashed.json", fruit, "--json").stdout)["sha256"]
    assert digest in Path("hashed.json").read_text()
    assert "leave one out" in refused(
        "verify", "hashed.json", fruit, "--sha256", "--no-fingerprint"
    )
    other = "0" * len(digest)
    Path("hashed.json").write_text(Path("hashed.json").read_text().replace(digest, other))
    result = run("verify", "hashed.json", fruit)
    assert result.exit_code == 1
    assert "its SHA-256 differs" in result.stdout


def test_the_names_shown_are_those_of_the_data(run, fruit):
    """A certificate cannot pass off the column it was checked with as another one."""
    run("fit", fruit, "-t", "kind", "-q")
    document = json.loads(Path("model.json").read_text())
    document["certificate"]["problem"]["target"] = "diagnosis"
    Path("model.json").write_text(json.dumps(document))
    result = run("verify", "model.json", fruit)
    assert result.exit_code == 0
    shown = rows_of(result)
    assert "diagnosis" not in shown["Verified"]
    told = "target 'kind'; target 'diagnosis' in the certificate (not checked); features "
    assert told in shown["Problem"]
    assert json.loads(run("verify", "model.json", fruit, "--json").stdout)["target"] == "kind"
    np.savez("bare.npz", **dict(zip(("X", "y"), examples_of(fruit), strict=True)))
    shown = rows_of(run("verify", "model.json", "bare.npz", "--target", "y"))
    assert "diagnosis" not in shown["Verified"]
    assert "features 'x0' and 'x1' in the certificate (not checked)" in shown["Problem"]


def test_columns_without_names_are_stated_by_position(run, fruit):
    """Which columns a model had read again is part of what was checked."""
    lines = fruit.read_text().splitlines()[1:]
    Path("bare.csv").write_text("".join(f"{i},{line}\n" for i, line in enumerate(lines)))
    assert run("fit", "bare.csv", "-t", -1, "--no-header", "--drop", 0, "-q").exit_code == 0
    problem = rows_of(run("verify", "model.json", "bare.csv"))["Problem"]
    assert problem.endswith("\ntarget '-1'; columns left out: '0'")
    told = json.loads(run("verify", "model.json", "bare.csv", "--json").stdout)
    assert (told["target"], told["drop"]) == ("-1", ["0"])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_columns_that_a_model_does_not_read_are_stated(run, suffix):
    """A certificate that leaves out the feature which separates the classes says so."""
    columns = {"x": [0, 1, 1, 0], "y": [0, 1, 0, 1], "tell": [1, 1, 2, 2], "kind": list("eeoo")}
    table = pa.table(columns)
    (pacsv.write_csv if suffix == "csv" else pq.write_table)(table, f"corners.{suffix}")
    data = f"corners.{suffix}"
    assert run("fit", data, "-t", "kind", "--drop", "tell", "-q").exit_code == 0
    shown = rows_of(run("verify", "model.json", data))
    assert shown["Verified"].startswith("no hyperplane separates 'o' (2) from 'e' (2)")
    assert "features 'x' and 'y'; columns left out: 'tell'" in shown["Problem"]
    assert json.loads(run("verify", "model.json", data, "--json").stdout)["drop"] == ["tell"]
    assert run("fit", data, "-t", "kind", "-q").exit_code == 0
    assert "left out" not in rows_of(run("verify", "model.json", data))["Problem"]


def test_a_model_cannot_leave_out_the_first_example(run):
    """A header that only the model claims would hide an example on the wrong side."""
    Path("short.csv").write_text("0,0,0\n0,1,0\n2,0,1\n3,1,1\n")
    Path("full.csv").write_text("-50,0,1\n0,0,0\n0,1,0\n2,0,1\n3,1,1\n")
    assert run("fit", "short.csv", "-t", -1, "--no-header", "-q").exit_code == 0
    document = json.loads(Path("model.json").read_text())
    document["about"]["header"] = "yes"
    Path("model.json").write_text(json.dumps(document))
    assert run("verify", "model.json", "full.csv", "--target", -1).exit_code == 2
    for file, code in (("short.csv", 0), ("full.csv", 1)):
        assert run("verify", "model.json", file, "--target", -1, "--no-header").exit_code == code


def test_a_target_of_another_name(run, model, fruit):
    fruit.write_text(fruit.read_text().replace("kind", "sort", 1))
    assert run("verify", model, fruit).exit_code == 2
    assert run("verify", model, fruit, "--target", "sort").exit_code == 0


def test_a_missing_column_is_named(refused, model):
    Path("less.csv").write_text("x0,kind\n1.0,apple\n2.0,banana\n")
    assert "no column 'x1'" in refused("verify", model, "less.csv")


def test_a_model_made_in_python_needs_the_target(run, refused, fruit):
    X, y = examples_of(fruit)
    novikoff.save(novikoff.Perceptron(random_state=0).fit(X, y), "python.json")
    assert "pass --target" in refused("verify", "python.json", fruit)
    assert run("verify", "python.json", fruit, "--target", "kind").exit_code == 0


def test_a_certificate_made_in_python(run, fruit):
    X, y = examples_of(fruit)
    clf = novikoff.MaxMargin().fit(X, y)
    clf.certificate_.named(target="kind").save("proof.json")
    assert run("verify", "proof.json", fruit).exit_code == 0
    assert Certificate.load("proof.json") == clf.certificate_.named(target="kind")


def test_certificates_survive_numbers_that_need_care(run):
    rng = np.random.default_rng(5)
    y = rng.choice([-1, 1], 40)
    np.savez("wide.npz", X=1e6 + y[:, None] * rng.uniform(1, 2, (40, 3)), y=y)
    assert run("fit", "wide.npz", "-q").exit_code == 0
    assert run("verify", "model.json", "wide.npz").exit_code == 0
