"""What importing an estimator does not wait for."""

import subprocess
import sys

import pytest

import novikoff.estimators
import novikoff.run


@pytest.mark.parametrize(
    ("name", "unneeded"),
    [
        ("MaxMargin", ("novikoff.rules", "novikoff.run.loop", "novikoff.estimators.stored")),
        ("is_separable", ("novikoff.rules", "novikoff.run.loop", "novikoff.estimators.stored")),
        ("Perceptron", ("novikoff.maxmargin", "novikoff.estimators.stored")),
    ],
)
def test_an_estimator_imports_only_what_it_needs(name, unneeded):
    code = f"import sys; from novikoff import {name}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(unneeded) & set(done.stdout.split())


@pytest.mark.parametrize("package", [novikoff.estimators, novikoff.run])
def test_every_public_name_is_found_and_no_other(package):
    assert dir(package) == sorted(package.__all__)
    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = package.nothing_of_the_kind
