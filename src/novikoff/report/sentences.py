"""What certificates say to people: whole sentences, numbers short enough to read.

The numbers are rounded to the safe side, like the claims they state; the certificate has them all.
"""

from collections.abc import Sequence
from itertools import zip_longest
from math import inf

from novikoff.certificate import (
    Certificate,
    Inconclusive,
    NonSeparation,
    PerClass,
    Separation,
    SoftOptimum,
    Undecided,
)
from novikoff.certificate.wording import at_least, at_most, counted, digits_between, percent

DIGITS = 6


def verdict(certificate: Certificate) -> bool | None:
    """Whether the examples are separable; None where that is undecided."""
    try:
        return bool(certificate)
    except Undecided:
        return None


def parts_of(certificate: Certificate) -> tuple[Certificate, ...]:
    """The certificates of the classes against the rest, or the one there is."""
    return certificate.certificates if isinstance(certificate, PerClass) else (certificate,)


def shown(lower: float, upper: float) -> tuple[str, str]:
    """Two bounds, the lower rounded down and the upper one up.

    Examples
    --------
    >>> shown(0.25, 0.2500001), shown(4.1371368425411e-5, 4.1371368425454e-5)
    (('0.25', '0.250001'), ('0.0000413713', '0.0000413714'))
    """
    digits = min(DIGITS, digits_between(lower, upper))
    return at_least(lower, digits), at_most(upper, digits)


def told(certificate: Certificate) -> list[str]:
    """What was proved."""
    if isinstance(certificate, PerClass):
        return told_of_classes(certificate)
    hyperplane = "hyperplane" if certificate.affine else "hyperplane through the origin"
    if isinstance(certificate, Separation):
        low, high = shown(certificate.lower, certificate.upper)
        examples = counted(certificate.n_examples, "example")
        sentence = f"Separable: the hyperplane separates all {examples} with margin at least {low}"
        if high == "inf":
            return [f"{sentence}; no upper bound was proved."]
        gap = percent(certificate.gap)
        return [f"{sentence}, and no {hyperplane} has more than {high} (gap {gap})."]
    if isinstance(certificate, SoftOptimum):
        low, high = shown(certificate.dual, certificate.primal)
        return [
            f"The soft margin with C = {price(certificate):.4g}: the model's objective is at most "
            f"{high}, and no {hyperplane} has less than {low} (gap {percent(certificate.gap)})."
        ]
    # The last line tells of the run, which the summary does elsewhere.
    return str(certificate).splitlines()[:-1]


def told_of_classes(
    certificate: PerClass,
    soft: Sequence[SoftOptimum | None] = (),
    support: Sequence[int] = (),
) -> list[str]:
    """What was proved of each class against the rest: how many, then a line for each.

    `soft` are certificates beside those, and `support` counts the examples in each hyperplane.
    """
    parts = certificate.certificates
    counts = {
        "separable": sum(isinstance(part, Separation) for part in parts),
        "proved not to be": sum(isinstance(part, NonSeparation) for part in parts),
        "undecided": sum(isinstance(part, Inconclusive) for part in parts),
        "fitted with slack": sum(isinstance(part, SoftOptimum) for part in parts),
    }
    found = [f"{n:,} {'is' if n == 1 else 'are'} {what}" for what, n in counts.items() if n]
    whole = " and ".join([part for part in (", ".join(found[:-1]), found[-1]) if part])
    lines = [f"Of {len(parts):,} classes, each against the rest, {whole}."]
    for label, part, beside, count in zip_longest(certificate.classes, parts, soft, support):
        facts = [in_short(part)]
        if beside is not None and not isinstance(part, SoftOptimum):
            facts.append(in_short(beside))
        if count is not None:
            facts.append(f"{counted(count, 'example')} in the model")
        lines.append(f"{label}: {'; '.join(facts)}")
    return lines


def in_short(certificate: Certificate) -> str:
    """What was proved of one class among several, without the words for it."""
    if isinstance(certificate, NonSeparation):
        return f"not separable, {counted(certificate.support.size, 'example')} prove it"
    if isinstance(certificate, SoftOptimum):
        low, high = shown(certificate.dual, certificate.primal)
        gap = percent(certificate.gap)
        return f"soft margin, C = {price(certificate):.4g}, objective {low} to {high} (gap {gap})"
    if isinstance(certificate, Separation):
        low, high = shown(certificate.lower, certificate.upper)
        return f"separable, margin {low} to {high} (gap {percent(certificate.gap)})"
    if isinstance(certificate, Inconclusive):
        what = "undecided" if certificate.spread is None else "numerically not separable"
        return f"{what}, no margin above {at_most(certificate.upper)}"
    raise TypeError(f"there are no words for {certificate!r}")


def price(soft: SoftOptimum | None) -> float:
    """The C of a soft margin; infinity where there is none."""
    return inf if soft is None else 0.5 / soft.delta / soft.delta
