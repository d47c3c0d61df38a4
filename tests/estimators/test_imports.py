"""What importing an estimator does not wait for."""

import subprocess
import sys

import pytest

import novikoff.certificate.kinds
import novikoff.estimators
import novikoff.run
import novikoff.sample

SOLVERS = ("novikoff.maxmargin.choose.soft", "novikoff.maxmargin.wolfe.search")
OTHERS = (
    "novikoff.certificate.certify_joint",
    "novikoff.certificate.feature_space.kernel_claims",
    "novikoff.certificate.joint_claims",
    "novikoff.certificate.risk",
    "novikoff.estimators.existence",
    "novikoff.estimators.kernel_training",
    "novikoff.estimators.stored",
    "novikoff.maxmargin.joint",
    "novikoff.run.slack_proof",
    "novikoff.sample.kernel",
    "sklearn.metrics",
    "sklearn.model_selection",
)


def modules_of(name):
    code = f"import sys; from novikoff import {name}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("name", "needed", "unneeded"),
    [
        ("MaxMargin", SOLVERS, (*OTHERS, "novikoff.rules", "novikoff.run.loop")),
        ("is_separable", SOLVERS, (*OTHERS, "novikoff.rules", "novikoff.run.loop")),
        ("Perceptron", ("novikoff.rules", "novikoff.run.loop"), (*OTHERS, *SOLVERS)),
        ("MaxMarginCV", ("sklearn.metrics", "sklearn.model_selection"), ()),
    ],
)
def test_an_estimator_imports_only_what_it_needs(name, needed, unneeded):
    imported = modules_of(name)
    assert imported >= set(needed)
    assert not imported & set(unneeded)


@pytest.mark.parametrize(
    "package",
    [
        novikoff,
        novikoff.certificate,
        novikoff.certificate.kinds,
        novikoff.estimators,
        novikoff.run,
        novikoff.sample,
    ],
)
def test_every_public_name_is_found_and_no_other(package):
    for name in package.__all__:
        assert getattr(package, name) is not None
    assert sorted(dir(package)) == sorted(package.__all__)
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute"):
        package.no_such_name  # noqa: B018
