"""`novikoff verify`: 0 true, 1 false or another file, 2 unusable."""

import json
from pathlib import Path

import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import novikoff
from novikoff.data import read


@pytest.fixture
def model(run, fruit):
    assert run("fit", fruit, "-t", "kind", "-q").exit_code == 0
    return Path("model.json")


def edit(path, change):
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def test_a_true_claim_is_verified(run, model, fruit):
    result = run("verify", model, fruit)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout.startswith("Verified     the hyperplane separates all 50 examples")
    assert "Fingerprint  the same as at the fit" in result.stdout


def test_json(run, model, fruit):
    told = json.loads(run("verify", model, fruit, "--json").stdout)
    certificate = novikoff.load(model).certificate_
    assert told["verified"] is True
    assert told["certificate"] == "Separation"
    assert told["lower"][0] >= certificate.lower
    assert told["upper"][0] <= certificate.upper


def test_quiet_speaks_by_the_exit_code(run, model, fruit, mixed):
    good, bad = run("verify", model, fruit, "-q"), run("verify", model, mixed, "-q")
    assert (good.exit_code, good.output) == (0, "")
    assert (bad.exit_code, bad.output) == (1, "")


def test_a_copy_in_another_format_with_other_columns_is_the_same_data(run, model, fruit):
    table = pacsv.read_csv(fruit)
    table = table.append_column("note", [["x"] * 50]).select(["note", "x1", "kind", "x0"])
    pq.write_table(table, "copy.parquet")
    assert run("verify", model, "copy.parquet").exit_code == 0


def test_every_class_is_verified(run, three):
    run("fit", three, "-t", "kind", "-q")
    result = run("verify", "model.json", three)
    assert result.exit_code == 0
    for label in "abc":
        assert f"{label}: the hyperplane separates all 60 examples" in result.stdout


def test_an_inconclusive_certificate_is_verified(run, noisy):
    run("fit", noisy, "-t", "kind", "-q", "--max-iter", 1)
    result = run("verify", "model.json", noisy)
    assert result.exit_code == 0
    assert result.stdout.startswith("Verified     no hyperplane has more than ")
    assert "the soft margin: the hyperplane's objective is at most " in result.stdout


@pytest.mark.parametrize("options", [["--C", 1], ["--rule", "scale-free", "--soft-margin", 0.7]])
def test_a_soft_optimum_is_verified(run, mixed, options):
    run("fit", mixed, "-t", "kind", *options, "-q")
    result = run("verify", "model.json", mixed)
    assert result.exit_code == 0
    assert result.stdout.startswith("Verified     the hyperplane's objective is at most ")
    assert result.stdout.count("objective") == 1
    told = json.loads(run("verify", "model.json", mixed, "--json").stdout)
    certificate = novikoff.load("model.json").certificate_
    assert told["primal"][0] <= certificate.primal
    assert told["dual"][0] >= certificate.dual


def test_both_certificates_are_verified_where_nothing_separates(run, mixed):
    run("fit", mixed, "-t", "kind", "-q")
    result = run("verify", "model.json", mixed)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Verified     no hyperplane separates the examples; ")
    assert lines[1].startswith(
        "             the soft margin: the hyperplane's objective is at most"
    )
    told = json.loads(run("verify", "model.json", mixed, "--json").stdout)
    soft = novikoff.load("model.json").soft_certificate_
    assert told["upper"] == [0.0]
    assert told["primal"][0] <= soft.primal
    assert told["dual"][0] >= soft.dual


def test_some_classes_with_slack(run, between):
    run("fit", between, "-t", "kind", "-q")
    lines = run("verify", "model.json", between).stdout.splitlines()
    assert lines[0].startswith("Verified     a: the hyperplane separates all 30 examples")
    assert lines[1].strip().startswith("b: no hyperplane separates the examples")
    assert lines[2].strip().startswith("b: the soft margin: the hyperplane's objective is at most ")
    assert lines[3].strip().startswith("c: the hyperplane separates all 30 examples")
    told = json.loads(run("verify", "model.json", between, "--json").stdout)
    assert [value is None for value in told["primal"]] == [True, False, True]


def test_other_data_is_told_by_its_fingerprint(run, model, fruit):
    rows = fruit.read_text().splitlines()
    fruit.write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    result = run("verify", model, fruit)
    assert result.exit_code == 1
    assert result.stdout.startswith("Not verified  this is not the data")
    assert run("verify", model, fruit, "--json").exit_code == 1
    assert json.loads(run("verify", model, fruit, "--json").stdout)["verified"] is False


def test_without_the_fingerprint_the_arithmetic_decides(run, model, fruit):
    rows = fruit.read_text().splitlines()
    far = "-1000.0,-1000.0,apple"
    harmless = [rows[0], far, *rows[2:]]
    # The far apple keeps the margin; weighed in the upper bound it may change that, so it
    # replaces an example outside the support.
    support = set(novikoff.load(model).certificate_.support.tolist())
    free = next(i for i in range(25) if i not in support)
    harmless = [*rows[: free + 1], far, *rows[free + 2 :]]
    fruit.write_text("\n".join(harmless) + "\n")
    assert run("verify", model, fruit).exit_code == 1
    result = run("verify", model, fruit, "--no-fingerprint")
    assert result.exit_code == 0
    assert "Fingerprint  not compared" in result.stdout
    fruit.write_text(
        "\n".join([*rows[: free + 1], far.replace("apple", "banana"), *rows[free + 2 :]])
    )
    result = run("verify", model, fruit, "--no-fingerprint")
    assert result.exit_code == 1
    assert "the hyperplane does not have the margin" in result.stdout


def test_other_labels_are_other_data(run, model, fruit):
    fruit.write_text(fruit.read_text().replace("banana", "cherry"))
    result = run("verify", model, fruit)
    assert result.exit_code == 1
    assert "cherry" in result.stdout


def raise_the_claim(document):
    document["certificate"]["lower"] *= 1.01


def lower_the_bound(document):
    document["certificate"]["upper"] *= 0.9


def move_a_weight(document):
    support = document["certificate"]["support"]
    support[0] = next(i for i in range(document["certificate"]["n_examples"]) if i not in support)


def turn_the_certified_hyperplane(document):
    document["certificate"]["coef"][0] *= 1.5


def turn_the_models_hyperplane(document):
    document["fitted"]["coef_"]["values"][0][0] *= 1.5


def move_the_models_hyperplane(document):
    document["fitted"]["intercept_"]["values"][0] += 1e-9


def swap_the_classes(document):
    document["fitted"]["classes_"]["values"].reverse()


def praise_the_model(document):
    document["fitted"]["margin_"]["values"] *= 2


@pytest.mark.parametrize(
    "change",
    [
        raise_the_claim,
        lower_the_bound,
        move_a_weight,
        turn_the_certified_hyperplane,
        turn_the_models_hyperplane,
        move_the_models_hyperplane,
        swap_the_classes,
        praise_the_model,
    ],
)
def test_an_edited_model_is_not_verified(run, model, fruit, change):
    edit(model, change)
    result = run("verify", model, fruit, "--no-fingerprint")
    assert result.exit_code == 1
    assert result.stdout.startswith("Not verified  ")
    assert result.stderr == ""


@pytest.mark.parametrize("rule", [[], ["--C", 1], ["--rule", "scale-free", "--soft-margin", 0.7]])
def test_a_turned_soft_model_is_not_verified(run, mixed, rule):
    run("fit", mixed, "-t", "kind", *rule, "-q")
    edit(Path("model.json"), turn_the_models_hyperplane)
    result = run("verify", "model.json", mixed)
    assert result.exit_code == 1
    assert "not the one that was certified" in result.stdout


def praise_the_objective(soft):
    soft["primal"] *= 0.999


def raise_the_dual(soft):
    soft["dual"] *= 1.001


def weigh_another(soft):
    soft["weights"][0] *= 1.5


@pytest.mark.parametrize("change", [praise_the_objective, raise_the_dual, weigh_another])
def test_an_edited_soft_certificate_is_not_verified(run, mixed, between, change):
    """The proof that nothing separates the examples stays true: the other one must fail."""
    for data, where in ((mixed, ""), (between, "class 'b': ")):
        run("fit", data, "-t", "kind", "-q")
        soft = json.loads(Path("model.json").read_text())["fitted"]["soft_certificate_"]
        change(soft[1] if where else soft)
        edit(Path("model.json"), lambda d, s=soft: d["fitted"].update(soft_certificate_=s))
        result = run("verify", "model.json", data, "--no-fingerprint")
        assert result.exit_code == 1
        assert result.stdout.startswith(f"Not verified  {where}the soft margin: ")


def test_a_truncated_model_is_bad_input(refused, model, fruit):
    text = model.read_text()
    for length in (0, 1, len(text) // 2, len(text) - 3):
        model.write_text(text[:length])
        assert str(model) in refused("verify", model, fruit)


def test_a_model_that_makes_no_sense_is_bad_input(refused, model, fruit):
    edit(model, lambda document: document["certificate"].update(upper="much"))
    assert "upper" in refused("verify", model, fruit)


def test_another_json_file_is_bad_input(refused, fruit):
    Path("other.json").write_text('{"name": "something else"}')
    assert "not a model" in refused("verify", "other.json", fruit)


def test_files_that_are_not_there(refused, model, fruit):
    assert "nowhere.json: no such file" in refused("verify", "nowhere.json", fruit)
    assert "nowhere.csv: no such file" in refused("verify", model, "nowhere.csv")
    Path("folder").mkdir()
    assert "it is a folder" in refused("verify", "folder", fruit)


def test_a_missing_column_is_named(refused, model):
    Path("less.csv").write_text("x0,kind\n1.0,apple\n2.0,banana\n")
    assert "no column 'x1'" in refused("verify", model, "less.csv")


def test_a_model_made_in_python_needs_the_target(run, refused, fruit):
    table = read(fruit, "kind")
    novikoff.save(novikoff.Perceptron(random_state=0).fit(table.X, table.y), "python.json")
    assert "pass --target" in refused("verify", "python.json", fruit)
    assert run("verify", "python.json", fruit, "--target", "kind").exit_code == 0


def test_certificates_survive_numbers_that_need_care(run):
    rng = np.random.default_rng(5)
    y = rng.choice([-1, 1], 40)
    np.savez("wide.npz", X=1e6 + y[:, None] * rng.uniform(1, 2, (40, 3)), y=y)
    assert run("fit", "wide.npz", "-q").exit_code == 0
    assert run("verify", "model.json", "wide.npz").exit_code == 0
