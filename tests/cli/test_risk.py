"""The bound on new data on the command line: stated by fit, stored, checked by verify."""

import json

import numpy as np
import pytest

import novikoff


def written(tmp_path, rng, *, word=False):
    X = np.round(rng.standard_normal((80, 2)), 3)
    lines = ["a,b,kind"]
    for row in X:
        second = ("much" if row[1] > 0 else "little") if word else f"{row[1]}"
        lines.append(f"{row[0]},{second},{'yes' if row[0] + row[1] / 4 > 0.1 else 'no'}")
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("how", [(), ("--C", "1"), ("--rule", "classic", "--seed", "0")])
def test_stated_stored_and_checked(run, tmp_path, how):
    table = written(tmp_path, np.random.default_rng(0))
    result = run("fit", table, "-t", "kind", "-o", "m.json", *how)
    assert "With 95 % confidence the error on new examples" in result.stdout
    risk = novikoff.load("m.json").risk_
    assert (risk.scheme == "rerun") == ("--rule" in how)
    checked = run("verify", "m.json", table)
    assert checked.exit_code == 0
    assert "With 95 % confidence the error on new examples" in checked.stdout
    # The last example leaves the list, and the number is what the shorter list proves.
    document = json.loads((tmp_path / "m.json").read_text())
    stated = document["risk"]
    stated["support"] = stated["support"][:-1]
    k = len(stated["support"]) + stated["extra"]
    stated["bound"] = float(novikoff.theory.compression_bound(80, k)) * (1 + 1e-9)
    (tmp_path / "m.json").write_text(json.dumps(document))
    checked = run("verify", "m.json", table)
    assert checked.exit_code == 1
    assert "carries the model too" in checked.stdout or "gives another one" in checked.stdout


def test_where_all_examples_carry_the_model(run, tmp_path):
    table = written(tmp_path, np.random.default_rng(0))
    result = run("fit", table, "-t", "kind", "-o", "m.json", "--C", "1e-4")
    assert novikoff.load("m.json").risk_.bound > 0.99
    assert "No bound on new data below 99 %: 80 of 80 examples carry the model." in result.stdout


def test_columns_that_were_encoded_by_looking_at_the_file(run, tmp_path):
    table = written(tmp_path, np.random.default_rng(1), word=True)
    assert "much" in table.read_text()
    result = run("fit", table, "-t", "kind", "--C", "1")
    assert "No bound on new data: how columns of words" in " ".join(result.stdout.split())
    assert not hasattr(novikoff.load("model.json"), "risk_")
