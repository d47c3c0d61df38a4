"""The update rules of the perceptron: when an example is violated, and how large the step is."""

from novikoff.rules.alma import Alma
from novikoff.rules.base import Rule
from novikoff.rules.classic import Classic
from novikoff.rules.dynamic import Dynamic
from novikoff.rules.infinity import Infinity, ScaleFreeInfinity
from novikoff.rules.margin import Margin
from novikoff.rules.mean_norm import MeanNorm
from novikoff.rules.minover import MinOver
from novikoff.rules.passive_aggressive import PassiveAggressive
from novikoff.rules.scale_free import ScaleFree

__all__ = [
    "Alma",
    "Classic",
    "Dynamic",
    "Infinity",
    "Margin",
    "MeanNorm",
    "MinOver",
    "PassiveAggressive",
    "Rule",
    "ScaleFree",
    "ScaleFreeInfinity",
    "named",
]

_BY_NAME: dict[str, type[Rule]] = {
    "classic": Classic,
    "margin": Margin,
    "mean-norm": MeanNorm,
    "scale-free": ScaleFree,
    "infinity": Infinity,
    "scale-free-infinity": ScaleFreeInfinity,
    "dynamic": Dynamic,
    "passive-aggressive": PassiveAggressive,
    "alma": Alma,
    "min-over": MinOver,
}


def named(rule: str | Rule) -> Rule:
    """Return the rule with this name and its default parameters; a rule returns itself.

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.named("scale-free")
    ScaleFree()
    """
    if isinstance(rule, Rule):
        return rule
    if not isinstance(rule, str) or rule not in _BY_NAME:
        raise ValueError(f"rule={rule!r} is not a rule; choose one of {', '.join(_BY_NAME)}.")
    return _BY_NAME[rule]()
