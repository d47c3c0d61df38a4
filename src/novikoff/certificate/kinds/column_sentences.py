"""The sentences on single estimates of a logistic regression."""

from collections.abc import Sequence

from novikoff.certificate.coefficients import (
    EITHER,
    FINITE,
    LEFT_OUT,
    NEGATIVE,
    POSITIVE,
    Coefficient,
)
from novikoff.certificate.escape import format_label, printable
from novikoff.certificate.problem import Problem
from novikoff.certificate.wording import counted, in_full, shortened

_SAID = {POSITIVE: "+infinity", NEGATIVE: "-infinity"}


def sentences_on_columns(
    columns: Sequence[Coefficient], names: Sequence[str], problem: Problem, *, exists: bool
) -> list[str]:
    """Say which estimates are infinite, and why where that is simple.

    ``exists``: whether the maximum-likelihood estimate exists, so that all are finite.
    """
    by_kind: dict[str, list[str]] = {}
    lines = []
    for name, each in zip(names, columns, strict=True):
        shown = printable(name)
        if each.group is not None:
            because = _because(shown, each, problem)
            lines.append(f"The estimate of {shown} is {_SAID[each.estimate]}: {because}.")
        else:
            by_kind.setdefault(each.estimate, []).append(shown)
    for estimate in (POSITIVE, NEGATIVE):
        some = by_kind.get(estimate, [])
        if some:
            what = "estimate" if len(some) == 1 else "estimates"
            verb = "is" if len(some) == 1 else "are"
            lines.append(f"The {what} of {shortened(some)} {verb} {_SAID[estimate]}.")
    if EITHER in by_kind:
        lines.append(
            f"Undetermined: {shortened(by_kind[EITHER])}. Directions of both signs separate, "
            "and the likelihood comes as near to its supremum with any value."
        )
    if LEFT_OUT in by_kind:
        some = by_kind[LEFT_OUT]
        verb = "which is a combination" if len(some) == 1 else "which are combinations"
        lines.append(f"Not identified: {shortened(some)}, {verb} of earlier columns.")
    if FINITE in by_kind and not exists:
        lines.append(f"Finite: {shortened(by_kind[FINITE])}.")
    return lines


def _because(name: str, each: Coefficient, problem: Problem) -> str:
    assert each.group is not None
    group = each.group
    label = format_label(problem.classes[group.code])
    target = "the class" if problem.target is None else printable(problem.target)
    one = group.count == 1
    number = "the 1 example" if one else f"all {counted(group.count, 'example')}"
    verb = "has" if one else "have"
    # The name of an indicator says it already: clinic=west.
    indicator = group.value == 1.0 and "=" in name
    having = name if indicator else f"{name} = {in_full(group.value)}"
    return f"{number} with {having} {verb} {target} = {label}"
