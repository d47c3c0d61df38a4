"""Nothing undocumented: every parameter, every attribute, every method, every rule."""

import ast
import inspect
import re

import pandas
import pytest

import novikoff
from novikoff import MaxMargin, Perceptron, RobustProjection, rules
from tests.estimators.problems import ALL_RULES, noise, three_classes, whole_numbers

PUBLIC = [getattr(rules, name) for name in rules.__all__ if name not in ("Rule", "named")]
RULES = [kind for kind in PUBLIC if issubclass(kind, rules.Rule)]


def section(docstring, title):
    """The entries of a section of a numpydoc docstring, with their descriptions."""
    text = inspect.cleandoc(docstring)
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", text, flags=re.M | re.S)
    assert found, f"there is no section {title}"
    entries = {}
    for names, kind, body in re.findall(
        r"^(\S[^\n]*?) : ([^\n]+)\n((?:[ \t]+[^\n]*\n?|\n)+)", found[1], flags=re.M
    ):
        for name in names.split(", "):
            entries[name] = kind, " ".join(body.split())
    return entries


@pytest.mark.parametrize("kind", [Perceptron, MaxMargin, RobustProjection, *RULES])
def test_every_parameter(kind):
    signature = inspect.signature(kind)
    if not signature.parameters:
        return
    entries = section(kind.__doc__, "Parameters")
    assert entries.keys() == signature.parameters.keys()
    for name, parameter in signature.parameters.items():
        described, text = entries[name]
        assert len(text) > 10, f"{name} is hardly described"
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
        if parameter.default is None:
            assert "optional" in described or "default=None" in described
            continue
        default = re.search(r"default=(\S+)", described)[1]
        assert type(parameter.default)(
            ast.literal_eval(default) if default != "inf" else default
        ) == (parameter.default), name


@pytest.mark.parametrize("kind", [Perceptron, MaxMargin])
def test_every_attribute(kind):
    X, y = whole_numbers()
    table = pandas.DataFrame(X, columns=list("abcde"))
    models = [kind().fit(table, y), kind().fit(*three_classes()), kind(C=1.0).fit(*noise())]
    if kind is Perceptron:
        models.append(Perceptron().partial_fit(X, y, classes=[0, 1]))
    entries = section(kind.__doc__, "Attributes")
    shown = {
        name for model in models for name in vars(model) if re.fullmatch(r"[A-Za-z]\w*_", name)
    }
    shown |= {name for name, value in inspect.getmembers(kind) if isinstance(value, property)}
    shown = {name for name in shown if not name.startswith("_")}
    assert shown <= entries.keys()
    assert entries.keys() - shown <= {"about_", "risk_"}
    assert all(len(text) > 10 for _, text in entries.values())
    assert not [name for name in vars(kind()) if name.endswith("_")]


@pytest.mark.parametrize(
    "method",
    [
        Perceptron.fit,
        Perceptron.partial_fit,
        MaxMargin.fit,
        MaxMargin.predict,
        MaxMargin.decision_function,
        MaxMargin.set_callbacks,
        RobustProjection.fit,
        RobustProjection.transform,
        RobustProjection.gram_certificate,
        novikoff.is_separable,
        novikoff.save,
        novikoff.verify,
    ],
)
def test_every_method(method):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = [
        stars.get(parameter.kind, "") + name
        for name, parameter in inspect.signature(method).parameters.items()
        if name != "self"
    ]
    assert list(section(method.__doc__, "Parameters")) == parameters
    assert "Returns" in method.__doc__ or inspect.signature(method).return_annotation is None


def test_what_sample_weight_does_to_a_run():
    notes = " ".join(Perceptron.__doc__.split("Notes\n")[1].split())
    for words in (
        "``sample_weight`` equals repetition",
        "ceil(s)",
        "shuffle=False",
        "costs s times",
    ):
        assert words in notes


def test_every_rule_by_name():
    """The docstring lists the names, and each of them is a rule of its own."""
    text = section(Perceptron.__doc__, "Parameters")["rule"][1]
    names = re.findall(r'``"([a-z-]+)"``', text)
    assert {type(rules.named(name)) for name in names} == set(RULES)
    assert len(names) == len(RULES)


@pytest.mark.parametrize("kind", RULES)
def test_every_rule_has_its_guarantee_and_an_example(kind):
    assert ">>>" in kind.__doc__
    assert re.search(r"updates|[Uu]pdate while", kind.__doc__)
    assert "margin" in kind.__doc__


@pytest.mark.parametrize("name", novikoff.__all__)
def test_public_names(name):
    assert name in dir(novikoff)
    assert getattr(novikoff, name).__doc__
    assert len(ALL_RULES) >= len(RULES)
