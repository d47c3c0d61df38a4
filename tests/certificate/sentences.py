"""Reads the sentence of a check as a careful reader would, and asks whether it is true."""

import ast
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np

from novikoff.certificate import (
    Inconclusive,
    Joint,
    NonSeparation,
    PerClass,
    Separation,
    SoftOptimum,
)
from tests.certificate import joint_truth, truth
from tests.certificate.verdict import Data, joint_errors

LABEL = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|True|False|-?\d[-+.e\d]*)"""
COUNT = r"\d{1,3}(?:,\d{3})*"
NUMBER = r"-?(?:inf|\d+(?:\.\d+)?(?:e[-+]?\d+)?)"


def subject(preposition):
    return (
        rf"(?P<positive>{LABEL}) \((?P<n_positive>{COUNT})\) {preposition} "
        rf"(?P<negative>{LABEL}|the rest) \((?P<n_negative>{COUNT})\)"
    )


def plane(name):
    return f"hyperplane(?P<{name}> through the origin)?"


def examples(name):
    return rf"the (?:(?P<n_{name}>{COUNT}) examples|examples that take part)"


PREDICTOR = rf"(?:model|hyperplane of {LABEL} against the rest)"
MODEL = (
    rf"(?: The {PREDICTOR} makes (?P<errors>{COUNT}) errors? on {examples('errors')}\.)?"
    rf"(?P<soft> For C = (?P<C>{NUMBER}) the soft-margin objective of "
    rf"(?:(?P<scale>{NUMBER}) times )?the {PREDICTOR} is at most (?P<primal>{NUMBER}), "
    rf"and no {plane('soft_plane')} has less than (?P<dual>{NUMBER})\.)?"
)
LINEAR = "linear model(?: without intercepts)?"
JOINT = (
    rf"(?:the joint soft margin of all (?P<n_soft>{COUNT}) classes"
    rf"|the model separates all (?P<n_separated>{COUNT}) classes from each other with margin at "
    rf"least (?P<lower>{NUMBER})(?:, and no {LINEAR} has more than (?P<upper>{NUMBER})"
    r"|; no upper bound was proved)"
    rf"|(?P<undecided>it is not decided) whether a {LINEAR} separates the classes"
    rf"(?:; no {LINEAR} has a margin above (?P<bound>{NUMBER}))?"
    rf"|(?P<refuted>no {LINEAR} separates the classes)"
    rf"(?:: no {plane('plane')} separates (?P<first>{LABEL}) \((?P<n_first>{COUNT})\) from "
    rf"(?P<second>{LABEL}) \((?P<n_second>{COUNT})\))?; "
    rf"a weighted sum of (?P<carriers>{COUNT}) "
    r"(?P<what>signed example|example|pair)s?(?: of an example and a wrong class)? "
    r"is exactly zero)\."
    rf"(?P<soft> For C = (?P<C>{NUMBER}) the joint soft-margin objective of "
    rf"(?:(?P<scale>{NUMBER}) times )?the model is at most (?P<primal>{NUMBER}), "
    rf"and no {LINEAR} has less than (?P<dual>{NUMBER})\.)?"
    rf"(?: It separates all {COUNT} classes of {examples('also')} from each other, with margin at "
    rf"least (?P<also>{NUMBER})\.)?"
    rf"(?: The model makes (?P<errors>{COUNT}) errors? on {examples('errors')}\.)?"
)
CLAIMS = {
    Joint: JOINT,
    Separation: (
        rf"the hyperplane separates {subject('from')} with margin at least (?P<lower>{NUMBER})"
        rf"(?:, and no {plane('plane')} has more than (?P<upper>{NUMBER})|"
        r"; no upper bound was proved)\."
    ),
    NonSeparation: (
        rf"no {plane('plane')} separates {subject('from')}; "
        rf"a weighted sum of (?P<carriers>{COUNT}) signed examples? is exactly zero\.{MODEL}"
    ),
    Inconclusive: (
        rf"(?P<verdict>it is not decided whether a|no) {plane('plane')} separates "
        rf"{subject('from')}"
        rf"(?:; no {plane('bound_plane')} has a margin above (?P<upper>{NUMBER})"
        rf"(?: \(that is at most (?P<share>{NUMBER}) of the largest "
        r"(?P<whole>distance between examples|norm of an example)\))?)?"
        rf"\.{MODEL}"
    ),
    SoftOptimum: (
        rf"the soft margin of {subject('against')}\."
        rf"(?P<soft> For C = (?P<C>{NUMBER}) the soft-margin objective of "
        rf"(?:(?P<scale>{NUMBER}) times )?the {PREDICTOR} is at most (?P<primal>{NUMBER}), "
        rf"and no {plane('soft_plane')} has less than (?P<dual>{NUMBER})\.)"
        rf"(?: It separates {examples('separated')}, with margin at least (?P<lower>{NUMBER})\."
        rf"| The {PREDICTOR} makes (?P<errors>{COUNT}) errors? on {examples('errors')}\.)"
    ),
}
WEIGHT = rf"{NUMBER} for {LABEL}"
CLASS = rf"{LABEL} \({COUNT}\)"
CONDITIONS = (
    rf"(?:All (?P<all>{COUNT}) examples take part|(?P<some>{COUNT}) of (?P<n>{COUNT}) examples "
    r"take part \(the others have weight 0\))"
    rf"(?:, of the classes (?P<classes>{CLASS}(?:, {CLASS})* and (?:{CLASS}|{COUNT} more)))?"
    r", (?:without weights|with (?P<own>weights of their own)?(?:, and with )?"
    rf"(?:class weights (?P<class_weights>{WEIGHT}(?:, {WEIGHT})* and "
    rf"(?:{WEIGHT}|{COUNT} more)))?)"
    r"; hyperplanes (?P<kind>with an intercept|through the origin)\."
    rf"(?: Names \(not checked\): (?:target (?P<target>{LABEL}))?(?:; )?"
    rf"(?:features? (?P<features>{LABEL}(?:, {LABEL})*(?: and (?:{LABEL}|{COUNT} more))?))?\.)?"
)


def is_true(verified, certificate, X, y, sample_weight=None):
    """Whether the sentence parses in one way, and all that it says is true of the data."""
    sentence = verified.sentence
    assert sentence.startswith("Verified: ")
    rest = sentence.removeprefix("Verified: ")
    if isinstance(certificate, PerClass):
        return _per_class(rest, certificate, X, y, sample_weight)
    data = Data(certificate.problem, X, y, sample_weight)
    assert rest.isprintable()
    read = re.fullmatch(f"{CLAIMS[type(certificate)]} {CONDITIONS}", rest)
    assert read is not None, rest
    said = read.groupdict()
    if isinstance(certificate, Joint):
        without = "linear model without intercepts" in rest
        plain = re.search("linear model(?! without)", rest) is not None
        assert (
            not (plain and without) and (data.affine or not plain) and not (data.affine and without)
        )
        return _joint(said, certificate, data) and _conditions(said, certificate.problem, data)
    return _claim(said, certificate, data) and _conditions(said, certificate.problem, data)


def _per_class(text, certificate, X, y, sample_weight):
    first, *lines = text.split("\n")
    assert text.replace("\n", "").isprintable()
    problem = certificate.problem
    data = Data(problem, X, y, sample_weight)
    read = re.fullmatch(CONDITIONS, first)
    assert read is not None, first
    true = _conditions(read.groupdict(), problem, data)
    if certificate.errors is not None:
        said = re.fullmatch(
            rf"The model makes (?P<errors>{COUNT}) errors? on {examples('errors')}\.", lines.pop()
        )
        true = true and count(said["errors"]) == joint_errors(certificate, data)
    for label, part, line in zip(problem.classes, certificate.certificates, lines, strict=True):
        named = re.findall(rf"hyperplane of ({LABEL}) against the rest", line)
        assert "the model" not in line.lower() and all(same(name, label) for name in named)
        read = re.fullmatch(f"(?P<label>{LABEL}): {CLAIMS[type(part)]}", line)
        assert read is not None, line
        of_class = Data(part.problem, X, y, sample_weight)
        said = read.groupdict()
        true = true and same(said["label"], label) and _claim(said, part, of_class)
    return true


def _claim(said, certificate, data):
    problem = certificate.problem
    here = [i for i in data.part if data.signs[i] > 0]
    true = (
        same(said["positive"], problem.positive)
        and count(said["n_positive"]) == len(here)
        and count(said["n_negative"]) == len(data.part) - len(here)
    )
    if len(problem.classes) == 2:
        (other,) = {label for label in problem.classes if label != problem.positive}
        true = true and same(said["negative"], other)
    else:
        true = true and said["negative"] == "the rest"
    for name in ("plane", "bound_plane", "soft_plane"):
        bound = {"plane": "upper", "bound_plane": "upper", "soft_plane": "dual"}[name]
        if name in said and (said.get(bound) is not None or bound not in said):
            true = true and (said[name] is None) == problem.affine
    model = certificate.hyperplane
    if model is not None:
        true = true and _model(said, model, data)
    if said.get("carriers") is not None:
        carriers = certificate.support.tolist()
        if certificate.slacks is not None:
            carriers = truth.violating(data.X, data.signs, data.costs, certificate.slacks)[0]
        true = true and 0 < count(said["carriers"]) <= len(set(carriers))
    if said.get("upper") is not None:
        weighted = (certificate.support.tolist(), certificate.weights.tolist(), data.affine)
        upper = number(said["upper"])
        if said.get("verdict") is not None:
            # "No" is said where the bound is shown to be zero, and only there.
            true = true and (said["verdict"] == "no") == (upper == 0)
        true = true and truth.upper_is_true(upper, data.X, data.signs, *weighted)
        if said.get("share") is not None:
            square = truth.margin_square(data.X, data.signs, *weighted)
            distance = data.affine == (said["whole"] == "distance between examples")
            far = Fraction(certificate.spread)
            true = true and distance and number(said["share"]) ** 2 * far**2 >= square
            true = true and truth.spread_is_true(far, data.taking_part[0], data.affine)
    elif isinstance(certificate, Separation | Inconclusive):
        weighted = (certificate.support.tolist(), certificate.weights.tolist(), data.affine)
        square = truth.margin_square(data.X, data.signs, *weighted)
        true = true and (square is None or square > Fraction(1e307) ** 2)
    return true


def _model(said, model, data):
    plane = (*data.taking_part, model.coef, model.intercept)
    true = True
    if said.get("lower") is not None:
        true = truth.lower_is_true(number(said["lower"]), *plane) and not truth.errors(*plane)
    else:
        true = count(said["errors"]) == truth.errors(*plane)
    for name in ("n_errors", "n_separated"):
        if said.get(name) is not None:
            true = true and count(said[name]) == len(data.part) == len(data.y)
    if model.soft is None:
        return true and said.get("soft") is None
    soft = model.soft
    C, scale = number(said["C"]), number(said["scale"] or "1")
    with np.errstate(all="ignore"):
        w, b = float(scale) * model.coef, float(np.float64(float(scale)) * model.intercept)
    # The decimal is the shortest that reads back as the float: the float is meant.
    objective = truth.primal(data.X, data.signs, w, b, float(C), data.costs)
    weighted = (soft.support.tolist(), soft.weights.tolist(), data.affine)
    bound = truth.dual(data.X, data.signs, *weighted, float(C), data.costs)
    return (
        true
        and (float(C), float(scale)) == (soft.C, soft.scale)
        and number(said["primal"]) >= objective
        and number(said["dual"]) <= bound
    )


def _joint(said, certificate, data):
    """Whether what is said of several classes together is true."""
    problem, model = certificate.problem, certificate.model
    K, codes = len(problem.classes), [problem.classes.index(label) for label in data.y]
    rows = ([data.X[i] for i in data.part], [codes[i] for i in data.part])
    true = all(count(said[name]) == K for name in ("n_soft", "n_separated") if said[name])
    for name in ("lower", "also"):
        if said[name] is not None:
            claim = number(said[name])
            true = true and joint_truth.lower_is_true(claim, *rows, model.coef, model.intercept)
            true = true and claim >= 0
    for name in ("upper", "bound"):
        if said[name] is not None:
            true = true and joint_truth.some_bound_proves(number(said[name]), certificate, data)
    if said["errors"] is not None:
        true = true and count(said["errors"]) == joint_truth.errors(
            *rows, model.coef, model.intercept
        )
    for name in ("n_errors", "n_also"):
        if said[name] is not None:
            true = true and count(said[name]) == len(data.part) == len(data.y)
    if said["refuted"] is not None:
        refutation = certificate.refutation
        true = true and count(said["carriers"]) > 0
        if refutation is None:
            true = true and said["what"] == "example" and certificate.bound.upper == 0
        elif refutation.pair is None:
            true = true and said["what"] == "pair" and said["first"] is None
        else:
            first, second = (problem.classes[code] for code in refutation.pair)
            true = (
                true
                and same(said["first"], first)
                and same(said["second"], second)
                and count(said["n_first"]) == data.counts[refutation.pair[0]]
                and count(said["n_second"]) == data.counts[refutation.pair[1]]
                and (said["plane"] is None) == problem.affine
            )
    if model is None or model.soft is None:
        return true and said["soft"] is None
    soft, scale = model.soft, float(said["scale"] or "1")
    with np.errstate(all="ignore"):
        W, b = scale * model.coef, scale * model.intercept
    primal = joint_truth.primal(data.X, codes, W, b, soft.C, data.costs)
    return (
        true
        and (float(said["C"]), scale) == (soft.C, soft.scale)
        and number(said["primal"]) >= primal
        and number(said["dual"]) <= joint_truth.dual_of(soft, data, codes)
    )


def _conditions(said, problem, data):
    n, part = len(data.y), len(data.part)
    if part == n:
        true = count(said["all"] or "0") == n
    else:
        true = (count(said["some"] or "0"), count(said["n"] or "0")) == (part, n)
    if problem.positive is not None and len(problem.classes) > 2:
        parts = re.findall(rf"({LABEL}) \(({COUNT})\)", said["classes"])
        true = true and [count(k) for _, k in parts] == data.counts
        true = true and all(same(a, b) for (a, _), b in zip(parts, problem.classes, strict=True))
    true = true and (said["own"] is not None) == problem.weighted
    true = true and (said["class_weights"] is None) == (problem.class_weights is None)
    if problem.class_weights is not None:
        pairs = re.findall(rf"({NUMBER}) for ({LABEL})", said["class_weights"])
        read = [(float(weight), label) for weight, label in pairs]
        true = true and all(
            a == x and same(b, z)
            for (a, b), x, z in zip(read, problem.class_weights, problem.classes, strict=True)
        )
    for name in ("target", "features"):
        true = true and (said[name] is None) == (getattr(problem, NAMES[name]) is None)
    return true and (said["kind"] == "with an intercept") == problem.affine


NAMES = {"target": "target", "features": "feature_names"}


def same(shown, label):
    """Whether the text shows this label, of this type; a long one is cut."""
    read = ast.literal_eval(shown)
    if isinstance(label, str) and isinstance(read, str) and read.endswith("…"):
        return label.startswith(read[:-1])
    return read == label and type(read) is type(label)


def count(text):
    return int(text.replace(",", ""))


def number(text):
    return float(text) if text.endswith("inf") else Fraction(Decimal(text))
