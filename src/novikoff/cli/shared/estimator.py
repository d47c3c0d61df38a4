"""Which estimator the options of ``novikoff fit`` ask for."""

from dataclasses import dataclass
from typing import Any

from novikoff.cli.shared.group import Refusal

A_RULE = "scale-free"


@dataclass(frozen=True)
class Asked:
    """The options: a rule asks for a Perceptron, and no rule for MaxMargin.

    What was not given is None, and stays with the estimator's own default.

    Examples
    --------
    >>> shared = {"fit_intercept": False}
    >>> Asked("classic", {"C": None}, {"max_updates": 9}, shared).estimator()
    Perceptron(fit_intercept=False, max_updates=9, random_state=0, rule=Classic())
    >>> Asked(None, {"C": 1.0}, {"max_updates": None}, shared).estimator()
    MaxMargin(C=1.0, fit_intercept=False)
    """

    rule: str | None
    of_max_margin: dict[str, Any]
    of_perceptron: dict[str, Any]
    shared: dict[str, Any]

    def refuse_strangers(self) -> None:
        """Refuse the first option that was given for the other estimator."""
        others = self.of_perceptron if self.rule is None else self.of_max_margin
        for name, value in given(others).items():
            flag = "--" + name.replace("_", "-")
            if self.rule is None:
                cause = "belongs to a perceptron"
                cure = f"add --rule (such as --rule {A_RULE}) or leave out {flag}"
            else:
                cause = "belongs to the largest margin, which is fitted where there is no --rule"
                cure = f"leave out {flag} or --rule {self.rule}"
            raise Refusal(f"{flag} {cause}: {cure}{same_slack(name, value)}")

    def estimator(self) -> Any:
        """Make the estimator."""
        import novikoff

        if self.rule is None:
            return novikoff.MaxMargin(**self.shared, **given(self.of_max_margin))
        settings = given(self.of_perceptron)
        rule = parse_rule(self.rule, settings.pop("rule_param", []))
        # Without a seed too, the same command gives the same model.
        seed = settings.pop("seed", 0)
        return novikoff.Perceptron(rule=rule, random_state=seed, **self.shared, **settings)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def same_slack(name: str, value: Any) -> str:
    """Return how the other estimator would be told the same slack.

    Examples
    --------
    >>> same_slack("soft_margin", 0.5)
    '; as much slack without a rule is --C 2'
    >>> same_slack("C", 2.0)
    '; as much slack with a rule is --soft-margin 0.5'
    """
    if name not in ("soft_margin", "C") or not 1e-100 < value < 1e100:
        return ""
    if name == "soft_margin":
        return f"; as much slack without a rule is --C {1 / (2 * value**2):.6g}"
    return f"; as much slack with a rule is --soft-margin {(2 * value) ** -0.5:.6g}"


def parse_rule(name: str, settings: list[str]) -> Any:
    """Make the rule with this name and these settings.

    Examples
    --------
    >>> parse_rule("scale-free-infinity", ["alpha=1.2"])
    ScaleFreeInfinity(alpha=1.2)
    """
    from novikoff import rules

    parameters = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not (key and equals and value):
            raise Refusal(f"--rule-param {setting}: write it as NAME=VALUE, such as alpha=1.5")
        parameters[key] = parse_value(value)
    return rules.named(name).set_params(**parameters)


def parse_value(text: str) -> bool | int | float | str:
    """Read a parameter: true, false, a number, or a word.

    Examples
    --------
    >>> [parse_value(text) for text in ("true", "2", "1.5", "inf", "absolute")]
    [True, 2, 1.5, inf, 'absolute']
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
